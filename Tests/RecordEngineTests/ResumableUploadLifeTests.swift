import Cryptography
import Foundation
import RecordModel
import RecordStorage
import StoreTestSupport
import TestSupport
import Testing

@testable import RecordEngine

@Suite struct ResumableUploadLifeTests {
    // MARK: Two at once

    /// Who goes on with an upload ends whoever is at it:
    ///
    ///     older                       newer
    ///     brings 1,000 bytes
    ///     waits for more
    ///                                 asks for the offset: 1,000
    ///                                 brings the rest: complete
    ///     gets more: refused
    @Test func `a client that lost its connection goes on at once`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let bytes = someBytes(3_000)
        let name = try await client.create(3_000)
        let (arrived, release) = (Gate(), Gate())
        let older = Self.stalledPart(of: name, Array(bytes[..<1_000]), in: test.database, arrived, release)
        await arrived.wait()
        // Who only looks disturbs nobody, and neither does a part that cannot go on.
        #expect(try await client.get(name).offset == 0)
        let refused = await refusal { try await client.send(name, at: 0, [bytes]) }
        #expect(refused?.code == .conflict)
        // Not the offset that was just sent, with which a client would come back for ever; nor one that is not durable yet.
        #expect(refused?.details.isEmpty == true && refused?.reason.contains("HEAD") == true)
        #expect(try await client.head(name).offset == 1_000)
        #expect(try await client.send(name, at: 1_000, [Array(bytes[1_000...])]).asset != nil)
        release.open()
        #expect(await older.value == .uploadTakenOver)
        #expect(test.assetFiles == [bytes])
        #expect(test.uploadFiles.isEmpty)
    }

    @Test func `a part at the offset that another has reached takes the upload over`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let bytes = someBytes(3_000)
        let name = try await client.create(3_000)
        let (arrived, release) = (Gate(), Gate())
        let older = Self.stalledPart(of: name, Array(bytes[..<1_000]), in: test.database, arrived, release)
        await arrived.wait()
        #expect(try await client.send(name, at: 1_000, [Array(bytes[1_000..<2_000])]).offset == 2_000)
        release.open()
        #expect(await older.value == .uploadTakenOver)
        #expect(try await client.send(name, at: 2_000, [Array(bytes[2_000...])]).asset != nil)
        #expect(test.assetFiles == [bytes])
    }

    @Test func `ending an upload ends a part that is on its way`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let name = try await client.create(3_000)
        let (arrived, release) = (Gate(), Gate())
        let older = Self.stalledPart(of: name, someBytes(1_000), in: test.database, arrived, release)
        await arrived.wait()
        #expect(test.uploadFiles == [name])
        try await client.terminate(name)
        #expect(test.uploadFiles.isEmpty)
        #expect(await client.isGone(name))
        release.open()
        #expect(await older.value == .uploadTakenOver)
        #expect(test.uploadFiles.isEmpty)
        #expect(await refusal { try await client.terminate(name) }?.code == .notFound)
    }

    /// A part that brings some bytes and then waits; what it is refused with.
    private static func stalledPart(
        of name: String, _ bytes: [UInt8], in database: RecordDatabase, _ arrived: Gate, _ release: Gate
    ) -> Task<RecordError?, Never> {
        Task.detached {
            await refusal {
                let client = try ResumableClient(database)
                var pieces = 0
                _ = try await client.reader.uploads.append(ResumablePart(offset: 0), to: client.named(name)) {
                    pieces += 1
                    if pieces == 1 { return bytes }
                    arrived.open()
                    await release.wait()
                    return [0]
                }
            }
        }
    }

    @Test(arguments: 1...5) func `many at once leave the whole`(_ seed: UInt64) async throws {
        let test = try TestDatabase()
        let bytes = someBytes(200_000, seed: seed)
        let name = try await ResumableClient(test).create(200_000)
        let database = test.database
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed << 8 + UInt64(number))
                    guard let client = try? ResumableClient(database) else { return }
                    while let status = try? await client.head(name), status.asset == nil {
                        let offset = Int(status.offset)
                        let end = min(200_000, offset + Int.random(in: 1...30_000, using: &generator))
                        let middle = Int.random(in: offset...end, using: &generator)
                        _ = try? await client.send(
                            name, at: status.offset, [Array(bytes[offset..<middle]), Array(bytes[middle..<end])])
                    }
                }
            }
        }
        #expect(try await ResumableClient(test).get(name).asset?.asset.fileChecksum == SHA256.hash(bytes).base64)
        #expect(test.assetFiles == [bytes])
        #expect(test.uploadFiles.isEmpty)
    }

    // MARK: The quota and the disk

    @Test func `what was announced counts against the quota, after reopening too`() async throws {
        var limits = DatabaseLimits()
        limits.unreferencedAssetBytes = 100
        let folder = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        var test = try TestDatabase(limits: limits, folder: folder, keepsFolder: true)
        let first = try await ResumableClient(test).create(60)
        for isReopened in [false, true] {
            if isReopened {
                await test.close()
                test = try TestDatabase(limits: limits, folder: folder)
            }
            let client = ResumableClient(test)
            #expect(await refusal { _ = try await client.create(41) }?.code == .quotaExceeded)
            let reader = test.reader
            let upload = AssetUpload(caller: .administrator(.bootstrap), address: .publicDefault, length: 41)
            #expect(await refusal { _ = try await reader.assets.receive(upload) { nil } }?.code == .quotaExceeded)
            // Of unknown length: what comes counts.
            let open = try await client.create(nil)
            #expect(await refusal { try await client.send(open, at: 0, [someBytes(41)]) }?.code == .quotaExceeded)
            #expect(await refusal { try await client.send(open, at: 0, [], length: 41) }?.code == .quotaExceeded)
            try await client.send(open, at: 0, [], length: 40)
            #expect(await refusal { _ = try await client.create(1) }?.code == .quotaExceeded)
            try await client.terminate(open)
            try await client.terminate(try await client.create(40))
        }
        let client = ResumableClient(test)
        // Complete, it counts as any other upload that no record has.
        try await client.send(first, at: 0, [someBytes(60)])
        #expect(await refusal { _ = try await client.create(41) }?.code == .quotaExceeded)
        _ = try await client.create(40)
        await test.close()
    }

    @Test func `nobody begins uploads without end`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        for _ in 0..<Uploads.mostUnfinished { _ = try await client.create(nil) }
        #expect(await refusal { _ = try await client.create(nil) }?.code == .quotaExceeded)
    }

    /// Of a thousand uploads that one client began, the hashes once stayed until those expired, and the others' were read
    /// again from their beginning for each part.
    @Test func `uploads that nobody goes on with take no memory from others`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        var idle: [String] = []
        for _ in 0..<1_000 {
            idle.append(try await client.create(nil))
            try await client.send(idle[idle.count - 1], at: 0, [[1]])
        }
        #expect(idle.allSatisfy(test.database.assetStore.resumables.remembers))
        let (bob, _) = try await test.signUp("bob")
        let other = ResumableClient(test, as: bob)
        let name = try await other.create(3)
        try await other.send(name, at: 0, [[1]])
        #expect(test.database.assetStore.resumables.remembers(name))
        #expect(idle.filter { !test.database.assetStore.resumables.remembers($0) } == [idle[0]])
    }

    @Test func `an upload is no longer than an asset may be, nor than the disk has room`() async throws {
        var limits = DatabaseLimits()
        limits.assetBytes = 1_000
        let test = try TestDatabase(limits: limits)
        let client = ResumableClient(test)
        #expect(await refusal { _ = try await client.create(1_001) }?.cause == .tooLarge)
        #expect(await refusal { _ = try await client.create(.max) }?.cause == .tooLarge)
        let open = try await client.create(nil)
        #expect(await refusal { try await client.send(open, at: 0, [], length: 1_001) }?.cause == .tooLarge)
        #expect(await refusal { try await client.send(open, at: 0, [someBytes(1_001)]) }?.cause == .tooLarge)

        limits.freeDiskBytes = .max
        let full = try TestDatabase(limits: limits)
        #expect(await refusal { _ = try await ResumableClient(full).create(10) }?.cause == .storageFull)
        let late = try await ResumableClient(full).create(nil)
        #expect(
            await refusal { try await ResumableClient(full).send(late, at: 0, [[1]]) }?.cause == .storageFull)
    }

    // MARK: Expiry

    @Test func `an expired upload is gone, and then its file and its row`() async throws {
        let folder = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        var test = try TestDatabase(folder: folder, keepsFolder: true)
        let old = try await ResumableClient(test).create(100)
        let young = try await ResumableClient(test).create(100)
        for name in [old, young] { try await ResumableClient(test).send(name, at: 0, [someBytes(50)]) }
        #expect(test.uploadFiles == [old, young].sorted())
        await test.close()
        try test.tamper("UPDATE resumable_upload SET expires = 1 WHERE name = '\(old)'")
        test = try TestDatabase(folder: folder)
        let client = ResumableClient(test)
        for error in [
            await refusal { _ = try await client.get(old) }, await refusal { _ = try await client.head(old) },
            await refusal { try await client.send(old, at: 50, [[1]]) },
            await refusal { try await client.terminate(old) },
        ] {
            #expect(error?.code == .notFound && error?.cause == .tokenExpired)
        }
        try await test.database.assets.collect()
        #expect(await refusal { _ = try await client.get(old) }?.cause == nil)
        #expect(test.uploadFiles == [young])
        #expect(try await client.send(young, at: 50, [someBytes(50)]).asset != nil)
        await test.close()
    }

    @Test func `sweeping spares what can be gone on with`() async throws {
        let folder = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        var test = try TestDatabase(folder: folder, keepsFolder: true)
        let bytes = someBytes(100)
        let name = try await ResumableClient(test).create(100)
        try await ResumableClient(test).send(name, at: 0, [Array(bytes[..<50])])
        let complete = try await ResumableClient(test).create(10)
        try await ResumableClient(test).send(complete, at: 0, [someBytes(10, seed: 2)])
        await test.close()
        // A crash after the commit leaves a complete upload's file under its old name.
        for stray in [complete, "stray"] {
            try Data().write(to: URL(fileURLWithPath: "\(folder)/assets/uploads/\(stray)"))
        }
        test = try TestDatabase(folder: folder)
        try await test.database.assets.sweep()
        #expect(test.uploadFiles == [name])
        let client = ResumableClient(test)
        #expect(try await client.send(name, at: 50, [Array(bytes[50...])]).asset != nil)
        #expect(try await client.get(complete).asset != nil)
        #expect(test.assetFiles.count == 2)
        await test.close()
    }

    // MARK: Faults

    @Test(arguments: [false, true]) func `a fault of the store at any step leaves an upload that can be gone on with`(
        _ losesTransaction: Bool
    ) async throws {
        let bytes = someBytes(3_000)
        var step = 0
        var fired = true
        while fired {
            let test = try TestDatabase()
            let client = ResumableClient(test)
            let name = try await client.create(3_000)
            let plan = FaultPlan(
                failAt: step, with: StoreFailure(code: 13, message: "full"), losesTransaction: losesTransaction)
            test.inject(plan)
            _ = try? await client.send(name, at: 0, [Array(bytes[..<1_000])])
            let offset = try await client.get(name).offset
            _ = try? await client.send(name, at: offset, [Array(bytes[Int(offset)...])])
            test.inject(nil)
            fired = plan.hasFired
            let status = try await client.head(name)
            if status.asset == nil {
                let rest = Array(bytes[Int(status.offset)...])
                #expect(try await client.send(name, at: status.offset, [rest]).asset != nil, "step \(step)")
            }
            #expect(
                try await client.get(name).asset?.asset.fileChecksum == SHA256.hash(bytes).base64, "step \(step)")
            // What was kept before the fault has a name that nobody knows, until the next start.
            #expect(test.assetFiles.allSatisfy { $0 == bytes }, "step \(step)")
            #expect(test.uploadFiles.isEmpty, "step \(step)")
            step += 1
            try #require(step < 200)
        }
        #expect(step > 8)
    }
}
