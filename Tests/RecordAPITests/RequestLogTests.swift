import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import Testing

@Suite struct RequestLogTests {
    private static func requests(_ response: Response) -> [JSONValue] { response.json?["requests"]?.array ?? [] }

    private static func lines(_ response: Response) -> [String] {
        requests(response).map { entry in
            let actor = entry["actor"].map { " \($0["kind"]?.string ?? "?")" } ?? ""
            let code = entry["error"].map { " \($0["serverErrorCode"]?.string ?? "?")" } ?? ""
            return "\(entry["method"]?.string ?? "?") \(entry["path"]?.string ?? "?") \(status(entry))\(actor)\(code)"
        }
    }

    private static func status(_ entry: JSONValue) -> Int64 {
        if case .integer(let status)? = entry["status"] { status } else { 0 }
    }

    @Test func `the log has the sender, the path and the error of each request, the newest first`() async throws {
        let database = try await TestDatabase.make()
        await database.call(.put, "/records/Post/first", as: .creator, body: #"{"fields":{}}"#)
        await database.call(.put, "/records/Post/first?fields=x", as: .stranger, body: #"{"fields":{"a":1}}"#)
        await database.call(.get, "/records/Post/first")
        await database.call(.get, "/nowhere")
        await database.call(.get, "/database/1/iCloud.test/development/public/nothing")
        let all = await database.call(.get, "/requests?limit=5", as: .administrator)
        #expect(
            Self.lines(all) == [
                "GET /database/1/iCloud.test/development/public/nothing 404 NOT_FOUND", "GET /nowhere 404 NOT_FOUND",
                "GET /records/Post/first 200 anonymous", "PUT /records/Post/first 403 user ACCESS_DENIED",
                "PUT /records/Post/first 201 user",
            ])
        #expect(all.field("Cache-Control") == "no-store")
        let denied = try #require(Self.requests(all).first { Self.status($0) == 403 })
        #expect(denied["request"]?.string?.isEmpty == false && denied["address"]?.string == "192.0.2.1")
        #expect(denied["route"]?.string == "PUT /records/{type}/{name}")
        #expect(denied["error"]?["reason"]?.string?.isEmpty == false)
        // Reading the log is not in the log, unless it failed.
        await database.call(.get, "/requests", as: .creator)
        let again = await database.call(.get, "/requests?limit=2", as: .administrator)
        #expect(Self.lines(again).first == "GET /requests 403 user ACCESS_DENIED")
        #expect(Self.lines(again).last == Self.lines(all).first)
    }

    @Test func `messages that the transport rejects are in the log, without what they hide`() async throws {
        let database = try await TestDatabase.make()
        let long = HTTPRejection(.uriTooLong, "Too long.")
        _ = await database.reject(HTTPRejection(.badRequest, "No head."), .other("-"))
        _ = await database.reject(HTTPRejection(.requestHeaderFieldsTooLarge, "Cookies."), .get, "/records/Post/p1")
        _ = await database.reject(long, .get, "/records/Post/p1?database=private&where=x")
        _ = await database.reject(long, .get, "/zones/secret/records/Post/p2")
        _ = await database.reject(long, .post, "/database/1/Forum/development/private/records/query?x=1")
        _ = await database.reject(long, .get, "/assets/a-secret-token/a.txt")
        let all = await database.call(.get, "/requests?limit=6&status=4xx", as: .administrator)
        #expect(
            Self.lines(all) == [
                "GET other 414 BAD_REQUEST", "POST /database/1/Forum/development/private/records/query 414 BAD_REQUEST",
                "GET /zones/secret/records/Post/p2 414 BAD_REQUEST", "GET /records/Post/p1 414 BAD_REQUEST",
                "GET /records/Post/p1 431 BAD_REQUEST", "- * 400 BAD_REQUEST",
            ])
        #expect(Self.requests(all).allSatisfy { $0["request"] == "request-1" && $0["address"] == "192.0.2.1" })
        #expect(Self.requests(all).last?["error"]?["reason"] == "No head.")
        #expect(!all.text.contains("a-secret-token"))
    }

    @Test func `entries are found by status, sender, path, request and number, page by page`() async throws {
        let database = try await TestDatabase.make()
        for number in 1...5 {
            await database.call(.put, "/records/Post/p\(number)", as: .creator, body: #"{"fields":{}}"#)
            await database.call(.get, "/records/Post/none\(number)", as: .stranger)
        }
        func lines(_ query: String) async -> [String] {
            Self.lines(await database.call(.get, "/requests?\(query)", as: .administrator))
        }
        #expect(await lines("status=404").count == 5)
        #expect(await lines("status=4xx&path=none3") == ["GET /records/Post/none3 404 user NOT_FOUND"])
        #expect(await lines("actor={creator}&path=/records/Post/p").count == 5)
        #expect(await lines("actor={stranger}&path=/records/Post/p").isEmpty)
        #expect(await lines("actor=nobody").isEmpty)
        #expect(await lines("request=unknown").isEmpty)
        var found: [String] = []
        var cursor = ""
        repeat {
            let page = await database.call(.get, "/requests?path=/records&limit=3\(cursor)", as: .administrator)
            found += Self.lines(page)
            cursor = page.json?["cursor"]?.string.map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty && found.count < 20
        #expect(found.count == 10 && Set(found).count == 10)
        guard case .integer(let latest)? = await database.call(.get, "/requests", as: .administrator).json?["latest"]
        else {
            Issue.record("no number")
            return
        }
        await database.call(.get, "/records/Post/p1")
        #expect(await lines("after=\(latest)") == ["GET /records/Post/p1 200 anonymous"])
        for bad in ["status=99", "status=6xx", "status=4x", "after=-1", "cursor=x", "limit=0", "until=1"] {
            let response = await database.call(.get, "/requests?\(bad)", as: .administrator)
            #expect(response.status == 400, "\(bad): \(response.text)")
        }
    }

    @Test func `many good requests do not displace the failed ones, and each loop has its own ring`() async throws {
        let database = try await TestDatabase.make { $0.requestLogSize = 10 }
        await database.call(.get, "/records/Post/none", as: .creator)
        for _ in 1...30 { await database.call(.get, "/zones", as: .creator) }
        let other = database.api.makeContext()
        let token = try #require(database.tokens[.creator])
        for _ in 1...3 { await database.call(.get, "/health/live", token: token, in: other) }
        let all = await database.call(.get, "/requests?limit=100", as: .administrator)
        #expect(Self.lines(all).count == 14)
        #expect(Self.lines(all).prefix(3).allSatisfy { $0 == "GET /health/live 200" })
        #expect(Self.lines(all).last == "GET /records/Post/none 404 user NOT_FOUND")
        other.closeReaders()
        #expect(Self.lines(await database.call(.get, "/requests?limit=100", as: .administrator)).count == 11)
    }

    @Test func `small pictures with log=false are left out, but no rejection and no other file`() async throws {
        let database = try await AssetRoutesTests.makeDatabase()
        let picture = try await AssetRoutesTests.upload(database, AssetRoutesTests.gif, query: "?filename=a.gif")
        let text = try await AssetRoutesTests.upload(database)
        let large = try await AssetRoutesTests.upload(
            database, AssetRoutesTests.gif + [UInt8](repeating: 0, count: 512 * 1_024), query: "?filename=b.gif")
        func entries(_ target: String, _ status: Int, isDamaged: Bool = false) async throws -> Int {
            let before = await database.call(.get, "/requests?path=/assets&limit=100", as: .administrator)
            let target = isDamaged ? target.replacing("/assets/", with: "/assets/x") : target
            #expect(await database.call(.get, target).status == status, "\(target)")
            let after = await database.call(.get, "/requests?path=/assets&limit=100", as: .administrator)
            return Self.requests(after).count - Self.requests(before).count
        }
        // Without libvips a thumbnail is a rejection that says so, and the console shows the whole picture.
        for (parameters, status) in [("log=false", 200), ("log=false&width=160&height=160&fit=cover", 501)] {
            #expect(try await entries(AssetRoutesTests.target(picture, parameters), status) == 0, "\(parameters)")
        }
        for (asset, parameters, status) in [
            (picture, "", 200), (picture, "log=true", 200), (picture, "width=160", 501), (picture, "log=no", 400),
            (picture, "log=false&width=0", 400), (picture, "log=false&download=true", 200), (text, "log=false", 200),
            (text, "log=false&width=10", 415), (large, "log=false", 200),
        ] {
            #expect(try await entries(AssetRoutesTests.target(asset, parameters), status) == 1, "\(parameters)")
        }
        let forged = try AssetRoutesTests.target(picture, "log=false")
        let refused = await database.call(.get, forged.replacing("/assets/", with: "/assets/x")).status
        #expect((400..<500).contains(refused))
        #expect(try await entries(forged, refused, isDamaged: true) == 1)
        // The marker means nothing elsewhere.
        for target in ["/records/Post/none?log=false", "/nowhere?log=false"] {
            let status = await database.call(.get, target, as: .creator).status
            #expect(status >= 400)
            let entry = Self.requests(await database.call(.get, "/requests?limit=1", as: .administrator)).first
            #expect(entry.map(Self.status) == Int64(status))
        }
    }

    @Test func `secret paths are not logged, long ones are cut, and the log can be off`() async throws {
        let database = try await TestDatabase.make()
        await database.call(.get, "/assets/secret-name?expires=1&signature=x")
        await database.call(.get, "/records/Post/\(String(repeating: "x", count: 2_000))")
        let lines = Self.lines(await database.call(.get, "/requests?limit=2", as: .administrator))
        #expect(lines.first.map { $0.utf8.count < 560 } == true)
        #expect(lines.last?.contains("secret") == false)
        let off = try await TestDatabase.make { $0.requestLogSize = 0 }
        let response = await off.call(.get, "/requests", as: .administrator)
        #expect(response.status == 404 && response.text.contains("log.requests"))
    }
}
