internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for sessions: signing in, signing out, and managing the sessions of the account.
enum SessionRoutes {
    static let routes: [Route] = [
        Route(
            "POST /sessions", "signIn", .accounts, "Signs in", rate: .auth, authentication: .signIn,
            body: .json("Credentials"), responses: [.json(201, "Session", "A session; the token is shown once")]
        ) { call in try await signIn(&call) },
        Route(
            "GET /sessions", "listSessions", .accounts, "Lists the account's sessions", rate: .read,
            responses: [.json(200, "Sessions", "The sessions, the newest first")]
        ) { call in try list(call) },
        Route(
            "DELETE /sessions", "endSessions", .accounts,
            "Ends all of the account's sessions, or with others=true all but that of the token", rate: .write,
            query: ["others"], responses: [.empty(204, "Ended")]
        ) { call in try await endAll(call) },
        Route(
            "DELETE /sessions/current", "signOut", .accounts, "Ends the session of the token", rate: .write,
            responses: [.empty(204, "Signed out")]
        ) { call in try await signOut(call) },
        Route(
            "POST /sessions/current/rotate", "rotateSession", .accounts,
            "Gives the session another token; the old one is good for nothing any more", rate: .write,
            responses: [.json(200, "Session", "The session with its new token, shown once")]
        ) { call in try await rotate(call) },
        Route(
            "DELETE /sessions/{id}", "endSession", .accounts, "Ends one of the account's sessions", rate: .write,
            responses: [.empty(204, "Ended"), .error(404, "The account has no such session")]
        ) { call in try await end(call) },
    ]

    /// `POST /sessions` with `{"name","password","label"?}`: signs in.
    static func signIn(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.smallObject(keys: ["name", "password", "label"])
        let credentials = try AccountRoutes.credentials(object)
        let label = try AccountRoutes.label(object)
        return try await proving(credentials.name, in: call) { () throws(RecordError) in
            try call.reader.refresh()
            let account = try call.reader.accounts.lookUp(named: credentials.name)
            return AccountRoutes.respond(
                try await call.database.accounts.signIn(credentials.checked, account: account, label: label))
        }
    }

    /// Runs work that checks an account's password. After wrong passwords, attempts are delayed. Failures are recorded
    /// in the audit log.
    ///
    /// - Throws: THROTTLED, or the error of `body`.
    static func proving<Value>(
        _ name: String, in call: RecordCall, _ body: () async throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        let attempt = try call.rate.beginSignIn(name, in: call.database)
        do throws(RecordError) {
            return try await SignInAttempt.judging(attempt, body)
        } catch {
            if error.code == .authenticationFailed || error.cause == .wrongPassword || error.cause == .accountDisabled {
                call.reader.auditLog.noteFailedSignIn(
                    name: name, address: call.actor.address, requestID: call.request.id)
            }
            throw error
        }
    }

    /// `DELETE /sessions/current`: ends the session of the request's token.
    static func signOut(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.sessions.signOut(try call.session().token)
        return HTTPResponse(.noContent)
    }

    /// `GET /sessions`: lists the sessions of the caller's account, newest first.
    static func list(_ call: RecordCall) throws -> HTTPResponse {
        let session = try call.session()
        let sessions = try call.reader.sessions.list(of: session.user, token: session.token)
        return respond(sessions)
    }

    /// Returns the response `{"sessions":[…]}`.
    static func respond(_ sessions: [SessionInfo]) -> HTTPResponse {
        .json(["sessions": .array(sessions.map(document))])
    }

    /// `DELETE /sessions/{id}`: ends one session of the account.
    static func end(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.sessions.end(call.parameters[0], of: try call.session().user)
        return HTTPResponse(.noContent)
    }

    /// `DELETE /sessions`: ends all sessions of the account. With `others=true`, the session of the request continues.
    static func endAll(_ call: RecordCall) async throws -> HTTPResponse {
        let session = try call.session()
        let keepsCurrent = try call.query.word("others")
        try await call.database.sessions.endAll(
            of: session.user, but: keepsCurrent ? session.token : nil, by: call.actor)
        return HTTPResponse(.noContent)
    }

    /// `POST /sessions/current/rotate`: replaces the token of the request's session.
    static func rotate(_ call: RecordCall) async throws -> HTTPResponse {
        AccountRoutes.respond(try await call.database.sessions.rotate(try call.session().token), status: .ok)
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

    static let schemas: StaticString = #"""
        "SessionInfo":{"type":"object","required":["id","createdTimestamp","usedTimestamp","expiresAt","current"],
        "properties":{"id":{"type":"string"},"label":{"type":"string"},"createdTimestamp":{"type":"integer"},
        "usedTimestamp":{"type":"integer","description":"To the hour"},"expiresAt":{"type":"integer"},
        "current":{"type":"boolean"}}},
        "Sessions":{"type":"object","required":["sessions"],"properties":{
        "sessions":{"type":"array","items":{"$ref":"#/components/schemas/SessionInfo"}}}}
        """#
}
