internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// API keys: what services bear. Administrators, and keys with the right `manageKeys`.
extension RecordAPI {
    /// `GET /keys`: a page in the order in which they were made, revoked ones among them. Never a token.
    func listKeys(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.manageKeys)
        let limit = try call.query.limit(call.database.limits)
        let page = try call.reader.apiKeys(after: call.query["cursor"], limit: limit)
        var answer = JSONObject([("keys", .array(page.keys.map(\.json)))])
        if let cursor = page.cursor { answer["cursor"] = .string(cursor) }
        return .json(.object(answer))
    }

    func readKey(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.manageKeys)
        return .json(try call.reader.apiKey(call.parameters[0]).json)
    }

    /// `POST /keys` with `{"name","scope","expiresAt"|"expiresIn"?}`: the answer shows the token this once.
    func createKey(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.manageKeys)
        let object = try await call.object(keys: ["name", "scope", "expiresAt", "expiresIn"], upTo: 65_536)
        try call.require(.manageKeys)
        guard let name = object["name"]?.string, let scope = object["scope"] else {
            throw RecordError.badRequest("The body needs 'name', a string, and 'scope', an object")
        }
        let made = try await call.database.createKey(
            KeyName(name), scope: KeyScope(scope), expiry: try Self.expiry(object) ?? .never, by: call.actor)
        return Self.answer(made, status: .created)
    }

    /// `PATCH /keys/{id}` with what shall be other: `name`, `scope`, `expiresAt` or `expiresIn`; `"expiresAt":null` takes
    /// the end away.
    func changeKey(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.manageKeys)
        let object = try await call.object(keys: ["name", "scope", "expiresAt", "expiresIn"], upTo: 65_536)
        try call.require(.manageKeys)
        guard object.count > 0 else {
            throw RecordError.badRequest("The body names nothing to change: name, scope, expiresAt or expiresIn")
        }
        var name: KeyName?
        if let value = object["name"] {
            guard let text = value.string else { throw RecordError.badRequest("'name' is a string") }
            name = try KeyName(text)
        }
        let key = try await call.database.changeKey(
            call.parameters[0], name: name, scope: try object["scope"].map { value in try KeyScope(value) },
            expiry: try Self.expiry(object), by: call.actor)
        return .json(key.json)
    }

    /// `DELETE /keys/{id}` ends it for good.
    func revokeKey(_ call: RecordCall) async throws -> HTTPResponse {
        try call.require(.manageKeys)
        try await call.database.revokeKey(call.parameters[0], by: call.actor)
        return HTTPResponse(.noContent)
    }

    /// `POST /keys/{id}/rotate` with `{"overlap"?}`, seconds or `"1h"`: a new token, shown this once.
    func rotateKey(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.manageKeys)
        let object = try await call.object(keys: ["overlap"], upTo: 1_024, isOptional: true)
        try call.require(.manageKeys)
        var overlap = RecordDatabase.keyOverlapSeconds
        if let value = object["overlap"] {
            overlap = try WireSeconds.read(value, "overlap")
        }
        return Self.answer(
            try await call.database.rotateKey(call.parameters[0], overlap: overlap, by: call.actor), status: .ok)
    }

    private static func answer(_ made: NewKey, status: HTTPStatus) -> HTTPResponse {
        var object = made.key.json.object ?? JSONObject()
        object["token"] = .string(made.token)
        var response = HTTPResponse.json(.object(object), status: status)
        // The token is shown this once, and in nobody's cache.
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// When a key shall end; `nil` if the body does not say.
    private static func expiry(_ object: JSONObject) throws(RecordError) -> KeyExpiry? {
        switch (object["expiresAt"], object["expiresIn"]) {
        case (nil, nil): return nil
        case (.null, nil): return .never
        case (let value?, nil):
            if let moment = value.integer { return .at(moment) }
            guard let text = value.string else {
                throw .badRequest(
                    "'expiresAt' is a moment in milliseconds since 1970, a time such as \"\(Timestamp.example)\", or null for never"
                )
            }
            return .at(try WireMoment.read(text, "expiresAt", takesDates: false))
        case (nil, let value?):
            return .after(try WireSeconds.read(value, "expiresIn"))
        case (_?, _?):
            throw .badRequest("'expiresAt' and 'expiresIn' say the same. Leave one of them out")
        }
    }
}
