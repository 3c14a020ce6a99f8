import Cryptography
import Encodings
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import Testing

/// Every header that can be invalid, and the exact status of the response.
@Suite struct TusRejectionTests {
    private static let version = TusTests.version
    private static let part = TusTests.part

    @Test(arguments: [nil, "", "1.0.1", "0.2.2", "1.0.0, 1.0.0"]) func `another version is rejected`(
        _ version: String?
    ) async throws {
        let test = try await TestDatabase.make()
        let url = try await TusTests.begin(test, 10)
        let headers = version.map { [("Tus-Resumable", $0)] } ?? []
        for (method, target) in [(HTTPMethod.post, "/assets/uploads"), (.head, url), (.patch, url), (.delete, url)] {
            let response = await test.call(
                method, target, as: .creator, headers: headers + [("Upload-Length", "1"), ("Upload-Offset", "0")])
            #expect(response.status == 412, "\(method)")
            #expect(response.field("Tus-Version") == "1.0.0" && response.field("Tus-Resumable") == "1.0.0")
        }
        #expect(await test.call(.get, url, as: .creator, headers: headers).status == 200)
        #expect(await test.call(.options, "/assets/uploads", headers: headers).status == 204)
    }

    @Test func `an invalid creation is rejected`() async throws {
        var limits = DatabaseLimits()
        limits.assetBytes = 1_000
        limits.unreferencedAssetBytes = 1_500
        let test = try await TestDatabase.make(limits: limits)
        let length = ("Upload-Length", "10")
        let rows: [(name: String, headers: [(String, String)], body: String?, status: Int)] = [
            ("no length", [], nil, 400),
            ("negative", [("Upload-Length", "-1")], nil, 400),
            ("signed", [("Upload-Length", "+1")], nil, 400),
            ("no number", [("Upload-Length", "ten")], nil, 400),
            ("a fraction", [("Upload-Length", "1.5")], nil, 400),
            ("hexadecimal", [("Upload-Length", "0x10")], nil, 400),
            ("empty", [("Upload-Length", "")], nil, 400),
            ("other digits", [("Upload-Length", "１０")], nil, 400),
            ("twice", [length, length], nil, 400),
            ("above the limit", [("Upload-Length", "1001")], nil, 413),
            ("huge", [("Upload-Length", "9223372036854775807")], nil, 413),
            ("above all numbers", [("Upload-Length", "99999999999999999999999")], nil, 413),
            ("deferred and not", [length, ("Upload-Defer-Length", "1")], nil, 400),
            ("deferred by 0", [("Upload-Defer-Length", "0")], nil, 400),
            ("deferred twice", [("Upload-Defer-Length", "1"), ("Upload-Defer-Length", "1")], nil, 400),
            ("a partial one", [length, ("Upload-Concat", "partial")], nil, 400),
            ("a final one", [("Upload-Concat", "final;/assets/uploads/a /assets/uploads/b")], nil, 400),
            ("metadata: no base64", [length, ("Upload-Metadata", "filename a.txt")], nil, 400),
            ("metadata: unpadded", [length, ("Upload-Metadata", "filename YQ")], nil, 400),
            ("metadata: for URLs", [length, ("Upload-Metadata", "filename _-_-")], nil, 400),
            ("metadata: only a comma", [length, ("Upload-Metadata", ",")], nil, 400),
            ("metadata: a comma at the end", [length, ("Upload-Metadata", "a YQ==,")], nil, 400),
            ("metadata: three words", [length, ("Upload-Metadata", "a YQ== YQ==")], nil, 400),
            ("metadata: a key twice", [length, ("Upload-Metadata", "a YQ==,a YQ==")], nil, 400),
            ("metadata: no ASCII", [length, ("Upload-Metadata", "é YQ==")], nil, 400),
            ("metadata: no UTF-8", [length, ("Upload-Metadata", "filename /w==")], nil, 400),
            ("metadata: a path", [length, ("Upload-Metadata", "filename Li4vYQ==")], nil, 400),
            ("metadata: a control", [length, ("Upload-Metadata", "filename YQpi")], nil, 400),
            ("metadata: too long", [length, ("Upload-Metadata", String(repeating: "a", count: 4_097))], nil, 413),
            ("a body of another type", [length, ("Content-Type", "text/plain")], "x", 415),
            ("a body of no type", [length], "x", 415),
            ("a body that is too long", [length, Self.part], "01234567890", 413),
            ("another's checksum", [length, Self.part, ("Upload-Checksum", "md5 AAAAAAAAAAAAAAAAAAAAAA==")], "x", 460),
            ("an unknown checksum", [length, Self.part, ("Upload-Checksum", "crc32 AAAAAA==")], "x", 400),
            ("an unknown parameter", [length], nil, 201),
            ("nothing", [("Upload-Length", "1000")], nil, 201),
            ("over the quota", [("Upload-Length", "500")], nil, 413),
        ]
        for row in rows {
            let response = await test.call(
                .post, "/assets/uploads", as: .creator, body: row.body, headers: [Self.version] + row.headers)
            #expect(response.status == row.status, "\(row.name): \(response.text)")
            #expect(response.field("Tus-Resumable") == "1.0.0", "\(row.name)")
            if row.status >= 400 { test.checkErrorShape(response, row.name) }
            #expect((response.field("Location") != nil) == (row.status == 201), "\(row.name)")
        }
    }

    @Test func `an invalid part is rejected`() async throws {
        let test = try await TestDatabase.make()
        let url = try await TusTests.begin(test, 10)
        #expect(await TusTests.send(test, url, at: 0, "0123").status == 204)
        let at = ("Upload-Offset", "4")
        let sha = "sha1 " + Base64.encode([UInt8](repeating: 0, count: 20))
        let rows: [(name: String, headers: [(String, String)], body: String, status: Int)] = [
            ("no media type", [at], "4", 415),
            ("another media type", [at, ("Content-Type", "application/octet-stream")], "4", 415),
            ("no offset", [Self.part], "4", 400),
            ("negative", [Self.part, ("Upload-Offset", "-4")], "4", 400),
            ("no number", [Self.part, ("Upload-Offset", "four")], "4", 400),
            ("empty", [Self.part, ("Upload-Offset", "")], "4", 400),
            ("twice", [Self.part, at, at], "4", 400),
            ("before", [Self.part, ("Upload-Offset", "0")], "0", 409),
            ("behind", [Self.part, ("Upload-Offset", "5")], "5", 409),
            ("at the end", [Self.part, ("Upload-Offset", "10")], "", 409),
            ("above all numbers", [Self.part, ("Upload-Offset", "99999999999999999999")], "4", 409),
            ("too long", [Self.part, at], "4567890", 413),
            ("another length", [Self.part, at, ("Upload-Length", "11")], "4", 400),
            ("a wrong length", [Self.part, at, ("Upload-Length", "-1")], "4", 400),
            ("checksum: another", [Self.part, at, ("Upload-Checksum", sha)], "4", 460),
            ("checksum: unknown", [Self.part, at, ("Upload-Checksum", "sha512 AAAA")], "4", 400),
            ("checksum: upper case", [Self.part, at, ("Upload-Checksum", "SHA1 AAAA")], "4", 400),
            ("checksum: too short", [Self.part, at, ("Upload-Checksum", "sha1 AAAA")], "4", 400),
            ("checksum: no base64", [Self.part, at, ("Upload-Checksum", "sha1 ????")], "4", 400),
            ("checksum: no digest", [Self.part, at, ("Upload-Checksum", "sha1")], "4", 400),
            ("checksum: empty", [Self.part, at, ("Upload-Checksum", "")], "4", 400),
            ("checksum: twice", [Self.part, at, ("Upload-Checksum", sha), ("Upload-Checksum", sha)], "4", 400),
        ]
        for row in rows {
            let response = await test.call(
                .patch, url, as: .creator, body: row.body, headers: [Self.version] + row.headers)
            #expect(response.status == row.status, "\(row.name): \(response.text)")
            #expect(response.field("Tus-Resumable") == "1.0.0", "\(row.name)")
            test.checkErrorShape(response, row.name)
            if row.status == 409 { #expect(response.field("Upload-Offset") == "4", "\(row.name)") }
            let head = await test.call(.head, url, as: .creator, headers: [Self.version])
            #expect(head.field("Upload-Offset") == "4", "\(row.name)")
        }
        let digest = try #require(MessageDigest(.sha1))
        digest.update(Array("456789".utf8))
        let right = ("Upload-Checksum", "sha1 " + Base64.encode(digest.finalize()))
        #expect(await TusTests.send(test, url, at: 4, "456789", headers: [right]).status == 204)
        // Complete: nothing more belongs to it, and to say so again is no error.
        #expect(await TusTests.send(test, url, at: 10, "").status == 204)
        #expect(await TusTests.send(test, url, at: 10, "x").status == 413)
        let more = PartialBody(pieces: ["x"])
        #expect(await TusTests.stream(test, .patch, url, more, [("Upload-Offset", "10")]).status == 413)
        #expect(await TusTests.send(test, url, at: 4, "456789").status == 409)
        let asset = await test.call(.get, url, as: .creator).json?["asset"]
        #expect(asset?["fileChecksum"]?.string == SHA256.hash(utf8: "0123456789").base64)
    }

    @Test func `unknown methods and names are rejected`() async throws {
        let test = try await TestDatabase.make()
        let url = try await TusTests.begin(test, 10)
        // X-HTTP-Method-Override does not change the method.
        for (method, target, status) in [
            (HTTPMethod.put, url, 405), (.post, url, 405), (.delete, "/assets/uploads", 405),
            (.patch, "/assets/uploads", 405), (.options, url, 204), (.head, "/assets/uploads/none", 404),
            (.patch, "/assets/uploads/none", 404), (.delete, "/assets/uploads/none", 404),
            (.get, "/assets/uploads/none", 404),
        ] {
            let response = await test.call(
                method, target, as: .creator,
                headers: [
                    Self.version, Self.part, ("Upload-Offset", "0"), ("Upload-Length", "5"),
                    ("X-HTTP-Method-Override", "PATCH"),
                ])
            #expect(response.status == status, "\(method) \(target)")
            #expect(response.field("Tus-Resumable") == "1.0.0", "\(method) \(target)")
        }
        #expect(await test.call(.head, url, as: .creator, headers: [Self.version]).field("Upload-Offset") == "0")
        let unknown = await test.call(.head, url + "?limit=1", as: .creator, headers: [Self.version])
        #expect(unknown.status == 400)
    }

    @Test func `an expired upload is 410`() async throws {
        var limits = DatabaseLimits()
        limits.unreferencedAssetSeconds = -1
        let test = try await TestDatabase.make(limits: limits)
        let url = try await TusTests.begin(test, 10)
        #expect(await test.call(.head, url, as: .creator, headers: [Self.version]).status == 410)
        #expect(await TusTests.send(test, url, at: 0, "x").status == 410)
        #expect(await test.call(.get, url, as: .creator).status == 410)
    }

    @Test func `a full disk is 507`() async throws {
        var limits = DatabaseLimits()
        limits.freeDiskBytes = .max
        let test = try await TestDatabase.make(limits: limits)
        let response = await test.call(
            .post, "/assets/uploads", as: .creator, headers: [Self.version, ("Upload-Length", "1")])
        #expect(response.status == 507 && response.cause == "STORAGE_FULL")
        let url = try await TusTests.begin(test, nil)
        #expect(await TusTests.send(test, url, at: 0, "x").status == 507)
    }
}
