internal import Cryptography
internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for API keys, the credentials of services. For administrators and keys with the right `manageKeys`.
enum KeyRoutes {
    static let routes: [Route] = [
        Route(
            "GET /keys", "listKeys", .keys,
            "Lists API keys, revoked ones among them; never a token (right manageKeys)", rate: .administer,
            right: .manageKeys, query: ["limit", "cursor"], responses: [.json(200, "Keys", "A page of keys")]
        ) { call in try list(call) },
        Route(
            "POST /keys", "createKey", .keys, "Makes an API key; its token is shown once (right manageKeys)",
            rate: .administer, right: .manageKeys, body: .json("NewKey"),
            responses: [.json(201, "Key", "The key with its token, which is shown once")]
        ) { call in try await create(&call) },
        Route(
            "GET /keys/{id}", "readKey", .keys, "Shows an API key (right manageKeys)", rate: .administer,
            right: .manageKeys, responses: [.json(200, "Key", "The key")]
        ) { call in try read(call) },
        Route(
            "PATCH /keys/{id}", "changeKey", .keys, "Changes name, scope or end of an API key (right manageKeys)",
            rate: .administer, right: .manageKeys, body: .json("KeyChange"), responses: [.json(200, "Key", "The key")]
        ) { call in try await change(&call) },
        Route(
            "DELETE /keys/{id}", "revokeKey", .keys, "Ends an API key for good (right manageKeys)", rate: .administer,
            right: .manageKeys, responses: [.empty(204, "Revoked")]
        ) { call in try await revoke(call) },
        Route(
            "POST /keys/{id}/rotate", "rotateKey", .keys,
            "Gives an API key a new token; the old one stays good for a while (right manageKeys)", rate: .administer,
            right: .manageKeys, body: .optionalJSON("KeyRotation"),
            responses: [.json(200, "Key", "The key with its new token, which is shown once")]
        ) { call in try await rotate(&call) },
    ]

    /// `GET /keys`: lists keys in creation order, including revoked ones, without tokens.
    static func list(_ call: RecordCall) throws -> HTTPResponse {
        let limit = try call.query.limit(call.database.limits)
        let page = try call.reader.apiKeys.list(after: call.query["cursor"], limit: limit)
        var response = JSONObject([("keys", .array(page.keys.map(\.json)))])
        if let cursor = page.cursor { response["cursor"] = .string(cursor) }
        return .json(.object(response))
    }

    static func read(_ call: RecordCall) throws -> HTTPResponse {
        .json(try call.reader.apiKeys.key(call.parameters[0]).json)
    }

    /// `POST /keys` with `{"name","scope","publicKey"?,"expiresAt"|"expiresIn"?}`: creates a key. Its token is shown
    /// only once. With a public key, registers a server-to-server key, which has no token.
    static func create(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.object(
            keys: ["name", "scope", "publicKey", "expiresAt", "expiresIn"], upTo: 65_536)
        guard let name = object["name"]?.string, let scope = object["scope"] else {
            throw RecordError.badRequest("The body needs 'name', a string, and 'scope', an object")
        }
        let expiry = try expiry(object) ?? .never
        if let value = object["publicKey"], !value.isNull {
            let key = try await call.database.apiKeys.register(
                APIKeyName(name), try publicKey(value), scope: KeyScope(scope), expiry: expiry, by: call.actor)
            return .json(key.json, status: .created)
        }
        let made = try await call.database.apiKeys.create(
            APIKeyName(name), scope: KeyScope(scope), expiry: expiry, by: call.actor)
        return respond(made, status: .created)
    }

    /// Reads the public key of a server-to-server key.
    private static func publicKey(_ value: JSONValue) throws(RecordError) -> P256PublicKey {
        let sentence: String
        do throws(P256PublicKey.Problem) {
            return try P256PublicKey(pem: value.string ?? "")
        } catch {
            switch error {
            case .notPEM:
                sentence = "'publicKey' is PEM text from -----BEGIN PUBLIC KEY----- to -----END PUBLIC KEY-----"
            case .privateKey:
                sentence =
                    "'publicKey' has a private key, which must stay with you. Make another one, and send what 'openssl ec -in key.pem -pubout' prints"
            case .notP256:
                sentence =
                    "'publicKey' is no key on the curve P-256. Make one with 'openssl ecparam -name prime256v1 -genkey'"
            }
        }
        throw .badRequest(sentence, details: [("field", .text("publicKey"))])
    }

    /// `PATCH /keys/{id}` with `name`, `scope`, `expiresAt` or `expiresIn`: changes a key. `"expiresAt":null` removes
    /// the expiry.
    static func change(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.object(keys: ["name", "scope", "expiresAt", "expiresIn"], upTo: 65_536)
        guard object.count > 0 else {
            throw RecordError.badRequest("The body names nothing to change: name, scope, expiresAt or expiresIn")
        }
        var name: APIKeyName?
        if let value = object["name"] {
            guard let text = value.string else { throw RecordError.badRequest("'name' is a string") }
            name = try APIKeyName(text)
        }
        let key = try await call.database.apiKeys.change(
            call.parameters[0], name: name, scope: try object["scope"].map { value in try KeyScope(value) },
            expiry: try expiry(object), by: call.actor)
        return .json(key.json)
    }

    /// `DELETE /keys/{id}`: revokes a key. A revocation is permanent.
    static func revoke(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.apiKeys.revoke(call.parameters[0], by: call.actor)
        return HTTPResponse(.noContent)
    }

    /// `POST /keys/{id}/rotate` with `{"overlap"?}`: creates a new token, which is shown only once. The overlap is a
    /// number of seconds or a text such as `"1h"`.
    static func rotate(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.object(keys: ["overlap"], upTo: 1_024, isOptional: true)
        var overlap = APIKeys.overlapSeconds
        if let value = object["overlap"] {
            overlap = try WireDuration.read(value, "overlap")
        }
        return respond(
            try await call.database.apiKeys.rotate(call.parameters[0], overlap: overlap, by: call.actor), status: .ok)
    }

    private static func respond(_ made: NewAPIKey, status: HTTPStatus) -> HTTPResponse {
        var object = made.key.json.object ?? JSONObject()
        object["token"] = .string(made.token)
        var response = HTTPResponse.json(.object(object), status: status)
        // The token is shown only once and must not be cached.
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// Returns the expiry of a key; `nil` if the body has none.
    ///
    /// - Throws: BAD_REQUEST for an invalid time, or if the body has both `expiresAt` and `expiresIn`.
    private static func expiry(_ object: JSONObject) throws(RecordError) -> APIKeyExpiry? {
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
            return .at(try WireTimestamp.read(text, "expiresAt", takesDates: false))
        case (nil, let value?):
            return .after(try WireDuration.read(value, "expiresIn"))
        case (_?, _?):
            throw .badRequest("'expiresAt' and 'expiresIn' say the same. Leave one of them out")
        }
    }

    static let schemas: StaticString = #"""
        "KeyScope":{"type":"object","additionalProperties":false,"properties":{
        "types":{"type":"array","minItems":1,"items":{"type":"string"},"description":"Absent: all types"},
        "actions":{"type":"array","items":{"type":"string","enum":["read","create","write"]}},
        "readOnly":{"type":"boolean","description":"Short for the actions [read]"},
        "rights":{"type":"array","items":{"type":"string","enum":["readSchema","changeSchema","readRights",
        "changeRights","manageUsers","manageKeys","manageWebhooks","manageSchedules","readMetrics","readRequests",
        "readSettings"]}}}},
        "NewKey":{"type":"object","required":["name","scope"],"additionalProperties":false,"properties":{
        "name":{"type":"string","maxLength":100},"scope":{"$ref":"#/components/schemas/KeyScope"},
        "publicKey":{"type":"string","description":"PEM of a key on P-256: makes a server-to-server key"},
        "expiresAt":{"type":["integer","null"],"description":"Milliseconds since 1970"},
        "expiresIn":{"$ref":"#/components/schemas/Seconds"}}},
        "KeyChange":{"type":"object","minProperties":1,"additionalProperties":false,"properties":{
        "name":{"type":"string","maxLength":100},"scope":{"$ref":"#/components/schemas/KeyScope"},
        "expiresAt":{"type":["integer","null"]},"expiresIn":{"$ref":"#/components/schemas/Seconds"}}},
        "KeyRotation":{"type":"object","additionalProperties":false,"properties":{
        "overlap":{"$ref":"#/components/schemas/Seconds","default":86400,
        "description":"How long the old token stays good: 30 days at most"}}},
        "Seconds":{"description":"Seconds, or a time with its unit","anyOf":[{"type":"integer","minimum":0},
        {"type":"string","pattern":"^([0-9]+[dhms]|0)$","examples":["90d","12h","30m"]}]},
        "Key":{"type":"object","required":["id","name","kind","scope","state"],"properties":{
        "id":{"type":"string"},"name":{"type":"string"},
        "kind":{"type":"string","enum":["token","serverToServer"]},
        "prefix":{"type":"string","description":"The first characters of its token"},
        "keyID":{"type":"string","description":"The ID of a server-to-server key in signed requests"},
        "publicKey":{"type":"string","description":"PEM of a server-to-server key"},
        "scope":{"$ref":"#/components/schemas/KeyScope"},
        "userRecordName":{"type":"string","description":"Who creates what it creates"},
        "createdAt":{"type":"integer"},"expiresAt":{"type":"integer"},"usedAt":{"type":"integer"},
        "overlapsUntil":{"type":"integer"},"revokedAt":{"type":"integer"},
        "state":{"type":"string","enum":["active","expired","revoked"]},
        "token":{"type":"string","description":"Only in the response that creates one"}}},
        "Keys":{"type":"object","required":["keys"],"properties":{
        "keys":{"type":"array","items":{"$ref":"#/components/schemas/Key"}},"cursor":{"type":"string"}}}
        """#
}
