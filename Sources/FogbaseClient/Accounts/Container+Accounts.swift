internal import RecordWire

extension Container {
    // MARK: Signing in and out

    /// Creates an account and signs in to it.
    ///
    /// ```swift
    /// let user = try await container.signUp("fay", password: "correct horse battery", label: "phone")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The account name, 1 to 128 bytes.
    ///   - password: The password, 8 to 256 bytes.
    ///   - invitation: The invitation code, if the server requires one.
    ///   - label: The label of the session, such as the device's name.
    /// - Throws: `FogbaseError.exists` if the name is taken; `accessDenied` if sign-up is closed.
    @discardableResult
    public func signUp(
        _ name: String, password: String, invitation: String? = nil, label: String? = nil
    ) async throws -> User {
        let body = Self.object(("name", name), ("password", password), ("invitation", invitation), ("label", label))
        return try await enter(Call("POST", "users"), body)
    }

    /// Creates an anonymous account and signs in to it.
    ///
    /// The account has no name and no password. If its token is lost, the account is lost. To prevent the loss, give
    /// the account a name with ``nameAccount(_:password:invitation:)``.
    ///
    /// - Throws: `FogbaseError.accessDenied` if the server does not allow anonymous accounts.
    @discardableResult
    public func signUpAnonymously(label: String? = nil) async throws -> User {
        try await enter(Call("POST", "users", "anonymous"), Self.object(("label", label)))
    }

    /// Signs in to an account.
    ///
    /// - Throws: `FogbaseError.authenticationFailed` if the name or the password is wrong; `throttled` after several
    ///   failed attempts.
    @discardableResult
    public func signIn(_ name: String, password: String, label: String? = nil) async throws -> User {
        let body = Self.object(("name", name), ("password", password), ("label", label))
        var call = Call("POST", "sessions")
        // A retry can create a second session, which expires unused.
        call.isRepeatable = true
        return try await enter(call, body)
    }

    /// Ends the session and deletes the token. The call also succeeds if the session has already ended.
    ///
    /// - Parameter everywhere: Whether to end all sessions of the account.
    /// - Throws: `FogbaseError` if the server did not confirm the sign-out. The token is kept, so the app can try
    ///   again.
    public func signOut(everywhere: Bool = false) async throws {
        guard let token = await connection.tokens.token() else { return }
        var call = everywhere ? Call("DELETE", "sessions") : Call("DELETE", "sessions", "current")
        call.isRepeatable = true
        do {
            _ = try await connection.send(call)
        } catch FogbaseError.notAuthenticated {
            // The session has already ended.
        }
        await connection.tokens.forgetToken(token)
    }

    // MARK: Who it is

    /// Returns whether a user is signed in. Errors of the server and the network are not thrown: the result is then a
    /// status with the error.
    ///
    /// - Throws: `CancellationError` only.
    public func accountStatus() async throws -> AccountStatus {
        guard await connection.tokens.token() != nil else { return .noAccount }
        do {
            return .available(try await currentUser().user)
        } catch let error as FogbaseError {
            switch error {
            case .notAuthenticated: return .noAccount
            case _ where error.isRetryable: return .temporarilyUnavailable(error)
            default: return .couldNotDetermine(error)
            }
        }
    }

    /// Returns the signed-in user with roles, usage and limits.
    ///
    /// - Throws: `FogbaseError.notAuthenticated` if no user is signed in.
    public func currentUser() async throws -> CurrentUser {
        let response = try await connection.send(Call("GET", "users", "me"))
        guard let user = CurrentUser(try response.readTree()) else { throw response.missingAccount }
        return user
    }

    // MARK: Changing the account

    /// Changes the password of the account. All other sessions end, and the current session gets a new token.
    ///
    /// If the call throws ``FogbaseError/responseLost(_:)``, sign in with the new password.
    ///
    /// - Throws: `FogbaseError.accessDenied` if `current` is wrong.
    public func changePassword(from current: String, to new: String) async throws {
        try await change(Self.object(("password", new), ("currentPassword", current)))
    }

    /// Changes the name of the account.
    ///
    /// - Throws: `FogbaseError.accessDenied` if the password is wrong; `exists` if the name is taken.
    @discardableResult
    public func rename(to name: String, password: String) async throws -> User {
        try await change(Self.object(("name", name), ("currentPassword", password)))
    }

    /// Gives an anonymous account a name and a password. The account and its data stay the same.
    ///
    /// - Parameters:
    ///   - name: The account name, 1 to 128 bytes.
    ///   - password: The password, 8 to 256 bytes.
    ///   - invitation: The invitation code, if the server requires one.
    /// - Throws: `FogbaseError.exists` if the name is taken.
    @discardableResult
    public func nameAccount(_ name: String, password: String, invitation: String? = nil) async throws -> User {
        try await change(Self.object(("name", name), ("password", password), ("invitation", invitation)))
    }

    /// Deletes the account, its private database, and the stored token.
    ///
    /// Records that the account created in the public database remain, with `_deleted` as their creator.
    ///
    /// - Parameter password: The password of the account; `nil` for an anonymous account.
    /// - Throws: `FogbaseError.accessDenied` if the password is wrong; `notAuthenticated` if no user is signed in.
    public func deleteAccount(password: String? = nil) async throws {
        guard let token = await connection.tokens.token() else {
            throw FogbaseError.notAuthenticated(ServerError(status: 401, reason: "Nobody is signed in"))
        }
        var call = Call("DELETE", "users", "me")
        if let password { call.setJSON(Self.object(("password", password))) }
        _ = try await connection.send(call)
        await connection.tokens.forgetToken(token)
    }

    // MARK: Sessions

    /// Returns the sessions of the account, the newest first.
    ///
    /// - Throws: `FogbaseError.notAuthenticated` if no user is signed in.
    public func sessions() async throws -> [AccountSession] {
        let response = try await connection.send(Call("GET", "sessions"))
        return try response.readTree()["sessions"]?.array?.compactMap(AccountSession.init(_:)) ?? []
    }

    /// Ends one session of the account. If `session` is the current session, the token is deleted too.
    ///
    /// - Throws: `FogbaseError.notFound` if there is no such session.
    public func endSession(_ session: AccountSession) async throws {
        let token = session.isCurrent ? await connection.tokens.token() : nil
        _ = try await connection.send(Call("DELETE", "sessions", session.id))
        if let token { await connection.tokens.forgetToken(token) }
    }

    /// Ends all sessions of the account except the current session.
    ///
    /// - Throws: `FogbaseError.notAuthenticated` if no user is signed in.
    public func endOtherSessions() async throws {
        var call = Call("DELETE", "sessions")
        call.isRepeatable = true
        call.query.append(("others", "true"))
        _ = try await connection.send(call)
    }

    /// Replaces the token of the current session. The old token becomes invalid.
    ///
    /// If the call throws ``FogbaseError/responseLost(_:)``, sign in again.
    ///
    /// - Throws: `FogbaseError.notAuthenticated` if no user is signed in.
    public func rotateSession() async throws {
        let response = try await connection.send(Call("POST", "sessions", "current", "rotate"))
        _ = try await keep(response)
    }

    // MARK: Bodies and responses

    private func enter(_ call: Call, _ body: JSONValue) async throws -> User {
        var call = call
        call.needsToken = false
        call.setJSON(body)
        return try await keep(try await connection.send(call))
    }

    @discardableResult
    private func change(_ body: JSONValue) async throws -> User {
        var call = Call("PATCH", "users", "me")
        call.setJSON(body)
        return try await keep(try await connection.send(call))
    }

    /// Stores the token from a response and returns the user.
    private func keep(_ response: TransportResponse) async throws -> User {
        let tree = try response.readTree()
        guard let user = tree["user"].flatMap(User.init(_:)) else { throw response.missingAccount }
        if let token = tree["token"]?.string { await connection.tokens.setToken(token) }
        return user
    }

    private static func object(_ members: (String, String?)...) -> JSONValue {
        .object(JSONObject(members.compactMap { key, text in text.map { (key, .string($0)) } }))
    }
}

extension TransportResponse {
    fileprivate var missingAccount: FogbaseError {
        .notFogbase(status: status, "The response has no account")
    }
}
