/// Who asks.
package enum Caller: Hashable, Sendable {
    /// No credential: the `_world` role alone.
    case anonymous
    /// A signed-in user with the custom roles that hold it, directly or through other roles.
    case user(UserID, roles: [RoleName: RoleID])
    /// A service with an API key: what its scope says, in the public database.
    case service(ServiceKey)
    /// The operator of the server. Grants and lists do not bind administrators.
    case administrator(Administrator)

    /// The account that a private database may belong to.
    package var userID: UserID? {
        if case .user(let id, _) = self { id } else { nil }
    }

    package var administrator: Administrator? {
        if case .administrator(let administrator) = self { administrator } else { nil }
    }

    /// The number that stands in `creator` and `modifier` of what the caller writes.
    package var writerID: UserID {
        switch self {
        case .anonymous: .nobody
        case .administrator: .administrator
        case .user(let id, _): id
        case .service(let key): key.account
        }
    }

    /// The number by which cursors, tokens and remembered answers are this caller's.
    package var identityID: CallerID {
        if case .administrator(let administrator) = self, administrator.id != 0 {
            return CallerID(administrator: administrator.id)
        }
        return CallerID(writerID)
    }

    /// Whether grants and access lists decide for this caller.
    package var isBoundByGrants: Bool {
        switch self {
        case .anonymous, .user: true
        case .service, .administrator: false
        }
    }
}

/// An API key as it was when its bearer was looked up.
package struct ServiceKey: Hashable, Sendable {
    /// The key's own account, which is the creator of what it creates.
    package let account: UserID
    package let scope: KeyScope

    package init(account: UserID, scope: KeyScope) {
        self.account = account
        self.scope = scope
    }
}

/// What an API key may do in the database that it belongs to.
package struct KeyScope: Hashable, Sendable {
    /// The record types; `nil` for all, also those to come.
    package var types: Set<RecordTypeName>?
    /// What it may do with their records.
    package var permissions: Permissions
    /// What else it may do, as a developer may.
    package var operations: Set<AdministratorOperation>

    package init(
        types: Set<RecordTypeName>? = nil, permissions: Permissions, operations: Set<AdministratorOperation> = []
    ) {
        self.types = types
        self.permissions = permissions
        self.operations = operations
    }
}

/// A named administrator, or the bearer of the server's own token.
package struct Administrator: Hashable, Sendable {
    /// The number in the server's list of administrators; 0 for the server's own token.
    package let id: Int64
    package let role: AdministratorRole

    package init(id: Int64, role: AdministratorRole) {
        self.id = id
        self.role = role
    }

    /// Who bears the token that the first start prints.
    package static let bootstrap = Administrator(id: 0, role: .owner)
}

/// What an administrator is trusted with; each role has what those after it have.
package enum AdministratorRole: String, Hashable, Sendable, CaseIterable {
    /// Everything, other administrators, users' private databases and the audit log among it.
    case owner
    /// Schema, grants, roles, users and keys besides all records.
    case developer
    /// All records of the public database, to read and to write.
    case editor
    /// All records of the public database, to read.
    case viewer

    /// What it may do with records of the public database.
    var permissions: Permissions {
        switch self {
        case .owner, .developer, .editor: .all
        case .viewer: .read
        }
    }

    var operations: Set<AdministratorOperation> {
        switch self {
        case .owner: Set(AdministratorOperation.allCases)
        case .developer:
            [.readSchema, .changeSchema, .readRights, .changeRights, .manageUsers, .manageKeys, .readMetrics]
        case .editor, .viewer: [.readSchema, .readRights, .readMetrics]
        }
    }
}

/// What only administrators do, and keys whose scope says so.
package enum AdministratorOperation: String, Hashable, Sendable, CaseIterable {
    /// Types, fields, indexes, and what queries lack.
    case readSchema
    case changeSchema
    /// Grants, roles, and why somebody may do something.
    case readRights
    case changeRights
    /// Accounts, invitations and quotas.
    case manageUsers
    case manageKeys
    case manageAdministrators
    case readMetrics
    case readAudit
}
