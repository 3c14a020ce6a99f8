internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for API tokens of CloudKit Web Services. For administrators and keys with the right `manageKeys`.
enum CloudKitTokenRoutes {
    static let routes: [Route] = [
        Route(
            "GET /cloudkit/tokens", "listCloudKitTokens", .keys,
            "Lists the API tokens of CloudKit Web Services, without their texts (right manageKeys)", rate: .administer,
            right: .manageKeys, query: ["limit", "cursor"],
            responses: [.json(200, "CloudKitTokens", "A page of API tokens")]
        ) { call in try list(call) },
        Route(
            "POST /cloudkit/tokens", "createCloudKitToken", .keys,
            "Creates an API token of CloudKit Web Services; its text is shown once (right manageKeys)",
            rate: .administer, right: .manageKeys, body: .json("NewCloudKitToken"),
            responses: [.json(201, "CloudKitToken", "The API token with its text, which is shown once")]
        ) { call in try await create(&call) },
        Route(
            "GET /cloudkit/tokens/{id}", "readCloudKitToken", .keys,
            "Shows an API token of CloudKit Web Services (right manageKeys)", rate: .administer, right: .manageKeys,
            responses: [.json(200, "CloudKitToken", "The API token")]
        ) { call in .json(try call.reader.cloudKitTokens.token(call.parameters[0]).json) },
        Route(
            "PATCH /cloudkit/tokens/{id}", "changeCloudKitToken", .keys,
            "Changes name, origins, callback or notes of an API token of CloudKit Web Services (right manageKeys)",
            rate: .administer, right: .manageKeys, body: .json("CloudKitTokenChange"),
            responses: [.json(200, "CloudKitToken", "The API token")]
        ) { call in try await change(&call) },
        Route(
            "DELETE /cloudkit/tokens/{id}", "revokeCloudKitToken", .keys,
            "Deletes an API token of CloudKit Web Services (right manageKeys)", rate: .administer, right: .manageKeys,
            responses: [.empty(204, "Deleted")]
        ) { call in try await revoke(call) },
        Route(
            "GET /cloudkit/sign-in/{token}", "readWebSignIn", .accounts,
            "Shows which app the sign-in page signs in to", rate: .read, authentication: .anonymous, query: ["origin"],
            responses: [
                .json(200, "WebSignIn", "The app and the receivers of its web auth token"),
                .error(403, "The API token may not be used by pages of this origin"),
                .error(404, "There is no such API token"),
            ]
        ) { call in try readSignIn(call) },
        Route(
            "POST /cloudkit/sign-in/{token}", "signInToWeb", .accounts,
            "Signs in for CloudKit Web Services and returns a web auth token", rate: .auth, authentication: .signIn,
            body: .json("WebCredentials"),
            responses: [
                .json(201, "WebSession", "The web auth token and its receivers"),
                .error(403, "The API token may not be used by pages of this origin"),
                .error(404, "There is no such API token"),
            ]
        ) { call in try await signIn(&call) },
    ]

    /// `GET /cloudkit/tokens`: lists API tokens in creation order.
    static func list(_ call: RecordCall) throws -> HTTPResponse {
        let page = try call.reader.cloudKitTokens.list(
            after: call.query["cursor"], limit: try call.query.limit(call.database.limits))
        var response = JSONObject([("tokens", .array(page.tokens.map(\.json)))])
        if let cursor = page.cursor { response["cursor"] = .string(cursor) }
        return .json(.object(response))
    }

    /// `POST /cloudkit/tokens` with `{"name","origins"?,"callback"?,"notes"?}`: creates an API token.
    static func create(_ call: inout RecordCall) async throws -> HTTPResponse {
        let settings = try await settings(&call)
        guard settings.name != nil else { throw RecordError.badRequest("The body needs 'name', a string") }
        let made = try await call.database.cloudKitTokens.create(settings, by: call.actor)
        var object = made.token.json.object ?? JSONObject()
        object["token"] = .string(made.text)
        var response = HTTPResponse.json(.object(object), status: .created)
        // The token is shown only once and must not be cached.
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// `PATCH /cloudkit/tokens/{id}`: changes an API token. `"origins":null` allows any origin, `"callback":null` posts
    /// a message.
    static func change(_ call: inout RecordCall) async throws -> HTTPResponse {
        let settings = try await settings(&call)
        let token = try await call.database.cloudKitTokens.change(call.parameters[0], settings, by: call.actor)
        return .json(token.json)
    }

    /// `DELETE /cloudkit/tokens/{id}`: deletes an API token. Sessions of people stay.
    static func revoke(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.cloudKitTokens.remove(call.parameters[0], by: call.actor)
        return HTTPResponse(.noContent)
    }

    private static func settings(_ call: inout RecordCall) async throws -> CloudKitTokenSettings {
        let object = try await call.object(keys: ["name", "origins", "callback", "notes"], upTo: 65_536)
        guard object.count > 0 else {
            throw RecordError.badRequest("The body names nothing to set: name, origins, callback or notes")
        }
        var settings = CloudKitTokenSettings()
        if let value = object["name"] {
            guard let text = value.string else { throw invalid("name", "'name' is a string") }
            settings.name = try APIKeyName(text)
        }
        if let value = object["origins"] { settings.origins = .some(try origins(value)) }
        if let value = object["callback"] { settings.callback = .some(try callback(value, call)) }
        if let value = object["notes"] {
            guard let text = value.string else { throw invalid("notes", "'notes' is a string") }
            settings.notes = text
        }
        return settings
    }

    /// Reads the allowed origins; `nil` for any.
    private static func origins(_ value: JSONValue) throws(RecordError) -> [String]? {
        if value.isNull { return nil }
        guard let values = value.array, !values.isEmpty else {
            throw invalid("origins", "'origins' is a list of origins such as https://app.example.org, or null for any")
        }
        var origins: [String] = []
        for value in values {
            guard let text = value.string else { throw invalid("origins", "Each entry of 'origins' is a string") }
            let origin: CORSOrigin
            do throws(AddressProblem) { origin = try CORSOrigin(text) } catch {
                throw invalid("origins", "The origin '\(text.prefix(100))' \(error.expected)")
            }
            guard origin.text != "*" else { return nil }
            if !origins.contains(origin.text) { origins.append(origin.text) }
        }
        return origins
    }

    /// Reads the callback URL; `nil` to post a message.
    private static func callback(_ value: JSONValue, _ call: RecordCall) throws(RecordError) -> String? {
        if value.isNull { return nil }
        guard let text = value.string else {
            throw invalid("callback", "'callback' is a URL, or null to post a message to the page")
        }
        let scheme = try appScheme(call)
        do throws(AddressProblem) { return try CallbackURL(text, appScheme: scheme).text } catch {
            throw invalid("callback", "'callback' \(error.expected)")
        }
    }

    /// The URL scheme of the container's apps, as in CloudKit; `nil` if the container's name cannot be part of a scheme
    /// (RFC 3986 §3.1).
    private static func appScheme(_ call: RecordCall) throws(RecordError) -> String? {
        let standard = call.api.configuration.defaultDatabase
        let container = (try call.query.databaseID(default: standard) ?? standard).container.text
        return container.contains("_") ? nil : "cloudkit-\(container)"
    }

    private static func invalid(_ field: String, _ reason: String) -> RecordError {
        .badRequest(reason, details: [("field", .text(field))])
    }

    // MARK: Signing in

    /// `GET /cloudkit/sign-in/{token}`: the app's name, and where the web auth token goes.
    static func readSignIn(_ call: RecordCall) throws -> HTTPResponse {
        let token = try call.reader.cloudKitTokens.token(call.parameters[0])
        var object = JSONObject([("name", .string(token.name))])
        if let callback = token.callback {
            object["callback"] = .string(callback)
        } else {
            let origins = try targetOrigins(of: token, named: call.query["origin"])
            object["targetOrigins"] = .array(origins.map(JSONValue.string))
        }
        return .json(.object(object))
    }

    /// `POST /cloudkit/sign-in/{token}` with `{"name","password","staysSignedIn"?,"origin"?}`: begins a session and
    /// returns its web auth token, with the URL to go to or the origins that may receive it.
    static func signIn(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.smallObject(keys: ["name", "password", "staysSignedIn", "origin"])
        let credentials = try AccountRoutes.credentials(object)
        let origin = try AccountRoutes.optionalText("origin", object)
        var staysSignedIn = false
        if let value = object["staysSignedIn"] {
            guard let flag = value.bool else { throw invalid("staysSignedIn", "'staysSignedIn' is true or false") }
            staysSignedIn = flag
        }
        try call.reader.refresh()
        let token = try call.reader.cloudKitTokens.token(call.parameters[0])
        // Checked before the password: a page that may not have the token must not make people sign in.
        let origins = token.callback == nil ? try targetOrigins(of: token, named: origin) : []
        let label = try SessionLabel(token.name)
        let text = try await SessionRoutes.proving(credentials.name, in: call) { () throws(RecordError) in
            let account = try call.reader.accounts.lookUp(named: credentials.name)
            return try await call.database.webSessions.signIn(
                credentials.checked, account: account, label: label, staysSignedIn: staysSignedIn)
        }
        var response = JSONObject([("webAuthToken", .string(text))])
        let scheme = try appScheme(call)
        if let callback = token.callback.flatMap({ try? CallbackURL($0, appScheme: scheme) }) {
            // As in CloudKit, clients read the token by one of two names.
            response["redirectURL"] = .string(callback.adding(["ckWebAuthToken", "ckSession"], text))
        } else {
            response["targetOrigins"] = .array(origins.map(JSONValue.string))
        }
        var result = HTTPResponse.json(.object(response), status: .created)
        result.fields.set(.cacheControl, "no-store")
        return result
    }

    /// Returns the origins of pages that may receive a web auth token: the named origin, or all allowed ones. `*` is
    /// among them only if the API token allows any origin.
    ///
    /// - Throws: ACCESS_DENIED if the API token does not allow the named origin, or if it allows only patterns and no
    ///   origin is named.
    static func targetOrigins(of token: CloudKitToken, named origin: String?) throws(RecordError) -> [String] {
        if let origin, origin != "null" {
            // Browsers take exactly this spelling as the target of a message.
            guard (try? CORSOrigin(origin))?.text == origin, !origin.contains("*"), token.allows(origin: origin) else {
                throw RecordError(
                    .accessDenied, "Pages of this origin may not sign in with this API token",
                    details: [("origin", .text(String(origin.prefix(200))))])
            }
            return [origin]
        }
        guard let allowed = token.origins else { return ["*"] }
        let exact = allowed.filter { !$0.contains("*") && $0 != "null" }
        guard !exact.isEmpty, origin == nil else {
            throw RecordError(.accessDenied, "The sign-in page must be opened by a page whose origin is known")
        }
        return exact
    }

    static let schemas: StaticString = #"""
        "NewCloudKitToken":{"type":"object","required":["name"],"additionalProperties":false,"properties":{
        "name":{"type":"string","maxLength":100},
        "origins":{"type":["array","null"],"items":{"type":"string"},"description":"Absent or null: any origin"},
        "callback":{"type":["string","null"],
        "description":"The http or https URL, or cloudkit-{container}://, that gets the web auth token; absent or null: a message to the page"},
        "notes":{"type":"string"}}},
        "CloudKitTokenChange":{"type":"object","minProperties":1,"additionalProperties":false,"properties":{
        "name":{"type":"string","maxLength":100},"origins":{"type":["array","null"],"items":{"type":"string"}},
        "callback":{"type":["string","null"]},"notes":{"type":"string"}}},
        "CloudKitToken":{"type":"object","required":["id","name","prefix","origins","callback","notes","createdAt"],
        "properties":{"id":{"type":"string"},"name":{"type":"string"},
        "prefix":{"type":"string","description":"The first characters of its text"},
        "origins":{"type":["array","null"],"items":{"type":"string"}},"callback":{"type":["string","null"]},
        "notes":{"type":"string"},"createdAt":{"type":"integer"},"usedAt":{"type":"integer"},
        "token":{"type":"string","description":"64 hexadecimal digits. Only in the response that creates it"}}},
        "CloudKitTokens":{"type":"object","required":["tokens"],"properties":{
        "tokens":{"type":"array","items":{"$ref":"#/components/schemas/CloudKitToken"}},"cursor":{"type":"string"}}},
        "WebSignIn":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},
        "callback":{"type":"string"},"targetOrigins":{"type":"array","items":{"type":"string"}}}},
        "WebCredentials":{"type":"object","required":["name","password"],"additionalProperties":false,"properties":{
        "name":{"type":"string"},"password":{"type":"string","minLength":8},
        "staysSignedIn":{"type":"boolean","description":"Two weeks instead of 30 minutes without use"},
        "origin":{"type":"string","description":"The origin of the page that opened the sign-in page"}}},
        "WebSession":{"type":"object","required":["webAuthToken"],"properties":{"webAuthToken":{"type":"string"},
        "redirectURL":{"type":"string"},"targetOrigins":{"type":"array","items":{"type":"string"}}}}
        """#
}
