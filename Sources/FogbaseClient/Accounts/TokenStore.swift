/// A store for the token of the signed-in user.
///
/// Conform to this protocol to keep the token in another place, such as a database.
public protocol TokenStore: Sendable {
    /// The stored token; `nil` if no user is signed in.
    func token() async -> String?
    /// Stores a token. `nil` deletes the stored token.
    func setToken(_ token: String?) async
    /// Deletes `token`, whose session has ended. If the store has another token by now, nothing is deleted.
    ///
    /// The client calls this method when the server no longer accepts the token. If the store has another token
    /// afterwards, the client repeats the failed call with the other token.
    func forgetToken(_ token: String) async
}

extension TokenStore {
    public func forgetToken(_ token: String) async {
        if await self.token() == token { await setToken(nil) }
    }
}

/// A token store that keeps the token in memory until the app ends.
public actor MemoryTokenStore: TokenStore {
    private var current: String?

    /// Creates a store.
    ///
    /// - Parameter token: The initial token; `nil` if no user is signed in.
    public init(_ token: String? = nil) {
        current = token
    }

    public func token() -> String? { current }
    public func setToken(_ token: String?) { current = token }

    public func forgetToken(_ token: String) {
        if current == token { current = nil }
    }
}
