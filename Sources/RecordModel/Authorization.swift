/// The number of an account within one database file; see `UserRecordName` for its public name.
public typealias UserID = Int64

/// Who asks.
public enum Caller: Hashable, Sendable {
    /// No credential: the `_world` role alone.
    case anonymous
    /// A signed-in user with the custom roles that hold it, directly or through other roles.
    case user(UserID, roles: [RoleName: RoleID])
    /// The operator, by the administrator's token. Grants do not bind it.
    case administrator

    public var userID: UserID? {
        if case .user(let id, _) = self { id } else { nil }
    }

    public var isAdministrator: Bool {
        self == .administrator
    }
}

/// A database of a (container, environment).
public enum DatabaseScope: Hashable, Sendable {
    /// Shared by all users; roles and grants decide.
    case publicDatabase
    /// One per user, its owner's alone.
    case privateDatabase(owner: UserID)
}

/// What a caller wants to do with a record. Updating and deleting are both `write`, as in CloudKit.
public enum Action: Hashable, Sendable {
    case create, read, write
}

/// The answer of the one authorization function.
public enum Decision: Hashable, Sendable {
    case allowed
    /// An anonymous caller lacks the right; signing in may help.
    case authenticationRequired
    /// A known caller lacks the right.
    case denied
}

/// The records of a type that an action may reach: what `authorize` says, before a record is at hand. Listings, queries
/// and the change feed compile it into their SQL, so that pages and counts are exact.
public enum Reach: Hashable, Sendable {
    case none
    /// The records that the user created, among those without an access list.
    case own(UserID)
    /// All records without an access list.
    case all
}

/// The records with an access list that an action may reach.
public enum ListedReach: Hashable, Sendable {
    case none
    /// Those whose list gives the right to one of these principals.
    case principals([Int64])
    case all
}

/// What is judged of a record.
public struct RecordFacts: Hashable, Sendable {
    /// The record's creator; `nil` for a record by nobody, and for one that is being made.
    public var creator: UserID?
    /// The stored access list, if the record has one.
    public var access: [UInt8]?

    public init(creator: UserID?, access: [UInt8]? = nil) {
        self.creator = creator
        self.access = access
    }

    /// What can be judged of a record that is being made.
    public static let new = RecordFacts(creator: nil)
}

/// Decides who may do what: the only place where scopes, roles, grants and access lists are judged.
///
/// - `_world` is every caller, `_icloud` every signed-in one, `_creator` the user who created the record; custom roles
///   as the caller holds them. The union of their grants counts.
/// - Whoever created a record may always read it, unless the record has an access list.
/// - CREATE granted to `_creator` means any signed-in caller, who is the creator of what it creates.
/// - A record with an access list is open to whom the list names, as far as the grants let the caller do the same to
///   any record of the type.
/// - Grants and lists apply to the public database. A private one is its owner's, and an administrator's who names the
///   owner.
public enum Authorization {
    /// The reach of an action on the records of a type with these grants. For `create`, `own` means allowed.
    public static func reach(of action: Action, for caller: Caller, in scope: DatabaseScope, grants: Grants) -> Reach {
        if caller.isAdministrator { return .all }
        if case .privateDatabase(let owner) = scope {
            return caller.userID == owner ? .all : .none
        }
        let permission: Permissions =
            switch action {
            case .create: .create
            case .read: .read
            case .write: .write
            }
        if grants[.world].contains(permission) { return .all }
        guard case .user(let id, let roles) = caller else { return .none }
        if grants[.authenticated].contains(permission) { return .all }
        for (role, permissions) in grants.byRole where permissions.contains(permission) && roles[role] != nil {
            return .all
        }
        if action == .read || grants[.creator].contains(permission) { return .own(id) }
        return .none
    }

    /// The reach of an action on those records of a type that have an access list.
    public static func listedReach(
        of action: Action, for caller: Caller, in scope: DatabaseScope, grants: Grants
    ) -> ListedReach {
        if caller.isAdministrator { return .all }
        if case .privateDatabase = scope { return .none }
        guard reach(of: action, for: caller, in: scope, grants: grants) != .none else { return .none }
        return .principals(caller.principals)
    }

    /// Judges one action on one record.
    public static func authorize(
        _ caller: Caller, _ action: Action, in scope: DatabaseScope, grants: Grants, _ record: RecordFacts
    ) -> Decision {
        let reach = reach(of: action, for: caller, in: scope, grants: grants)
        if reach != .none, action != .create, scope == .publicDatabase, let access = record.access {
            if caller.isAdministrator { return .allowed }
            let right: AccessRights = action == .read ? .read : .write
            return gives(access, right, to: caller) ? .allowed : refusal(of: caller)
        }
        switch reach {
        case .all: return .allowed
        case .own(let id) where action == .create || id == record.creator: return .allowed
        case .own, .none: return refusal(of: caller)
        }
    }

    /// Whether a caller who may not read a record could read it before its access list was changed: the change feed tells
    /// it that the record is gone.
    ///
    /// - Parameter formerReaders: As they are stored with the record.
    public static func couldRead(
        _ caller: Caller, in scope: DatabaseScope, grants: Grants, creator: UserID?,
        formerReaders: [UInt8]
    ) -> Bool {
        let reach = reach(of: .read, for: caller, in: scope, grants: grants)
        guard reach != .none, scope == .publicDatabase else { return false }
        var isFormer = false
        StoredFormerReaders.forEach(formerReaders) { number in
            if number == Principal.byGrants {
                if reach == .all || creator == caller.userID { isFormer = true }
            } else if caller.isPrincipal(number) {
                isFormer = true
            }
        }
        return isFormer
    }

    private static func gives(_ access: [UInt8], _ right: AccessRights, to caller: Caller) -> Bool {
        var isGiven = false
        StoredAccess.forEach(access) { number, rights in
            if rights.contains(right), caller.isPrincipal(number) { isGiven = true }
        }
        return isGiven
    }

    private static func refusal(of caller: Caller) -> Decision {
        caller == .anonymous ? .authenticationRequired : .denied
    }
}
