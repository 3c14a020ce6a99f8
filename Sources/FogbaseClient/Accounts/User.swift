public import Foundation
public import RecordModel
internal import RecordWire

/// Somebody with an account.
public struct User: Hashable, Sendable, Codable {
    /// The name of the user's record, which the records that it makes name as their creator.
    public var recordName: String
    /// `nil` for an anonymous account.
    public var name: String?

    /// A user as records and answers name one.
    public init(recordName: String, name: String? = nil) {
        self.recordName = recordName
        self.name = name
    }

    /// Whether the account has no name and no password, and is lost with its token.
    public var isAnonymous: Bool { name == nil }

    init?(_ tree: JSONValue) {
        guard let recordName = tree["userRecordName"]?.string else { return nil }
        self.recordName = recordName
        // Names that somebody has chosen begin with no underscore (Interface, "Accounts").
        let isAnonymous = tree["isAnonymous"]?.bool ?? false
        name = isAnonymous ? nil : tree["name"]?.string.flatMap { $0.hasPrefix("_") ? nil : $0 }
    }
}

/// Who is signed in, with what it may do and what it takes.
public struct CurrentUser: Hashable, Sendable {
    /// The account, by record name and name.
    public var user: User
    /// When the account was made; `nil` for administrators and keys.
    public var createdAt: Date?
    /// The names of the custom roles that the user has.
    public var roles: [String]
    /// Whether every right is theirs: an account that is an administrator, an administrator's token, or a key that may
    /// do all.
    public var isAdministrator: Bool
    /// What its records and files take; `nil` where the server does not count.
    public var usage: Usage?
    /// What they may take at most, 0 for any amount.
    public var limits: Usage

    /// What the server says of whoever asks; for tests of views that show it.
    public init(
        user: User, createdAt: Date? = nil, roles: [String] = [], isAdministrator: Bool = false, usage: Usage? = nil,
        limits: Usage = Usage()
    ) {
        self.user = user
        self.createdAt = createdAt
        self.roles = roles
        self.isAdministrator = isAdministrator
        self.usage = usage
        self.limits = limits
    }

    init?(_ tree: JSONValue) {
        guard let user = User(tree) else { return nil }
        self.init(
            user: user, createdAt: tree["createdTimestamp"]?.integer.map(Date.init(milliseconds:)),
            roles: tree["roles"]?.array?.compactMap(\.string) ?? [],
            isAdministrator: tree["isAdministrator"]?.bool ?? false, usage: tree["usage"].map(Usage.init(_:)),
            limits: tree["usage"]?["limits"].map(Usage.init(_:)) ?? Usage())
    }
}

extension Usage {
    fileprivate init(_ tree: JSONValue) {
        self.init(
            records: tree["records"]?.integer ?? 0, bytes: tree["bytes"]?.integer ?? 0,
            assetBytes: tree["assetBytes"]?.integer ?? 0)
    }
}
