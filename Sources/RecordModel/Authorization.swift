/// A database of a container and environment.
package enum DatabaseScope: Hashable, Sendable {
    /// The database that all users share. Roles and grants apply.
    case publicDatabase
    /// The private database of one user. Only the user, administrators with the role owner and the participants of
    /// its shares may use it.
    case privateDatabase(owner: UserID)
}

/// An action of a caller on a record. As in CloudKit, `write` includes both update and delete.
package enum Action: Hashable, Sendable {
    case create, read, write
}

/// The result of an authorization check.
package enum Decision: Hashable, Sendable {
    case allowed
    /// An anonymous caller lacks the permission. Signing in may help.
    case authenticationRequired
    /// A caller with a credential lacks the permission.
    case denied
}

/// The records on which a caller may perform an action, among the records of a type that have no access list.
///
/// The server computes this before it reads any record. Lists, queries and the change feed compile the result into
/// their SQL, so that pages and counts are exact.
package enum PermittedRecords: Hashable, Sendable {
    case none
    /// The records without an access list that the user created.
    case own(UserID)
    /// All records without an access list.
    case all

    /// No records, for a caller that may have rights on records with an access list. No account has this number.
    package static let onlyListed = PermittedRecords.own(UserID(rawValue: -1))

    /// Whether the caller has the permission for its own records and no others. Fields that only creators may read then
    /// have names for the caller.
    package var isOwn: Bool {
        if case .own = self { self != .onlyListed } else { false }
    }
}

/// The records on which a caller may perform an action, among the records of a type that have an access list.
package enum PermittedListedRecords: Hashable, Sendable {
    case none
    /// Records whose list gives one of these principals the permission.
    case principals([Principal])
    case all
}

/// The properties of a record that an authorization check uses.
package struct RecordFacts: Hashable, Sendable {
    /// The record's creator; `nil` for a new record and for a record without a creator.
    package var creator: UserID?
    /// The stored access list, if the record has one.
    package var access: [UInt8]?

    /// Creates the properties of one record.
    package init(creator: UserID?, access: [UInt8]? = nil) {
        self.creator = creator
        self.access = access
    }

    /// The properties of a record that is being created.
    package static let new = RecordFacts(creator: nil)
}

/// The authorization checks. This type alone evaluates scopes, roles, grants and access lists.
///
/// - `_world` includes every caller. `_icloud` includes every signed-in caller. `_creator` is the user who created the
///   record. A caller also has its custom roles. The caller has the union of the grants of all these roles.
/// - The creator of a record may always read the record, unless the record has an access list.
/// - CREATE granted to `_creator` applies to every signed-in caller, because a caller is the creator of each record
///   that it creates.
/// - An access list gives a principal no more than the type's grants give the caller for any record of the type.
/// - Grants and access lists apply to the public database. A private database is open only to its owner and to an
///   administrator with the role owner who names the account. A participant of a share has the share's rights on the
///   records of the zone, or on the records whose access list names the share.
/// - Grants and access lists do not apply to services and administrators. The scope of the API key or the
///   administrator's role determines their permissions.
package enum Authorization {
    /// Returns the records on which a caller may perform an action, among the records of a type that have no access
    /// list. For the action `create`, the result `own` means that the caller may create records.
    package static func permitted(
        of action: Action, for caller: Caller, in scope: DatabaseScope, type: RecordTypeDefinition
    ) -> PermittedRecords {
        permittedWithRule(on: action, for: caller, in: scope, type: type).permitted
    }

    /// Returns the permitted records with the rule that permits or denies them.
    private static func permittedWithRule(
        on action: Action, for caller: Caller, in scope: DatabaseScope, type: RecordTypeDefinition
    ) -> (permitted: PermittedRecords, rule: ExplainedDecision.Rule) {
        let permission = action.permission
        if case .privateDatabase(let owner) = scope {
            if let participation = caller.participation, participation.owner == owner {
                if participation.whole.contains(action.right) { return (.all, .sharedZone) }
                return participation.principals(with: action.right).isEmpty
                    ? (.none, .notShared) : (.onlyListed, .sharedZone)
            }
            return mayEnterPrivateDatabase(caller, of: owner)
                ? (.all, .privateDatabase) : (.none, .otherPrivateDatabase)
        }
        let grants = type.grants
        switch caller {
        case .participant: return (.none, .notShared)
        case .anonymous:
            return grants.builtIn.world.contains(permission) ? (.all, .grant(.world)) : (.none, .noGrant)
        case .user(let id, let roles):
            if grants.builtIn.world.contains(permission) { return (.all, .grant(.world)) }
            if grants.builtIn.authenticated.contains(permission) { return (.all, .grant(.authenticated)) }
            if !roles.isEmpty {
                for (role, permissions) in grants.byRole where permissions.contains(permission) && roles[role] != nil {
                    return (.all, .grant(role))
                }
            }
            if grants.builtIn.creator.contains(permission) { return (.own(id), .grant(.creator)) }
            return action == .read ? (.own(id), .creatorReads) : (.none, .noGrant)
        case .service(let key):
            guard key.scope.permissions.contains(permission), key.scope.types?.contains(type.name) ?? true else {
                return (.none, .outOfScope)
            }
            return (.all, .keyScope)
        case .administrator(let administrator):
            let role = administrator.role
            return role.permissions.contains(permission) ? (.all, .role(role)) : (.none, .roleLacks(role))
        }
    }

    /// Decides whether a caller may use an environment for anything other than signing in.
    ///
    /// - Parameter isDevelopmentOpen: Whether anonymous callers may use the development environment.
    package static func authorize(
        _ caller: Caller, entering environment: RecordEnvironment, isDevelopmentOpen: Bool
    ) -> Decision {
        guard environment == .development, !isDevelopmentOpen, caller == .anonymous else { return .allowed }
        return rejection(of: caller)
    }

    /// Returns the records on which a caller may perform an action, among the records of a type that have an access
    /// list.
    package static func listedPermitted(
        of action: Action, for caller: Caller, in scope: DatabaseScope, type: RecordTypeDefinition
    ) -> PermittedListedRecords {
        if case .privateDatabase = scope, caller.isBoundByGrants {
            guard let participation = caller.participation else {
                return permitted(of: action, for: caller, in: scope, type: type) == .none ? .none : .all
            }
            let permitted = permitted(of: action, for: caller, in: scope, type: type)
            if permitted == .none { return .none }
            return permitted == .all ? .all : .principals(participation.principals(with: action.right))
        }
        guard permitted(of: action, for: caller, in: scope, type: type) != .none else { return .none }
        return caller.isBoundByGrants ? .principals(caller.principals) : .all
    }

    /// Decides whether a caller may perform an action on a record.
    package static func authorize(
        _ caller: Caller, _ action: Action, in scope: DatabaseScope, type: RecordTypeDefinition, _ record: RecordFacts
    ) -> Decision {
        judge(caller, action, in: scope, type: type, record).decision
    }

    /// Decides whether a caller may perform an action on a record. The result contains the rule that led to the
    /// decision.
    package static func judge(
        _ caller: Caller, _ action: Action, in scope: DatabaseScope, type: RecordTypeDefinition, _ record: RecordFacts
    ) -> ExplainedDecision {
        let (permitted, rule) = permittedWithRule(on: action, for: caller, in: scope, type: type)
        switch judge(caller, action, in: scope, permitted, record) {
        case .listed(let principal): return ExplainedDecision(.allowed, .listed(principal))
        case .unlisted: return ExplainedDecision(rejection(of: caller), .unlisted)
        case .reached: return ExplainedDecision(.allowed, rule)
        case .notCreator: return ExplainedDecision(rejection(of: caller), .notCreator)
        case .notPermitted: return ExplainedDecision(rejection(of: caller), rule)
        }
    }

    /// The reason for a decision about one record.
    enum Verdict {
        case listed(Principal), unlisted, reached, notCreator, notPermitted

        var isAllowed: Bool {
            switch self {
            case .listed, .reached: true
            case .unlisted, .notCreator, .notPermitted: false
            }
        }
    }

    /// Decides about one record, given the permitted records of its type.
    static func judge(
        _ caller: Caller, _ action: Action, in scope: DatabaseScope, _ permitted: PermittedRecords,
        _ record: RecordFacts
    ) -> Verdict {
        if permitted != .none, action != .create, listsApply(to: caller, in: scope, permitted),
            let access = record.access
        {
            return giver(of: action.right, in: access, to: caller).map { .listed($0) } ?? .unlisted
        }
        switch permitted {
        case .all: return .reached
        case .own(let id): return action == .create || id == record.creator ? .reached : .notCreator
        case .none: return .notPermitted
        }
    }

    /// Whether access lists decide about the records that have one. In a private database they only name shares, for
    /// participants to which not the whole zone is shared.
    private static func listsApply(
        to caller: Caller, in scope: DatabaseScope, _ permitted: PermittedRecords
    ) -> Bool {
        scope == .publicDatabase ? caller.isBoundByGrants : caller.participation != nil && permitted != .all
    }

    /// Decides whether a caller may perform an administrator operation.
    package static func authorize(_ caller: Caller, _ operation: AdministratorOperation) -> Decision {
        switch caller {
        case .administrator(let administrator) where administrator.role.operations.contains(operation): .allowed
        case .service(let key) where key.scope.operations.contains(operation): .allowed
        case .anonymous, .user, .participant, .service, .administrator: rejection(of: caller)
        }
    }

    /// Compares a scope with the caller's own permissions. A caller cannot give an API key a permission that the caller
    /// lacks. A caller cannot issue a token for such a key either.
    ///
    /// - Returns: The first permission that the caller lacks, as the word that scopes use; `nil` if the caller has all
    ///   of them.
    package static func firstRightBeyond(_ caller: Caller, in scope: KeyScope) -> String? {
        let own: KeyScope
        switch caller {
        case .anonymous, .user, .participant: own = KeyScope(permissions: [])
        case .service(let key): own = key.scope
        case .administrator(let administrator):
            own = KeyScope(
                permissions: administrator.role.permissions, operations: administrator.role.operations)
        }
        if let operation = scope.operations.subtracting(own.operations).map(\.rawValue).min() { return operation }
        for (permission, word) in [(Permissions.read, "read"), (.create, "create"), (.write, "write")]
        where scope.permissions.contains(permission) && !own.permissions.contains(permission) {
            return word
        }
        // A scope without permissions on records is not limited to types.
        guard let ownTypes = own.types, !scope.permissions.isEmpty else { return nil }
        guard let types = scope.types else { return "all types" }
        return types.subtracting(ownTypes).map(\.text).min()
    }

    /// Returns whether the change feed reports a record as deleted to a caller that may not read the record. The caller
    /// must have been able to read the record before, and must have lost read access after the given sequence number.
    /// Without this comparison, the feed would report each later write of the record.
    ///
    /// - Parameters:
    ///   - formerReaders: The stored former readers of the record.
    ///   - sequence: The sequence number up to which the caller has received all changes.
    package static func couldRead(
        _ caller: Caller, in scope: DatabaseScope, type: RecordTypeDefinition, creator: UserID?,
        formerReaders: [UInt8], after sequence: Int64
    ) -> Bool {
        couldRead(
            caller, in: scope, permitted: permitted(of: .read, for: caller, in: scope, type: type), creator: creator,
            formerReaders: formerReaders, after: sequence)
    }

    /// - Parameter permitted: The records without an access list that the caller may read.
    static func couldRead(
        _ caller: Caller, in scope: DatabaseScope, permitted: PermittedRecords, creator: UserID?,
        formerReaders: [UInt8],
        after sequence: Int64
    ) -> Bool {
        guard permitted != .none, scope == .publicDatabase || caller.participation != nil else { return false }
        var isFormer = false
        StoredFormerReaders.forEach(formerReaders) { reader, lost in
            guard lost > sequence else { return }
            switch reader {
            case .byGrants:
                if permitted == .all || creator == caller.userID, scope == .publicDatabase { isFormer = true }
            case .principal(let principal): if caller.isPrincipal(principal) { isFormer = true }
            }
        }
        return isFormer
    }

    /// Returns the first principal of a list that has the permission and includes the caller.
    private static func giver(of right: AccessRights, in access: [UInt8], to caller: Caller) -> Principal? {
        var giver: Principal?
        StoredAccess.forEach(access) { principal, rights in
            guard giver == nil, rights.contains(right) else { return }
            if case .share(let id) = principal {
                // The list names the share; the participant has the share's rights.
                if caller.participation?.shares[id]?.contains(right) ?? false { giver = principal }
            } else if caller.isPrincipal(principal) {
                giver = principal
            }
        }
        return giver
    }

    /// Returns the decision for a caller without the permission: `authenticationRequired` for an anonymous caller, else
    /// `denied`.
    package static func rejection(of caller: Caller) -> Decision {
        caller == .anonymous ? .authenticationRequired : .denied
    }
}

extension Action {
    /// The permission that the action requires.
    package var permission: Permissions {
        switch self {
        case .create: .create
        case .read: .read
        case .write: .write
        }
    }
}
