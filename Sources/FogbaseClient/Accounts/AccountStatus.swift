/// Whether somebody is signed in, in CloudKit's words.
public enum AccountStatus: Hashable, Sendable {
    /// Somebody is.
    case available(User)
    /// Nobody is, or the session has ended. Whatever everybody may read can be read all the same.
    case noAccount
    /// The server cannot say now; the error tells when to ask again.
    case temporarilyUnavailable(FogbaseError)
    /// The server was not understood.
    case couldNotDetermine(FogbaseError)

    /// The user that is signed in.
    public var user: User? {
        guard case .available(let user) = self else { return nil }
        return user
    }
}
