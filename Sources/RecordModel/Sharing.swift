/// The permission that a share gives its participants, with CloudKit's words.
package enum SharePermission: Int64, Hashable, Sendable, CaseIterable {
    case none = 0
    case readOnly = 1
    case readWrite = 3

    /// The word in requests and responses.
    package var word: String {
        switch self {
        case .none: "NONE"
        case .readOnly: "READ_ONLY"
        case .readWrite: "READ_WRITE"
        }
    }

    /// Parses `NONE`, `READ_ONLY` or `READ_WRITE`.
    package init?(word: String) {
        guard let permission = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = permission
    }

    /// The rights on the shared records.
    package var rights: AccessRights {
        switch self {
        case .none: []
        case .readOnly: .read
        case .readWrite: .readWrite
        }
    }
}

/// Whether a participant has accepted a share. The raw values are part of the storage format.
package enum ParticipantStatus: Int64, Hashable, Sendable {
    case invited = 1
    case accepted = 2

    /// The word in responses, as in CloudKit.
    package var word: String {
        switch self {
        case .invited: "INVITED"
        case .accepted: "ACCEPTED"
        }
    }
}

/// How an account became a participant. The raw values are part of the storage format.
package enum ParticipantKind: Int64, Hashable, Sendable {
    case owner = 0
    /// The owner named the participant or gave it a link of its own. Its permission is its own.
    case user = 1
    /// The participant came with the share's link. It has the share's public permission.
    case publicUser = 2

    /// The word in responses, as in CloudKit.
    package var word: String {
        switch self {
        case .owner: "OWNER"
        case .user: "USER"
        case .publicUser: "PUBLIC_USER"
        }
    }
}

/// The rights that shares give one account in one zone of another owner.
package struct Participation: Hashable, Sendable {
    /// The shared zone.
    package let zone: ZoneID
    /// The account that owns the zone.
    package let owner: UserID
    /// The rights on all records of the zone; empty unless the whole zone is shared.
    package private(set) var whole: AccessRights = []
    /// The rights on the records of each share of a hierarchy.
    package private(set) var shares: [ShareID: AccessRights] = [:]

    /// Creates a participation without rights.
    package init(zone: ZoneID, owner: UserID) {
        self.zone = zone
        self.owner = owner
    }

    /// Adds the rights of one share.
    ///
    /// - Parameter isWhole: Whether the share is that of the whole zone.
    package mutating func add(_ share: ShareID, isWhole: Bool, _ rights: AccessRights) {
        if isWhole { whole.formUnion(rights) } else { shares[share, default: []].formUnion(rights) }
    }

    /// Returns the principals whose entries in access lists give the account a right.
    func principals(with right: AccessRights) -> [Principal] {
        shares.filter { $0.value.isSuperset(of: right) }.map { Principal.share($0.key) }.sorted()
    }
}

extension Action {
    /// The right in access lists and shares that the action requires. A participant that may write may create too.
    var right: AccessRights { self == .read ? .read : .write }
}
