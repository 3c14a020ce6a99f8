/// Keeps the token of whoever is signed in. An app puts its own in place: the keychain, a file, a test's.
public protocol TokenStore: Sendable {
    /// The token; `nil` for nobody.
    func token() async -> String?
    /// Keeps another token, or forgets it.
    func setToken(_ token: String?) async
    /// Forgets a token whose session has ended, unless another one has taken its place meanwhile.
    func forgetToken(_ token: String) async
}

extension TokenStore {
    public func forgetToken(_ token: String) async {
        if await self.token() == token { await setToken(nil) }
    }
}

/// Keeps the token until the app ends.
public actor MemoryTokenStore: TokenStore {
    private var current: String?

    /// - Parameter token: Whoever is signed in from the beginning; `nil` is nobody.
    public init(_ token: String? = nil) {
        current = token
    }

    public func token() -> String? { current }
    public func setToken(_ token: String?) { current = token }

    public func forgetToken(_ token: String) {
        if current == token { current = nil }
    }
}
