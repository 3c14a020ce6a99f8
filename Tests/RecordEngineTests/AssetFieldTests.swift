import Cryptography
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Every way to add an asset to a record and to remove it. The audit compares links and records each time.
@Suite struct AssetFieldTests {
    private func linked(_ test: TestDatabase) throws -> Int { try AssetAudit(test.directory).links.count }

    @Test func `lists are appended to, set, replaced and emptied`() async throws {
        let test = try TestDatabase()
        var assets: [Asset] = []
        for number in 0..<5 { assets.append(try await test.upload(sampleBytes(number), filename: "\(number).bin")) }
        try await test.create("a", #""files":[\#(assets[0].json())]"#)
        try await test.change("a", #""files":{"append":[\#(assets[1].json()),\#(assets[1].json())]}"#)
        #expect(try linked(test) == 2)
        #expect(try test.content("a", "files", index: 2) == sampleBytes(1))
        try await test.change("a", #""files":{"appendUnique":[\#(assets[1].json()),\#(assets[2].json())]}"#)
        #expect(
            try test.read("a").fields["files"]
                == .list(element: .asset, [assets[0], assets[1], assets[1], assets[2]].map { .asset($0.stored) }))
        #expect(try test.assetTroubles() == [])
        // A value that is sent back as read is removed, with all equal values.
        try await test.change("a", #""files":{"remove":[\#(assets[1].json(receipt: false))]}"#)
        #expect(
            try test.read("a").fields["files"]
                == .list(element: .asset, [assets[0], assets[2]].map { .asset($0.stored) }))
        #expect(try linked(test) == 2)
        try await test.change("a", #""files":[\#(assets[2].json(receipt: false)),\#(assets[3].json())]"#)
        #expect(try test.assetTroubles() == [])
        try await test.change("a", #""files":[]"#)
        #expect(try linked(test) == 0)
        try await test.change("a", #""files":{"setIfAbsent":[\#(assets[4].json())]}"#)
        try await test.change("a", #""files":null"#)
        try await test.change("a", #""files":{"setIfAbsent":[\#(assets[4].json())]}"#)
        try await test.change("a", #""files":{"setIfAbsent":[\#(assets[3].json())]}"#)
        #expect(try test.content("a", "files") == sampleBytes(4))
        #expect(try linked(test) == 1)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `content shared by fields and records is one file until its last use is deleted`() async throws {
        let test = try TestDatabase()
        let asset = try await test.upload(sampleBytes(1))
        try await test.create("a", #""file":\#(asset.json()),"other":\#(asset.json())"#)
        try await test.create("b", #""file":\#(asset.json())"#)
        #expect(try AssetAudit(test.directory).files.count == 1)
        try await test.change("a", #""file":null"#)
        try await test.delete("b")
        #expect(try AssetAudit(test.directory).rows.values.first?.orphaned == nil)
        try await test.perform(.modify(createsMissing: false, replacesAll: true), "Post", "a", #"{"fields":{"n":1}}"#)
        #expect(try AssetAudit(test.directory).rows.values.first?.orphaned != nil)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `records of a cascading deletion release their assets`() async throws {
        let test = try TestDatabase()
        try await test.create("root", #""n":1"#)
        for number in 0..<4 {
            let asset = try await test.upload(sampleBytes(number))
            let parent = number == 0 ? "root" : "c\(number - 1)"
            try await test.create(
                "c\(number)", #""file":\#(asset.json()),"to":{"recordName":"\#(parent)","action":"DELETE_SELF"}"#)
        }
        #expect(try linked(test) == 4)
        try await test.delete("root")
        #expect(try linked(test) == 0)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `bulk changes add and remove links`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""n":{"type":"INT64","indexes":["QUERYABLE"]},"file":{"type":"ASSET"},"all":{"type":"ASSET"}"#)
        for number in 0..<6 {
            let asset = try await test.upload(sampleBytes(number))
            try await test.create("r\(number)", #""n":\#(number % 2),"file":\#(asset.json())"#)
        }
        let shared = try await test.upload(sampleBytes(9))
        func perform(_ condition: String, _ change: BulkRequest.Change) async throws {
            try test.reader.refresh()
            _ = try await test.reader.bulkChanges.perform(
                BulkRequest(
                    query: try test.queryRequest(condition, as: .administrator(.bootstrap)), change: change,
                    isForAll: false,
                    isDryRun: false, maxAffected: nil, idempotency: nil))
        }
        try await perform(
            "n == 1",
            .modify(try RecordInput.readSingle(Array(#"{"fields":{"file":null,"all":\#(shared.json())}}"#.utf8))))
        #expect(try linked(test) == 6)
        #expect(try test.content("r5", "all") == sampleBytes(9))
        #expect(try test.assetTroubles() == [])
        try await perform("n == 1", .delete)
        #expect(try linked(test) == 3)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `an atomic batch that fails links nothing, and unlinks nothing`() async throws {
        let test = try TestDatabase()
        let (old, new) = (try await test.upload(sampleBytes(1)), try await test.upload(sampleBytes(2)))
        try await test.create("a", #""file":\#(old.json())"#)
        func batch(_ isAtomic: Bool, _ last: String) -> String {
            """
            {"atomic":\(isAtomic),"operations":[
            {"operationType":"create","record":{"recordType":"Post","recordName":"b","fields":{"file":\(new.json())}}},
            {"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"b","fields":{"file":\(new.json(receipt: false)),"n":1}}},
            {"operationType":"forceDelete","record":{"recordName":"a"}},
            {"operationType":"create","record":{"recordType":"Post","recordName":"c","fields":{"file":\(last)}}}]}
            """
        }
        let bad = new.json(receipt: false)
        let failed = try await test.batch(batch(true, bad))
        #expect(failed.compactMap { $0["serverErrorCode"]?.string }.count == 4)
        var audit = try AssetAudit(test.directory)
        #expect(audit.links.count == 1 && audit.troubles() == [])
        #expect(try test.content("a") == sampleBytes(1))
        // Not atomic: all except the last take effect, and of the last one nothing.
        let mixed = try await test.batch(batch(false, bad))
        #expect(mixed.map { $0["serverErrorCode"] == nil } == [true, true, true, false])
        audit = try AssetAudit(test.directory)
        #expect(audit.links.count == 1 && audit.troubles() == [])
        #expect(try test.content("b") == sampleBytes(2))
    }

    @Test func `a failing item of a batch gives back what it linked`() async throws {
        let test = try TestDatabase()
        let asset = try await test.upload(sampleBytes(1))
        // Its link is set, then its reference is found wanting.
        let results = try await test.batch(
            """
            {"atomic":false,"operations":[
            {"operationType":"create","record":{"recordType":"Post","recordName":"b","fields":{"file":\(asset.json()),"to":{"recordName":"nobody","action":"VALIDATE"}}}},
            {"operationType":"create","record":{"recordType":"Post","recordName":"c","fields":{"n":1}}}]}
            """)
        #expect(results.map { $0["serverErrorCode"] == nil } == [false, true])
        let audit = try AssetAudit(test.directory)
        #expect(audit.links.isEmpty && audit.claims == (1, 0) && audit.troubles() == [])
        try await test.create("b", #""file":\#(asset.json())"#)
    }

    @Test func `a replayed request links nothing twice`() async throws {
        let test = try TestDatabase()
        let asset = try await test.upload(sampleBytes(1))
        let key = try #require(IdempotencyKey("k", request: [1]))
        let body = #"{"fields":{"file":\#(asset.json())}}"#
        let first = try await test.perform(.create, "Post", nil, body, key: key)
        let name = first.name
        try await test.delete(name)
        let again = try await test.perform(.create, "Post", nil, body, key: key)
        #expect(again.name == name && again.isReplay)
        #expect(try linked(test) == 0)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `two uploads of one content each have their own receipt and name`() async throws {
        let test = try TestDatabase()
        let first = try await test.upload(sampleBytes(1), filename: "first", contentType: "text/plain")
        let second = try await test.upload(sampleBytes(1), filename: "second", contentType: "text/csv")
        #expect(first.receipt != second.receipt)
        try await test.create("a", #""files":[\#(first.json()),\#(second.json())]"#)
        #expect(
            try test.read("a").fields["files"] == .list(element: .asset, [.asset(first.stored), .asset(second.stored)]))
        #expect(try AssetAudit(test.directory).claims == (0, 2))
        #expect(test.database.assetStore.counters.duplicates == 1)
    }

    @Test func `a file that a field keeps without its receipt keeps its name and type`() async throws {
        let test = try TestDatabase()
        let asset = try await test.upload(sampleBytes(1), filename: "a.txt", contentType: "text/plain")
        try await test.create("a", #""file":\#(asset.json()),"files":[\#(asset.json())]"#)
        let bare = #"{"fileChecksum":"\#(asset.fileChecksum)","size":\#(asset.size)}"#
        try await test.change("a", #""file":\#(bare),"files":[\#(bare)]"#)
        let fields = try test.read("a").fields
        #expect(fields["file"] == .asset(asset.stored))
        #expect(fields["files"] == .list(element: .asset, [.asset(asset.stored)]))
        // A name in the request takes precedence.
        let named = #"{"fileChecksum":"\#(asset.fileChecksum)","size":\#(asset.size),"filename":"b.txt"}"#
        try await test.change("a", #""file":\#(named)"#)
        var renamed = asset.stored
        renamed.filename = "b.txt"
        #expect(try test.read("a").fields["file"] == .asset(renamed))
    }

    @Test func `writing content that the field already has still consumes the receipt`() async throws {
        // Otherwise it would count against the uploader's quota although a record has it.
        let test = try TestDatabase()
        let asset = try await test.upload(sampleBytes(1))
        try await test.create("a", #""file":\#(asset.json())"#)
        let again = try await test.upload(sampleBytes(1))
        #expect(again.receipt != asset.receipt)
        try await test.change("a", #""file":\#(again.json())"#)
        #expect(try AssetAudit(test.directory).claims == (0, 2))
    }

    @Test func `file names follow their rules, in uploads and in values`() async throws {
        let test = try TestDatabase()
        let asset = try await test.upload(sampleBytes(1))
        for name in ["a/b", "..", ".", "a\u{0}b", "a\nb", "a\u{7F}", "a\u{85}", String(repeating: "é", count: 128)] {
            #expect(await rejection { try await test.upload(sampleBytes(1), filename: name) }?.code == .badRequest)
            var named = asset
            named.filename = "NAME"
            var text: [UInt8] = []
            text.appendString(name)
            let json = named.json().replacing("\"NAME\"", with: String(decoding: text, as: UTF8.self))
            #expect(await rejection { try await test.create("x", #""file":\#(json)"#) }?.code == .badRequest, "\(name)")
        }
        #expect(await rejection { try await test.upload(sampleBytes(1), filename: "") }?.code == .badRequest)
        for name in ["...", "a b", "é\"';%", "日本語.jpg", String(repeating: "x", count: 255), "C:\\a"] {
            try await test.upload(sampleBytes(1), filename: name)
        }
        #expect(try AssetAudit(test.directory).files.count == 1)
    }

    @Test func `the header of a picture overrides the values of clients`() async throws {
        let test = try TestDatabase()
        let gif = Array("GIF89a".utf8) + [3, 0, 2, 0, 0, 0, 0, 0x3B]
        var asset = try await test.upload(gif, contentType: "text/html")
        #expect(asset.contentType == "image/gif" && asset.picture == AssetPicture(width: 3, height: 2, orientation: 1))
        let facts = asset.stored
        asset.contentType = "text/html"
        asset.picture = AssetPicture(width: 99, height: 99, orientation: 3)
        try await test.create("a", #""file":\#(asset.json())"#)
        #expect(try test.read("a").fields["file"] == .asset(facts))
        try await test.change("a", #""file":\#(asset.json(receipt: false))"#)
        #expect(try test.read("a").fields["file"] == .asset(facts))
        try await test.change("a", #""files":{"append":[\#(asset.json())]}"#)
        #expect(try test.read("a").fields["files"] == .list(element: .asset, [.asset(facts)]))
        // A file that is no picture has no dimensions, even if a client sends some.
        var text = try await test.upload(sampleBytes(1))
        text.picture = AssetPicture(width: 99, height: 99, orientation: 3)
        try await test.create("b", #""file":\#(text.json())"#)
        #expect(
            try test.read("b").fields["file"]
                == .asset(
                    Asset(
                        fileChecksum: text.fileChecksum, size: text.size, contentType: AssetMediaType.unknown)))
    }

    @Test(arguments: [
        "image/png", "IMAGE/PNG", "image/png; a=b", "image/png ;a=b", " image/png", "image/webp;", "Image/Jpeg\t;x",
    ])
    func `a media type of pictures is accepted for pictures only`(type: String) async throws {
        let test = try TestDatabase()
        let asset = try await test.upload(sampleBytes(1), contentType: type)
        #expect(asset.contentType == AssetMediaType.unknown)
        var claimed = asset
        claimed.contentType = type.filter { $0 != "\t" }
        try await test.create("a", #""file":\#(claimed.json())"#)
        try test.reader.refresh()
        guard
            case .asset(let open) = try test.reader.content(
                of: "file", index: 0, in: #require(RecordName("a")), type: #require(RecordTypeName("Post")),
                at: .publicDefault, for: .administrator(.bootstrap))
        else { throw AssetTestFailure.notAnAsset }
        #expect(open.mediaType == AssetMediaType.unknown && open.display == .attachment)
    }

    @Test(
        arguments: [
            ("text/html", AssetMediaType.unknown, .attachment), ("image/svg+xml", "image/svg+xml", .document),
            ("application/xhtml+xml", AssetMediaType.unknown, .attachment),
            ("text/javascript", AssetMediaType.unknown, .attachment), ("text/xml", AssetMediaType.unknown, .attachment),
            ("text/plain;charset=utf-8", "text/plain; charset=utf-8", .document), ("text/csv", "text/csv", .attachment),
            ("application/pdf", "application/pdf", .document), ("video/mp4", "video/mp4", .media),
            ("AUDIO/MPEG", "audio/mpeg", .media), ("text/html\u{0}", AssetMediaType.unknown, .attachment),
        ] as [(String, String, AssetDisplay)])
    func `a media type is stored as sent and served as a safe type`(
        claimed: String, served: String, display: AssetDisplay
    ) async throws {
        let test = try TestDatabase()
        let asset = try await test.receive(sampleBytes(1), contentType: claimed)
        #expect(asset.asset.contentType == claimed)
        let url = asset.url
        try test.reader.refresh()
        let open = try test.reader.assets.open(token: url.token, filename: url.filename)
        #expect(open.mediaType == served && open.display == display)
    }
}
