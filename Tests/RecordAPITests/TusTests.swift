import Cryptography
import Encodings
import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import Testing

/// Uploads in several requests, as clients of tus 1.0.0 see them.
@Suite struct TusTests {
    static let version = ("Tus-Resumable", "1.0.0")
    static let part = ("Content-Type", "application/offset+octet-stream")

    /// Begins an upload and returns its address.
    static func begin(
        _ test: TestDatabase, _ length: Int?, as who: TestDatabase.Who = .creator, query: String = "",
        headers: [(String, String)] = []
    ) async throws -> String {
        let size = length.map { ("Upload-Length", "\($0)") } ?? ("Upload-Defer-Length", "1")
        let response = await test.call(.post, "/assets/uploads" + query, as: who, headers: [version, size] + headers)
        try #require(response.status == 201, "\(response.text)")
        return try #require(response.field("Location"))
    }

    static func send(
        _ test: TestDatabase, _ url: String, at offset: Int, _ body: String, as who: TestDatabase.Who = .creator,
        headers: [(String, String)] = []
    ) async -> Response {
        await test.call(
            .patch, url, as: who, body: body, headers: [version, part, ("Upload-Offset", "\(offset)")] + headers)
    }

    @Test func `OPTIONS lists the server's capabilities to every caller`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        let response = await test.call(.options, "/assets/uploads", headers: [("Tus-Resumable", "0.2.2")])
        #expect(response.status == 204)
        #expect(response.field("Tus-Version") == "1.0.0" && response.field("Tus-Resumable") == "1.0.0")
        #expect(response.field("Tus-Max-Size") == "5000000000")
        #expect(
            response.field("Tus-Extension")
                == "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum")
        #expect(response.field("Tus-Checksum-Algorithm") == "sha1,sha256,md5")
    }

    @Test func `an upload goes from POST by PATCH and HEAD to an asset that a record takes`() async throws {
        let test = try await TestDatabase.make()
        let schema = await test.call(
            .put, "/schema", as: .administrator, body: #"{"types":{"Post":{"fields":{"file":{"type":"ASSET"}}}}}"#)
        try #require(schema.status == 200)
        let filename = Base64.encode(Array("résumé.txt".utf8))
        let metadata = "filename \(filename),filetype dGV4dC9wbGFpbg==,secret"
        let url = try await Self.begin(test, 11, headers: [("Upload-Metadata", metadata)])
        #expect(url.wholeMatch(of: /\/assets\/uploads\/[0-9a-f]{32}/) != nil)

        var head = await test.call(.head, url, as: .creator, headers: [Self.version])
        #expect(head.status == 200 && head.bytes.isEmpty)
        #expect(head.field("Upload-Offset") == "0" && head.field("Upload-Length") == "11")
        #expect(head.field("Cache-Control") == "no-store" && head.field("Tus-Resumable") == "1.0.0")
        #expect(head.field("Upload-Metadata") == metadata)
        #expect(head.field("Upload-Expires")?.hasSuffix("GMT") == true)

        let first = await Self.send(test, url, at: 0, "hello ")
        #expect(first.status == 204 && first.field("Upload-Offset") == "6")
        #expect(first.field("Upload-Expires") == head.field("Upload-Expires"))
        head = await test.call(.head, url, as: .creator, headers: [Self.version])
        #expect(head.field("Upload-Offset") == "6")
        var state = await test.call(.get, url, as: .creator)
        #expect(state.json?["offset"]?.integer == 6 && state.json?["length"]?.integer == 11)
        #expect(state.json?["asset"] == nil && state.json?["expiresAt"]?.integer != nil)

        let last = await Self.send(test, url, at: 6, "world")
        #expect(last.status == 204 && last.field("Upload-Offset") == "11")
        state = await test.call(.get, url, as: .creator)
        let asset = try #require(state.json?["asset"])
        #expect(state.field("Cache-Control") == "no-store")
        #expect(asset["fileChecksum"]?.string == SHA256.hash(utf8: "hello world").base64)
        #expect(asset["filename"]?.string == "résumé.txt" && asset["contentType"]?.string == "text/plain")
        #expect(asset["size"]?.integer == 11 && asset["receipt"]?.string != nil)

        let record: JSONValue = ["fields": ["file": asset]]
        let body = record.bytes
        let made = await test.call(
            .put, "/records/Post/p", as: .creator, body: String(decoding: body, as: UTF8.self))
        #expect(made.status == 201, "\(made.text)")
    }

    @Test func `a first part may come with the creation`() async throws {
        let test = try await TestDatabase.make()
        let whole = await test.call(
            .post, "/assets/uploads", as: .creator, body: "hello",
            headers: [Self.version, Self.part, ("Upload-Length", "5")])
        #expect(whole.status == 201 && whole.field("Upload-Offset") == "5")
        let url = try #require(whole.field("Location"))
        #expect(await test.call(.get, url, as: .creator).json?["asset"]?["size"]?.integer == 5)

        let some = await test.call(
            .post, "/assets/uploads", as: .creator, body: "hello",
            headers: [Self.version, Self.part, ("Upload-Length", "6")])
        #expect(some.status == 201 && some.field("Upload-Offset") == "5")
        #expect(await Self.send(test, try #require(some.field("Location")), at: 5, "!").status == 204)

        let empty = try await Self.begin(test, 0)
        #expect(await test.call(.get, empty, as: .creator).json?["asset"]?["size"]?.integer == 0)
    }

    @Test func `a length may come later`() async throws {
        let test = try await TestDatabase.make()
        let url = try await Self.begin(test, nil)
        let head = await test.call(.head, url, as: .creator, headers: [Self.version])
        #expect(head.field("Upload-Defer-Length") == "1" && head.field("Upload-Length") == nil)
        #expect(await Self.send(test, url, at: 0, "hello").status == 204)
        #expect(await test.call(.get, url, as: .creator).json?["length"] == nil)
        #expect(await Self.send(test, url, at: 5, "", headers: [("Upload-Length", "4")]).status == 400)
        #expect(await Self.send(test, url, at: 5, "!", headers: [("Upload-Length", "6")]).status == 204)
        #expect(await test.call(.get, url, as: .creator).json?["asset"] != nil)
    }

    @Test func `a terminated upload is gone`() async throws {
        let test = try await TestDatabase.make()
        let url = try await Self.begin(test, 10)
        #expect(await Self.send(test, url, at: 0, "hello").status == 204)
        let gone = await test.call(.delete, url, as: .creator, headers: [Self.version])
        #expect(gone.status == 204 && gone.field("Tus-Resumable") == "1.0.0")
        for method in [HTTPMethod.head, .delete, .get] {
            #expect(await test.call(method, url, as: .creator, headers: [Self.version]).status == 404)
        }
        #expect(await Self.send(test, url, at: 5, "world").status == 404)
    }

    @Test func `an upload belongs to its uploader and to the database of its creation`() async throws {
        let test = try await TestDatabase.make()
        let url = try await Self.begin(test, 10, query: "?database=private")
        #expect(url.hasSuffix("?database=private"))
        #expect(await test.call(.head, url, as: .creator, headers: [Self.version]).status == 200)
        let path = String(url.prefix { $0 != "?" })
        #expect(await test.call(.head, path, as: .creator, headers: [Self.version]).status == 404)
        #expect(await test.call(.head, url, as: .stranger, headers: [Self.version]).status == 404)
        #expect(await test.call(.head, url, as: .administrator, headers: [Self.version]).status != 200)
        #expect(await test.call(.head, url, headers: [Self.version]).status == 401)
        let open = try await Self.begin(test, 10)
        for who in [TestDatabase.Who.stranger, .administrator, .anonymous] {
            #expect(await test.call(.head, open, as: who, headers: [Self.version]).status == 404)
            #expect(await test.call(.get, open, as: who).status == 404)
            #expect(await test.call(.delete, open, as: who, headers: [Self.version]).status == 404)
        }
        #expect(await Self.send(test, open, at: 0, "x", as: .stranger).status == 404)
        #expect(await Self.send(test, open, at: 0, "x", as: .anonymous).status == 401)
    }

    @Test func `an anonymous caller uploads where a type permits it, with the upload's name as credential`()
        async throws
    {
        let test = try await TestDatabase.make()
        let rejected = await test.call(.post, "/assets/uploads", headers: [Self.version, ("Upload-Length", "5")])
        #expect(rejected.status == 401 && rejected.field("Tus-Resumable") == "1.0.0")
        let schema = await test.call(
            .put, "/schema", as: .administrator,
            body: #"{"types":{"Drop":{"fields":{"file":{"type":"ASSET"}},"grants":{"_world":["CREATE"]}}}}"#)
        try #require(schema.status == 200)
        let url = try await Self.begin(test, 5, as: .anonymous)
        #expect(await Self.send(test, url, at: 0, "hello", as: .anonymous).status == 204)
        #expect(await test.call(.get, url).json?["asset"]?["receipt"]?.string != nil)
        #expect(await test.call(.get, url, as: .creator).status == 404)
    }

    @Test func `a part that breaks off or is rejected with the creation leaves no upload`() async throws {
        let test = try await TestDatabase.make()
        for body in [PartialBody(pieces: ["hel"], failure: .disconnected), PartialBody(pieces: ["hello!"])] {
            let response = await Self.stream(test, .post, "/assets/uploads", body, [("Upload-Length", "5")])
            #expect(response.status == (body.failure == nil ? 413 : 400))
            let files = try? FileManager.default.contentsOfDirectory(atPath: Self.uploads(of: test))
            #expect((files ?? []).isEmpty)
        }
    }

    @Test func `bytes received before a body breaks off are kept, down to one byte`() async throws {
        let test = try await TestDatabase.make()
        let url = try await Self.begin(test, 5)
        for (offset, piece) in ["h", "el"].enumerated() {
            let body = PartialBody(pieces: [piece], failure: .timeout)
            let response = await Self.stream(test, .patch, url, body, [("Upload-Offset", "\(offset)")])
            #expect(response.status == 408 && response.field("Tus-Resumable") == "1.0.0")
        }
        let head = await test.call(.head, url, as: .creator, headers: [Self.version])
        #expect(head.field("Upload-Offset") == "3")
        let rest = await Self.stream(test, .patch, url, PartialBody(pieces: ["l", "o"]), [("Upload-Offset", "3")])
        #expect(rest.status == 204)
        let asset = await test.call(.get, url, as: .creator).json?["asset"]
        #expect(asset?["fileChecksum"]?.string == SHA256.hash(utf8: "hello").base64)
    }

    static func uploads(of test: TestDatabase) throws -> String {
        let all = FileManager.default.enumerator(atPath: test.directory)
        let found = all?.compactMap { $0 as? String }.first { $0.hasSuffix("assets/uploads") }
        return test.directory + "/" + (found ?? "none")
    }

    static func stream(
        _ test: TestDatabase, _ method: HTTPMethod, _ url: String, _ body: PartialBody, _ headers: [(String, String)]
    ) async -> Response {
        var fields = HTTPFields()
        let token = test.tokens[.creator] ?? ""
        for (name, value) in [version, part, ("Authorization", "Bearer \(token)")] + headers {
            if let name = HTTPFieldName(name) { fields.append(name, value) }
        }
        guard let target = RequestTarget(url) else { return Response(HTTPResponse(.badRequest)) }
        let request = HTTPRequest(
            method: method, target: target, fields: fields, body: .stream(body), id: "request-1")
        return Response(await test.api.respond(to: request, in: test.context))
    }
}

/// A body of unknown length that may break off.
final class PartialBody: HTTPBodyReader, @unchecked Sendable {
    // Read by one task, once.
    private var pieces: [String]
    let failure: HTTPBodyError?
    var expectedLength: Int? { nil }

    init(pieces: [String], failure: HTTPBodyError? = nil) {
        self.pieces = pieces
        self.failure = failure
    }

    func next() async throws(HTTPBodyError) -> [UInt8]? {
        if !pieces.isEmpty { return Array(pieces.removeFirst().utf8) }
        if let failure { throw failure }
        return nil
    }

    func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8] {
        var all: [UInt8] = []
        while let piece = try await next() { all += piece }
        return all
    }
}
