internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Named administrators of the whole server, and their sessions.
extension RecordAPI {
    /// `POST /administrators/sessions` with `{"name","password","label"?}` signs in.
    func signInAdministrator(_ call: inout RecordCall) async throws -> HTTPResponse {
        let administrators = try administrators
        let object = try await call.object(keys: ["name", "password", "label"], upTo: 16_384)
        guard let name = object["name"]?.string, let password = object["password"]?.string,
            password.utf8.count <= 1_024
        else { throw RecordError.badRequest("The body needs 'name' and 'password', both strings") }
        let (label, actor) = (object["label"]?.string, call.actor)
        let attempt = try call.rate.beginSignIn(name, in: administrators)
        let session = try await SignInAttempt.judging(attempt) { () throws(RecordError) in
            try await administrators.signIn(name: name, password: password, label: label, by: actor)
        }
        var response = HTTPResponse.json(
            [
                "token": .string(session.token), "expiresAt": .integer(session.expires),
                "administrator": session.administrator.json,
            ], status: .created)
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// `DELETE /administrators/sessions/current` ends the session whose token the request bears.
    func signOutAdministrator(_ call: RecordCall) async throws -> HTTPResponse {
        let own = try call.namedAdministrator()
        try await administrators.signOut(own.token, of: own.administrator, by: call.actor)
        return HTTPResponse(.noContent)
    }

    /// `GET /administrators/sessions`: the bearer's own.
    func listAdministratorSessions(_ call: RecordCall) throws -> HTTPResponse {
        let own = try call.namedAdministrator()
        let sessions = try administrators.sessions(of: own.administrator, token: own.token)
        return .json(["sessions": .array(sessions.map(\.json))])
    }

    /// `DELETE /administrators/sessions/{id}`: one of the bearer's own.
    func endAdministratorSession(_ call: RecordCall) async throws -> HTTPResponse {
        let own = try call.namedAdministrator()
        try await administrators.endSession(call.parameters[0], of: own.administrator, by: call.actor)
        return HTTPResponse(.noContent)
    }

    func listAdministrators(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.manageAdministrators)
        return .json(["administrators": .array(try administrators.list().map(\.json))])
    }

    func readAdministrator(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.manageAdministrators)
        return .json(try administrators.find(call.parameters[0]).json)
    }

    /// `POST /administrators` with `{"name","password","role"}`.
    func addAdministrator(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.manageAdministrators)
        let object = try await call.object(keys: ["name", "password", "role"], upTo: 16_384)
        try call.require(.manageAdministrators)
        guard let name = object["name"]?.string, let password = object["password"]?.string, let role = object["role"]
        else { throw RecordError.badRequest("The body needs 'name', 'password' and 'role', all strings") }
        let made = try await administrators.add(
            AdministratorName(name), password: AdministratorPassword(password), role: try Self.role(role),
            by: call.actor)
        return .json(made.json, status: .created)
    }

    /// `PATCH /administrators/{name}` with what shall be other: `role`, `password`, `disabled`.
    func changeAdministrator(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.manageAdministrators)
        let object = try await call.object(keys: ["role", "password", "disabled"], upTo: 16_384)
        try call.require(.manageAdministrators)
        guard object.count > 0 else {
            throw RecordError.badRequest("The body names nothing to change: role, password or disabled")
        }
        var password: AdministratorPassword?
        if let value = object["password"] {
            guard let text = value.string else { throw RecordError.badRequest("'password' is a string") }
            password = try AdministratorPassword(text)
        }
        var isDisabled: Bool?
        if let value = object["disabled"] {
            guard let flag = value.bool else { throw RecordError.badRequest("'disabled' is true or false") }
            isDisabled = flag
        }
        let changed = try await administrators.change(
            call.parameters[0], role: try object["role"].map { value in try Self.role(value) }, password: password,
            isDisabled: isDisabled, by: call.actor)
        return .json(changed.json)
    }

    /// `DELETE /administrators/{name}`.
    func deleteAdministrator(_ call: RecordCall) async throws -> HTTPResponse {
        try call.require(.manageAdministrators)
        try await administrators.remove(call.parameters[0], by: call.actor)
        return HTTPResponse(.noContent)
    }

    /// `PATCH /administrators/me` with `{"password","currentPassword"}`: the bearer's other sessions end.
    func changeOwnPassword(_ call: inout RecordCall) async throws -> HTTPResponse {
        _ = try call.namedAdministrator()
        let object = try await call.object(keys: ["password", "currentPassword"], upTo: 16_384)
        let own = try call.namedAdministrator()
        guard let new = object["password"]?.string, let old = object["currentPassword"]?.string,
            old.utf8.count <= 1_024
        else { throw RecordError.badRequest("The body needs 'password' and 'currentPassword', both strings") }
        let (administrators, password, actor) = (try administrators, try AdministratorPassword(new), call.actor)
        let attempt = try call.rate.beginSignIn(administrators.name(of: own.administrator), in: administrators)
        try await SignInAttempt.judging(attempt) { () throws(RecordError) in
            try await administrators.changePassword(
                of: own.administrator, from: old, to: password, token: own.token, by: actor)
        }
        return HTTPResponse(.noContent)
    }

    /// The server's administrators.
    private var administrators: Administrators {
        get throws(RecordError) {
            guard let administrators = registry.configuration.administrators else {
                throw RecordError(.notFound, "This server has no administrators by name", cause: .unknownRoute)
            }
            return administrators
        }
    }

    private static func role(_ value: JSONValue) throws(RecordError) -> AdministratorRole {
        guard let role = value.string.flatMap(AdministratorRole.init(rawValue:)) else {
            let words = AdministratorRole.allCases.map(\.rawValue)
            throw .badRequest(
                "'role' is one of \(words.joined(separator: ", "))", cause: .unknownName,
                details: [("field", .text("role")), ("allowed", .list(words))])
        }
        return role
    }

    /// `GET /audit`: who changed what rights, the newest first. Of the request's database, or with `scope=server` of the
    /// server as a whole.
    func readAudit(_ call: RecordCall) async throws -> HTTPResponse {
        try call.require(.readAudit)
        var request = AuditRequest(limit: try call.query.limit(call.database.limits), cursor: call.query["cursor"])
        request.since = try call.query.moment("since")
        request.until = try call.query.moment("until")
        request.actor = call.query["actor"]
        if let word = call.query["action"] {
            guard let action = AuditAction(rawValue: word) else {
                throw RequestQuery.invalid(
                    "action", "'action' is one of \(AuditAction.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            request.action = action
        }
        switch call.query["scope"] {
        case nil, "database": return .json(try await call.database.audit(request))
        case "server": return .json(try await administrators.auditLog(request))
        default: throw RequestQuery.invalid("scope", "'scope' is database or server")
        }
    }
}

extension RecordCall {
    /// The administrator by name who asks, with the token.
    fileprivate func namedAdministrator() throws(RecordError) -> (administrator: Administrator, token: [UInt8]) {
        switch caller {
        case .administrator(let administrator):
            guard administrator.id != 0, let token = Bearer.token(request.fields) else {
                throw .badRequest("The server's own token is no session, and has no password")
            }
            return (administrator, token)
        case .anonymous:
            throw RecordError(.authenticationRequired, "Nobody is signed in. Send the token of an administrator")
        case .user, .service: throw RecordError(.accessDenied, "Only administrators may do this")
        }
    }
}

extension RequestQuery {
    /// A moment in milliseconds since 1970; `nil` if it is not given.
    fileprivate func moment(_ name: String) throws(RecordError) -> Int64? {
        guard let text = self[name] else { return nil }
        return try WireMoment.read(text, name, takesDates: true)
    }
}
