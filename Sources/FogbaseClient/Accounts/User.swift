public import Foundation
public import RecordModel
internal import RecordWire

/// The user of an account.
public struct User: Hashable, Sendable, Codable {
    /// The name of the user record. The creator of a record is given by this name.
    public var recordName: String
    /// The account name; `nil` for an anonymous account.
    public var name: String?

    /// Creates a user from its record name and account name.
    public init(recordName: String, name: String? = nil) {
        self.recordName = recordName
        self.name = name
    }

    /// Whether the account is anonymous: such an account has no name and no password, and is lost if its token is lost.
    public var isAnonymous: Bool { name == nil }

    init?(_ tree: JSONValue) {
        guard let recordName = tree["userRecordName"]?.string else { return nil }
        self.recordName = recordName
        // Names that users choose do not start with an underscore (HTTP interface, "Accounts").
        let isAnonymous = tree["isAnonymous"]?.bool ?? false
        name = isAnonymous ? nil : tree["name"]?.string.flatMap { $0.hasPrefix("_") ? nil : $0 }
    }
}

/// The signed-in user, with roles, usage and limits.
public struct CurrentUser: Hashable, Sendable {
    /// The user, by record name and account name.
    public var user: User
    /// When the account was created; `nil` for administrators and API keys.
    public var createdAt: Date?
    /// The names of the custom roles that the user has.
    public var roles: [String]
    /// Whether the client has all rights. Administrator accounts, administrator tokens, and API keys with the full
    /// scope have all rights.
    public var isAdministrator: Bool
    /// The storage and records that the user uses; `nil` if the server does not count usage.
    public var usage: Usage?
    /// The user's quotas. 0 means unlimited.
    public var limits: Usage

    /// The name of the user record. The creator of a record is given by this name.
    public var recordName: String { user.recordName }
    /// The account name; `nil` for an anonymous account.
    public var name: String? { user.name }

    /// Creates a signed-in user for tests and previews.
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
