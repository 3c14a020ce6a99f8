internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for the server's named administrators and their sessions.
enum AdministratorRoutes {
    static let routes: [Route] = [
        Route(
            "POST /administrators/sessions", "signInAdministrator", .administration, "Signs an administrator in",
            rate: .auth, authentication: .signIn, options: .serverWide, body: .json("AdministratorCredentials"),
            responses: [.json(201, "AdministratorSession", "A session; the token is shown once")]
        ) { call in try await signIn(&call) },
        Route(
            "GET /administrators/sessions", "listAdministratorSessions", .administration,
            "Lists the administrator's own sessions", rate: .administer, options: .serverWide,
            responses: [.json(200, "AdministratorSessions", "The sessions, the newest first")]
        ) { call in try listSessions(call) },
        Route(
            "DELETE /administrators/sessions/current", "signOutAdministrator", .administration,
            "Ends the administrator's session of the token", rate: .administer, options: .serverWide,
            responses: [.empty(204, "Signed out")]
        ) { call in try await signOut(call) },
        Route(
            "DELETE /administrators/sessions/{id}", "endAdministratorSession", .administration,
            "Ends one of the administrator's own sessions", rate: .administer, options: .serverWide,
            responses: [.empty(204, "Signed out")]
        ) { call in try await endSession(call) },
        Route(
            "PATCH /administrators/me", "changeOwnPassword", .administration,
            "Gives the administrator another password and ends its other sessions", rate: .auth, options: .serverWide,
            body: .json("PasswordChange"), responses: [.empty(204, "Changed")]
        ) { call in try await changeOwnPassword(&call) },
        Route(
            "GET /administrators", "listAdministrators", .administration, "Lists the administrators by name (owners)",
            rate: .administer, right: .manageAdministrators, options: .serverWide,
            responses: [.json(200, "Administrators", "The administrators by name")]
        ) { call in try list(call) },
        Route(
            "POST /administrators", "addAdministrator", .administration, "Adds an administrator (owners)",
            rate: .administer, right: .manageAdministrators, options: .serverWide, body: .json("NewAdministrator"),
            responses: [.json(201, "Administrator", "The new administrator")]
        ) { call in try await add(&call) },
        Route(
            "POST /administrators/first", "addFirstAdministrator", .administration,
            "Adds the first administrator, an owner, with the code of the link that the server printed", rate: .auth,
            authentication: .anonymous, options: .serverWide, body: .json("FirstAdministrator"),
            responses: [.json(201, "Administrator", "The owner"), .error(403, "The code is wrong or not needed")]
        ) { call in try await addFirst(&call) },
        Route(
            "GET /administrators/{name}", "readAdministrator", .administration, "Shows an administrator (owners)",
            rate: .administer, right: .manageAdministrators, options: .serverWide,
            responses: [.json(200, "Administrator", "The administrator")]
        ) { call in try read(call) },
        Route(
            "PATCH /administrators/{name}", "changeAdministrator", .administration,
            "Changes role or password of an administrator, or disables it (owners)", rate: .administer,
            right: .manageAdministrators, options: .serverWide, body: .json("AdministratorChange"),
            responses: [.json(200, "Administrator", "The administrator")]
        ) { call in try await change(&call) },
        Route(
            "DELETE /administrators/{name}", "deleteAdministrator", .administration,
            "Takes an administrator away (owners)", rate: .administer, right: .manageAdministrators,
            options: .serverWide, responses: [.empty(204, "Gone")]
        ) { call in try await delete(call) },
    ]

    /// `POST /administrators/sessions` with `{"name","password","label"?}`: signs in.
    static func signIn(_ call: inout RecordCall) async throws -> HTTPResponse {
        let administrators = try call.administrators()
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

    /// `DELETE /administrators/sessions/current`: ends the session of the request's token.
    static func signOut(_ call: RecordCall) async throws -> HTTPResponse {
        let own = try named(call)
        try await call.administrators().signOut(own.token, of: own.administrator, by: call.actor)
        return HTTPResponse(.noContent)
    }

    /// `GET /administrators/sessions`: lists the caller's own sessions.
    static func listSessions(_ call: RecordCall) throws -> HTTPResponse {
        let own = try named(call)
        let sessions = try call.administrators().sessions(of: own.administrator, token: own.token)
        return .json(["sessions": .array(sessions.map(\.json))])
    }

    /// `DELETE /administrators/sessions/{id}`: ends one of the caller's own sessions.
    static func endSession(_ call: RecordCall) async throws -> HTTPResponse {
        let own = try named(call)
        try await call.administrators().endSession(call.parameters[0], of: own.administrator, by: call.actor)
        return HTTPResponse(.noContent)
    }

    static func list(_ call: RecordCall) throws -> HTTPResponse {
        .json(["administrators": .array(try call.administrators().list().map(\.json))])
    }

    static func read(_ call: RecordCall) throws -> HTTPResponse {
        .json(try call.administrators().find(call.parameters[0]).json)
    }

    /// `POST /administrators` with `{"name","password","role"}`: adds an administrator.
    static func add(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.object(keys: ["name", "password", "role"], upTo: 16_384)
        guard let name = object["name"]?.string, let password = object["password"]?.string, let role = object["role"]
        else { throw RecordError.badRequest("The body needs 'name', 'password' and 'role', all strings") }
        let made = try await call.administrators().add(
            AdministratorName(name), password: AdministratorPassword(password), role: try Self.role(role),
            by: call.actor)
        return .json(made.json, status: .created)
    }

    /// `POST /administrators/first` with `{"code","name","password"}`: adds the first administrator.
    static func addFirst(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.object(keys: ["code", "name", "password"], upTo: 16_384)
        guard let code = object["code"]?.string, let name = object["name"]?.string,
            let password = object["password"]?.string
        else { throw RecordError.badRequest("The body needs 'code', 'name' and 'password', all strings") }
        guard call.api.configuration.setUpCode?.matches(code) == true else {
            throw RecordError(
                .accessDenied,
                "The link is not valid: each start of the server prints another one while it has no administrator")
        }
        let administrators = try call.administrators()
        // Before name and password, so that the console can ask whether the link still works.
        guard administrators.hasNone else { throw RecordError.setUpEnded }
        let made = try await administrators.addFirst(
            AdministratorName(name), password: AdministratorPassword(password), by: call.actor)
        return .json(made.json, status: .created)
    }

    /// `PATCH /administrators/{name}` with `role`, `password` or `disabled`: changes an administrator.
    static func change(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.object(keys: ["role", "password", "disabled"], upTo: 16_384)
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
        let changed = try await call.administrators().change(
            call.parameters[0], role: try object["role"].map { value in try role(value) }, password: password,
            isDisabled: isDisabled, by: call.actor)
        return .json(changed.json)
    }

    /// `DELETE /administrators/{name}`: removes an administrator.
    static func delete(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.administrators().remove(call.parameters[0], by: call.actor)
        return HTTPResponse(.noContent)
    }

    /// `PATCH /administrators/me` with `{"password","currentPassword"}`: changes the password and ends the other
    /// sessions.
    static func changeOwnPassword(_ call: inout RecordCall) async throws -> HTTPResponse {
        _ = try named(call)
        let object = try await call.object(keys: ["password", "currentPassword"], upTo: 16_384)
        let own = try named(call)
        guard let new = object["password"]?.string, let old = object["currentPassword"]?.string,
            old.utf8.count <= 1_024
        else { throw RecordError.badRequest("The body needs 'password' and 'currentPassword', both strings") }
        let (administrators, password, actor) = (try call.administrators(), try AdministratorPassword(new), call.actor)
        let attempt = try call.rate.beginSignIn(administrators.name(of: own.administrator), in: administrators)
        try await SignInAttempt.judging(attempt) { () throws(RecordError) in
            try await administrators.changePassword(
                of: own.administrator, from: old, to: password, token: own.token, by: actor)
        }
        return HTTPResponse(.noContent)
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

    /// Returns the named administrator that sends the request, with the administrator's token.
    ///
    /// - Throws: BAD_REQUEST for the server's own token, AUTHENTICATION_REQUIRED or ACCESS_DENIED for other callers.
    private static func named(
        _ call: RecordCall
    ) throws(RecordError) -> (administrator: Administrator, token: [UInt8]) {
        switch call.caller {
        case .administrator(let administrator):
            guard administrator.id != 0, let token = Bearer.token(call.request.fields) else {
                throw .badRequest("The server's own token is no session, and has no password")
            }
            return (administrator, token)
        case .anonymous:
            throw RecordError(.authenticationRequired, "Nobody is signed in. Send the token of an administrator")
        case .user, .participant, .service: throw RecordError(.accessDenied, "Only administrators may do this")
        }
    }

    static let schemas: StaticString = #"""
        "AdministratorRole":{"type":"string","enum":["owner","developer","editor","viewer"]},
        "AdministratorCredentials":{"type":"object","required":["name","password"],"additionalProperties":false,
        "properties":{"name":{"type":"string"},"password":{"type":"string"},"label":{"type":"string"}}},
        "PasswordChange":{"type":"object","required":["password","currentPassword"],"additionalProperties":false,
        "properties":{"password":{"type":"string","minLength":12},"currentPassword":{"type":"string"}}},
        "NewAdministrator":{"type":"object","required":["name","password","role"],"additionalProperties":false,
        "properties":{"name":{"type":"string","maxLength":64},"password":{"type":"string","minLength":12},
        "role":{"$ref":"#/components/schemas/AdministratorRole"}}},
        "FirstAdministrator":{"type":"object","required":["code","name","password"],"additionalProperties":false,
        "properties":{"code":{"type":"string"},"name":{"type":"string","maxLength":64},
        "password":{"type":"string","minLength":12}}},
        "AdministratorChange":{"type":"object","minProperties":1,"additionalProperties":false,"properties":{
        "role":{"$ref":"#/components/schemas/AdministratorRole"},"password":{"type":"string","minLength":12},
        "disabled":{"type":"boolean"}}},
        "Administrator":{"type":"object","required":["name","role","createdAt","disabled"],"properties":{
        "name":{"type":"string"},"role":{"$ref":"#/components/schemas/AdministratorRole"},
        "createdAt":{"type":"integer"},"disabled":{"type":"boolean"},"disabledAt":{"type":"integer"}}},
        "Administrators":{"type":"object","required":["administrators"],"properties":{
        "administrators":{"type":"array","items":{"$ref":"#/components/schemas/Administrator"}}}},
        "AdministratorSession":{"type":"object","required":["token","expiresAt","administrator"],"properties":{
        "token":{"type":"string"},"expiresAt":{"type":"integer"},
        "administrator":{"$ref":"#/components/schemas/Administrator"}}},
        "AdministratorSessions":{"type":"object","required":["sessions"],"properties":{
        "sessions":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},
        "label":{"type":"string"},"createdAt":{"type":"integer"},"usedAt":{"type":"integer"},
        "expiresAt":{"type":"integer"},"isCurrent":{"type":"boolean"}}}}}}
        """#
}
