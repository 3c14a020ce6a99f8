import Cryptography
import Foundation
import HTTP
import RecordWire
import TestSupport
import Testing

/// Invalid uploads and downloads, and their responses.
@Suite struct AssetRejectionTests {
    @Test func `every unusual Range has its response`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let path = try AssetRoutesTests.target(try await AssetRoutesTests.upload(test))
        let rows: [(range: String, status: Int, bytes: Int)] = [
            ("bytes=0-0", 206, 1), ("bytes=999-", 206, 1), ("bytes=-1", 206, 1), ("bytes=-5000", 206, 1_000),
            ("bytes=0-5000", 206, 1_000), ("BYTES=0-0", 206, 1), ("bytes=0-99999999999999999999", 206, 1_000),
            // Malformed: as if it were not there (RFC 9110 §14.2).
            ("", 200, 1_000), ("bytes", 200, 1_000), ("bytes=", 200, 1_000), ("bytes=-", 200, 1_000),
            ("bytes=a-b", 200, 1_000), ("bytes=5-4", 200, 1_000), ("bytes=0x0-1", 200, 1_000),
            ("bytes=0-1;2-3", 200, 1_000), ("bytes=--1", 200, 1_000), ("bytes=1--", 200, 1_000),
            ("bytes = 0-1", 200, 1_000), ("lines=0-1", 200, 1_000), ("bytes=0-1,x", 200, 1_000),
            ("bytes=+0-1", 200, 1_000), ("bytes=0 -1", 200, 1_000), ("bytes=٠-١", 200, 1_000),
            // Nothing of it is stored.
            ("bytes=1000-", 416, 0), ("bytes=1000-2000", 416, 0), ("bytes=-0", 416, 0),
            ("bytes=99999999999999999999-", 416, 0), ("bytes=1000-,2000-", 416, 0),
            // Too many ranges: the whole content, once.
            ("bytes=" + (0..<200).map { "\($0 * 5)-\($0 * 5)" }.joined(separator: ","), 200, 1_000),
            ("bytes=" + Array(repeating: "0-", count: 500).joined(separator: ","), 200, 1_000),
        ]
        for row in rows {
            let response = await test.call(.get, path, headers: [("Range", row.range)])
            #expect(response.status == row.status, "\(row.range.prefix(40))")
            if row.status == 416 {
                #expect(response.field("Content-Range") == "bytes */1000", "\(row.range)")
                test.checkErrorShape(response, row.range)
            } else {
                #expect(response.bytes.count == row.bytes, "\(row.range.prefix(40))")
            }
            // Only GET knows ranges.
            #expect(await test.call(.head, path, headers: [("Range", row.range)]).status < 300 || row.status == 416)
        }
        let twice = await test.call(.get, path, headers: [("Range", "bytes=0-0"), ("Range", "bytes=5-5")])
        #expect(twice.status == 200 || twice.status == 206)
    }

    @Test func `every file name is valid in a directory`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let long = String(repeating: "n", count: 256)
        for name in [
            ".", "..", "a%2Fb", "%2E%2E%2Fpasswd", "a%00b", "a%0Ab", "a%7Fb", "%C2%85", long,
            String(repeating: "%C3%A4", count: 128),
        ] {
            let response = await test.call(.post, "/assets?filename=\(name)", as: .creator, body: "x")
            #expect(response.status == 400, "\(name): \(response.text)")
            test.checkErrorShape(response, name)
        }
        // Not UTF-8, or no escape at all.
        for name in ["%FF", "%", "%4"] {
            let response = await test.call(.post, "/assets?filename=\(name)", as: .creator, body: "x")
            #expect(response.status == 400, "\(name): \(response.text)")
        }
        for (name, expected) in [
            ("", nil), (String(repeating: "n", count: 255), "filename=\"\(String(repeating: "n", count: 255))\""),
            ("a%22b.txt", nil), ("na%C3%AFve.txt", "filename*=UTF-8''na%C3%AFve.txt"),
            ("a%3Bb%20c", "filename=\"a;b c\""),
            ("%E2%80%AEtxt.exe", nil), ("CON", nil), ("a%5Cb", nil),
        ] as [(String, String?)] {
            let asset = try await AssetRoutesTests.upload(test, type: "text/plain", query: "?filename=\(name)")
            let response = await test.call(.get, try AssetRoutesTests.target(asset, "download=true"))
            let disposition = try #require(response.field("Content-Disposition"), "\(name)")
            #expect(response.status == 200, "\(name): \(response.text)")
            #expect(disposition.hasPrefix("attachment"), "\(name)")
            #expect(disposition.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(disposition)")
            if let expected { #expect(disposition.contains(expected), "\(disposition)") }
        }
    }

    @Test func `an invalid upload is rejected with the reason`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let form = ("Content-Type", "multipart/form-data; boundary=b")
        func part(_ head: String, _ content: String = "x") -> String { "--b\r\n\(head)\r\n\r\n\(content)\r\n" }
        let file = "Content-Disposition: form-data; name=f; filename=a"
        let rows: [(name: String, query: String, headers: [(String, String)], body: String, status: Int)] = [
            ("no boundary", "", [("Content-Type", "multipart/form-data")], "--b--", 400),
            ("an empty boundary", "", [("Content-Type", "multipart/form-data; boundary=\"\"")], "--b--", 400),
            (
                "a boundary that is too long", "",
                [("Content-Type", "multipart/form-data; boundary=\(String(repeating: "b", count: 71))")], "x", 400
            ),
            ("nothing", "", [form], "", 400), ("no part", "", [form], "--b--\r\n", 400),
            ("no end", "", [form], part(file), 400), ("half a boundary", "", [form], part(file) + "--", 400),
            ("another boundary", "", [form], "--c\r\n\(file)\r\n\r\nx\r\n--c--", 400),
            ("no file", "", [form], part("Content-Disposition: form-data; name=a") + "--b--", 400),
            ("no head", "", [form], "--b\r\n\r\nx\r\n--b--", 400),
            ("no field's name", "", [form], part("Content-Disposition: form-data; filename=a") + "--b--", 400),
            ("an attachment", "", [form], part("Content-Disposition: attachment; name=a; filename=a") + "--b--", 400),
            ("base64", "", [form], part(file + "\r\nContent-Transfer-Encoding: base64") + "--b--", 400),
            ("a folded head", "", [form], part(file + "\r\n folded: x") + "--b--", 400),
            ("lines of LF", "", [form], (part(file) + "--b--").replacing("\r\n", with: "\n"), 400),
            (
                "a head that is too long", "", [form], part(file + "\r\nX: " + String(repeating: "x", count: 70_000)),
                413
            ),
            (
                "fields that are too long", "", [form],
                part("Content-Disposition: form-data; name=a", String(repeating: "x", count: 70_000)) + "--b--", 413
            ),
            ("too many files", "", [form], String(repeating: part(file), count: 101) + "--b--", 413),
            ("a name besides the form's", "?filename=x", [form], part(file) + "--b--", 400),
            ("an unknown parameter", "?nothing=x", [], "x", 400),
            ("a digest of others", "", [("Content-Digest", "sha-256=:\(SHA256.hash(utf8: "y").base64):")], "x", 400),
            ("a digest of no bytes", "", [("Content-Digest", "sha-256=::")], "x", 400),
            ("half a digest", "", [("Content-Digest", "sha-256=:AAAA:")], "x", 400),
            ("a digest without colons", "", [("Content-Digest", "sha-256=\(SHA256.hash(utf8: "x").base64)")], "x", 400),
            ("another algorithm", "", [("Content-Digest", "sha-512=:AAAA:")], "x", 201),
            ("the right digest", "", [("Content-Digest", "sha-256=:\(SHA256.hash(utf8: "x").base64):")], "x", 201),
            ("no type at all", "", [], "x", 201), ("a type that is none", "", [("Content-Type", "///")], "x", 201),
            ("a type with controls", "", [("Content-Type", "image/png\u{1}")], "x", 201),
            ("a zone that does not exist", "?zone=nowhere", [], "x", 404),
            ("the zone that does", "?zone=_defaultZone", [], "x", 201),
            ("one's own private database", "?database=private", [], "x", 201),
            ("no database", "?database=nothing", [], "x", 400),
        ]
        for row in rows {
            let response = await test.call(
                .post, "/assets" + row.query, as: .creator, body: row.body, headers: row.headers)
            #expect(response.status == row.status, "\(row.name): \(response.status) \(response.text)")
            if row.status >= 400 { test.checkErrorShape(response, row.name) }
        }
        let anonymous = await test.call(.post, "/assets", body: "x")
        #expect(anonymous.status == 401 && anonymous.code == "AUTHENTICATION_REQUIRED")
    }

    @Test func `a URL with anything changed is rejected without detail`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let path = try AssetRoutesTests.target(try await AssetRoutesTests.upload(test))
        let token = try #require(path.split(separator: "/").dropFirst().first)
        var targets = ["/assets/x/a.txt", "/assets/\(token)x/a.txt", "/assets/\(token.dropLast())/a.txt"]
        targets += ["/assets/\(token)/b.txt", "/assets/\(token.uppercased())/a.txt", "/assets/%00/a.txt"]
        targets += ["/assets/\(token)/a.txt%00", "/assets/\(String(repeating: "A", count: 4_000))/a.txt"]
        for target in targets where target != path {
            let response = await test.call(.get, target, as: .administrator)
            #expect(response.status == 404 || response.status == 400, "\(target.prefix(80)): \(response.text)")
            test.checkErrorShape(response, target)
        }
        #expect(await test.call(.delete, path).status == 405)
    }

    @Test func `invalid thumbnail parameters are rejected`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let picture = try await AssetRoutesTests.upload(test, AssetRoutesTests.gif, query: "")
        let text = try await AssetRoutesTests.upload(test)
        for query in [
            "width=0", "width=-1", "width=2049", "width=x", "width=1e2", "height=", "width=99999999999999999999",
            "fit=cover", "format=jpeg", "width=10&fit=stretch", "width=10&format=bmp",
            "width=10&width=20&download=maybe",
        ] {
            let response = await test.call(.get, try AssetRoutesTests.target(picture, query))
            #expect(response.status == 400, "\(query): \(response.status) \(response.text)")
            test.checkErrorShape(response, query)
        }
        let none = await test.call(.get, try AssetRoutesTests.target(text, "width=10"))
        #expect(none.status == 415 && none.cause == "UNSUPPORTED_MEDIA_TYPE", "\(none.status) \(none.text)")
        // This database is configured without a thumbnail program.
        let unavailable = await test.call(.get, try AssetRoutesTests.target(picture, "width=10"))
        #expect(unavailable.status == 501 && unavailable.cause == "THUMBNAILS_UNAVAILABLE", "\(unavailable.text)")
    }

    @Test func `pictures with any byte changed are stored like other files`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        var random = SeededGenerator(seed: 4)
        let png: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 1, 0, 0, 0, 1, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0]
        let jpeg: [UInt8] = [
            0xFF, 0xD8, 0xFF, 0xE1, 0, 10, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x4D, 0x4D, 0xFF, 0xC0, 0, 11, 8, 1, 0, 1, 0,
            1, 1,
            17, 0, 0xFF, 0xD9,
        ]
        for seed in [AssetRoutesTests.gif, png, jpeg] {
            for round in 0..<60 {
                var bytes = seed
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if round % 3 == 0 { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) }
                let asset = try await AssetRoutesTests.upload(test, bytes, type: "image/jpeg", query: "")
                #expect(asset["size"]?.integer == Int64(bytes.count))
                #expect(asset["fileChecksum"]?.string == SHA256.hash(bytes).base64)
                #expect((asset["width"] == nil) == (asset["orientation"] == nil))
                let response = await test.call(.get, try AssetRoutesTests.target(asset))
                #expect(response.status == 200 && response.bytes == bytes)
            }
        }
    }
}
