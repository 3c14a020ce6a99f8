import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Exports and imports of whole containers.
@Suite struct ContainerFileTests {
    private static let options = #""format":"container""#

    /// The lines of the file of a container.
    ///
    /// Records with dates of their own need an index on the time of creation, which the import adds to their types.
    static func export(_ test: TestDatabase) async throws -> [String] {
        try await TransferRoutesTests.exporting(test, options).split(separator: "\n").map(String.init).map { line in
            guard line.hasPrefix(#"{"schema""#) else { return line }
            let index = #"{"fields":["createdTimestamp"]}"#
            return line.replacing("," + index, with: "").replacing(index, with: "")
        }
    }

    /// Imports a file into a new database, and compares its export.
    @discardableResult
    static func roundTrip(
        _ source: TestDatabase, _ environment: RecordEnvironment = .development
    ) async throws -> TestDatabase {
        let before = try await export(source)
        let target = try await TestDatabase.make(environment, withUsers: false)
        let job = try await TransferRoutesTests.importing(target, before.joined(separator: "\n") + "\n", options)
        let rejections = await TransferRoutesTests.rejections(target, job)
        try #require(job["state"] == "succeeded" && job["skipped"]?.integer == 0, "\(job) \(rejections)")
        let after = try await export(target)
        #expect(before.count == after.count)
        for (old, new) in zip(before.dropFirst(), after.dropFirst()) where old != new {
            Issue.record("\(old.prefix(2_000))\nbecame\n\(new.prefix(2_000))")
            break
        }
        return target
    }

    @Test(arguments: seeds(4)) func `a container is the same after a round trip`(seed: Int) async throws {
        var history = try await ContainerHistory.make(seed: UInt64(seed))
        for _ in 0..<60 { try await history.step() }
        try await history.addCertain()
        let text = try await Self.export(history.database).joined(separator: "\n")
        for word in [#"{"record":{"recordName":"certain"#, #","zone":"z"#, #""acl":{"#, #"{"data":""#, #"{"role":"#] {
            #expect(text.contains(word), "\(word) is not in the history")
        }
        try await Self.roundTrip(history.database)
    }

    @Test(arguments: seeds(3)) func `shares are the same after a round trip, and participants find them`(
        seed: Int
    ) async throws {
        var history = try await SharedHistory.make(seed: UInt64(seed))
        for _ in 0..<100 { try await history.step() }
        let target = try await Self.roundTrip(history.database)
        let session = await target.call(.post, "/sessions", body: #"{"name":"bob","password":"correct horse"}"#)
        let token = try #require(session.json?["token"]?.string, "\(session.text)")
        let found = await target.call(.get, "/zones?database=shared", token: token)
        let zones = (found.json?["zones"]?.array ?? []).compactMap { $0["zoneName"]?.string }
        #expect(zones.sorted() == history.zones.filter { $0.value.shared != nil }.keys.sorted(), "\(found.text)")
    }

    @Test func `people sign in, files have their bytes, and production takes the schema`() async throws {
        let source = try await TestDatabase.make()
        let file = try await TransferRoutesTests.upload(source, String(repeating: "fog ", count: 100_000), as: .creator)
        let made = await source.call(
            .put, "/records/Post/p", as: .creator,
            body: #"{"fields":{"image":{"value":\#(file),"type":"ASSET"},"likes":{"value":7}}}"#)
        try #require(made.status == 201, "\(made.text)")
        let target = try await Self.roundTrip(source, .production)
        let session = await target.call(.post, "/sessions", body: #"{"name":"ann","password":"correct horse"}"#)
        let token = try #require(session.json?["token"]?.string, "\(session.text)")
        let post = await target.call(.get, "/records/Post/p", token: token)
        #expect(post.json?["fields"]?["likes"]?["value"]?.integer == 7, "\(post.text)")
        #expect(post.json?["created"]?["userRecordName"]?.string == source.userNames[.creator], "\(post.text)")
        let url = try #require(post.json?["fields"]?["image"]?["value"]?["downloadURL"]?.string)
        let content = await target.call(.get, url)
        #expect(content.bytes == Array(String(repeating: "fog ", count: 100_000).utf8))
    }

    @Test func `a second import meets what is there`() async throws {
        var history = try await ContainerHistory.make(seed: 7)
        for _ in 0..<30 { try await history.step() }
        let lines = try await Self.export(history.database)
        let text = lines.joined(separator: "\n")
        let target = try await Self.roundTrip(history.database)
        let rows = lines.filter { $0.hasPrefix(#"{"record""#) || $0.hasPrefix(#"{"account""#) }.count
        let again = try await TransferRoutesTests.importing(target, text, Self.options)
        let rejections = await TransferRoutesTests.rejections(target, again)
        #expect(rejections.allSatisfy { $0["serverErrorCode"] == "EXISTS" }, "\(rejections)")
        // User records that nobody has written are written once more, as they are.
        #expect(rejections.count > rows / 2)
        let skipping = try await TransferRoutesTests.importing(target, text, Self.options + #","existing":"skip""#)
        #expect(await TransferRoutesTests.rejections(target, skipping).isEmpty)
        let replacing = try await TransferRoutesTests.importing(target, text, Self.options + #","existing":"replace""#)
        let others = await TransferRoutesTests.rejections(target, replacing)
        #expect(replacing["skipped"]?.integer == 0, "\(others)")
        let after = try await Self.export(target)
        #expect(after.dropFirst() == lines.dropFirst())
    }

    @Test func `a dry run checks every line and writes nothing`() async throws {
        var history = try await ContainerHistory.make(seed: 3)
        for _ in 0..<30 { try await history.step() }
        let text = try await Self.export(history.database).joined(separator: "\n")
        let target = try await TestDatabase.make(withUsers: false)
        let before = try await Self.export(target)
        let job = try await TransferRoutesTests.importing(target, text, Self.options + #","dryRun":true"#)
        #expect(job["state"] == "succeeded" && job["skipped"]?.integer == 0, "\(job)")
        #expect(try await Self.export(target).dropFirst() == before.dropFirst())
        let broken = text.replacing(#"{"data":""#, with: #"{"data":"AAAA"#)
        let checked = try await TransferRoutesTests.importing(target, broken, Self.options + #","dryRun":true"#)
        #expect((checked["skipped"]?.integer ?? 0) > 0, "\(checked)")
    }

    @Test func `only owners load and save containers`() async throws {
        let test = try await TestDatabase.make()
        let text = try await Self.export(test).joined(separator: "\n")
        for who in [TestDatabase.Who.anonymous, .creator, .member] {
            let export = await test.call(.post, "/exports", as: who, body: #"{"format":"container"}"#)
            #expect(export.status == (who == .anonymous ? 401 : 403), "\(export.text)")
        }
        let file = try await TransferRoutesTests.upload(test, text, as: .creator)
        let denied = await test.call(.post, "/imports", as: .creator, body: #"{"file":\#(file),\#(Self.options)}"#)
        #expect(denied.status == 403 && denied.text.contains("downloadBackups"), "\(denied.text)")
        let log = await test.call(.get, "/audit?action=container.export", as: .administrator)
        #expect(log.json?["entries"]?.array?.count == 1, "\(log.text)")
        let mixed = await test.call(
            .post, "/exports", as: .administrator, body: #"{"format":"container","recordType":"Post"}"#)
        #expect(mixed.status == 400 && mixed.text.contains("recordType"), "\(mixed.text)")
    }

    @Test(arguments: [
        ("", "fogbase"), (#"{"a":1}"#, "fogbase"),
        (#"{"fogbase":{"version":2}}"# + "\n" + #"{"end":{}}"#, "version"), (#"{"fogbase":{"version":1}}"#, "complete"),
    ]) func `files that are no containers are refused whole`(text: String, reason: String) async throws {
        let test = try await TestDatabase.make()
        let file = try await TransferRoutesTests.upload(test, text.isEmpty ? " " : text)
        for path in ["/imports", "/imports/preview"] {
            let response = await test.call(
                .post, path, as: .administrator, body: #"{"file":\#(file),\#(Self.options)}"#)
            #expect(response.status == 400 && response.text.contains(reason), "\(response.text)")
        }
    }

    /// Lines between the first and the last one, the line of the report, and a word of its reason.
    private static let brokenLines: [(lines: [String], line: Int64, reason: String)] = [
        (["nonsense"], 2, "JSON"), ([#"{"recordd":{}}"#], 2, "one of the keys"), (["{}"], 2, "one of the keys"),
        ([#"{"account":{"name":"ada"}}"#], 2, "userRecordName"),
        (
            [#"{"account":{"userRecordName":"_00000000000000000000000000000001","name":"ada","password":"md5"}}"#], 2,
            "hash"
        ),
        ([#"{"account":{"userRecordName":"_00000000000000000000000000000001","name":"ann"}}"#], 2, "name already"),
        ([#"{"account":{"userRecordName":"_00000000000000000000000000000001","kind":"robot"}}"#], 2, "kind"),
        (
            [#"{"account":{"userRecordName":"_00000000000000000000000000000001","name":"ada","disabled":true}}"#], 2,
            "disabled"
        ),
        (
            [#"{"account":{"userRecordName":"_00000000000000000000000000000001","name":"ada","created":"2020"}}"#], 2,
            "created"
        ),
        (
            [#"{"account":{"userRecordName":"_00000000000000000000000000000001","name":"ada","password":7}}"#], 2,
            "password"
        ),
        (
            [#"{"account":{"userRecordName":"_00000000000000000000000000000001","name":"ada","passwort":"x"}}"#], 2,
            "passwort"
        ),
        ([#"{"zone":{"zoneName":"z","owner":"_00000000000000000000000000000009","created":1e30}}"#], 2, "created"),
        ([#"{"role":{"name":"_world","members":[]}}"#], 2, "built in"),
        ([#"{"role":{"name":"r","members":["_00000000000000000000000000000009"]}}"#], 2, "member"),
        ([#"{"zone":{"zoneName":"z","owner":"_00000000000000000000000000000009"}}"#], 2, "no account"),
        (
            [
                #"{"record":{"recordType":"Post","recordName":"p","fields":{}},"owner":"_00000000000000000000000000000009"}"#
            ], 2,
            "no account"
        ),
        ([#"{"record":{"recordType":"Post","recordName":"p","fields":{}},"owner":"ada"}"#], 2, "owner"),
        ([#"{"record":{"recordType":"Users","recordName":"_00000000000000000000000000000009","fields":{}}}"#], 2, ""),
        (
            [
                #"{"record":{"recordType":"Post","recordName":"p","fields":{"f":{"value":{"fileChecksum":"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=","size":3},"type":"ASSET"}}}}"#
            ],
            2, "no content"
        ),
        ([#"{"data":"QUJD"}"#], 2, "no"), ([#"{"file":{"fileChecksum":"QUJD","size":3}}"#], 2, "SHA-256"),
        (
            [
                #"{"file":{"fileChecksum":"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=","size":3}}"#,
                #"{"data":"QUJD"}"#,
            ], 2,
            "do not match"
        ),
        (
            [
                #"{"file":{"fileChecksum":"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=","size":3}}"#,
                #"{"data":"QUJDRA=="}"#,
            ],
            3, "more bytes"
        ),
        (
            [#"{"file":{"fileChecksum":"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=","size":3}}"#, #"{"data":"%"}"#],
            3,
            "base64"
        ),
        (
            [
                #"{"file":{"fileChecksum":"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=","size":9}}"#,
                #"{"data":"QUJD"}"#,
            ], 2,
            "only 3"
        ),
    ]

    @Test(arguments: brokenLines.indices) func `a broken line is reported, and the others are imported`(
        index: Int
    ) async throws {
        let test = try await TestDatabase.make()
        let (lines, line, reason) = Self.brokenLines[index]
        let text =
            [#"{"fogbase":{"version":1}}"#] + lines + [
                #"{"record":{"recordType":"Log","recordName":"first","fields":{}}}"#,
                #"{"record":{"recordType":"Log","recordName":"last","fields":{}}}"#, #"{"end":{}}"#,
            ]
        let job = try await TransferRoutesTests.importing(test, text.joined(separator: "\n"), Self.options)
        let rejections = await TransferRoutesTests.rejections(test, job)
        #expect(job["state"] == "succeeded" && rejections.count == 1, "\(job) \(rejections)")
        #expect(
            rejections.first?["line"]?.integer == line
                && rejections.first?["reason"]?.string?.contains(reason) == true, "\(rejections)")
        #expect(await test.call(.get, "/records/Log/last", as: .administrator).status == 200)
    }

    @Test func `a container of another server states its schema first`() async throws {
        let test = try await TestDatabase.make(.production)
        let ada = "_0000000000000000000000000000000a"
        let text = """
            {"fogbase":{"version":1,"container":"Blog","environment":"development","exported":1,"by":"A converter"}}
            {"schema":{"types":{"Post":{"fields":{"title":{"type":"STRING"}},"grants":{"authors":["CREATE"]}}}}}
            {"account":{"userRecordName":"\(ada)","name":"ada","created":1000}}
            {"role":{"name":"authors","members":["\(ada)"]}}
            {"record":{"recordType":"Post","recordName":"p","fields":{"title":"sea"},"created":{"timestamp":5,"userRecordName":"\(ada)"}}}
            {"end":{"accounts":1,"roles":1,"zones":0,"files":0,"records":1}}
            """
        let job = try await TransferRoutesTests.importing(test, text, Self.options)
        #expect(job["state"] == "succeeded" && job["skipped"]?.integer == 0, "\(job)")
        let role = await test.call(.get, "/roles/authors", as: .administrator)
        #expect(role.json?["members"]?.array?.count == 1, "\(role.text)")
        let post = await test.call(.get, "/records/Post/p", as: .administrator)
        #expect(post.json?["created"]?["timestamp"]?.integer == 5, "\(post.text)")
        // The roles and types that were there before stay.
        #expect(await test.call(.get, "/roles/editors", as: .administrator).status == 200)
        let preview = await test.call(
            .post, "/imports/preview", as: .administrator,
            body: #"{"file":\#(try await TransferRoutesTests.upload(test, text)),\#(Self.options)}"#)
        #expect(
            preview.json?["container"]?["by"] == "A converter" && preview.json?["counts"]?["records"]?.integer == 1,
            "\(preview.text)")
    }

    @Test func `the file of a container is for callers with the right to all of it`() async throws {
        let test = try await TestDatabase.make()
        let export = await test.call(.post, "/exports", as: .administrator, body: "{\(Self.options)}")
        let job = try await TransferRoutesTests.end(test, export)
        let id = try #require(job["id"]?.string)
        let path = "/jobs/\(id)/file"
        for role in ["viewer", "editor", "developer", "owner"] {
            await test.call(
                .post, "/administrators", as: .administrator,
                body: #"{"name":"\#(role)","password":"correct horse 1","role":"\#(role)"}"#)
            let session = await test.call(
                .post, "/administrators/sessions", body: #"{"name":"\#(role)","password":"correct horse 1"}"#)
            let token = try #require(session.json?["token"]?.string, "\(session.text)")
            #expect(await test.call(.get, path, token: token).status == (role == "owner" ? 200 : 404), "\(role)")
        }
        let elsewhere = await test.call(
            .post, "/exports?database=private&owner={creator}", as: .administrator, body: "{\(Self.options)}")
        #expect(elsewhere.status == 400 && elsewhere.text.contains("all databases"), "\(elsewhere.text)")
    }

    @Test func `a new password from a container ends the sessions`() async throws {
        let test = try await TestDatabase.make()
        let ann = try #require(test.userNames[.creator])
        let bob = try #require(test.userNames[.stranger])
        let hash = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
        let text = """
            {"fogbase":{"version":1}}
            {"account":{"userRecordName":"\(ann)","name":"ann","password":"\(hash)"}}
            {"account":{"userRecordName":"\(bob)","name":"bob","disabled":5}}
            {"end":{}}
            """
        let job = try await TransferRoutesTests.importing(test, text, Self.options + #","existing":"update""#)
        #expect(job["skipped"]?.integer == 0, "\(job)")
        for who in [TestDatabase.Who.creator, .stranger] {
            #expect(await test.call(.get, "/users/me", as: who).status == 401, "\(who)")
        }
        // An update leaves alone what a line does not say.
        let enabled = text.replacing(#","disabled":5"#, with: "")
        _ = try await TransferRoutesTests.importing(test, enabled, Self.options + #","existing":"update""#)
        let user = await test.call(.get, "/users/\(bob)", as: .administrator)
        #expect(user.json?["disabled"]?.integer == 5 || user.text.contains("disabled"), "\(user.text)")
    }

    @Test func `a schema that cannot be read, and lines that are missing, end the import`() async throws {
        let test = try await TestDatabase.make()
        let record = #"{"record":{"recordType":"Secret","recordName":"s","fields":{"x":{"value":1}}}}"#
        // The kind of a line does not depend on its spaces.
        let schema = #" { "schema" : {"types":{"Secret":{"fields":{"x":{"type":"INT64"}},"grants":{},"future":1}}}}"#
        let head = #"{"fogbase":{"version":1}}"#
        let unread = try await TransferRoutesTests.importing(
            test, [head, schema, record, #"{"end":{}}"#].joined(separator: "\n"), Self.options)
        #expect(
            unread["state"] == "failed" && unread["error"]?["reason"]?.string?.contains("future") == true, "\(unread)")
        #expect(await test.call(.get, "/records/Secret/s", as: .administrator).status == 404)
        let missing = try await TransferRoutesTests.importing(
            test, [head, record, #"{"end":{"records":2}}"#].joined(separator: "\n"), Self.options)
        #expect(missing["state"] == "failed" && missing["done"]?.integer == 1, "\(missing)")
        let spaced = try await TransferRoutesTests.importing(
            test, [head, #" { "role" : {"name":"r","members":[]}}"#, #"{"end":{"roles":1}}"#].joined(separator: "\n"),
            Self.options)
        #expect(spaced["state"] == "succeeded" && spaced["skipped"]?.integer == 0, "\(spaced)")
        let late = try await TransferRoutesTests.importing(
            test, [head, #"{"end":{}}"#, record, #"{"end":{}}"#].joined(separator: "\n"), Self.options)
        #expect(late["skipped"]?.integer == 2, "\(late)")
    }
}
