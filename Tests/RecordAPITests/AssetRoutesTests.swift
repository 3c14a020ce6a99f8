import Cryptography
import Encodings
import Foundation
import HTTP
import RecordWire
import Testing

/// Files up and down again, as a client sees them.
@Suite struct AssetRoutesTests {
    static let content = Array((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    /// A GIF of 300 by 200 pixels, as far as its header says.
    static let gif = Array("GIF89a".utf8) + [0x2C, 0x01, 0xC8, 0x00, 0x00, 0x00, 0x00, 0x3B]

    /// A database with the type `Post`, whose `file` is an asset and whose `data` are bytes.
    static func makeDatabase() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        let schema = await test.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{
                "Post":{"fields":{"file":{"type":"ASSET"},"data":{"type":"BYTES"},"files":{"type":"ASSET_LIST"}}},
                "Secret":{"fields":{"file":{"type":"ASSET"}},"grants":{"_creator":["READ","WRITE"],"_icloud":["CREATE"]}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        return test
    }

    /// Uploads and returns the value.
    static func upload(
        _ test: TestDatabase, _ bytes: [UInt8] = content, type: String = "text/plain", query: String = "?filename=a.txt"
    ) async throws -> JSONValue {
        let response = await test.call(
            .post, "/assets" + query, as: .creator, bytes: bytes, headers: [("Content-Type", type)])
        try #require(response.status == 201, "\(response.text)")
        return try #require(response.json?["asset"])
    }

    /// The target of a value's `downloadURL`, with more parameters.
    static func target(_ asset: JSONValue, _ parameters: String = "") throws -> String {
        let url = try #require(asset["downloadURL"]?.string)
        let target = String(url[try #require(url.range(of: "/assets/")).lowerBound...])
        return parameters.isEmpty ? target : target + (target.contains("?") ? "&" : "?") + parameters
    }

    @Test func `an upload responds with the value for a record, and its URL serves the bytes`() async throws {
        let test = try await Self.makeDatabase()
        let asset = try await Self.upload(test)
        #expect(asset["fileChecksum"]?.string == SHA256.hash(Self.content).base64)
        #expect(asset["size"]?.integer == 1_000)
        #expect(asset["contentType"]?.string == "text/plain" && asset["filename"]?.string == "a.txt")
        #expect(asset["width"] == nil)
        let response = await test.call(.get, try Self.target(asset))
        #expect(response.status == 200 && response.bytes == Self.content)
        #expect(response.field("Content-Type") == "text/plain; charset=utf-8")
        #expect(response.field("X-Content-Type-Options") == "nosniff")
        #expect(response.field("Accept-Ranges") == "bytes")
        #expect(response.field("ETag") == "\"\(SHA256.hash(Self.content).hex)\"")
        #expect(response.field("Cache-Control")?.contains("immutable") == true)
    }

    @Test func `a picture is measured, and other types are not shown as pictures`() async throws {
        let test = try await Self.makeDatabase()
        let picture = try await Self.upload(test, Self.gif, type: "image/png", query: "")
        #expect(picture["width"]?.integer == 300 && picture["height"]?.integer == 200)
        #expect(picture["orientation"]?.integer == 1 && picture["contentType"]?.string == "image/gif")
        #expect(
            await test.call(.get, try Self.target(picture)).field("Content-Disposition")?.hasPrefix("inline") == true)
        let page = try await Self.upload(test, Array("<script>".utf8), type: "text/html", query: "")
        let response = await test.call(.get, try Self.target(page))
        #expect(response.field("Content-Type")?.contains("html") == false)
        #expect(response.field("Content-Disposition")?.hasPrefix("attachment") == true)
    }

    private static let documents =
        "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox"
    private static let media =
        "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin"
    private static let files = "default-src 'none'; frame-ancestors 'none'; sandbox"

    @Test(arguments: [
        ("image/svg+xml", "image/svg+xml", documents), ("application/pdf", "application/pdf", documents),
        ("text/plain", "text/plain; charset=utf-8", documents), ("audio/mpeg", "audio/mpeg", media),
        ("video/mp4", "video/mp4", media), ("text/html", "application/octet-stream", files),
        ("application/xml", "application/octet-stream", files), ("text/javascript", "application/octet-stream", files),
        ("application/json", "application/json", files), ("text/csv", "text/csv", files),
    ]) func `content that a browser displays has the policy of its kind, on both routes and in parts`(
        claimed: String, served: String, policy: String
    ) async throws {
        let test = try await Self.makeDatabase()
        let asset = try await Self.upload(test, type: claimed)
        let value = JSONValue.object(JSONObject([("fields", .object(JSONObject([("file", asset)])))]))
        let linked = await test.call(
            .put, "/records/Post/a", as: .creator, body: String(decoding: value.bytes, as: UTF8.self))
        try #require(linked.status == 201, "\(linked.text)")
        let kind = policy == Self.files ? "attachment" : "inline"
        for target in [try Self.target(asset), "/records/Post/a/file"] {
            for (status, headers) in [(200, []), (206, [("Range", "bytes=1-3")])] {
                let response = await test.call(.get, target, as: .creator, headers: headers)
                #expect(response.status == status && response.field("Content-Type") == served, "\(response.text)")
                #expect(response.field("Content-Security-Policy") == policy)
                #expect(response.field("Content-Disposition")?.hasPrefix(kind) == true)
                #expect(response.field("X-Content-Type-Options") == "nosniff")
            }
            let download = target.contains("?") ? target + "&download=true" : target + "?download=true"
            let saved = await test.call(.get, download, as: .creator)
            #expect(saved.field("Content-Disposition")?.hasPrefix("attachment") == true)
            #expect(saved.field("Content-Security-Policy") == Self.files)
        }
    }

    @Test func `ranges and conditions are those of RFC 9110`() async throws {
        let test = try await Self.makeDatabase()
        let path = try Self.target(try await Self.upload(test))
        let tag = "\"\(SHA256.hash(Self.content).hex)\""
        func get(_ headers: (String, String)..., method: HTTPMethod = .get) async -> Response {
            await test.call(method, path, headers: headers)
        }
        var response = await get(("Range", "bytes=10-19"))
        #expect(response.status == 206 && response.bytes == Array(Self.content[10..<20]))
        #expect(response.field("Content-Range") == "bytes 10-19/1000")
        response = await get(("Range", "bytes=10-19"), ("If-Range", tag))
        #expect(response.status == 206)
        for other in ["\"other\"", "W/" + tag, "Sun, 06 Nov 1994 08:49:37 GMT", "nonsense"] {
            response = await get(("Range", "bytes=10-19"), ("If-Range", other))
            #expect(response.status == 200 && response.bytes == Self.content, "\(other)")
        }
        response = await get(("If-None-Match", tag), ("Range", "bytes=10-19"))
        #expect(response.status == 304 && response.bytes.isEmpty && response.field("ETag") == tag)
        response = await get(("If-Match", "\"other\""))
        #expect(response.status == 412 && response.code == "CONFLICT")
        response = await get(method: .head)
        #expect(response.status == 200 && response.field("ETag") == tag)
    }

    @Test func `several ranges are sent as parts with their positions`() async throws {
        let test = try await Self.makeDatabase()
        let path = try Self.target(try await Self.upload(test))
        let response = await test.call(.get, path, headers: [("Range", "bytes=0-4,500-502,-2")])
        #expect(response.status == 206)
        let type = try #require(response.field("Content-Type"))
        let boundary = try #require(type.split(separator: "boundary=").last).replacing("\"", with: "")
        var expected: [UInt8] = []
        for range in [0..<5, 500..<503, 998..<1_000] {
            let head =
                "\r\n--\(boundary)\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/1000\r\n\r\n"
            expected += Array(head.utf8) + Self.content[range]
        }
        expected += Array("\r\n--\(boundary)--\r\n".utf8)
        #expect(response.bytes == expected || response.bytes == Array(expected.dropFirst(2)), "\(response.text)")
    }

    @Test func `the route of a field checks permission at every read`() async throws {
        let test = try await Self.makeDatabase()
        let asset = try await Self.upload(test)
        let receipt = try #require(asset["receipt"]?.string)
        let checksum = try #require(asset["fileChecksum"]?.string)
        let value = #"{"fileChecksum":"\#(checksum)","size":1000,"receipt":"\#(receipt)"}"#
        for (type, name) in [("Post", "p"), ("Secret", "s")] {
            let made = await test.call(
                .put, "/records/\(type)/\(name)", as: .creator, body: #"{"fields":{"file":\#(value)}}"#)
            try #require(made.status == 201, "\(made.text)")
        }
        await test.play([
            Scenario("anyone reads a post's", .anonymous, .get, "/records/Post/p/file", 200),
            Scenario("its creator reads the secret's", .creator, .get, "/records/Secret/s/file", 200),
            Scenario("a stranger does not", .stranger, .get, "/records/Secret/s/file", 404, contains: ["NOT_FOUND"]),
            Scenario("nor its size", .stranger, .head, "/records/Secret/s/file", 404),
            Scenario("nor a smaller one", .stranger, .get, "/records/Secret/s/file?width=10", 404),
            Scenario("nor that it has none", .stranger, .get, "/records/Secret/s/nothing", 404),
            Scenario("no such field", .creator, .get, "/records/Post/p/nothing", 404),
            Scenario("no value in it", .creator, .get, "/records/Post/p/data", 404),
            Scenario("an index of what is no list", .creator, .get, "/records/Post/p/file?index=1", 404),
            Scenario("an index of no number", .creator, .get, "/records/Post/p/file?index=x", 400),
        ])
        let response = await test.call(.get, "/records/Post/p/file", headers: [("Range", "bytes=-3")])
        #expect(response.status == 206 && response.bytes == Array(Self.content.suffix(3)))
        #expect(response.field("Cache-Control") == "private, no-cache")
        #expect(await test.call(.delete, "/records/Post/p", as: .creator).status == 204)
        #expect(await test.call(.get, "/records/Post/p/file").status == 404)
    }

    @Test func `BYTES are read like a file`() async throws {
        let test = try await Self.makeDatabase()
        let made = await test.call(
            .put, "/records/Post/b", as: .creator,
            body: #"{"fields":{"data":{"value":"\#(Base64.encode(Self.content))","type":"BYTES"}}}"#)
        try #require(made.status == 201, "\(made.text)")
        var response = await test.call(.get, "/records/Post/b/data")
        #expect(response.status == 200 && response.bytes == Self.content)
        #expect(response.field("Content-Type") == "application/octet-stream")
        let tag = try #require(response.field("ETag"))
        response = await test.call(.get, "/records/Post/b/data", headers: [("Range", "bytes=0-0,999-")])
        #expect(response.status == 206 && response.field("Content-Type")?.hasPrefix("multipart/byteranges") == true)
        response = await test.call(.get, "/records/Post/b/data", headers: [("If-None-Match", tag)])
        #expect(response.status == 304 && response.bytes.isEmpty)
    }

    @Test func `a form uploads its files in order and ignores its fields`() async throws {
        let test = try await Self.makeDatabase()
        func part(_ disposition: String, _ type: String?, _ content: String) -> String {
            "--b\r\nContent-Disposition: form-data; \(disposition)\r\n\(type.map { "Content-Type: \($0)\r\n" } ?? "")\r\n"
                + "\(content)\r\n"
        }
        let form =
            part("name=a; filename=\"one.txt\"", "text/plain", "one") + part("name=note", nil, "passed over")
            + part("name=c; filename=\"\"", nil, "") + part("name=b; filename=\"../two\"", nil, "--two\r\n")
            + "--b--\r\n"
        let response = await test.call(
            .post, "/assets", as: .creator, body: form, headers: [("Content-Type", "multipart/form-data; boundary=b")])
        #expect(response.status == 201, "\(response.text)")
        let assets = response.json?["assets"]?.array ?? []
        // An empty file field, as browsers send it if no file was chosen, is no file.
        #expect(assets.count == 2)
        #expect(assets.first?["filename"]?.string == "one.txt")
        #expect(assets.last?["filename"]?.string == ".._two")
        #expect(assets.last?["fileChecksum"]?.string == SHA256.hash(utf8: "--two\r\n").base64)
    }
}
