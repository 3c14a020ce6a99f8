/// The number of an account within one database file; see `UserRecordName` for its public name.
public typealias UserID = Int64

/// Who asks.
public enum Caller: Hashable, Sendable {
    /// No credential: the `_world` role alone.
    case anonymous
    /// A signed-in user with the custom roles that hold it, directly or through other roles.
    case user(UserID, roles: Set<RoleName>)
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

/// The records of a type that an action may reach: what `authorize` says, before a record is at hand. Listings and the
/// change feed compile it into their SQL, so that pages and counts are exact.
public enum Reach: Hashable, Sendable {
    case none
    /// The records that the user created.
    case own(UserID)
    case all
}

/// Decides who may do what: the only place where scopes, roles and grants are judged.
///
/// - `_world` is every caller, `_icloud` every signed-in one, `_creator` the user who created the record; custom roles
///   as the caller holds them. The union of their grants counts.
/// - Whoever created a record may always read it.
/// - CREATE granted to `_creator` means any signed-in caller, who is the creator of what it creates.
/// - Grants apply to the public database. A private one is its owner's, and an administrator's who names the owner.
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
        for (role, permissions) in grants.byRole where permissions.contains(permission) && roles.contains(role) {
            return .all
        }
        if action == .read || grants[.creator].contains(permission) { return .own(id) }
        return .none
    }

    /// Judges one action on one record.
    ///
    /// - Parameter creator: The record's creator; `nil` for a record by nobody, ignored for `create`.
    public static func authorize(
        _ caller: Caller, _ action: Action, in scope: DatabaseScope, grants: Grants, creator: UserID?
    ) -> Decision {
        switch reach(of: action, for: caller, in: scope, grants: grants) {
        case .all: return .allowed
        case .own(let id) where action == .create || id == creator: return .allowed
        case .own, .none: return caller == .anonymous ? .authenticationRequired : .denied
        }
    }
}
