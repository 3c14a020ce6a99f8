internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Sessions: signing in and out, and what else is signed in to the account.
extension RecordAPI {
    /// `POST /sessions` with `{"name","password","label"?}` signs in.
    func signIn(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.smallObject(keys: ["name", "password", "label"])
        let credentials = try Self.credentials(object)
        let label = try Self.label(object)
        return try await Self.proving(credentials.name, in: call) { () throws(RecordError) in
            try call.reader.refresh()
            let account = try call.reader.account(named: credentials.name)
            return Self.answer(try await call.database.signIn(credentials.checked, account: account, label: label))
        }
    }

    /// Does what takes the password of an account: after wrong ones there is a delay.
    static func proving<Value>(
        _ name: String, in call: RecordCall, _ body: () async throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        let attempt = try call.rate.beginSignIn(name, in: call.database)
        do throws(RecordError) {
            return try await SignInAttempt.judging(attempt, body)
        } catch {
            if error.code == .authenticationFailed || error.cause == .wrongPassword || error.cause == .accountDisabled {
                call.reader.noteFailedSignIn(
                    name: name, address: call.actor.address, requestID: call.request.id)
            }
            throw error
        }
    }

    /// `DELETE /sessions/current` ends the session whose token the request bears.
    func signOut(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.signOut(try call.session().token)
        return HTTPResponse(.noContent)
    }

    /// `GET /sessions`: the sessions of the caller's account, the newest first.
    func listSessions(_ call: RecordCall) throws -> HTTPResponse {
        let session = try call.session()
        let sessions = try call.reader.sessions(of: session.user, token: session.token)
        return .json(["sessions": .array(sessions.map(Self.document))])
    }

    /// `DELETE /sessions/{id}` ends one of them.
    func endSession(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.endSession(call.parameters[0], of: try call.session().user)
        return HTTPResponse(.noContent)
    }

    /// `DELETE /sessions` ends all of them, or with `others=true` all but that of the request.
    func endSessions(_ call: RecordCall) async throws -> HTTPResponse {
        let session = try call.session()
        let keepsCurrent = try call.query.word("others")
        try await call.database.endSessions(
            of: session.user, but: keepsCurrent ? session.token : nil, by: call.actor)
        return HTTPResponse(.noContent)
    }

    /// `POST /sessions/current/rotate` gives the session of the request another token.
    func rotateSession(_ call: RecordCall) async throws -> HTTPResponse {
        Self.answer(try await call.database.rotateSession(try call.session().token), status: .ok)
    }

    private static func document(_ session: SessionInfo) -> JSONValue {
        var object = JSONObject([("id", .string(session.id))])
        if let label = session.label { object["label"] = .string(label) }
        object["createdTimestamp"] = .integer(session.created)
        object["usedTimestamp"] = .integer(session.used)
        object["expiresAt"] = .integer(session.expires)
        object["current"] = .bool(session.isCurrent)
        return .object(object)
    }
}
