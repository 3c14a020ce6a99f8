internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Accounts and sessions.
extension RecordAPI {
    /// `POST /users` with `{"name","password"}` makes an account and signs it in.
    func signUp(_ call: inout RecordCall) async throws -> HTTPResponse {
        if !configuration.isSignUpOpen, Authorization.authorize(call.caller, .manageUsers) != .allowed {
            throw RecordError(.accessDenied, "Sign-up is closed. Ask an administrator for an account")
        }
        let credentials = try await call.credentials()
        return Self.answer(try await call.database.signUp(credentials.checked))
    }

    /// `POST /sessions` with `{"name","password"}` signs in.
    func signIn(_ call: inout RecordCall) async throws -> HTTPResponse {
        let credentials = try await call.credentials()
        try call.reader.refresh()
        let account = try call.reader.account(named: credentials.name)
        do throws(RecordError) {
            return Self.answer(try await call.database.signIn(credentials.checked, account: account))
        } catch {
            if error.code == .authenticationFailed {
                call.reader.noteFailedSignIn(
                    name: credentials.name, address: call.request.remoteAddress, requestID: call.request.id)
            }
            throw error
        }
    }

    /// `DELETE /sessions/current` ends the session whose token the request bears.
    func signOut(_ call: RecordCall) async throws -> HTTPResponse {
        guard case .user = call.caller, let token = Bearer.token(call.request.fields) else {
            if call.caller.administrator != nil {
                throw RecordError.badRequest("The administrator's token is no session and cannot be signed out")
            }
            throw RecordError.notSignedIn
        }
        try await call.database.signOut(token)
        return HTTPResponse(.noContent)
    }

    /// `GET /users/me`: who the token's bearer is.
    func readMe(_ call: RecordCall) throws -> HTTPResponse {
        switch call.caller {
        case .anonymous: throw RecordError.notSignedIn
        case .administrator(let administrator):
            let name =
                administrator.id == 0 ? nil : registry.configuration.administrators?.name(of: administrator)
            return .json([
                "userRecordName": "_administrator", "name": .string(name ?? "Administrator"), "isAdministrator": true,
                "role": .string(administrator.role.rawValue),
            ])
        case .service(let key):
            guard let user = try call.reader.user(key.account) else { throw RecordError.notSignedIn }
            let name = try call.reader.apiKey(of: key.account)?.name ?? user.recordName
            return .json([
                "userRecordName": .string(user.recordName), "name": .string(name), "isAdministrator": false,
                "scope": key.scope.json,
            ])
        case .user(let id, let roles):
            guard let user = try call.reader.user(id) else { throw RecordError.notSignedIn }
            return .json([
                "userRecordName": .string(user.recordName), "name": .string(user.name),
                "createdTimestamp": .integer(user.created),
                "roles": .array(roles.keys.map(\.text).sorted().map(JSONValue.string)), "isAdministrator": false,
            ])
        }
    }

    private static func answer(_ session: Session) -> HTTPResponse {
        var response = HTTPResponse.json(
            [
                "token": .string(session.token), "expiresAt": .integer(session.expires),
                "user": ["userRecordName": .string(session.user.recordName), "name": .string(session.user.name)],
            ], status: .created)
        // The token is shown this once, and in nobody's cache.
        response.fields.set(.cacheControl, "no-store")
        return response
    }
}

extension RecordCall {
    fileprivate mutating func credentials() async throws -> (name: String, checked: Credentials) {
        // Anyone may send this, and it is read into a tree many times its size: far more than both values can be.
        let object = try await object(keys: ["name", "password"], upTo: 16_384)
        guard let name = object["name"]?.string, let password = object["password"]?.string else {
            throw RecordError.badRequest("The body needs 'name' and 'password', both strings")
        }
        return (name, try Credentials(name: name, password: password))
    }
}

extension RecordError {
    fileprivate static let notSignedIn = RecordError(
        .authenticationRequired, "Nobody is signed in. Send the token of a session")
}
