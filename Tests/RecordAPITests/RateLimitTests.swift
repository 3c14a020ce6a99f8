import HTTP
import RecordModel
import RecordWire
import Testing

@testable import RecordAPI

/// The effects of rate limits that clients see.
@Suite struct RateLimitTests {
    private let clock = TestClock()

    private func make(
        withUsers: Bool = true, _ adjust: (inout RateLimits) -> Void
    ) async throws -> TestDatabase {
        var limits = RateLimits()
        limits.auth = RateLimit(1_000, per: .second, burst: 1_000)
        adjust(&limits)
        let clock = clock
        limits.clock = { clock.now }
        let set = limits
        let test = try await TestDatabase.make(withUsers: withUsers) { $0.rateLimits = set }
        let schema = await test.call(
            .put, "/schema", as: .administrator, body: #"{"types":{"Post":{"fields":{"title":{"type":"STRING"}}}}}"#)
        try #require(schema.status == 200, "\(schema.text)")
        return test
    }

    private func batch(_ count: Int, from start: Int = 0) -> String {
        let operations = (start..<start + count).map {
            #"{"operationType":"create","record":{"recordType":"Post","recordName":"b\#($0)","fields":{"title":"x"}}}"#
        }
        return #"{"operations":[\#(operations.joined(separator: ","))]}"#
    }

    private func expectRefusal(_ response: Response, _ name: String, after seconds: Int, _ comment: Comment? = nil) {
        #expect(response.status == 429 && response.code == "THROTTLED", comment)
        #expect(response.json?["retryAfter"]?.integer == Int64(seconds), comment)
        #expect(response.json?["details"]?["class"]?.string == name, comment)
        #expect(response.field("Retry-After") == "\(seconds)", comment)
        #expect(response.field("RateLimit-Policy")?.hasPrefix("\"\(name)\";q=") == true, comment)
        #expect(response.field("RateLimit")?.hasPrefix("\"\(name)\";r=") == true, comment)
        #expect(response.json?["uuid"]?.string == "request-1" && response.field("Content-Type") == "application/json")
    }

    @Test func `reads beyond the burst are rejected until tokens come back`() async throws {
        let test = try await make { $0.read = RateLimit(2, per: .second, burst: 8) }
        for turn in 0..<8 {
            let response = await test.call(.get, "/records/Post")
            #expect(response.status == 200)
            // Only the last responses have the field.
            #expect((response.field("RateLimit") != nil) == (turn >= 6), "\(turn)")
        }
        expectRefusal(await test.call(.get, "/records/Post"), "read", after: 1)
        clock.pass(milliseconds: 499)
        expectRefusal(await test.call(.get, "/records/Post"), "read", after: 1)
        clock.pass(milliseconds: 1)
        let response = await test.call(.get, "/records/Post")
        #expect(response.status == 200)
        #expect(response.field("RateLimit-Policy") == #""read";q=8;w=4"#)
        #expect(response.field("RateLimit") == #""read";r=0;t=4"#)
        // Other classes and other addresses have separate buckets.
        #expect(await test.call(.post, "/records/Post", as: .creator, body: #"{"fields":{}}"#).status == 201)
        #expect(await test.call(.get, "/records/Post", from: "192.0.2.2").status == 200)
        #expect(await test.call(.get, "/health/live").status == 200)
        #expect(await test.call(.get, "/health/ready").status == 200)
    }

    @Test func `no spelling, method or field of a request selects another bucket`() async throws {
        let test = try await make { $0.read = RateLimit(1, per: .hour, burst: 1) }
        #expect(await test.call(.get, "/records/Post").status == 200)
        for (method, target) in [
            (HTTPMethod.head, "/records/Post"), (.get, "/records/%50ost"),
            (.get, "/records/Post?limit=1"), (.get, "/records/Post?zone=_defaultZone"), (.get, "/query/Post"),
            (.get, "/records/Post/none"), (.get, "/users/me"), (.get, "/limits"), (.get, "/openapi.json"),
            (.get, "/changes?environment=production"), (.get, "/assets/none"), (.get, "/metrics"),
        ] {
            #expect(await test.call(method, target).status == 429, "\(method) \(target)")
        }
        let headers = [
            ("X-Forwarded-For", "1.2.3.4"), ("Forwarded", "for=1.2.3.4"), ("X-Real-IP", "1.2.3.4"), ("Via", "1.1 a"),
            ("X-HTTP-Method-Override", "POST"), ("X-Forwarded-Host", "a"), ("Client-IP", "1.2.3.4"), ("Cookie", "a=b"),
        ]
        for header in headers {
            #expect(await test.call(.get, "/records/Post", headers: [header]).status == 429, "\(header)")
        }
        #expect(await test.call(.post, "/query", body: #"{"recordType":"Post"}"#).status == 429)
        // An IPv4 address written as IPv6 is the same one; an IPv6 customer has one bucket.
        #expect(await test.call(.get, "/records/Post", from: "::ffff:192.0.2.1").status == 429)
        #expect(await test.call(.get, "/records/Post", from: "2001:db8::1").status == 200)
        #expect(await test.call(.get, "/records/Post", from: "2001:db8::2:3:4:5").status == 429)
        #expect(await test.call(.get, "/records/Post", from: "2001:db8:0:1::1").status == 200)
        #expect(await test.call(.get, "/records/Post", from: "").status == 200)
        #expect(await test.call(.get, "/records/Post", from: "").status == 429)
    }

    @Test func `each operation of a batch counts, and a batch over the remaining tokens does nothing`() async throws {
        let test = try await make { $0.write = RateLimit(1, per: .second, burst: 20) }
        let first = await test.call(.post, "/records", as: .creator, body: batch(15))
        #expect(first.status == 200, "\(first.text)")
        #expect(first.field("RateLimit") == #""write";r=5;t=15"#)
        let second = await test.call(.post, "/records", as: .creator, body: batch(6, from: 100))
        expectRefusal(second, "write", after: 2)
        #expect(await test.call(.get, "/records/Post/b100").status == 404)
        clock.pass(seconds: 2)
        #expect(await test.call(.post, "/records", as: .creator, body: batch(6, from: 100)).status == 200)
        expectRefusal(await test.call(.post, "/records", as: .creator, body: batch(1, from: 200)), "write", after: 1)
        expectRefusal(
            await test.call(.put, "/records/Post/one", as: .creator, body: #"{"fields":{}}"#), "write", after: 1)
        expectRefusal(await test.call(.delete, "/records/Post/b100", as: .creator), "write", after: 1)
        #expect(await test.call(.get, "/records/Post/b100").status == 200)
    }

    @Test func `an account has one bucket at all addresses, apart from its neighbors' bucket`() async throws {
        let test = try await make { $0.write = RateLimit(1, per: .second, burst: 10) }
        func write(_ who: TestDatabase.Who, from peer: String) async -> Response {
            await test.call(.post, "/records/Post", as: who, body: #"{"fields":{}}"#, from: peer)
        }
        for number in 0..<10 { #expect(await write(.creator, from: "198.51.100.\(number)").status == 201) }
        for number in 10..<200 { expectRefusal(await write(.creator, from: "198.51.100.\(number)"), "write", after: 1) }
        // Its rejected writes took no tokens of the address.
        for _ in 0..<30 { #expect(await write(.creator, from: "198.51.100.200").status == 429) }
        for _ in 0..<10 { #expect(await write(.stranger, from: "198.51.100.200").status == 201) }
        #expect(await write(.member, from: "198.51.100.200").status == 429)
    }

    @Test func `the administrator's token is not limited, and cannot be guessed faster than passwords`() async throws {
        let test = try await make {
            $0.write = RateLimit(1, per: .hour, burst: 1)
            $0.read = RateLimit(100, per: .second, burst: 1_000)
        }
        for _ in 0..<5 {
            #expect(await test.call(.post, "/records", as: .administrator, body: #"{"operations":[]}"#).status != 429)
            #expect(await test.call(.post, "/records/Post", as: .administrator, body: #"{"fields":{}}"#).status == 201)
        }
        let guarded = try await make(withUsers: false) { $0.auth = RateLimit(1, per: .minute, burst: 3) }
        for _ in 0..<3 { #expect(await guarded.call(.get, "/users/me", token: "wrong").status == 401) }
        expectRefusal(await guarded.call(.get, "/users/me", token: "wrong"), "auth", after: 60)
        expectRefusal(await guarded.call(.get, "/users/me", as: .administrator), "auth", after: 60)
        #expect(await guarded.call(.get, "/users/me", as: .administrator, from: "192.0.2.77").status == 200)
        // Sign-ins have their own bucket, and so have requests without credentials.
        #expect(
            await guarded.call(.post, "/sessions", body: #"{"name":"nobody","password":"wrong horse"}"#).status == 401)
        #expect(await guarded.call(.get, "/records/Post").status == 200)
        clock.pass(seconds: 60)
        #expect(await guarded.call(.get, "/users/me", as: .administrator).status == 200)
    }

    @Test func `false credentials count as requests too`() async throws {
        let test = try await make(withUsers: false) { $0.read = RateLimit(1, per: .hour, burst: 2) }
        #expect(await test.call(.get, "/records/Post", token: "wrong").status == 401)
        #expect(await test.call(.get, "/records/Post", token: "wrong").status == 401)
        expectRefusal(await test.call(.get, "/records/Post", token: "wrong"), "read", after: 3_600)
    }

    @Test func `sign-ins and sign-ups are limited to ten a minute each`() async throws {
        let test = try await make(withUsers: false) { $0.auth = RateLimits().auth }
        for number in 0..<20 {
            let name = "user\(number)"
            let response = await test.call(.post, "/sessions", body: #"{"name":"\#(name)","password":"wrong horse"}"#)
            #expect(response.status == 401 && response.field("WWW-Authenticate") == "Bearer")
            #expect(response.field("RateLimit")?.hasPrefix(#""auth";r=\#(19 - number);"#) == true)
            let made = await test.call(.post, "/users", body: #"{"name":"\#(name)","password":"correct horse"}"#)
            #expect(made.status == 201)
            #expect(made.field("RateLimit")?.hasPrefix(#""signUp";r=\#(19 - number);"#) == true)
        }
        let body = #"{"name":"new","password":"correct horse"}"#
        for (path, name, setting) in [
            ("/users", "signUp", "limits.rate_sign_up"), ("/sessions", "auth", "limits.rate_auth"),
        ] {
            let rejected = await test.call(.post, path, body: body)
            expectRefusal(rejected, name, after: 6)
            #expect(rejected.json?["details"]?["setting"]?.string == setting)
            #expect(rejected.json?["reason"]?.string?.contains(setting) == true)
        }
        clock.pass(seconds: 6)
        #expect(await test.call(.post, "/users", body: body).status == 201)
        #expect(await test.call(.post, "/users", body: body).status == 429)
    }

    @Test func `neighbors do not block a known name at a known address`() async throws {
        let test = try await make { $0.auth = RateLimit(10, per: .hour, burst: 4) }
        func signIn(_ name: String, _ password: String = "correct horse", from peer: String = "198.51.100.1") async
            -> Response
        {
            await test.call(.post, "/sessions", body: #"{"name":"\#(name)","password":"\#(password)"}"#, from: peer)
        }
        #expect(await signIn("ann").status == 201)
        // A sign-up makes a name known, too.
        let made = await test.call(
            .post, "/users", body: #"{"name":"zoe","password":"correct horse"}"#, from: "198.51.100.1")
        #expect(made.status == 201)
        for number in 0..<3 { #expect(await signIn("nobody\(number)").status == 401) }
        expectRefusal(await signIn("nobody"), "auth", after: 360)
        expectRefusal(await signIn("bob"), "auth", after: 360)
        // Bob is known elsewhere, and not here.
        #expect(await signIn("bob", from: "203.0.113.5").status == 201)
        expectRefusal(await signIn("bob"), "auth", after: 360)
        #expect(await signIn("zoe").status == 201)
        // As often as other callers, wrong passwords included.
        #expect(await signIn("ann", "wrong horse").status == 401)
        for _ in 0..<3 { #expect(await signIn("ann").status == 201) }
        expectRefusal(await signIn("ann"), "auth", after: 360)
        #expect(await signIn("zoe").status == 201)
        clock.pass(seconds: 360)
        #expect(await signIn("ann").status == 201)
    }

    @Test func `known names of one address share ten times its sign-in limit`() async throws {
        let test = try await make(withUsers: false) { $0.auth = RateLimit(1, per: .hour, burst: 1) }
        func signIn(_ number: Int) async -> Int {
            await test.call(.post, "/sessions", body: #"{"name":"user\#(number)","password":"correct horse"}"#).status
        }
        for number in 0..<12 {
            let made = await test.call(.post, "/users", body: #"{"name":"user\#(number)","password":"correct horse"}"#)
            #expect(made.status == 201)
        }
        // The first one takes the address's own token.
        for number in 0..<11 { #expect(await signIn(number) == 201) }
        #expect(await signIn(11) == 429)
        #expect(await signIn(1) == 429)
    }

    @Test func `failed sign-ins delay the next one alike whether or not there is such an account`() async throws {
        let test = try await make { _ in }
        func signIn(_ name: String, _ password: String, from peer: String) async -> Response {
            await test.call(
                .post, "/sessions", body: #"{"name":"\#(name)","password":"\#(password)"}"#, from: peer)
        }
        var texts: [String: [String]] = [:]
        for name in ["ann", "nobody"] {
            for number in 0..<7 {
                let response = await signIn(name, "wrong horse", from: "198.51.100.\(number)")
                texts[name, default: []].append("\(response.status) \(response.text)")
            }
            #expect(texts[name]?.map { $0.prefix(3) } == ["401", "401", "401", "401", "401", "429", "429"])
        }
        #expect(texts["ann"] == texts["nobody"])
        // The right password has to wait too.
        let early = await signIn("ann", "correct horse", from: "203.0.113.5")
        expectRefusal(early, "auth", after: 1)
        clock.pass(seconds: 1)
        #expect(await signIn("ann", "correct horse", from: "203.0.113.5").status == 201)
        // From now on requests of strangers do not block this address.
        for _ in 0..<3 {
            _ = await signIn("ann", "wrong horse", from: "198.51.100.9")
            clock.pass(seconds: 60)
        }
        #expect(await signIn("ann", "wrong horse", from: "198.51.100.9").status == 401)
        #expect(await signIn("ann", "correct horse", from: "198.51.100.9").status == 429)
        #expect(await signIn("ann", "correct horse", from: "203.0.113.5").status == 201)
    }

    @Test func `a bulk change costs tokens by its size`() async throws {
        let test = try await make { $0.write = RateLimit(1, per: .hour, burst: 20) }
        for start in [0, 200] {
            let made = await test.call(.post, "/records", as: .administrator, body: batch(200, from: start))
            try #require(made.status == 200, "\(made.text)")
        }
        let grants = await test.call(
            .put, "/grants/Post", as: .administrator, body: #"{"grants":{"_icloud":["READ","WRITE"]}}"#)
        try #require(grants.status < 300, "\(grants.text)")
        let dry = await test.call(.delete, "/query/Post?all=true&dryRun=true", as: .creator)
        #expect(dry.status == 200 && dry.field("RateLimit")?.hasPrefix(#""write";r=19;"#) == true, "\(dry.text)")
        let real = await test.call(.delete, "/query/Post?all=true", as: .creator)
        #expect(real.status == 200 && real.field("RateLimit")?.hasPrefix(#""write";r=14;"#) == true, "\(real.text)")
    }

    @Test func `a failed bulk change costs tokens for the records that it visited`() async throws {
        let test = try await make { $0.write = RateLimit(1, per: .minute, burst: 1_000) }
        for start in [0, 200] {
            let items = (start..<start + 200).map {
                let n = $0 == 399 ? Int.max : 1
                return #"{"operationType":"create","record":{"recordType":"Post","fields":{"n":\#(n)}}}"#
            }
            let body = #"{"operations":[\#(items.joined(separator: ","))]}"#
            #expect(await test.call(.post, "/records", as: .creator, body: body).status == 200)
        }
        let failed = await test.call(
            .patch, "/query/Post?where=n%20%3E%3D%201", as: .creator, body: #"{"fields":{"n":{"increment":1}}}"#)
        #expect(failed.status == 400 && failed.json?["details"]?["matched"]?.integer == 400, "\(failed.text)")
        // 400 operations, the request, and four hundreds of records.
        #expect(failed.field("RateLimit")?.hasPrefix(#""write";r=595;"#) == true, "\(failed.field("RateLimit") ?? "")")
    }

    @Test func `exempt networks are not limited, and the limits are shown`() async throws {
        let test = try await make(withUsers: false) {
            $0.read = RateLimit(1, per: .hour, burst: 1)
            $0.upload = nil
            $0.exempt = [IPNetwork("192.0.2.0/24"), IPNetwork("2001:db8::/32")].compactMap { $0 }
        }
        for peer in ["192.0.2.1", "2001:db8:5::1", "::ffff:192.0.2.9"] {
            for _ in 0..<3 { #expect(await test.call(.get, "/records/Post", from: peer).status == 200) }
        }
        let rates = await test.call(.get, "/limits").json?["rates"]
        #expect(rates?["read"]?["count"]?.integer == 1 && rates?["read"]?["seconds"]?.integer == 3_600)
        #expect(rates?["read"]?["burst"]?.integer == 1 && rates?["upload"] == nil)
        let without = try await TestDatabase.make(withUsers: false)
        #expect(await without.call(.get, "/limits").json?["rates"]?["read"] == nil)
    }

    /// What follows from one write is charged afterwards: one write more for every 10 records, and for every 100 that
    /// slices change, as in a bulk change.
    @Test(arguments: ["share", "unshare", "move", "cascade", "batch", "failed", "bulk"])
    func `records that follow from a write are charged`(_ kind: String) async throws {
        let test = try await make { $0.write = RateLimit(1, per: .minute, burst: 1_000) }
        let item =
            #"{"types":{"Item":{"fields":{"top":{"type":"REFERENCE"},"n":{"type":"INT64","indexes":["QUERYABLE"]}}}}}"#
        try #require(await test.call(.put, "/schema", as: .administrator, body: item).status == 200)
        try #require(await test.call(.put, "/zones/Z?database=private", as: .creator).status == 201)
        let place = "database=private&zone=Z"
        // The clock stands still, so the tokens that are left tell what each request has cost.
        func cost(_ method: HTTPMethod, _ target: String, _ body: String? = nil, status: Int) async throws -> Int {
            func left() async throws -> Int {
                let field = try #require(
                    await test.call(.delete, "/records/Item/none?\(place)", as: .creator).field("RateLimit"))
                return try #require(field.firstMatch(of: /r=(\d+)/).flatMap { Int($0.1) })
            }
            let before = try await left()
            let response = await test.call(method, target, as: .creator, body: body)
            try #require(response.status == status, "\(response.text)")
            // The probe behind counts too.
            return before - (try await left()) - 1
        }
        let isReference = kind == "cascade" || kind == "failed" || kind == "bulk" || kind == "batch"
        try #require(
            await test.call(.put, "/records/Item/top?\(place)", as: .creator, body: #"{"fields":{"n":1}}"#).status
                == 201)
        for part in 0..<2 {
            let operations = (0..<175).map { number in
                let link =
                    isReference
                    ? #""fields":{"top":{"value":{"recordName":"top","action":"DELETE_SELF"}}}"#
                    : #""fields":{},"parent":{"recordName":"top"}"#
                return
                    #"{"operationType":"create","record":{"recordType":"Item","recordName":"i\#(part)-\#(number)",\#(link)}}"#
            }
            let made = await test.call(
                .post, "/records?\(place)", as: .creator,
                body: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
            try #require(made.status == 200 && !made.text.contains("serverErrorCode"), "\(made.text.prefix(500))")
        }
        let share = "/records/cloudkit.share/s?\(place)"
        let shared = #"{"fields":{},"forRecord":{"recordName":"top"},"publicPermission":"READ_ONLY"}"#
        switch kind {
        case "share": #expect(try await cost(.put, share, shared, status: 201) == 36)
        case "unshare":
            try #require(await test.call(.put, share, as: .creator, body: shared).status == 201)
            #expect(try await cost(.delete, share, status: 204) == 36)
        case "move":
            let other = #"{"fields":{}}"#
            try #require(await test.call(.put, "/records/Item/up?\(place)", as: .creator, body: other).status == 201)
            let top = shared.replacing("top", with: "up")
            try #require(await test.call(.put, share, as: .creator, body: top).status == 201)
            let moved = #"{"fields":{},"parent":{"recordName":"up"}}"#
            #expect(try await cost(.patch, "/records/Item/top?\(place)", moved, status: 200) == 36)
        case "cascade": #expect(try await cost(.delete, "/records/Item/top?\(place)", status: 204) == 36)
        case "batch":
            let body = #"{"operations":[{"operationType":"delete","record":{"recordType":"Item","recordName":"top"}}]}"#
            #expect(
                try await cost(.post, "/records?\(place)", body.replacing("delete", with: "forceDelete"), status: 200)
                    == 36)
        case "failed":
            // The work is done and undone: a record that must stay refers to one of the last.
            let guarded = #"{"fields":{"top":{"value":{"recordName":"i1-174","action":"VALIDATE"}}}}"#
            let made = await test.call(.put, "/records/Item/guard?\(place)", as: .creator, body: guarded)
            try #require(made.status == 201, "\(made.text)")
            #expect(try await cost(.delete, "/records/Item/top?\(place)", status: 412) == 36)
        default:
            #expect(try await cost(.delete, "/query/Item?\(place)&where=n%3D%3D1", status: 200) == 4)
        }
    }
}
