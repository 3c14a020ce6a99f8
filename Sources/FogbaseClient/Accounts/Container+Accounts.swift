internal import RecordWire

extension Container {
    // MARK: Signing in and out

    /// Makes an account and signs it in.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes.
    ///   - password: 8 to 256 bytes.
    ///   - invitation: Where the server demands one.
    ///   - label: What the list of sessions calls this one, such as the name of the device.
    /// - Throws: `FogbaseError.exists` if somebody has the name; `accessDenied` if sign-up is closed.
    @discardableResult
    public func signUp(
        _ name: String, password: String, invitation: String? = nil, label: String? = nil
    ) async throws -> User {
        let body = Self.object(("name", name), ("password", password), ("invitation", invitation), ("label", label))
        return try await enter(Call("POST", "users"), body)
    }

    /// Makes an account without name and password, and signs it in: it is lost with its token, unless it is given a name by
    /// `nameAccount`.
    ///
    /// - Throws: `FogbaseError.accessDenied` if the server makes no such accounts.
    @discardableResult
    public func signUpAnonymously(label: String? = nil) async throws -> User {
        try await enter(Call("POST", "users", "anonymous"), Self.object(("label", label)))
    }

    /// Signs in.
    ///
    /// - Throws: `FogbaseError.authenticationFailed` if name or password are wrong; `throttled` after several wrong ones.
    @discardableResult
    public func signIn(_ name: String, password: String, label: String? = nil) async throws -> User {
        let body = Self.object(("name", name), ("password", password), ("label", label))
        var call = Call("POST", "sessions")
        // A session too many ends by itself.
        call.isRepeatable = true
        return try await enter(call, body)
    }

    /// Ends the session, or all of the account's, and forgets the token. It is no error if the session has ended before.
    ///
    /// - Throws: Where the server is not reached; the token is kept then, so that it can be tried again.
    public func signOut(everywhere: Bool = false) async throws {
        guard let token = await connection.tokens.token() else { return }
        var call = everywhere ? Call("DELETE", "sessions") : Call("DELETE", "sessions", "current")
        call.isRepeatable = true
        do {
            _ = try await connection.send(call)
        } catch FogbaseError.notAuthenticated {
            // That is what was wanted.
        }
        await connection.tokens.forgetToken(token)
    }

    // MARK: Who it is

    /// Whether somebody is signed in.
    ///
    /// - Throws: `CancellationError` alone.
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

    /// Who is signed in, with its roles and what it takes.
    ///
    /// - Throws: `FogbaseError.notAuthenticated` if nobody is.
    public func currentUser() async throws -> CurrentUser {
        let response = try await connection.send(Call("GET", "users", "me"))
        guard let user = CurrentUser(try response.readTree()) else { throw response.isNoAccount }
        return user
    }

    // MARK: Changing the account

    /// Gives the account another password. All its other sessions end, and this one gets another token.
    ///
    /// Should the answer be lost, sign in with the new password.
    ///
    /// - Throws: `FogbaseError.accessDenied` if `current` is wrong.
    public func changePassword(from current: String, to new: String) async throws {
        try await change(Self.object(("password", new), ("currentPassword", current)))
    }

    /// Gives the account another name.
    ///
    /// - Throws: `FogbaseError.accessDenied` if the password is wrong; `exists` if somebody has the name.
    @discardableResult
    public func rename(to name: String, password: String) async throws -> User {
        try await change(Self.object(("name", name), ("currentPassword", password)))
    }

    /// Gives an anonymous account a name and a password: it is the same account, with all it has.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes.
    ///   - password: 8 to 256 bytes.
    ///   - invitation: Where the server demands one.
    /// - Throws: `FogbaseError.exists` if somebody has the name.
    @discardableResult
    public func nameAccount(_ name: String, password: String, invitation: String? = nil) async throws -> User {
        try await change(Self.object(("name", name), ("password", password), ("invitation", invitation)))
    }

    /// Takes the account away, with its private database. What it made in the public database stays, by nobody.
    ///
    /// - Parameter password: `nil` for an anonymous account.
    /// - Throws: `FogbaseError.accessDenied` if the password is wrong.
    public func deleteAccount(password: String? = nil) async throws {
        guard let token = await connection.tokens.token() else {
            throw FogbaseError.notAuthenticated(Refusal(status: 401, reason: "Nobody is signed in"))
        }
        var call = Call("DELETE", "users", "me")
        if let password { call.setJSON(Self.object(("password", password))) }
        _ = try await connection.send(call)
        await connection.tokens.forgetToken(token)
    }

    // MARK: Sessions

    /// Where the account is signed in, the newest first.
    public func sessions() async throws -> [AccountSession] {
        let response = try await connection.send(Call("GET", "sessions"))
        return try response.readTree()["sessions"]?.array?.compactMap(AccountSession.init(_:)) ?? []
    }

    /// Ends one of the account's sessions.
    ///
    /// - Throws: `FogbaseError.notFound` if there is no such session.
    public func endSession(_ session: AccountSession) async throws {
        let token = session.isCurrent ? await connection.tokens.token() : nil
        _ = try await connection.send(Call("DELETE", "sessions", session.id))
        if let token { await connection.tokens.forgetToken(token) }
    }

    /// Ends all sessions of the account but this one.
    public func endOtherSessions() async throws {
        var call = Call("DELETE", "sessions")
        call.isRepeatable = true
        call.query.append(("others", "true"))
        _ = try await connection.send(call)
    }

    /// Gives the session another token; the one that it had is worth nothing from then on.
    ///
    /// Should the answer be lost, sign in again.
    public func rotateSession() async throws {
        let response = try await connection.send(Call("POST", "sessions", "current", "rotate"))
        _ = try await keep(response)
    }

    // MARK: Bodies and answers

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

    /// Keeps the token that an answer brings.
    private func keep(_ response: TransportResponse) async throws -> User {
        let tree = try response.readTree()
        guard let user = tree["user"].flatMap(User.init(_:)) else { throw response.isNoAccount }
        if let token = tree["token"]?.string { await connection.tokens.setToken(token) }
        return user
    }

    private static func object(_ members: (String, String?)...) -> JSONValue {
        .object(JSONObject(members.compactMap { key, text in text.map { (key, .string($0)) } }))
    }
}

extension TransportResponse {
    fileprivate var isNoAccount: FogbaseError {
        .notFogbase(status: status, "The answer tells of no account")
    }
}
