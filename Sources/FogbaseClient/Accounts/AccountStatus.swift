/// Whether a user is signed in, with the cases of CloudKit's `CKAccountStatus`.
public enum AccountStatus: Hashable, Sendable {
    /// A user is signed in.
    case available(User)
    /// No user is signed in, or the session has ended. The client can still read records that are readable by everyone.
    case noAccount
    /// The status is unknown because of a temporary error. ``FogbaseError/retryAfter`` is the delay before a retry, if
    /// the server gave one.
    case temporarilyUnavailable(FogbaseError)
    /// The status is unknown because of an error that a retry does not fix.
    case couldNotDetermine(FogbaseError)

    /// The signed-in user; `nil` in all other cases.
    public var user: User? {
        guard case .available(let user) = self else { return nil }
        return user
    }
}
