/// The sender of a request.
package enum Caller: Hashable, Sendable {
    /// A request without a credential. The caller has only the role `_world`.
    case anonymous
    /// A signed-in user, with the custom roles that include the user directly or through other roles.
    case user(UserID, roles: [RoleName: RoleID])
    /// A signed-in user in a zone that another user shares with it.
    indirect case participant(UserID, roles: [RoleName: RoleID], Participation)
    /// A service with an API key. The scope of the key determines the permissions in the public database.
    case service(ServiceKey)
    /// An administrator of the server. Grants and access lists do not apply to administrators.
    case administrator(Administrator)

    /// The account of a signed-in user; `nil` for other callers. Only such an account may own a private database.
    package var userID: UserID? {
        switch self {
        case .user(let id, _), .participant(let id, _, _): id
        case .anonymous, .service, .administrator: nil
        }
    }

    /// The rights of a user in another user's zone; `nil` for other callers.
    package var participation: Participation? {
        if case .participant(_, _, let participation) = self { participation } else { nil }
    }

    /// The caller outside shared zones: a participant is a user.
    package var account: Caller {
        if case .participant(let id, let roles, _) = self { .user(id, roles: roles) } else { self }
    }

    /// The administrator that sent the request; `nil` for other callers.
    package var administrator: Administrator? {
        if case .administrator(let administrator) = self { administrator } else { nil }
    }

    /// The account number that the server stores as `creator` and `modifier` of records that the caller writes.
    package var writerID: UserID {
        switch self {
        case .anonymous: .nobody
        case .administrator: .administrator
        case .user(let id, _), .participant(let id, _, _): id
        case .service(let key): key.account
        }
    }

    /// The number that binds cursors, sync tokens and stored responses to this caller.
    package var identityID: CallerID {
        if case .administrator(let administrator) = self, administrator.id != 0 {
            return CallerID(administrator: administrator.id)
        }
        return CallerID(writerID)
    }

    /// Whether grants and access lists apply to the caller.
    package var isBoundByGrants: Bool {
        switch self {
        case .anonymous, .user, .participant: true
        case .service, .administrator: false
        }
    }
}

/// An API key in its state when the server looked up the token.
package struct ServiceKey: Hashable, Sendable {
    /// The account of the key, which is the creator of the records that the key creates.
    package let account: UserID
    /// The permissions that the key gives.
    package let scope: KeyScope

    /// Creates a key from its account and scope.
    package init(account: UserID, scope: KeyScope) {
        self.account = account
        self.scope = scope
    }
}

/// The permissions of an API key in the key's database.
package struct KeyScope: Hashable, Sendable {
    /// The record types that the key may use. `nil` means all types, including future ones.
    package var types: Set<RecordTypeName>?
    /// The permissions on records of these types.
    package var permissions: Permissions
    /// The administrator operations that the key may perform.
    package var operations: Set<AdministratorOperation>

    /// Creates a scope from types, permissions and operations.
    package init(
        types: Set<RecordTypeName>? = nil, permissions: Permissions, operations: Set<AdministratorOperation> = []
    ) {
        self.types = types
        self.permissions = permissions
        self.operations = operations
    }
}

/// A named administrator, or the holder of the bootstrap token.
package struct Administrator: Hashable, Sendable {
    /// The number of the administrator in the server's list; 0 for the bootstrap token.
    package let id: Int64
    /// The role of the administrator.
    package let role: AdministratorRole

    /// Creates an administrator with a role.
    package init(id: Int64, role: AdministratorRole) {
        self.id = id
        self.role = role
    }

    /// The holder of the bootstrap token, which the server prints at its first start.
    package static let bootstrap = Administrator(id: 0, role: .owner)
}

/// The role of an administrator. Each role includes the permissions of the roles after it.
package enum AdministratorRole: String, Hashable, Sendable, CaseIterable {
    /// All permissions, including other administrators, private databases and the audit log.
    case owner
    /// Permission to manage the schema, grants, roles, users and API keys, and to create, read and write all records of
    /// the public database.
    case developer
    /// Read and write permission on all records of the public database.
    case editor
    /// Read permission on all records of the public database.
    case viewer

    /// The permissions on records of the public database.
    var permissions: Permissions {
        switch self {
        case .owner, .developer, .editor: .all
        case .viewer: .read
        }
    }

    /// The administrator operations that the role includes.
    var operations: Set<AdministratorOperation> {
        switch self {
        case .owner: Set(AdministratorOperation.allCases)
        case .developer:
            [
                .readSchema, .changeSchema, .readRights, .changeRights, .manageUsers, .manageKeys, .manageWebhooks,
                .manageSchedules, .readMetrics, .readRequests, .readSettings,
            ]
        case .editor, .viewer: [.readSchema, .readRights, .readMetrics]
        }
    }
}

/// An operation for administrators, and for API keys whose scope contains it.
package enum AdministratorOperation: String, Hashable, Sendable, CaseIterable {
    /// Read types, fields, indexes and index suggestions.
    case readSchema
    case changeSchema
    /// Read grants and roles, and explain permissions.
    case readRights
    case changeRights
    /// Manage accounts, invitations and quotas.
    case manageUsers
    case manageKeys
    case manageWebhooks
    case manageSchedules
    case manageAdministrators
    /// Read metrics, their history, and the sizes of types and indexes.
    case readMetrics
    /// Read the log of requests.
    case readRequests
    /// Read the server's settings.
    case readSettings
    case readAudit
    /// Download a backup, which contains everything that the server has.
    case downloadBackups
}
