/// A database of a (container, environment).
package enum DatabaseScope: Hashable, Sendable {
    /// Shared by all users; roles and grants decide.
    case publicDatabase
    /// One per user, its owner's alone.
    case privateDatabase(owner: UserID)
}

/// What a caller wants to do with a record. Updating and deleting are both `write`, as in CloudKit.
package enum Action: Hashable, Sendable {
    case create, read, write
}

/// The answer of the one authorization function.
package enum Decision: Hashable, Sendable {
    case allowed
    /// An anonymous caller lacks the right; signing in may help.
    case authenticationRequired
    /// A known caller lacks the right.
    case denied
}

/// The records of a type that an action may reach: what `authorize` says, before a record is at hand. Listings, queries
/// and the change feed compile it into their SQL, so that pages and counts are exact.
package enum Reach: Hashable, Sendable {
    case none
    /// The records that the user created, among those without an access list.
    case own(UserID)
    /// All records without an access list.
    case all
}

/// The records with an access list that an action may reach.
package enum ListedReach: Hashable, Sendable {
    case none
    /// Those whose list gives the right to one of these principals.
    case principals([Principal])
    case all
}

/// What is judged of a record.
package struct RecordFacts: Hashable, Sendable {
    /// The record's creator; `nil` for a record by nobody, and for one that is being made.
    package var creator: UserID?
    /// The stored access list, if the record has one.
    package var access: [UInt8]?

    package init(creator: UserID?, access: [UInt8]? = nil) {
        self.creator = creator
        self.access = access
    }

    /// What can be judged of a record that is being made.
    package static let new = RecordFacts(creator: nil)
}

/// Decides who may do what: the only place where scopes, roles, grants and access lists are judged.
///
/// - `_world` is every caller, `_icloud` every signed-in one, `_creator` the user who created the record; custom roles
///   as the caller holds them. The union of their grants counts.
/// - Whoever created a record may always read it, unless the record has an access list.
/// - CREATE granted to `_creator` means any signed-in caller, who is the creator of what it creates.
/// - A record with an access list is open to whom the list names, as far as the grants let the caller do the same to
///   any record of the type.
/// - Grants and lists apply to the public database. A private one is its owner's, and an owner's of the server who names
///   whose it is.
/// - Grants and lists do not bind services and administrators: the scope of the key decides, or the role.
package enum Authorization {
    /// The reach of an action on the records of a type. For `create`, `own` means allowed.
    package static func reach(
        of action: Action, for caller: Caller, in scope: DatabaseScope, type: RecordTypeDefinition
    ) -> Reach {
        outlook(on: action, for: caller, in: scope, type: type).reach
    }

    /// The reach with the rule that it comes from.
    private static func outlook(
        on action: Action, for caller: Caller, in scope: DatabaseScope, type: RecordTypeDefinition
    ) -> (reach: Reach, rule: Ruling.Rule) {
        let permission = action.permission
        if case .privateDatabase(let owner) = scope {
            return mayEnterPrivateDatabase(caller, of: owner)
                ? (.all, .privateDatabase) : (.none, .otherPrivateDatabase)
        }
        let grants = type.grants
        switch caller {
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

    /// Judges whether a caller may ask anything of an environment but to sign in there.
    ///
    /// - Parameter isDevelopmentOpen: Strangers may use development, as long as nothing else is done with the server.
    package static func authorize(
        _ caller: Caller, entering environment: RecordEnvironment, isDevelopmentOpen: Bool
    ) -> Decision {
        guard environment == .development, !isDevelopmentOpen, caller == .anonymous else { return .allowed }
        return refusal(of: caller)
    }

    /// The reach of an action on those records of a type that have an access list.
    package static func listedReach(
        of action: Action, for caller: Caller, in scope: DatabaseScope, type: RecordTypeDefinition
    ) -> ListedReach {
        if caller.isBoundByGrants, case .privateDatabase = scope { return .none }
        guard reach(of: action, for: caller, in: scope, type: type) != .none else { return .none }
        return caller.isBoundByGrants ? .principals(caller.principals) : .all
    }

    /// Judges one action on one record.
    package static func authorize(
        _ caller: Caller, _ action: Action, in scope: DatabaseScope, type: RecordTypeDefinition, _ record: RecordFacts
    ) -> Decision {
        judge(caller, action, in: scope, type: type, record).decision
    }

    /// Judges one action on one record, and tells by which rule.
    package static func judge(
        _ caller: Caller, _ action: Action, in scope: DatabaseScope, type: RecordTypeDefinition, _ record: RecordFacts
    ) -> Ruling {
        let (reach, rule) = outlook(on: action, for: caller, in: scope, type: type)
        switch judge(caller, action, in: scope, reach, record) {
        case .listed(let principal): return Ruling(.allowed, .listed(principal))
        case .unlisted: return Ruling(refusal(of: caller), .unlisted)
        case .reached: return Ruling(.allowed, rule)
        case .notCreator: return Ruling(refusal(of: caller), .notCreator)
        case .outOfReach: return Ruling(refusal(of: caller), rule)
        }
    }

    /// What of a record and of the reach on its type has decided.
    enum Verdict {
        case listed(Principal), unlisted, reached, notCreator, outOfReach

        var isAllowed: Bool {
            switch self {
            case .listed, .reached: true
            case .unlisted, .notCreator, .outOfReach: false
            }
        }
    }

    /// Judges one action on one record by the reach that it has on the record's type.
    static func judge(
        _ caller: Caller, _ action: Action, in scope: DatabaseScope, _ reach: Reach, _ record: RecordFacts
    ) -> Verdict {
        if reach != .none, action != .create, scope == .publicDatabase, caller.isBoundByGrants,
            let access = record.access
        {
            let right: AccessRights = action == .read ? .read : .write
            return giver(of: right, in: access, to: caller).map { .listed($0) } ?? .unlisted
        }
        switch reach {
        case .all: return .reached
        case .own(let id): return action == .create || id == record.creator ? .reached : .notCreator
        case .none: return .outOfReach
        }
    }

    /// Judges what only administrators do, and keys that may.
    package static func authorize(_ caller: Caller, _ operation: AdministratorOperation) -> Decision {
        switch caller {
        case .administrator(let administrator) where administrator.role.operations.contains(operation): .allowed
        case .service(let key) where key.scope.operations.contains(operation): .allowed
        case .anonymous, .user, .service, .administrator: refusal(of: caller)
        }
    }

    /// Whether a caller may give a key a scope, or the token of a key with it: nobody gives what it does not have itself.
    ///
    /// - Returns: The first right that is missing, in the words of a scope; `nil` if none is.
    package static func firstRightBeyond(_ caller: Caller, in scope: KeyScope) -> String? {
        let own: KeyScope
        switch caller {
        case .anonymous, .user: own = KeyScope(permissions: [])
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
        // A scope that does nothing with records is not bound to any.
        guard let ownTypes = own.types, !scope.permissions.isEmpty else { return nil }
        guard let types = scope.types else { return "all types" }
        return types.subtracting(ownTypes).map(\.text).min()
    }

    /// Whether a caller who may not read a record could read it before its access list was changed, after it was last told
    /// of everything: the change feed tells it that the record is gone. Once: else it would learn of each later write.
    ///
    /// - Parameters:
    ///   - formerReaders: As they are stored with the record.
    ///   - sequence: Up to where the caller knows everything.
    package static func couldRead(
        _ caller: Caller, in scope: DatabaseScope, type: RecordTypeDefinition, creator: UserID?,
        formerReaders: [UInt8], after sequence: Int64
    ) -> Bool {
        couldRead(
            caller, in: scope, reach: reach(of: .read, for: caller, in: scope, type: type), creator: creator,
            formerReaders: formerReaders, after: sequence)
    }

    /// - Parameter reach: What the caller may read.
    static func couldRead(
        _ caller: Caller, in scope: DatabaseScope, reach: Reach, creator: UserID?, formerReaders: [UInt8],
        after sequence: Int64
    ) -> Bool {
        guard reach != .none, scope == .publicDatabase else { return false }
        var isFormer = false
        StoredFormerReaders.forEach(formerReaders) { reader, lost in
            guard lost > sequence else { return }
            switch reader {
            case .byGrants: if reach == .all || creator == caller.userID { isFormer = true }
            case .principal(let principal): if caller.isPrincipal(principal) { isFormer = true }
            }
        }
        return isFormer
    }

    /// The principal in a list that has the right and that the caller is.
    private static func giver(of right: AccessRights, in access: [UInt8], to caller: Caller) -> Principal? {
        var giver: Principal?
        StoredAccess.forEach(access) { principal, rights in
            if giver == nil, rights.contains(right), caller.isPrincipal(principal) { giver = principal }
        }
        return giver
    }

    /// What a caller is told who may not.
    package static func refusal(of caller: Caller) -> Decision {
        caller == .anonymous ? .authenticationRequired : .denied
    }
}

extension Action {
    /// The right that the action takes.
    package var permission: Permissions {
        switch self {
        case .create: .create
        case .read: .read
        case .write: .write
        }
    }
}
