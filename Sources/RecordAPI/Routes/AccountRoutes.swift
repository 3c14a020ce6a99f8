internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for signing up and for managing the caller's account.
enum AccountRoutes {
    static let routes: [Route] = [
        Route(
            "POST /users", "signUp", .accounts, "Makes an account and signs it in", rate: .signUp,
            body: .json("SignUp"),
            responses: [
                .json(201, "Session", "A session; the token is shown once"),
                .error(403, "Sign-up is closed, or the invitation is not good"), .error(409, "The name is taken"),
            ]
        ) { call in try await signUp(&call) },
        Route(
            "POST /users/anonymous", "signUpAnonymously", .accounts,
            "Makes an account without a name and signs it in, where that is allowed", rate: .signUp,
            body: .optionalJSON("Label"), responses: [.json(201, "Session", "A session; the token is shown once")]
        ) { call in try await signUpAnonymously(&call) },
        Route(
            "GET /users/me", "readMe", .accounts, "Shows who bears the token", rate: .read,
            responses: [.json(200, "User", "The caller")]
        ) { call in try readMe(call) },
        Route(
            "PATCH /users/me", "changeMe", .accounts,
            "Changes the account's name or password; a new password ends all other sessions. Gives an anonymous account both",
            rate: .auth, body: .json("AccountChange"),
            responses: [
                .json(200, "Session", "The account; after a new password with the session's new token"),
                .error(403, "The current password is wrong"), .error(409, "The name is taken"),
            ]
        ) { call in try await changeMe(&call) },
        Route(
            "DELETE /users/me", "removeMe", .accounts,
            "Takes the account away, with its sessions and its private database", rate: .auth,
            body: .optionalJSON("Password"), responses: [.empty(204, "Gone"), .error(403, "The password is wrong")]
        ) { call in try await removeMe(&call) },
    ]

    /// `POST /users` with `{"name","password","label"?,"invitation"?}`: creates an account and signs it in.
    static func signUp(_ call: inout RecordCall) async throws -> HTTPResponse {
        if call.api.configuration.signUp == .closed { try requireAdministratorForSignUp(call) }
        let object = try await call.smallObject(keys: ["name", "password", "label", "invitation"])
        let credentials = try credentials(object)
        let label = try label(object)
        let invitation = try optionalText("invitation", object).map(Invitation.init)
        if let invitation {
            try call.reader.refresh()
            try call.reader.invitations.check(invitation, name: credentials.name)
        }
        // Check again after the body was read, and once more after the password was hashed.
        let isForManagers =
            call.api.configuration.signUp == .closed
            || (call.api.configuration.signUp == .invitation && invitation == nil)
        if isForManagers { try requireAdministratorForSignUp(call) }
        let session = try await call.database.accounts.signUp(
            credentials.checked, label: label, invitation: invitation, isForManagers: isForManagers, by: call.actor)
        call.rate.remember(credentials.name, in: call.database)
        return respond(session)
    }

    /// `POST /users/anonymous` with `{"label"?}`: creates an account without a name and a password, and signs it in.
    static func signUpAnonymously(_ call: inout RecordCall) async throws -> HTTPResponse {
        guard call.api.configuration.allowsAnonymousAccounts else {
            throw RecordError(.accessDenied, "Anonymous accounts are not made here. Sign up with a name and a password")
        }
        let label = try label(try await call.smallObject(keys: ["label"], isOptional: true))
        return respond(try await call.database.accounts.signUpAnonymously(label: label, by: call.actor))
    }

    /// Denies callers other than administrators. Administrators can create accounts even if sign-up is closed.
    ///
    /// - Throws: ACCESS_DENIED.
    private static func requireAdministratorForSignUp(_ call: RecordCall) throws(RecordError) {
        guard Authorization.authorize(call.caller, .manageUsers) != .allowed else { return }
        throw RecordError(
            .accessDenied,
            call.api.configuration.signUp == .invitation
                ? "Sign-up is by invitation. Send the one that you have in 'invitation'"
                : "Sign-up is closed. Ask an administrator for an account")
    }

    /// `GET /users/me`: describes the caller.
    static func readMe(_ call: RecordCall) throws -> HTTPResponse {
        guard var me = try describeCaller(call).object else { throw RecordError.notSignedIn }
        if let usage = try call.reader.usage(for: call.caller) {
            // Only administrators get exact numbers.
            me["usage"] = document(
                call.caller.administrator == nil ? usage.used.rounded : usage.used, usage.quota)
        }
        return .json(.object(me))
    }

    /// Returns `{"records","bytes","assetBytes","limits"?}`; without a quota, `limits` is missing.
    static func document(_ usage: Usage, _ quota: Usage) -> JSONValue {
        func members(_ usage: Usage) -> [(String, Int64)] {
            [("records", usage.records), ("bytes", usage.bytes), ("assetBytes", usage.assetBytes)]
        }
        var object = JSONObject(members(usage).map { ($0, .integer($1)) })
        let limits = members(quota).filter { $0.1 > 0 }
        if !limits.isEmpty { object["limits"] = .object(JSONObject(limits.map { ($0, .integer($1)) })) }
        return .object(object)
    }

    private static func describeCaller(_ call: RecordCall) throws -> JSONValue {
        switch call.caller {
        case .anonymous: throw RecordError.notSignedIn
        case .administrator(let administrator):
            let name =
                administrator.id == 0 ? nil : call.api.registry.configuration.administrators?.name(of: administrator)
            return [
                "userRecordName": "_administrator", "name": .string(name ?? "Administrator"), "isAdministrator": true,
                "role": .string(administrator.role.rawValue),
            ]
        case .service(let key):
            guard let user = try call.reader.accounts.user(key.account) else { throw RecordError.notSignedIn }
            let name = try call.reader.apiKeys.key(of: key.account)?.name ?? user.recordName
            return [
                "userRecordName": .string(user.recordName), "name": .string(name), "isAdministrator": false,
                "scope": key.scope.json,
            ]
        case .user(let id, let roles), .participant(let id, let roles, _):
            guard let user = try call.reader.accounts.user(id) else { throw RecordError.notSignedIn }
            return document(user, roles: roles.keys.map(\.text).sorted())
        }
    }

    /// `PATCH /users/me` with `{"name"?,"password"?,"currentPassword"?,"invitation"?}`: changes the caller's account.
    static func changeMe(_ call: inout RecordCall) async throws -> HTTPResponse {
        _ = try call.session()
        let object = try await call.smallObject(keys: ["name", "password", "currentPassword", "invitation"])
        let session = try call.session()
        var change = try AccountChange(
            name: try optionalText("name", object), password: try optionalText("password", object),
            currentPassword: try optionalText("currentPassword", object))
        change.invitation = try optionalText("invitation", object).map(Invitation.init)
        try call.reader.refresh()
        guard let user = try call.reader.accounts.user(session.user) else { throw RecordError.notSignedIn }
        if user.isAnonymous { try allowNaming(change, in: call) }
        let (account, database, actor) = (try call.reader.accounts.lookUp(session.user), call.database, call.actor)
        let changed = try await SessionRoutes.proving(user.name, in: call) { () throws(RecordError) in
            try await database.accounts.change(change, of: account, token: session.token, by: actor)
        }
        if let session = changed.session { return respond(session, status: .ok) }
        return .json(["user": document(changed.user)])
    }

    /// Checks that an anonymous user may choose a name. Choosing a name counts as a sign-up.
    ///
    /// - Throws: ACCESS_DENIED, or the errors of checking the invitation.
    private static func allowNaming(_ change: AccountChange, in call: RecordCall) throws(RecordError) {
        guard call.api.configuration.signUp != .open else { return }
        guard call.api.configuration.signUp == .invitation, let invitation = change.invitation else {
            return try requireAdministratorForSignUp(call)
        }
        guard let name = change.name else { return }
        try call.reader.invitations.check(invitation, name: name)
    }

    /// `DELETE /users/me` with `{"password"}`, or without a body for an anonymous user: deletes the account.
    static func removeMe(_ call: inout RecordCall) async throws -> HTTPResponse {
        _ = try call.session()
        let object = try await call.smallObject(keys: ["password"], isOptional: true)
        let session = try call.session()
        let password = try optionalText("password", object)
        try call.reader.refresh()
        guard let user = try call.reader.accounts.user(session.user) else { throw RecordError.notSignedIn }
        let (account, database, actor) = (try call.reader.accounts.lookUp(session.user), call.database, call.actor)
        try await SessionRoutes.proving(user.name, in: call) { () throws(RecordError) in
            try await database.accounts.remove(account, password: password, token: session.token, by: actor)
        }
        return HTTPResponse(.noContent)
    }

    // MARK: Bodies and responses

    static func respond(_ session: Session, status: HTTPStatus = .created) -> HTTPResponse {
        var response = HTTPResponse.json(
            [
                "token": .string(session.token), "expiresAt": .integer(session.expires),
                "user": ["userRecordName": .string(session.user.recordName), "name": .string(session.user.name)],
            ], status: status)
        // The token is shown only once and must not be cached.
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    static func document(_ user: User, roles: [String]? = nil) -> JSONValue {
        var object: [(String, JSONValue)] = [
            ("userRecordName", .string(user.recordName)), ("name", .string(user.name)),
            ("createdTimestamp", .integer(user.created)),
        ]
        if let roles {
            object.append(("roles", .array(roles.map(JSONValue.string))))
            object.append(("isAdministrator", false))
        }
        object.append(("isAnonymous", .bool(user.isAnonymous)))
        if let since = user.disabled {
            object.append(("disabled", true))
            object.append(("disabledTimestamp", .integer(since)))
        }
        return .object(JSONObject(object))
    }

    static func credentials(_ object: JSONObject) throws(RecordError) -> (name: String, checked: Credentials) {
        guard let name = object["name"]?.string, let password = object["password"]?.string else {
            throw RecordError.badRequest("The body needs 'name' and 'password', both strings")
        }
        return (name, try Credentials(name: name, password: password))
    }

    static func label(_ object: JSONObject) throws(RecordError) -> SessionLabel? {
        try optionalText("label", object).map { text throws(RecordError) in try SessionLabel(text) }
    }

    static func optionalText(_ key: String, _ object: JSONObject) throws(RecordError) -> String? {
        guard let value = object[key], value != .null else { return nil }
        guard let text = value.string else {
            throw .badRequest("'\(key)' is a string", details: [("path", .text(key))])
        }
        return text
    }

    static let schemas: StaticString = #"""
        "Credentials":{"type":"object","required":["name","password"],"properties":{
        "name":{"type":"string"},"password":{"type":"string","minLength":8},"label":{"type":"string"}}},
        "SignUp":{"type":"object","required":["name","password"],"properties":{
        "name":{"type":"string"},"password":{"type":"string","minLength":8},"label":{"type":"string"},
        "invitation":{"type":"string"}}},
        "Label":{"type":"object","properties":{"label":{"type":"string"}}},
        "Password":{"type":"object","properties":{"password":{"type":"string"}}},
        "UserChange":{"type":"object","minProperties":1,"additionalProperties":false,"properties":{
        "password":{"type":"string","minLength":8,"description":"Owners alone"},"disabled":{"type":"boolean"}}},
        "Users":{"type":"object","required":["users"],"properties":{
        "users":{"type":"array","items":{"$ref":"#/components/schemas/User"}},"cursor":{"type":"string"}}},
        "AccountChange":{"type":"object","properties":{"name":{"type":"string"},
        "password":{"type":"string","minLength":8},"currentPassword":{"type":"string"},
        "invitation":{"type":"string"}}}
        """#

    static let userSchemas: StaticString = #"""
        "User":{"type":"object","required":["userRecordName","name"],"properties":{
        "userRecordName":{"type":"string"},"name":{"type":"string"},
        "createdTimestamp":{"type":"integer"},"roles":{"type":"array","items":{"type":"string"}},
        "isAdministrator":{"type":"boolean"},"isAnonymous":{"type":"boolean"},
        "disabled":{"type":"boolean"},"disabledTimestamp":{"type":"integer"},
        "usage":{"$ref":"#/components/schemas/Usage"}}},
        "Usage":{"type":"object","description":"Of the account; an administrator's own is about everybody","properties":{
        "records":{"type":"integer"},"bytes":{"type":"integer"},"assetBytes":{"type":"integer"},
        "limits":{"type":"object","description":"Absent where there is no quota",
        "additionalProperties":{"type":"integer"}}}}
        """#

    static let sessionSchemas: StaticString = #"""
        "Session":{"type":"object","required":["user"],"properties":{
        "token":{"type":"string"},"expiresAt":{"type":"integer","description":"Milliseconds since 1970"},
        "user":{"$ref":"#/components/schemas/User"}}}
        """#
}

extension RecordCall {
    /// Returns the signed-in user and the session token.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED if no user is signed in; BAD_REQUEST for a token that does not belong to a
    ///   session.
    func session() throws(RecordError) -> (user: UserID, token: [UInt8]) {
        switch caller {
        case .user(let id, _), .participant(let id, _, _):
            guard let token = Bearer.token(request.fields) else { throw .notSignedIn }
            return (id, token)
        case .anonymous: throw .notSignedIn
        case .administrator, .service:
            throw .badRequest("The token is no session of an account. Sign in with a name and a password")
        }
    }
}

extension RecordError {
    static let notSignedIn = RecordError(
        .authenticationRequired, "Nobody is signed in. Send the token of a session")
}
