internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for managing accounts. For administrators and keys with the right `manageUsers`.
enum UserRoutes {
    static let routes: [Route] = [
        Route(
            "GET /users", "listUsers", .accounts,
            "Lists the accounts in the order in which they were made (right manageUsers)", rate: .administer,
            right: .manageUsers, query: ["limit", "cursor", "name", "search"],
            responses: [.json(200, "Users", "A page of accounts")]
        ) { call in try list(call) },
        Route(
            "GET /users/{name}", "readUser", .accounts,
            "Shows an account with its roles and what it stores (right manageUsers)", rate: .administer,
            right: .manageUsers,
            responses: [.json(200, "User", "The account"), .error(404, "There is no such user")]
        ) { call in try read(call) },
        Route(
            "PATCH /users/{name}", "changeUser", .accounts,
            "Gives an account another password (owners), disables or enables it (right manageUsers)",
            rate: .administer, right: .manageUsers, body: .json("UserChange"),
            responses: [.json(200, "User", "The account"), .error(404, "There is no such user")]
        ) { call in try await change(&call) },
        Route(
            "DELETE /users/{name}", "removeUser", .accounts,
            "Takes an account away, with its sessions and its private database (right manageUsers)",
            rate: .administer, right: .manageUsers,
            responses: [.empty(204, "Gone"), .error(404, "There is no such user")]
        ) { call in try await remove(call) },
        Route(
            "GET /users/{name}/sessions", "listUserSessions", .accounts,
            "Lists the sessions of an account (right manageUsers)", rate: .administer, right: .manageUsers,
            responses: [.json(200, "Sessions", "The sessions, the newest first"), .error(404, "There is no such user")]
        ) { call in SessionRoutes.respond(try call.reader.accounts.sessions(of: try userName(call))) },
        Route(
            "DELETE /users/{name}/sessions", "endUserSessions", .accounts,
            "Ends all sessions of an account (right manageUsers)", rate: .administer, right: .manageUsers,
            responses: [.empty(204, "Ended"), .error(404, "There is no such user")]
        ) { call in try await endSessions(call) },
        Route(
            "DELETE /users/{name}/sessions/{id}", "endUserSession", .accounts,
            "Ends one session of an account (right manageUsers)", rate: .administer, right: .manageUsers,
            responses: [.empty(204, "Ended"), .error(404, "There is no such user, or no such session of it")]
        ) { call in try await endSessions(call, call.parameters[1]) },
    ]

    /// `GET /users`: lists accounts in creation order. With `name`, lists only the account with this name; with `search`,
    /// those whose names begin with a text.
    static func list(_ call: RecordCall) throws -> HTTPResponse {
        let limit = try call.query.limit(call.database.limits)
        let page: UserPage
        if let name = call.query["name"] {
            page = try call.reader.accounts.list(named: name)
        } else if let text = call.query["search"] {
            page = try call.reader.accounts.search(text, after: call.query["cursor"], limit: limit)
        } else {
            page = try call.reader.accounts.list(after: call.query["cursor"], limit: limit)
        }
        let users = page.users.map { AccountRoutes.document($0.user, roles: $0.roles.map(\.text)) }
        var response = JSONObject([("users", .array(users))])
        if let cursor = page.cursor { response["cursor"] = .string(cursor) }
        return .json(.object(response))
    }

    /// `GET /users/{name}`: shows an account.
    static func read(_ call: RecordCall) throws -> HTTPResponse {
        let found = try call.reader.accounts.account(try userName(call))
        var document = AccountRoutes.document(found.user, roles: found.roles.map(\.text)).object ?? JSONObject()
        document["usage"] = AccountRoutes.document(found.usage, call.database.limits.quotas.user)
        return .json(.object(document))
    }

    /// `PATCH /users/{name}` with `{"password"?,"disabled"?}`: changes an account and ends its sessions. Only
    /// administrators with the role owner may set passwords, because they may access private databases anyway.
    static func change(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.smallObject(keys: ["password", "disabled"])
        guard object.count > 0 else {
            throw RecordError.badRequest("The body names nothing to change: password or disabled")
        }
        var password: String?
        if let value = object["password"] {
            guard Authorization.privatePermitted(of: call.caller) == .all else { throw RecordError.passwordsAreOwners }
            guard let text = value.string else { throw invalid("password", "'password' is a string") }
            password = text
        }
        var isDisabled: Bool?
        if let value = object["disabled"] {
            guard let flag = value.bool else { throw invalid("disabled", "'disabled' is true or false") }
            isDisabled = flag
        }
        let user = try await call.database.accounts.change(
            try userName(call), password: password, isDisabled: isDisabled, by: call.actor)
        return .json(AccountRoutes.document(user))
    }

    /// `DELETE /users/{name}`: deletes an account, like the user's own request `DELETE /users/me`.
    static func remove(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.accounts.remove(try userName(call), by: call.actor)
        return HTTPResponse(.noContent)
    }

    /// `DELETE /users/{name}/sessions` and `DELETE /users/{name}/sessions/{id}`: ends all sessions or one.
    static func endSessions(_ call: RecordCall, _ session: String? = nil) async throws -> HTTPResponse {
        try await call.database.accounts.endSessions(of: try userName(call), session, by: call.actor)
        return HTTPResponse(.noContent)
    }

    private static func invalid(_ field: String, _ reason: String) -> RecordError {
        .badRequest(reason, details: [("field", .text(field))])
    }

    private static func userName(_ call: RecordCall) throws(RecordError) -> UserRecordName {
        guard let name = UserRecordName(call.parameters[0]) else {
            throw .badRequest(
                "A user is named by its record name: _ and 32 hexadecimal digits. GET /users?name=… tells it")
        }
        return name
    }
}
