import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// What is the same for all operations of CloudKit Web Services: paths, methods, bodies, errors and origins.
@Suite struct CloudKitFrameTests {
    @Test func `no native route begins like a path of CloudKit Web Services`() {
        #expect(RouteTable.native.firstSegments.isDisjoint(with: CloudKitRouteTable.firstSegments))
        for route in RouteTable.cloudKit.routes {
            let words = "\(route.name)".split(separator: " ")
            let isDevice = words[1].hasPrefix("/device/1/{container}/{environment}/")
            // Apple's guide prints the paths of tokens without a database.
            let isShort = words[1].hasPrefix("/database/1/{container}/{environment}/tokens/")
            #expect(isDevice || isShort || words[1].hasPrefix("/database/1/{container}/{environment}/{database}/"))
            #expect(route.namesDatabase != (isDevice || isShort) && words[1].contains("/\(route.id)"), "\(route.name)")
        }
    }

    @Test func `a device URL names no database and uses the public one`() throws {
        let table = CloudKitRouteTable([
            CloudKitRoute("POST /device/1/{container}/{environment}/tokens/create", "tokens/create", rate: .write) {
                _ in
                .cloudKit(JSONObject())
            },
            CloudKitRoute(
                "POST /database/1/{container}/{environment}/{database}/tokens/create", "tokens/create", rate: .write
            ) { _ in .cloudKit(JSONObject()) },
        ])
        for (path, database) in [
            ("/device/1/iCloud.a/production/tokens/create", CloudKitDatabase.publicDatabase),
            ("/database/1/iCloud.a/production/private/tokens/create", .privateDatabase),
            ("/database/1/iCloud.a/production/shared/tokens/create", .sharedDatabase),
        ] {
            let target = try #require(RequestTarget(path))
            guard case .found(let number, _, let parameters) = table.match(.post, target) else {
                Issue.record("\(path) is not found")
                continue
            }
            let found = try CloudKitPath(parameters, of: table.routes[number])
            #expect(found.database == database && found.id.container.text == "iCloud.a", "\(path)")
            #expect(found.id.environment == .production)
        }
    }

    @Test func `unknown paths, methods, containers and databases have their errors`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let query = "?ckAPIToken=\(client.token)"
        for (method, path, status, code, reason) in [
            (HTTPMethod.get, "/database/1/Forum/development/public/records/nothing", 404, "NOT_FOUND", "no handler"),
            (.get, "/database/2/Forum/development/public/users/caller", 404, "NOT_FOUND", "no handler"),
            (.get, "/database", 404, "NOT_FOUND", "no handler"), (.get, "/device/1/x", 404, "NOT_FOUND", "no handler"),
            (.put, "/database/1/Forum/development/public/users/caller", 405, "BAD_REQUEST", "GET"),
            (.get, "/database/1/Other/development/public/users/caller", 404, "NOT_FOUND", "container"),
            (.get, "/database/1/..%2F/development/public/users/caller", 404, "NOT_FOUND", "container"),
            (.get, "/database/1/Forum/staging/public/users/caller", 400, "BAD_REQUEST", "environment"),
            (.get, "/database/1/Forum/development/secret/users/caller", 400, "BAD_REQUEST", "public"),
            (.get, "/database/1/Forum/development/public/users/%ZZ", 400, "BAD_REQUEST", "percent"),
        ] {
            let response = await client.test.call(method, path + query)
            #expect(response.status == status && response.code == code, "\(path): \(response.text)")
            #expect(response.json?["reason"]?.string?.contains(reason) == true, "\(path): \(response.text)")
            #expect(
                response.json?["uuid"] == CloudKitClient.uuid && response.json?["details"] == nil, "\(response.text)")
            #expect(response.field("Content-Type") == "application/json; charset=UTF-8", "\(path)")
        }
        let wrong = await client.test.call(.put, "\(CloudKitClient.root)/public/users/caller\(query)")
        #expect(wrong.field("Allow") == "GET, HEAD, POST, OPTIONS")
    }

    @Test func `requests are counted by their routes, and a HEAD request is one of GET`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let response = await client.call(.head, "public/users/caller", user: user)
        #expect(response.status == 200)
        #expect(response.route == "GET /database/1/{container}/{environment}/{database}/users/caller")
    }

    @Test func `bodies are read whatever their type says, and leniently`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let ann = try #require(client.test.userNames[.creator])
        for (body, headers, status) in [
            (#"{"users":[{"userRecordName":"\#(ann)"}]}"#, [("Content-Type", "text/plain")], 200),
            (#"{"users":[{"userRecordName":"\#(ann)"}]}"#, [], 200),
            (#"{"users":{"userRecordName":"\#(ann)","more":[1]},"other":null}"#, [("Content-Type", "a/b")], 200),
            (#"{"users":[{"userRecordName":null}]}"#, [], 200), (#"{"users":[]}"#, [], 200),
            ("", [], 400), ("  \n", [], 400), ("null", [], 400), ("{}", [], 400), ("[]", [], 400), ("{", [], 400),
            (#"{"users":null}"#, [], 400), (#"{"users":"x"}"#, [], 400),
            (#"{"users":[{"userRecordName":5}]}"#, [], 400),
        ] as [(String, [(String, String)], Int)] {
            let response = await client.call(.post, "public/users/lookup/id", user: user, body: body, headers: headers)
            #expect(response.status == status, "\(body): \(response.text)")
            if status == 400 {
                #expect(
                    response.json?["reason"]?.string?.hasPrefix("BadRequestException: Unexpected input") == true,
                    "\(response.text)")
                #expect(response.field("X-Apple-CloudKit-Web-Auth-Token") != nil, "\(body)")
            }
        }
        let many = (0..<201).map { _ in "{}" }.joined(separator: ",")
        let response = await client.call(
            .post, "public/users/lookup/id", user: user, body: #"{"users":[\#(many)]}"#)
        #expect(response.status == 400 && response.text.contains("200"), "\(response.text)")
    }

    @Test func `a body beyond the limit is too large, whatever the credential`() async throws {
        var limits = DatabaseLimits()
        limits.bodyBytes = 2_000
        let client = try await CloudKitClient.make(limits: limits)
        let user = try await client.signIn()
        for (count, status) in [(1_000, 200), (3_000, 413)] {
            let body = #"{"users":[],"more":"\#(String(repeating: "x", count: count))"}"#
            let response = await client.call(.post, "public/users/lookup/id", user: user, body: body)
            #expect(response.status == status, "\(response.text)")
            let signed = try await client.signed(.post, "public/users/caller", body: body)
            #expect(signed.status == status, "\(signed.text)")
            for rejected in [response, signed] where status == 413 { #expect(rejected.code == "QUOTA_EXCEEDED") }
        }
    }

    @Test func `numbers are exact, one value stands for an array, and null is absent`() throws {
        let text = #"{"big":9007199254740993,"one":"a","list":["a","b"],"none":null,"flag":true,"object":{"x":1}}"#
        let object = try CloudKitObject(parsing: Array(text.utf8))
        #expect(try object.integer("big") == 9_007_199_254_740_993)
        #expect(try object.strings("one") == ["a"] && object.strings("list") == ["a", "b"])
        #expect(try object.string("none") == nil && object["none"] == nil && object["missing"] == nil)
        #expect(try object.bool("flag") == true && object.object("object")?.integer("x") == 1)
        #expect(try object.objects("object")?.count == 1)
        #expect(throws: RecordError.self) { try object.string("flag") }
        #expect(throws: RecordError.self) { try object.integer("one") }
        #expect(throws: RecordError.self) { try object.objects("list") }
        #expect(try CloudKitObject(parsing: []).json.count == 0)
    }

    // MARK: Errors

    @Test func `each code has its status`() {
        let statuses: [RecordError.Code: UInt16] = [
            .accessDenied: 403, .atomicError: 400, .authenticationFailed: 401, .authenticationRequired: 421,
            .badRequest: 400, .conflict: 409, .exists: 409, .internalError: 500, .notFound: 404, .quotaExceeded: 413,
            .throttled: 429, .tryAgainLater: 503, .validatingReferenceError: 412, .zoneNotFound: 404,
        ]
        for code in RecordError.Code.allCases {
            #expect(CloudKitErrors.status(of: code).code == statuses[code], "\(code)")
        }
    }

    @Test func `errors keep CloudKit's words and lose what is native`() {
        let record = RecordRows.missingIndex
        for (error, reason) in [
            (record, "Field 'title' is not marked queryable"),
            (.recordExists, "record to insert already exists"), (.zoneNotFound, "Zone not found"),
            (RecordError(JSONErrorSample.error), "BadRequestException: Unexpected input"),
            (.preconditionFailed(nil, wantsNone: false), "record to update already exists with a different change tag"),
            (.preconditionOnMissing, "recordChangeTag specified, but record not found"),
            (
                .badRequest("Field x not found in Post. Did you mean y", cause: .unknownName),
                "Field x not found in Post"
            ),
            (RecordError(.throttled, "Slow down", retryAfter: 4), "Slow down"),
        ] as [(RecordError, String)] {
            let translated = CloudKitErrors.translated(error)
            // A record that exists is a conflict for CloudKit.
            #expect(translated.reason == reason && translated.code == (error.code == .exists ? .conflict : error.code))
            #expect(translated.details.isEmpty && translated.cause == nil && translated.retryAfter == error.retryAfter)
        }
    }

    @Test func `an item's error has its name, and a denied action its words`() {
        let item = CloudKitErrors.item(
            RecordError(.throttled, "Slow down", retryAfter: 4), key: ("recordName", "a"), requestID: "request-1")
        #expect(
            JSONValue.object(item) == [
                "recordName": "a", "serverErrorCode": "THROTTLED", "reason": "Slow down", "retryAfter": 4,
                "uuid": CloudKitClient.uuid,
            ])
        for (action, word) in [(Action.create, "CREATE"), (.read, "READ"), (.write, "WRITE")] {
            for code in [RecordError.Code.accessDenied, .authenticationRequired] {
                let denied = CloudKitErrors.item(RecordError(code, "x"), action: action, key: nil, requestID: "u")
                #expect(denied["reason"] == .string("\(word) operation not permitted"))
                #expect(denied["serverErrorCode"] == "ACCESS_DENIED")
            }
        }
    }

    @Test func `a message that is no request has a UUID too`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        for status in [HTTPStatus.badRequest, .uriTooLong, .requestHeaderFieldsTooLarge, .serviceUnavailable] {
            for path in [CloudKitClient.root, "/device/1/x", "/database"] {
                let response = await test.reject(HTTPRejection(status, "No request"), .get, path)
                #expect(response.json?["uuid"] == CloudKitClient.uuid, "\(response.text)")
            }
        }
    }

    // MARK: Origins

    @Test func `pages of the allowed origins may use the API token, and no others`() async throws {
        let client = try await CloudKitClient.make(
            token: #","origins":["https://app.example.org","https://*.test.org"]"#)
        let user = try await client.signIn()
        for (origin, isAllowed) in [
            ("https://app.example.org", true), ("https://a.test.org", true), ("https://evil.org", false),
            ("http://app.example.org", false), ("null", false),
        ] {
            let headers = [("Origin", origin)]
            let response = await client.call(.get, "public/users/caller", user: user, headers: headers)
            #expect(response.status == (isAllowed ? 200 : 401), "\(origin): \(response.text)")
            #expect(response.field("Access-Control-Allow-Origin") == (isAllowed ? origin : nil))
            #expect(response.field("Vary")?.contains("Origin") == true)
            let exposed = response.field("Access-Control-Expose-Headers")
            #expect((exposed?.contains("X-Apple-CloudKit-Web-Auth-Token") == true) == isAllowed)
            let preflight = await client.call(
                .options, "public/users/caller",
                headers: headers + [
                    ("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "content-type"),
                ])
            #expect(preflight.status == 204)
            #expect(preflight.field("Access-Control-Allow-Origin") == (isAllowed ? origin : nil))
            #expect(preflight.field("Access-Control-Allow-Methods")?.contains("POST") == (isAllowed ? true : nil))
            #expect(preflight.field("Access-Control-Allow-Headers") == (isAllowed ? "content-type" : nil))
        }
        // The error for a missing user can be read by the page, and names its origin for the sign-in page.
        let missing = await client.call(
            .get, "public/users/caller", headers: [("Origin", "https://a.test.org"), ("Host", "db.example.org")])
        #expect(missing.status == 421 && missing.field("Access-Control-Allow-Origin") == "https://a.test.org")
        #expect(
            missing.json?["redirectURL"]?.string
                == "http://db.example.org/_/signin.html?token=\(client.tokenID)&container=Forum"
                + "&environment=development&origin=https%3A%2F%2Fa.test.org")
        #expect(!missing.text.contains(client.token))
    }

    /// Requests that no handler gets: the path, whether a message that was rejected, and the status.
    private static let unhandled: [(HTTPMethod, String, HTTPStatus?, Int)] = [
        (.get, "public/records/query", nil, 405), (.delete, "public/users/caller", nil, 405),
        (.post, "public/records/qurey", nil, 404), (.get, "public/%ff", nil, 400),
        (.get, "plublic/users/caller", nil, 400),
        (.get, "public/users/caller", .uriTooLong, 414),
        (.get, "public/users/caller", .requestHeaderFieldsTooLarge, 431),
        (.post, "public/records/query", .expectationFailed, 417), (.post, "public/rec", .uriTooLong, 414),
        (.post, "public/records/modify", .serviceUnavailable, 503), (.get, "", .misdirectedRequest, 421),
    ]

    @Test(arguments: ["", #","origins":["https://app.example.org"]"#])
    func `pages read the errors of requests that no handler gets`(origins: String) async throws {
        let client = try await CloudKitClient.make(token: origins, withUsers: false)
        func send(
            _ method: HTTPMethod, _ path: String, _ rejected: HTTPStatus?, _ headers: [(String, String)]
        ) async -> Response {
            let target = "\(CloudKitClient.root)/\(path)?ckAPIToken=\(client.token)"
            guard let rejected else { return await client.test.call(method, target, headers: headers) }
            return await client.test.reject(HTTPRejection(rejected, "No."), method, target, headers: headers)
        }
        let preflight = [("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "content-type")]
        for (method, path, rejected, status) in Self.unhandled {
            for (origin, isAllowed) in [("https://app.example.org", true), ("https://evil.org", origins.isEmpty)] {
                let response = await send(method, path, rejected, [("Origin", origin)])
                #expect(response.status == status, "\(method) \(path): \(response.text)")
                #expect(response.json?["uuid"] == CloudKitClient.uuid)
                let allowed = isAllowed ? origins.isEmpty ? "*" : origin : nil
                #expect(response.field("Access-Control-Allow-Origin") == allowed, "\(method) \(path) \(status)")
                #expect(response.field("Vary") == (origins.isEmpty ? nil : "Origin"), "\(method) \(path) \(status)")
                // The browser sends the request only if its preflight was granted.
                let asked = await send(.options, path, rejected, [("Origin", origin)] + preflight)
                #expect(asked.status == 204, "\(path) \(status): \(asked.text)")
                #expect(asked.field("Access-Control-Allow-Origin") == allowed, "\(path) \(status)")
            }
            let plain = await send(method, path, rejected, [])
            #expect(plain.status == status && plain.field("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test func `without an API token nobody reads them, and all pages where the URL is the permission`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let origin = [("Origin", "https://a.org")]
        for (path, allowed) in [
            ("public/users/caller", nil), ("public/users/caller?ckAPIToken=x", nil), ("", nil),
            ("public/assets/upload/x", "*"),
        ] as [(String, String?)] {
            let target = "\(CloudKitClient.root)/\(path)"
            let rejected = await client.test.reject(HTTPRejection(.uriTooLong, "No."), .get, target, headers: origin)
            #expect(rejected.status == 414 && rejected.field("Access-Control-Allow-Origin") == allowed, "\(path)")
            let wrong = await client.test.call(.patch, target, headers: origin)
            #expect(wrong.status == (path.isEmpty ? 404 : 405), "\(path)")
            #expect(wrong.field("Access-Control-Allow-Origin") == allowed, "\(path)")
        }
        let unknown = "/database/1/Other/development/public/x?ckAPIToken=\(client.token)"
        let response = await client.test.call(.get, unknown, headers: origin)
        #expect(response.status == 404 && response.field("Access-Control-Allow-Origin") == nil)
    }

    @Test func `a token for any origin allows all, and no token allows none`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let headers = [("Origin", "https://a.org"), ("Access-Control-Request-Method", "POST")]
        let response = await client.call(.get, "public/users/caller", headers: headers)
        #expect(response.field("Access-Control-Allow-Origin") == "*" && response.field("Vary") == nil)
        let path = "\(CloudKitClient.root)/public/users/caller"
        for target in [path, "\(path)?ckAPIToken=x", "/database/1/Other/development/public/users/caller"] {
            let preflight = await client.test.call(.options, target, headers: headers)
            #expect(preflight.status == 204 && preflight.field("Access-Control-Allow-Origin") == nil, "\(target)")
        }
        let signed = await client.test.call(.get, path, headers: headers + (try client.fields(path)))
        #expect(signed.status == 200 && signed.field("Access-Control-Allow-Origin") == nil)
    }

    @Test func `the sign-in page is below the public URL`() async throws {
        let url = try PublicURL("https://example.org/fog")
        let client = try await CloudKitClient.make(withUsers: false) { $0.publicURL = url }
        let response = await client.call(.get, "public/users/caller", headers: [("Host", "evil.org")])
        #expect(
            response.json?["redirectURL"]?.string?.hasPrefix("https://example.org/fog/_/signin.html?") == true,
            "\(response.text)")
        // A client below a base path signs the path as it sends it.
        let path = "\(CloudKitClient.root)/public/users/caller"
        let signed = await client.test.call(.get, path, headers: try client.fields("/fog\(path)"))
        #expect(signed.status == 200, "\(signed.text)")
    }
}

/// Errors that only other modules make.
private enum RecordRows {
    static let missingIndex = RecordError.badRequest(
        "Field 'title' is not marked queryable. An administrator adds the index with POST /schema", cause: .notIndexed,
        details: [("field", .text("title"))])
}

private enum JSONErrorSample {
    static let error = JSONError("an unexpected end", at: 3)
}
