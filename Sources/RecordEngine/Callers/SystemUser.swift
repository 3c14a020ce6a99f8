internal import RecordModel

/// The writers that are no accounts. Their numbers are part of the storage format.
enum SystemUser {
    static let nobody: UserID = 0
    static let administrator: UserID = 1
    /// The name of an account that no longer exists.
    static let deleted = "_deleted"

    /// Whether a number is that of no account.
    static func isSpecial(_ id: UserID) -> Bool { name(id) != nil }

    static func name(_ id: UserID) -> String? {
        switch id {
        case nobody: "_anonymous"
        case administrator: "_administrator"
        default: nil
        }
    }
}

extension Caller {
    /// The number that stands in `creator` and `modifier` of what the caller writes.
    var writerID: UserID {
        switch self {
        case .anonymous: SystemUser.nobody
        case .administrator: SystemUser.administrator
        case .user(let id, _): id
        case .service(let key): key.account
        }
    }

    /// The number by which cursors, tokens and remembered answers are this caller's and nobody else's.
    var identityID: Int64 {
        if case .administrator(let administrator) = self, administrator.id != 0 { return -administrator.id }
        return writerID
    }
}
