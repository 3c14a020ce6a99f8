import Cryptography
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import Testing

/// Unreferenced files are collected after their time, and no other files.
@Suite struct AssetCollectionTests {
    @Test func `an unused asset is collected after its time, and a used one never`() async throws {
        let test = try TestDatabase()
        let (kept, lost) = (try await test.upload(sampleBytes(1)), try await test.upload(sampleBytes(2)))
        try await test.create("a", #""file":\#(kept.json())"#)
        #expect(try await test.database.assets.collect() == 0)
        #expect(try await test.database.assets.collect(unusedFor: 60) == 0)
        #expect(try await test.database.assets.collect(unusedFor: -1) == 1)
        var audit = try AssetAudit(test.directory)
        #expect(audit.rows.count == 1 && audit.files.count == 1 && audit.claims == (0, 1) && audit.troubles() == [])
        // Its receipt went with it; a new upload stores it again.
        #expect(await rejection { try await test.create("b", #""file":\#(lost.json())"#) }?.cause == .tokenInvalid)
        let again = try await test.upload(sampleBytes(2))
        #expect(await rejection { try await test.create("b", #""file":\#(lost.json())"#) }?.cause == .tokenInvalid)
        try await test.create("b", #""file":\#(again.json())"#)
        try await test.delete("a")
        try await test.delete("b")
        #expect(try await test.database.assets.collect(unusedFor: -1) == 2)
        audit = try AssetAudit(test.directory)
        #expect(audit.rows.isEmpty && audit.links.isEmpty && audit.claims == (0, 0) && audit.files.isEmpty)
        #expect(test.database.assetStore.counters.collected == 3)
    }

    @Test func `another upload of the content renews its time`() async throws {
        let test = try TestDatabase()
        try await test.upload(sampleBytes(1))
        let first = try #require(try AssetAudit(test.directory).rows.values.first?.orphaned)
        var last = first
        // The clock has milliseconds.
        while last == first {
            try await test.upload(sampleBytes(1))
            last = try #require(try AssetAudit(test.directory).rows.values.first?.orphaned)
        }
        #expect(last > first)
        #expect(try AssetAudit(test.directory).claims == (1, 0))
    }

    @Test func `more assets than a slice are collected in slices`() async throws {
        let test = try TestDatabase()
        for number in 0..<230 { try await test.upload(sampleBytes(number, count: 10)) }
        #expect(try await test.database.assets.collect(unusedFor: -1) == 230)
        #expect(try AssetAudit(test.directory).files.isEmpty)
    }

    @Test func `a file that is being read is read to its end`() async throws {
        let test = try TestDatabase()
        let asset = try await test.receive(sampleBytes(1, count: 100_000))
        try test.reader.refresh()
        let open = try test.reader.assets.open(token: asset.url.token, filename: "")
        try await test.database.assets.collect(unusedFor: -1)
        #expect(try AssetAudit(test.directory).files.isEmpty)
        #expect(try open.bytes() == sampleBytes(1, count: 100_000))
    }

    @Test func `only unreferenced files are swept`() async throws {
        let test = try TestDatabase()
        let kept = try await test.upload(sampleBytes(1))
        try await test.create("a", #""file":\#(kept.json())"#)
        try await test.upload(sampleBytes(2))
        let directory = test.database.assetStore.directory
        let stray = AssetFileName(hash: Digest(of: [1]), file: 7)
        let twin = AssetFileName(hash: Digest(of: sampleBytes(1)), file: 7)
        for name in [stray, twin] {
            try FileManager.default.createDirectory(
                atPath: directory.path + "/" + name.directory, withIntermediateDirectories: true)
            #expect(FileManager.default.createFile(atPath: directory.path(of: name), contents: Data([1])))
        }
        #expect(FileManager.default.createFile(atPath: directory.path(ofUpload: "left"), contents: Data([1])))
        // Not one of this server's names: an operator's.
        let foreign = directory.path + "/" + twin.directory + "/README"
        #expect(FileManager.default.createFile(atPath: foreign, contents: Data([1])))
        try await test.database.assets.sweep()
        #expect(FileManager.default.fileExists(atPath: foreign))
        try FileManager.default.removeItem(atPath: foreign)
        let audit = try AssetAudit(test.directory)
        #expect(audit.rows.count == 2 && audit.files.count == 2 && audit.troubles() == [])
        #expect(test.database.assetStore.counters.swept == 3)
    }

    @Test func `a running upload is not swept`() async throws {
        let test = try TestDatabase()
        var pieces = 3
        let upload = AssetUpload(caller: .administrator(.bootstrap), address: .publicDefault)
        let received = try await test.reader.assets.receive(upload) {
            try await test.database.assets.sweep()
            pieces -= 1
            return pieces > 0 ? sampleBytes(pieces) : nil
        }
        try await test.create("a", #""file":\#(received.asset.json())"#)
        #expect(try test.content("a") == sampleBytes(2) + sampleBytes(1))
    }
}
