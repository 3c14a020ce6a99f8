import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// Subscriptions, tokens and the URL that clients poll, as clients of CloudKit Web Services use them.
@Suite struct CloudKitSubscriptionTests {
    private static let query = #""subscriptionType":"query","query":{"recordType":"Post","filterBy":[],"sortBy":[]}"#

    private static func modify(
        _ client: CloudKitClient, user: String, in database: String = "private", _ operations: String...
    ) async -> Response {
        await client.call(
            .post, "\(database)/subscriptions/modify", user: user,
            body: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
    }

    private static func operation(_ kind: String, _ subscription: String) -> String {
        #"{"operationType":"\#(kind)","subscription":{\#(subscription)}}"#
    }

    private static func results(_ response: Response) -> [JSONValue] { response.json?["subscriptions"]?.array ?? [] }

    private static func codes(_ response: Response) -> [String?] {
        results(response).map { $0["serverErrorCode"]?.string }
    }

    // MARK: Subscriptions

    @Test func `subscriptions are created, listed, looked up, updated and deleted, each alone`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        await client.test.call(.put, "/zones/A?database=private", as: .creator)
        let made = await Self.modify(
            client, user: user,
            Self.operation(
                "create",
                #""subscriptionID":"q",\#(Self.query),"zoneWide":true,"firesOn":["create","update"],"firesOnce":false,"notificationInfo":{"alertBody":"Hi","shouldBadge":true,"later":1}"#
            ), Self.operation("create", #""subscriptionID":"z","subscriptionType":"zone","zoneID":{"zoneName":"A"}"#),
            Self.operation("create", #""subscriptionID":"d","subscriptionType":"database""#),
            Self.operation("create", #""subscriptionID":"bad","subscriptionType":"zone""#),
            Self.operation("create", #""subscriptionID":"none","subscriptionType":"zone","zoneID":{"zoneName":"X"}"#),
            Self.operation("update", #""subscriptionID":"new",\#(Self.query)"#),
            Self.operation("delete", #""subscriptionID":"new""#),
            Self.operation("replace", #""subscriptionID":"q""#))
        #expect(made.status == 200, "\(made.text)")
        #expect(
            Self.codes(made) == [
                nil, nil, nil, "BAD_REQUEST", "ZONE_NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "BAD_REQUEST",
            ], "\(made.text)")
        let ids = Self.results(made).map { $0["subscriptionID"]?.string }
        #expect(ids == ["q", "z", "d", "bad", "none", "new", "new", "q"])
        #expect(
            Self.results(made).allSatisfy { $0["serverErrorCode"] == nil || $0["reason"]?.string?.isEmpty == false })
        let ann = try #require(client.test.userNames[.creator])
        let q: JSONValue = [
            "subscriptionID": "q", "subscriptionType": "query",
            "query": ["recordType": "Post", "filterBy": [], "sortBy": []], "zoneWide": true,
            "firesOn": ["create", "update"], "firesOnce": false,
            "notificationInfo": ["alertBody": "Hi", "shouldBadge": true],
        ]
        #expect(Self.results(made).first == q, "\(made.text)")
        #expect(
            Self.results(made)[1]["zoneID"] == [
                "zoneName": "A", "ownerRecordName": .string(ann), "zoneType": "REGULAR_CUSTOM_ZONE",
            ], "\(made.text)")
        for method in [HTTPMethod.get, .post] {
            let list = await client.call(method, "private/subscriptions/list", user: user)
            #expect(Self.results(list).map { $0["subscriptionID"]?.string } == ["d", "q", "z"], "\(list.text)")
        }
        let looked = await client.call(
            .post, "private/subscriptions/lookup", user: user,
            body: #"{"subscriptions":[{"subscriptionID":"z"},{"subscriptionID":"no"},{"subscriptionID":"q"}]}"#)
        #expect(Self.codes(looked) == [nil, "NOT_FOUND", nil] && Self.results(looked)[2] == q, "\(looked.text)")
        let changed = await Self.modify(
            client, user: user, Self.operation("update", #""subscriptionID":"q",\#(Self.query),"firesOn":["delete"]"#),
            // As Apple's service does, a create of an ID that exists returns what exists.
            Self.operation("create", #""subscriptionID":"q",\#(Self.query),"firesOn":["create"]"#),
            Self.operation("delete", #""subscriptionID":"z""#))
        #expect(Self.results(changed).prefix(2).allSatisfy { $0["firesOn"] == ["delete"] }, "\(changed.text)")
        #expect(Self.results(changed).last == ["subscriptionID": "z", "deleted": true])
    }

    @Test func `requests as a whole have their errors`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        for (operation, user, status, code) in [
            ("private/subscriptions/list", nil, 421, "AUTHENTICATION_REQUIRED"),
            ("public/subscriptions/list", nil, 421, "AUTHENTICATION_REQUIRED"),
            ("private/subscriptions/modify", user, 400, "BAD_REQUEST"),
            ("private/subscriptions/lookup", user, 400, "BAD_REQUEST"),
        ] as [(String, String?, Int, String)] {
            let response = await client.call(.post, operation, user: user, body: "{}")
            #expect(response.status == status && response.code == code, "\(operation): \(response.text)")
        }
        let many = (0..<201).map { _ in #"{"operationType":"delete","subscription":{"subscriptionID":"x"}}"# }
        let response = await client.call(
            .post, "private/subscriptions/modify", user: user,
            body: #"{"operations":[\#(many.joined(separator: ","))]}"#
        )
        #expect(response.status == 400 && response.text.contains("200"), "\(response.text)")
        // Zones are not watched in the public database.
        let zone = await Self.modify(
            client, user: user, in: "public",
            Self.operation("create", #""subscriptionType":"zone","zoneID":{"zoneName":"_defaultZone"}"#))
        #expect(Self.codes(zone) == ["BAD_REQUEST"], "\(zone.text)")
    }

    @Test func `a subscription without an ID gets one, and a key has its own subscriptions`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let mine = await Self.modify(client, user: user, in: "public", Self.operation("create", Self.query))
        let id = try #require(Self.results(mine).first?["subscriptionID"]?.string, "\(mine.text)")
        #expect(id.count == 36)
        let body = #"{"operations":{"operationType":"create","subscription":{"subscriptionID":"k",\#(Self.query)}}}"#
        let keys = try await client.signed(.post, "public/subscriptions/modify", body: body)
        #expect(Self.codes(keys) == [nil], "\(keys.text)")
        let list = try await client.signed(.get, "public/subscriptions/list")
        #expect(Self.results(list).map { $0["subscriptionID"] } == ["k"], "\(list.text)")
        let users = await client.call(.get, "public/subscriptions/list", user: user)
        #expect(Self.results(users).map { $0["subscriptionID"]?.string } == [id], "\(users.text)")
    }

    @Test func `zoneWide false means the default zone, and a zone is stronger than it`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        await client.test.call(.put, "/zones/A?database=private", as: .creator)
        let made = await Self.modify(
            client, user: user,
            Self.operation("create", #""subscriptionID":"default",\#(Self.query),"zoneWide":false"#),
            Self.operation(
                "create", #""subscriptionID":"one",\#(Self.query),"zoneWide":true,"zoneID":{"zoneName":"A"}"#),
            Self.operation("create", #""subscriptionID":"all",\#(Self.query)"#))
        #expect(Self.results(made).map { $0["zoneWide"] } == [false, false, true], "\(made.text)")
        try await client.test.write("Post/d?database=private")
        try await client.test.write("Post/a?database=private&zone=A")
        let reader = NotificationClient(client.test, as: .creator)
        #expect(
            try await reader.read() == [
                "default create Post/d", "all create Post/d", "one create Post/a", "all create Post/a",
            ])
    }

    // MARK: Tokens and polls

    /// Creates a token, and returns it with the path of its URL.
    private static func device(_ client: CloudKitClient, user: String) async throws -> (token: String, path: String) {
        let made = await client.test.call(
            .post, "/device/1/Forum/development/tokens/create?ckAPIToken=\(client.token)&ckWebAuthToken=\(user)",
            body: #"{"apnsEnvironment":"development","clientId":"4f"}"#)
        try #require(made.status == 200, "\(made.text)")
        let url = try #require(made.json?["webcourierURL"]?.string)
        return (try #require(made.json?["apnsToken"]?.string), try CloudKitAssetTests.path(of: url))
    }

    /// Polls without a credential, as clients do, and returns the push; `nil` if there is none in time.
    private static func poll(_ client: CloudKitClient, _ path: String) async throws -> JSONValue? {
        let response = await client.test.call(.get, path)
        try #require(response.status == 200, "\(response.text)")
        let source = try #require(response.events)
        source.tick(now: 1)
        source.tick(now: 100_000_000_000)
        var body: [UInt8] = []
        while let piece = try await source.next() { body += piece }
        // Without its type, `nil` would be JSON's null.
        return body.isEmpty ? JSONValue?.none : try JSONValue.parse(body)
    }

    @Test func `each poll gets one push, in order, and an empty body if there is none`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let ann = try #require(client.test.userNames[.creator])
        try await client.test.write("Post/old")
        _ = await Self.modify(
            client, user: user, in: "public",
            Self.operation(
                "create",
                #""subscriptionID":"alert",\#(Self.query),"notificationInfo":{"alertBody":"New","soundName":"s","shouldBadge":true,"category":"c","additionalFields":["n","none"]}"#
            ), Self.operation("create", #""subscriptionID":"bare",\#(Self.query)"#),
            Self.operation(
                "create",
                #""subscriptionID":"silent",\#(Self.query),"notificationInfo":{"shouldSendContentAvailable":true,"alertLocalizationKey":"K","alertLocalizationArgs":["n","text"]}"#
            ))
        let (_, path) = try await Self.device(client, user: user)
        #expect(try await Self.poll(client, path).map(\.bytes) == nil)
        try await client.test.write("Post/a", 7)
        var pushes: [JSONValue] = []
        for _ in 0..<3 { pushes.append(try #require(try await Self.poll(client, path))) }
        #expect(try await Self.poll(client, path).map(\.bytes) == nil)
        #expect(pushes.map { $0["ck"]?["qry"]?["sid"] } == ["alert", "bare", "silent"])
        // Pushes of one change have one ID.
        let nid = try #require(pushes[0]["ck"]?["nid"]?.string)
        #expect(pushes.allSatisfy { $0["ck"]?["nid"]?.string == nid } && nid.count == 36)
        #expect(
            pushes[0]["ck"]?["qry"] == [
                "sid": "alert", "dbs": 1, "zid": "_defaultZone", "zoid": .string(ann), "rid": "a", "fo": 1,
                "af": ["n": 7],
            ], "\(pushes[0])")
        #expect(pushes[0]["aps"] == ["alert": ["body": "New"], "badge": 1, "sound": "s", "category": "c"])
        #expect(pushes[0]["ck"]?["cid"] == "Forum" && pushes[0]["ck"]?["ckuserid"]?.string == ann)
        #expect(pushes[1]["aps"] == nil)
        #expect(pushes[2]["aps"] == ["alert": ["loc-key": "K", "loc-args": ["7", "text"]], "content-available": 1])
        try await client.test.write("Post/a", 8)
        try await client.test.erase("Post/old")
        var reasons: [Int64?] = []
        while let push = try await Self.poll(client, path) { reasons.append(push["ck"]?["qry"]?["fo"]?.integer) }
        #expect(reasons == [2, 2, 2, 3, 3, 3])
    }

    @Test func `a device gets every push, also of the first write after a start`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        try await client.test.write("Post/old")
        _ = await Self.modify(
            client, user: user, in: "public", Self.operation("create", #""subscriptionID":"bare",\#(Self.query)"#))
        let (_, path) = try await Self.device(client, user: user)
        for start in 1...2 {
            try await client.test.restart()
            let waiting = await client.test.call(.get, path)
            async let body = waiting.pushedBody()
            try await client.test.write("Post/first\(start)")
            let push = try JSONValue.parse(Array(try await body.utf8))
            #expect(push["ck"]?["qry"]?["rid"]?.string == "first\(start)")
            // Writes between two polls.
            try await client.test.write("Post/second\(start)")
            try await client.test.write("Post/third\(start)")
            let token = try #require(push["token"]?.string)
            let next = try await Self.poll(client, "\(path)?since=\(PathSegment.encode(token))")
            #expect(next?["ck"]?["qry"]?["rid"]?.string == "second\(start)")
            let last = try await Self.poll(client, path)
            #expect(last?["ck"]?["qry"]?["rid"]?.string == "third\(start)")
        }
    }

    @Test func `pushes of zones and databases have their keys`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let ann = try #require(client.test.userNames[.creator])
        await client.test.call(.put, "/zones/A?database=private", as: .creator)
        _ = await Self.modify(
            client, user: user,
            Self.operation("create", #""subscriptionID":"z","subscriptionType":"zone","zoneID":{"zoneName":"A"}"#),
            Self.operation("create", #""subscriptionID":"d","subscriptionType":"database""#))
        let (_, path) = try await Self.device(client, user: user)
        try await client.test.write("Post/a?database=private&zone=A")
        let zone = try #require(try await Self.poll(client, path))
        #expect(zone["ck"]?["fet"] == ["sid": "z", "dbs": 2, "zid": "A", "zoid": .string(ann)], "\(zone)")
        let database = try #require(try await Self.poll(client, path))
        #expect(database["ck"]?["met"] == ["sid": "d", "dbs": 2], "\(database)")
    }

    @Test func `a lost push is sent again after the token of the one before`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        _ = await Self.modify(client, user: user, in: "public", Self.operation("create", Self.query))
        let (_, path) = try await Self.device(client, user: user)
        for name in ["a", "b", "c"] { try await client.test.write("Post/\(name)") }
        let first = try #require(try await Self.poll(client, path))
        #expect(first["ck"]?["qry"]?["rid"] == "a")
        let token = try #require(first["token"]?.string).replacing("+", with: "%2B").replacing("/", with: "%2F")
        #expect(try await Self.poll(client, path)?["ck"]?["qry"]?["rid"] == "b")
        // This response does not arrive: the client leaves before the server has sent it.
        let lost = await client.test.call(.get, path)
        let source = try #require(lost.events)
        #expect(try await source.next() != nil)
        source.clientDidLeave()
        #expect(try await source.next() == nil)
        #expect(try await Self.poll(client, path)?["ck"]?["qry"]?["rid"] == "c")
        // A client that knows the token of its last push may go back there.
        #expect(try await Self.poll(client, "\(path)?since=\(token)")?["ck"]?["qry"]?["rid"] == "b")
        #expect(try await Self.poll(client, path)?["ck"]?["qry"]?["rid"] == "c")
        #expect(await client.test.call(.get, "\(path)?since=xyz").status == 400)
    }

    @Test func `tokens are created and registered under three paths`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let query = "?ckAPIToken=\(client.token)&ckWebAuthToken=\(user)&\(CloudKitClientFactTests.scriptParameters)"
        var token = ""
        for root in [
            "/device/1/Forum/development", "/database/1/Forum/development", "/database/1/Forum/development/public",
        ] {
            let made = await client.test.call(
                .post, "\(root)/tokens/create\(query)", body: #"{"apnsEnvironment":"production"}"#,
                headers: [("Content-Type", "text/plain")])
            #expect(made.status == 200 && made.json?["apnsEnvironment"] == "production", "\(root): \(made.text)")
            token = try #require(made.json?["apnsToken"]?.string)
            let registered = await client.test.call(
                .post, "\(root)/tokens/register\(query)",
                body: #"{"apnsEnvironment":"production","apnsToken":"\#(token)","clientId":"4f"}"#)
            #expect(registered.status == 200, "\(root): \(registered.text)")
            #expect(registered.json?["webcourierURL"] == made.json?["webcourierURL"])
        }
        for (operation, body, status) in [
            ("register", #"{"apnsEnvironment":"production"}"#, 400), ("create", #"{"apnsEnvironment":"x"}"#, 400),
            ("register", #"{"apnsToken":"\#(String(repeating: "a", count: 64))"}"#, 404), ("create", "", 200),
        ] {
            let response = await client.test.call(
                .post, "/device/1/Forum/development/tokens/\(operation)\(query)", body: body)
            #expect(response.status == status, "\(operation) \(body): \(response.text)")
        }
        let alone = await client.test.call(
            .post, "/device/1/Forum/development/tokens/create?ckAPIToken=\(client.token)", body: "{}")
        #expect(alone.status == 421 && alone.json?["redirectURL"] != nil, "\(alone.text)")
        // Another user cannot take over a token.
        let bob = try await client.signIn(as: "bob")
        let stolen = await client.test.call(
            .post, "/device/1/Forum/development/tokens/register?ckAPIToken=\(client.token)&ckWebAuthToken=\(bob)",
            body: #"{"apnsToken":"\#(token)"}"#)
        #expect(stolen.status == 404, "\(stolen.text)")
        let path = "/device/1/Forum/development/tokens/create"
        let key = await client.test.call(.post, path, body: "{}", headers: try client.fields(path, body: "{}"))
        #expect(key.status == 200 && key.json?["apnsToken"] != nil, "\(key.text)")
    }

    @Test func `only who has the URL may poll, from pages of any origin, and the log has no path`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let (token, path) = try await Self.device(client, user: user)
        let response = await client.test.call(.get, path, headers: [("Origin", "https://app.example.org")])
        #expect(response.status == 200 && response.field("Access-Control-Allow-Origin") == "*")
        #expect(!response.route.contains(token))
        for wrong in [
            path + "00", String(path.dropLast(2)) + "00", "/device/1/Forum/production/notifications/\(token)",
        ] {
            let response = await client.test.call(.get, wrong)
            #expect(response.status == 404 && response.code == "NOT_FOUND", "\(wrong): \(response.text)")
        }
        // A new password ends the URLs that sessions were given.
        let changed = await client.test.call(
            .patch, "/users/me", as: .creator, body: #"{"password":"another horse","currentPassword":"correct horse"}"#)
        try #require(changed.status == 200, "\(changed.text)")
        #expect(await client.test.call(.get, path).status == 404)
    }

    @Test func `an account has a limited number of tokens, of which the oldest ends first`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        var paths: [String] = []
        for _ in 0...NotificationTokens.most { paths.append(try await Self.device(client, user: user).path) }
        var alive = 0
        for path in paths where await client.test.call(.get, path).status == 200 { alive += 1 }
        #expect(alive == NotificationTokens.most)
        #expect(await client.test.call(.get, paths.last ?? "").status == 200)
    }

    @Test func `a device that missed forgotten deletions goes on with new changes`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        try await client.test.write("Post/a")
        _ = await Self.modify(client, user: user, in: "public", Self.operation("create", Self.query))
        let (_, path) = try await Self.device(client, user: user)
        try await client.test.erase("Post/a")
        let store = try #require(client.test.registry.openDatabases.first?.database)
        #expect(try await store.maintenance.forgetDeletions(olderThan: -60) == 1)
        #expect(try await Self.poll(client, path).map(\.bytes) == nil)
        try await client.test.write("Post/b")
        #expect(try await Self.poll(client, path)?["ck"]?["qry"]?["rid"] == "b")
    }
}
