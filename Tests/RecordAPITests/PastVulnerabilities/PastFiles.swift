import Cryptography
import Foundation
import HTTP
import RecordAPI
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Files that run, crash, or come from where they should not.
@Suite struct PastFiles {
    static let numbers = [18, 19, 20, 23, 26, 29]

    /// Links a file to a new record, and returns the file's address.
    private static func link(_ test: TestDatabase, _ asset: JSONValue) async throws -> String {
        let record: JSONValue = ["fields": ["file": asset]]
        let made = await test.call(
            .put, "/records/Post/a", as: .creator, body: String(decoding: record.bytes, as: UTF8.self))
        try #require([200, 201].contains(made.status), "\(made.text)")
        return try AssetRoutesTests.target(try #require(made.json?["fields"]?["file"]?["value"]))
    }

    @Test func `18: no file runs as a page of this origin`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let script = "<script>alert(1)</script>"
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
        for (type, name, text) in [
            ("image/svg+xml", "a.svg", svg), ("image/svg+xml", "a.svgz", svg),
            ("application/octet-stream", "a.svg", svg),
            ("text/html", "a.html", script), ("application/xhtml+xml", "a.xhtml", script),
            ("text/xml", "a.xml", svg),
            ("application/xml", "a.xsl", svg), ("application/pdf", "a.pdf", "%PDF-1.7 " + script),
            ("image/png", "a.html", script), ("", "a.html", script), ("text/html;x", "a.htm.jpg", script),
            ("image/gif", "a.js", "GIF89a/*" + script), ("text/javascript", "a.js", "alert(1)"),
            ("application/json", "a.json", script), ("image/svg+xml\t", "a", svg),
        ] {
            let made = await test.call(
                .post, "/assets?filename=\(name)", as: .creator, bytes: Array(text.utf8),
                headers: type.isEmpty ? [] : [("Content-Type", type)])
            guard made.status == 201 else {
                #expect([400, 415].contains(made.status), "\(type): \(made.text)")
                continue
            }
            let address = try await Self.link(test, try #require(made.json?["asset"]))
            for target in [address, "/records/Post/a/file"] {
                let response = await test.call(.get, target, as: .creator)
                #expect(response.status == 200, "\(response.text)")
                #expect(response.field("X-Content-Type-Options") == "nosniff", "\(type)")
                let policy = response.field("Content-Security-Policy") ?? ""
                #expect(policy.contains("sandbox") && policy.contains("default-src 'none'"), "\(type)")
                let shown = response.field("Content-Type")?.lowercased() ?? ""
                for word in ["html", "svg", "xml", "javascript"] where shown != "image/svg+xml" {
                    #expect(!shown.contains(word), "\(type): \(shown)")
                }
                #expect(!policy.contains("script") && !policy.contains("allow-"), "\(type): \(policy)")
                let disposition = response.field("Content-Disposition") ?? ""
                #expect(
                    disposition.hasPrefix("attachment") || shown.hasPrefix("image/") || shown == "application/pdf",
                    "\(type): \(disposition)")
            }
        }
    }

    @Test func `19: no range crashes a file`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let address = try await Self.link(test, try await AssetRoutesTests.upload(test))
        for range in [
            "bytes=", "bytes=-", "bytes=--1", "bytes=5-1", "bytes=-0", "bytes=a-b", "bytes", "=",
            "bytes=0-0-0",
            "bytes=99999999999999999999-", "bytes=-99999999999999999999", "bytes=0-9223372036854775807",
            "bytes=9223372036854775807-9223372036854775807", "bytes=18446744073709551615-", "bytes=1000-",
            "bytes=999-",
            "bytes= 0-1", "bytes=0-1,", "bytes=,0-1", "bytes=0-1,5-,-3", "items=0-1", "BYTES=0-1",
            "bytes=0x1-2",
            "bytes=+1-2", "bytes=\(Array(repeating: "0-", count: 1_000).joined(separator: ","))",
            "bytes=\(Array(repeating: "-1", count: 2_000).joined(separator: ","))",
        ] {
            for target in [address, "/records/Post/a/file"] {
                let response = await test.call(.get, target, as: .creator, headers: [("Range", range)])
                #expect([200, 206, 416].contains(response.status), "\(range): \(response.status)")
                #expect(response.bytes.count <= 100_000, "\(range)")
            }
        }
    }

    private static let paths = [
        "../secret", "..%2f..%2fserver.sqlite", "%2e%2e%2fserver.sqlite",
        "%252e%252e%252fserver.sqlite",
        "..%5c..%5cserver.sqlite", "%2fetc%2fpasswd", "C:%5cwindows", "a%00.txt", "%2e%2e", "%2e",
        "..;/x",
        "%c0%ae%c0%ae%2fx", "....%2f%2fx", "a%0d%0aSet-Cookie:%20x=y", "file:%2f%2f%2fetc%2fpasswd",
        "%E2%80%AEgpj.exe",
    ]

    @Test func `20: no file name and no path segment leaves its directory`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        for name in Self.paths { try await expectNoWayOut(of: test, by: name) }
    }

    private func expectNoWayOut(of test: TestDatabase, by name: String) async throws {
        func files() -> Set<String> {
            let root = URL(filePath: test.directory).deletingLastPathComponent()
            let outside = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
            return Set(
                outside.filter { $0.contains("secret") || $0.contains("server.sqlite") || $0 == "x" })
        }
        let before = files()
        let made = await test.call(
            .post, "/assets?filename=\(name)", as: .creator, bytes: Array("bytes".utf8),
            headers: [("Content-Type", "text/plain")])
        #expect([201, 400].contains(made.status), "\(made.text)")
        if made.status == 201 {
            let address = try await Self.link(test, try #require(made.json?["asset"]))
            let response = await test.call(.get, address)
            #expect(response.status == 200 && response.text == "bytes")
            for (_, value) in response.fields { #expect(!value.utf8.contains { $0 < 0x20 }) }
            let disposition = response.field("Content-Disposition") ?? ""
            #expect(!disposition.contains("/") && !disposition.contains("\\"), "\(disposition)")
            #expect(response.field("Set-Cookie") == nil)
        }
        for target in [
            "/assets/\(name)", "/assets/uploads/\(name)", "/assets/\(name)/\(name)",
            "/records/Post/\(name)/file",
            "/records/\(name)/a/file", "/\(name)", "/assets/uploads/\(name)/\(name)", "/_/\(name)",
            "/keys/\(name)",
        ] {
            for method in [HTTPMethod.get, .delete, .patch] {
                let response = await test.call(
                    method, target, as: .administrator, headers: [TusTests.version])
                #expect((400..<500).contains(response.status), "\(method.text) \(target): \(response.status)")
                #expect(!response.text.tells("SQLite") && !response.text.contains("root:"))
                #expect(!response.text.contains(test.directory), "\(response.text)")
            }
        }
        #expect(files() == before)
    }

    @Test func `23: malformed requests for files and malformed uploads break nothing`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let address = try await Self.link(test, try await AssetRoutesTests.upload(test))
        let whole = address.split(separator: "?", maxSplits: 1)
        let path = String(whole[0])
        var targets = [
            "/assets/", "/assets//", "/assets/a", "/assets/-", "/assets/====", "/assets/%FF", "/assets/%",
        ]
        for length in [1, 2, 8, 16, 31, 32, 33, 64, 255, 4_000] {
            targets.append("/assets/" + String(repeating: "A", count: length))
            targets.append("/assets/uploads/" + String(repeating: "0", count: length))
        }
        let bytes = Array(path.utf8)
        for index in stride(from: 8, to: bytes.count, by: max(1, bytes.count / 40)) {
            var changed = bytes
            changed[index] = changed[index] == 0x41 ? 0x42 : 0x41
            targets.append(String(decoding: changed, as: UTF8.self))
            targets.append(String(decoding: bytes.prefix(index), as: UTF8.self))
        }
        for target in targets {
            for query in [
                "", "?width=1", "?width=-1&height=99999999999999999999", "?download=x", "?fit=%00",
            ] {
                let response = await test.call(.get, target + query)
                // The name after the token is for humans and has no effect.
                if response.status == 200 {
                    #expect(
                        target.split(separator: "/").dropFirst().first
                            == path.split(separator: "/").dropFirst().first)
                    continue
                }
                if response.status == 308 {
                    #expect(target.hasSuffix("/") && response.field("Location") == target.dropLast() + query)
                    continue
                }
                #expect(
                    (400..<500).contains(response.status) || response.status == 501,
                    "\(target)\(query): \(response.status)")
            }
        }
        for value in [
            #"{"fileChecksum":""}"#, #"{"fileChecksum":"x","size":-1,"receipt":"y"}"#,
            #"{"fileChecksum":null}"#,
            #"{"fileChecksum":{},"receipt":[]}"#,
            #"{"fileChecksum":"\#(String(repeating: "A", count: 44))","receipt":""}"#,
            #"{"value":{"fileChecksum":"AAAA","receipt":"fbr_"},"type":"ASSET"}"#,
        ] {
            let response = await test.call(
                .put, "/records/Post/b", as: .creator, body: #"{"fields":{"file":\#(value)}}"#)
            #expect(response.status == 400, "\(value): \(response.text)")
        }
        for (type, body) in [
            ("multipart/form-data", "x"), ("multipart/form-data; boundary=", "x"),
            ("multipart/form-data; boundary=b", ""),
            ("multipart/form-data; boundary=b", "--b"),
            ("multipart/form-data; boundary=b", "--b\r\n\r\n\r\n--b"),
            ("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: x\r\n\r\ny\r\n--b--"),
            ("/", "x"),
        ] {
            let response = await test.call(
                .post, "/assets", as: .creator, body: body, headers: [("Content-Type", type)])
            #expect(
                (400..<500).contains(response.status) || response.status == 201, "\(type): \(response.text)")
        }
        #expect(await test.call(.get, address).status == 200)
    }

    @Test func `26: neither Host nor a forwarded field changes an address in a response`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let evil = [
            ("Host", "evil.example"), ("X-Forwarded-Host", "evil.example"),
            ("X-Forwarded-Proto", "gopher"),
            ("Forwarded", "host=evil.example;proto=gopher"), ("X-Original-URL", "//evil.example"),
            ("X-Forwarded-Prefix", "//evil.example"), ("Origin", "http://evil.example"),
            ("Referer", "http://evil.example/"),
        ]
        for header in evil.map({ [$0] }) + [evil] {
            let made = await test.call(
                .post, "/assets?filename=a.txt", as: .creator, body: "bytes",
                headers: [("Content-Type", "text/plain")] + header)
            let record = await test.call(
                .post, "/records/Post", as: .creator, body: #"{"fields":{}}"#, headers: header)
            let upload = await test.call(
                .post, "/assets/uploads", as: .creator,
                headers: [TusTests.version, ("Upload-Length", "5")] + header)
            let description = await test.call(.get, "/openapi.json", headers: header)
            let invitation = await test.call(
                .post, "/invitations", as: .administrator, body: "{}", headers: header)
            let rejection = await test.call(.get, "/records/Post/none", headers: header)
            for response in [made, record, upload, description, invitation, rejection] {
                let fields = response.fields.map { "\($0): \($1)" }.joined()
                #expect(!(response.text + fields).tells("evil"), "\(fields) \(response.text.prefix(300))")
                #expect(!(response.text + fields).tells("gopher"))
            }
            #expect([made, record, upload, invitation].allSatisfy { $0.status == 201 })
            #expect(record.field("Location")?.hasPrefix("/records/Post/") == true)
            #expect(upload.field("Location")?.hasPrefix("/assets/uploads/") == true)
        }
    }

    @Test(arguments: [
        "//evil.example", "//evil.example/%2e%2e", "/\\evil.example", "/%5Cevil.example",
        "///evil.example",
        "/%2f%2fevil.example", "/records//evil.example", "/users/me?redirect=//evil.example",
        "/sessions?next=https://evil.example", "/?url=//evil.example", "/_/?return=//evil.example",
        "/records/Post/?x=//evil.example",
    ]) func `29: no response redirects a client to another origin`(_ target: String) async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for method in [HTTPMethod.get, .head, .post] {
            let response = await database.call(
                method, target,
                body: method == .post ? #"{"name":"x","password":"y","redirect":"//evil.example"}"# : nil)
            #expect(response.field("Refresh") == nil, "\(target)")
            guard response.status != 308 else {
                // A slash less, on this server.
                #expect(target.hasPrefix("/records/Post/?") && method != .post)
                #expect(response.field("Location") == target.replacing("/?", with: "?"))
                continue
            }
            #expect(response.status >= 400, "\(method.text) \(target): \(response.status)")
            #expect(response.field("Location") == nil, "\(target)")
        }
    }
}
