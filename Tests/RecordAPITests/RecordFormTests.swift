import HTTP
import RecordWire
import Testing

@testable import RecordAPI

/// Records as forms, as browsers send them.
@Suite struct RecordFormTests {
    private static let type = ("Content-Type", "multipart/form-data; boundary=b")

    /// A part of a form; a file where it has a file name.
    private struct Part {
        var name: String
        var content: String
        var filename: String?
        var type: String?

        init(_ name: String, _ content: String, filename: String? = nil, type: String? = nil) {
            (self.name, self.content, self.filename, self.type) = (name, content, filename, type)
        }
    }

    private func form(_ parts: [Part]) -> [UInt8] {
        var text = ""
        for part in parts {
            let filename = part.filename.map { "; filename=\"\($0)\"" } ?? ""
            let type = part.type.map { "Content-Type: \($0)\r\n" } ?? ""
            text +=
                "--b\r\nContent-Disposition: form-data; name=\"\(part.name)\"\(filename)\r\n\(type)\r\n\(part.content)\r\n"
        }
        return Array((text + "--b--\r\n").utf8)
    }

    private func send(
        _ test: TestDatabase, as who: TestDatabase.Who = .creator, _ parts: [Part], headers: [(String, String)] = []
    ) async -> Response {
        await send(test, .post, "/records/Post", as: who, parts, headers: headers)
    }

    private func send(
        _ test: TestDatabase, _ method: HTTPMethod, _ path: String, as who: TestDatabase.Who = .creator,
        _ parts: [Part], headers: [(String, String)] = []
    ) async -> Response {
        await test.call(method, path, as: who, bytes: form(parts), headers: [Self.type] + headers)
    }

    @Test func `one form creates a post with its picture`() async throws {
        let test = try await TestDatabase.make()
        let made = await send(
            test,
            [
                Part("recordName", "hello"), Part("title", "Fog, \"sea\" & größe"),
                Part("photo", "not really a picture", filename: "a b.txt", type: "text/plain"),
                Part("unchosen", "", filename: "", type: "application/octet-stream"),
            ])
        #expect(made.status == 201, "\(made.text)")
        #expect(made.field("Location") == "/records/Post/hello")
        let fields = try #require(made.json?["fields"]?.object)
        #expect(fields.keys.sorted() == ["photo", "title"])
        #expect(fields["title"]?["value"]?.string == "Fog, \"sea\" & größe")
        #expect(fields["photo"]?["type"]?.string == "ASSETID")
        #expect(fields["photo"]?["value"]?["filename"]?.string == "a b.txt")
        let file = await test.call(.get, "/records/Post/hello/photo")
        #expect(file.status == 200 && file.text == "not really a picture")
    }

    @Test func `texts are converted to the types of their fields`() async throws {
        let test = try await TestDatabase.make()
        let schema = """
            {"types":{"Post":{"fields":{"n":{"type":"INT64"},"b":{"type":"INT64"},"d":{"type":"DOUBLE"},
            "t":{"type":"TIMESTAMP"},"u":{"type":"TIMESTAMP"},"r":{"type":"REFERENCE"},"p":{"type":"LOCATION"},
            "y":{"type":"BYTES"},"s":{"type":"STRING"},"tags":{"type":"STRING_LIST"},"one":{"type":"INT64_LIST"},
            "none":{"type":"STRING_LIST"},"files":{"type":"ASSET_LIST"},"gone":{"type":"INT64"}}}}}
            """
        #expect(await test.call(.put, "/schema", as: .administrator, body: schema).status == 200)
        let made = await send(
            test,
            [
                Part("n", "9007199254740993"), Part("b", "true"), Part("d", "2.5"), Part("t", "2026-03-01T12:00:00Z"),
                Part("u", "1772366400000"), Part("r", "hello"), Part("p", #"{"latitude":1.5,"longitude":2}"#),
                Part("y", "AQID"), Part("s", ""), Part("tags", "sea"), Part("tags", "fog"), Part("one", "7"),
                Part("none", ""), Part("files", "x", filename: "x.txt"), Part("gone", ""),
            ])
        #expect(made.status == 201, "\(made.text)")
        let fields = try #require(made.json?["fields"]?.object)
        func value(_ name: String) -> JSONValue? { fields[name]?["value"] }
        #expect(
            value("n") == .integer(9_007_199_254_740_993) && value("b") == .integer(1) && value("d") == .double(2.5))
        #expect(value("t") == .integer(1_772_366_400_000) && value("u") == value("t"))
        #expect(value("r")?["recordName"]?.string == "hello" && value("p")?["latitude"] == .double(1.5))
        #expect(value("y") == .string("AQID") && value("s") == .string(""))
        #expect(value("tags") == ["sea", "fog"] && value("one") == [7] && value("files")?.array?.count == 1)
        #expect(value("gone") == nil)
        let bad = await send(test, [Part("n", "many")])
        #expect(bad.status == 400 && bad.cause == "TYPE_MISMATCH", "\(bad.text)")
    }

    @Test func `several files of one name are a list`() async throws {
        let test = try await TestDatabase.make()
        let made = await send(
            test,
            [
                Part("files", "one", filename: "1.txt"), Part("files", "two", filename: "2.txt"), Part("w", "a"),
                Part("w", "b"),
            ])
        #expect(made.status == 201, "\(made.text)")
        #expect(made.json?["fields"]?["files"]?["value"]?.array?.count == 2)
        #expect(made.json?["fields"]?["w"]?["value"] == ["a", "b"])
    }

    @Test func `forms change records as JSON does`() async throws {
        let test = try await TestDatabase.make()
        #expect(
            await test.call(.put, "/records/Post/a", as: .creator, body: #"{"fields":{"title":"x","n":3}}"#).status
                == 201)
        let changed = await send(
            test, .patch, "/records/Post/a", [Part("n", ""), Part("photo", "p", filename: "p.txt")])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.json?["fields"]?.object?.keys.sorted() == ["photo", "title"])
        let replaced = await send(test, .put, "/records/Post/a", [Part("n", "4")], headers: [("If-Match", "*")])
        #expect(replaced.status == 200 && replaced.json?["fields"]?.object?.keys == ["n"], "\(replaced.text)")
        let other = await send(test, .put, "/records/Post/a", [Part("recordName", "b")])
        #expect(other.status == 400, "\(other.text)")
    }

    @Test func `a form without files may be URL-encoded`() async throws {
        let test = try await TestDatabase.make()
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        let made = await test.call(
            .post, "/records/Post", as: .creator, body: "title=a+%26+b&recordName=x&tags=1&tags=2&empty", headers: type)
        #expect(made.status == 201 && made.field("Location") == "/records/Post/x", "\(made.text)")
        #expect(made.json?["fields"]?["title"]?["value"]?.string == "a & b")
        #expect(made.json?["fields"]?["tags"]?["value"] == ["1", "2"])
        #expect(made.json?["fields"]?["empty"]?["value"] == "")
        // curl sends JSON with this type by default.
        for (method, path, body) in [
            (HTTPMethod.post, "/records/Post", #" {"fields":{"title":"x"}}"#), (.post, "/records", "a=b"),
            (.put, "/schema", "a=b"),
        ] {
            let slip = await test.call(method, path, as: .administrator, body: body, headers: type)
            #expect(slip.status == 415 && slip.cause == "UNSUPPORTED_MEDIA_TYPE", "\(slip.text)")
            let reason = slip.json?["reason"]?.string ?? ""
            #expect(
                ["application/json", "--json", "/records/{type}", "/assets"].allSatisfy(reason.contains), "\(reason)")
        }
        let broken = await test.call(.post, "/records/Post", as: .creator, body: "a=%zz", headers: type)
        #expect(broken.status == 400 && broken.json?["reason"]?.string?.contains("form") == true)
        let long = await test.call(
            .post, "/records/Post", as: .creator, body: "a=" + String(repeating: "x", count: 65_536), headers: type)
        #expect(long.status == 413 && long.cause == "TOO_LARGE", "\(long.text)")
    }

    @Test func `forms have the permissions and limits of uploads and writes`() async throws {
        let test = try await TestDatabase.make()
        let file = Part("photo", "p", filename: "p.txt")
        #expect(
            await send(test, [Part("recordName", "a"), Part("title", "t"), Part("photo", "p", filename: "p.txt")])
                .status == 201)
        for who in [TestDatabase.Who.anonymous, .stranger] {
            let rejected = await send(test, .patch, "/records/Post/a", as: who, [file])
            #expect(rejected.status == (who == .anonymous ? 401 : 403), "\(rejected.text)")
        }
        #expect(await send(test, as: .anonymous, [file]).status == 401)
        #expect(await send(test, [Part("recordName", "a"), file]).code == "EXISTS")
        for (name, parts, status, says) in [
            ("twice", [Part("recordName", "b"), file, Part("photo", "text")], 400, "both as a text and as a file"),
            ("long", [Part("title", String(repeating: "x", count: 65_537))], 413, "too large"),
            ("no name", [Part("", "x")], 400, ""),
            ("many", (0...100).map { Part("f\($0)", "x", filename: "x") }, 413, "at most 100 files"),
            ("slash", [Part("photo", "x", filename: "x\u{1}y")], 400, ""),
            ("a nameless file", [Part("title", "t"), Part("photo", "x", filename: "")], 400, "without a name"),
            ("an access list", [Part("acl", "{}")], 400, "Send 'acl' in JSON"),
            ("a date", [Part("created", "2020-01-01T00:00:00Z")], 400, "Send 'created' in JSON"),
            ("two names", [Part("recordName", "b"), Part("recordName", "c")], 400, "more than once"),
        ] as [(String, [Part], Int, String)] {
            let response = await send(test, parts)
            #expect(response.status == status, "\(name): \(response.text)")
            #expect(
                says.isEmpty || response.json?["reason"]?.string?.contains(says) == true, "\(name): \(response.text)")
        }
        let malformed = await test.call(
            .post, "/records/Post", as: .creator, bytes: Array("--x".utf8), headers: [Self.type])
        #expect(malformed.status == 400)
        #expect(await test.call(.get, "/records/Post?fields=").records.count == 1)
    }

    @Test func `a repeated form creates no second record`() async throws {
        let test = try await TestDatabase.make()
        let key = [("Idempotency-Key", "k1")]
        let parts = [Part("title", "t"), Part("photo", "p", filename: "p.txt", type: "text/plain")]
        let first = await send(test, parts, headers: key)
        let second = await send(test, parts, headers: key)
        #expect(first.status == 201 && second.status == 201, "\(second.text)")
        #expect(second.field("Idempotency-Replayed") == "true" && second.field("Location") == first.field("Location"))
        let other = await send(
            test, [Part("title", "t"), Part("photo", "q", filename: "p.txt", type: "text/plain")], headers: key)
        #expect(other.status == 422, "\(other.text)")
        #expect(await test.call(.get, "/records/Post").records.count == 1)
    }

    @Test func `files of forms count as uploads`() async throws {
        let clock = TestClock()
        let test = try await TestDatabase.make {
            var limits = RateLimits()
            limits.clock = { clock.now }
            limits.upload = RateLimit(1, per: .hour, burst: 1)
            $0.rateLimits = limits
        }
        let parts = [Part("title", "t"), Part("photo", "p", filename: "p.txt")]
        #expect(await send(test, parts).status == 201)
        let second = await send(test, parts)
        #expect(second.status == 429 && second.json?["details"]?["class"]?.string == "upload", "\(second.text)")
        #expect(second.json?["details"]?["setting"]?.string == "limits.rate_upload")
        #expect(await send(test, [Part("title", "t")]).status == 201)
    }
}
