import Cryptography
import Foundation
import RecordModel
import RecordStorage
import StoreTestSupport
import TestSupport
import Testing

@testable import RecordEngine

@Suite struct ResumableUploadLifeTests {
    // MARK: Concurrent requests

    /// A request that continues an upload ends the request that is writing it:
    ///
    ///     older                       newer
    ///     brings 1,000 bytes
    ///     waits for more
    ///                                 asks for the offset: 1,000
    ///                                 brings the rest: complete
    ///     gets more: rejected
    @Test func `a client that lost its connection continues at once`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let bytes = someBytes(3_000)
        let name = try await client.create(3_000)
        let (arrived, release) = (Gate(), Gate())
        let older = Self.stalledPart(of: name, Array(bytes[..<1_000]), in: test.database, arrived, release)
        await arrived.wait()
        // A request that only reads the offset interrupts no part, and neither does a part that cannot continue.
        #expect(try await client.get(name).offset == 0)
        let rejected = await rejection { try await client.send(name, at: 0, [bytes]) }
        #expect(rejected?.code == .conflict)
        // Not the offset that was just sent, which would make the client retry for ever, nor one that is not durable
        // yet.
        #expect(rejected?.details.isEmpty == true && rejected?.reason.contains("HEAD") == true)
        #expect(try await client.head(name).offset == 1_000)
        #expect(try await client.send(name, at: 1_000, [Array(bytes[1_000...])]).asset != nil)
        release.open()
        #expect(await older.value == .uploadTakenOver)
        #expect(test.assetFiles == [bytes])
        #expect(test.uploadFiles.isEmpty)
    }

    @Test func `a part at the offset that another part has reached takes over the upload`() async throws {
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

    @Test func `terminating an upload ends its running part`() async throws {
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
        #expect(await rejection { try await client.terminate(name) }?.code == .notFound)
    }

    /// A part that sends some bytes and then waits; its error.
    private static func stalledPart(
        of name: String, _ bytes: [UInt8], in database: RecordDatabase, _ arrived: Gate, _ release: Gate
    ) -> Task<RecordError?, Never> {
        Task.detached {
            await rejection {
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

    @Test(arguments: 1...5) func `concurrent parts leave the whole upload`(_ seed: UInt64) async throws {
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

    @Test func `the announced length counts against the quota, also after reopening`() async throws {
        var limits = DatabaseLimits()
        limits.unreferencedAssetBytes = 100
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        var test = try TestDatabase(limits: limits, directory: directory, keepsDirectory: true)
        let first = try await ResumableClient(test).create(60)
        for isReopened in [false, true] {
            if isReopened {
                await test.close()
                test = try TestDatabase(limits: limits, directory: directory)
            }
            let client = ResumableClient(test)
            #expect(await rejection { _ = try await client.create(41) }?.code == .quotaExceeded)
            let reader = test.reader
            let upload = AssetUpload(caller: .administrator(.bootstrap), address: .publicDefault, length: 41)
            #expect(await rejection { _ = try await reader.assets.receive(upload) { nil } }?.code == .quotaExceeded)
            // Of unknown length: the received bytes count.
            let open = try await client.create(nil)
            #expect(await rejection { try await client.send(open, at: 0, [someBytes(41)]) }?.code == .quotaExceeded)
            #expect(await rejection { try await client.send(open, at: 0, [], length: 41) }?.code == .quotaExceeded)
            try await client.send(open, at: 0, [], length: 40)
            #expect(await rejection { _ = try await client.create(1) }?.code == .quotaExceeded)
            try await client.terminate(open)
            try await client.terminate(try await client.create(40))
        }
        let client = ResumableClient(test)
        // When complete, it counts like any other unused upload.
        try await client.send(first, at: 0, [someBytes(60)])
        #expect(await rejection { _ = try await client.create(41) }?.code == .quotaExceeded)
        _ = try await client.create(40)
        await test.close()
    }

    @Test func `the number of unfinished uploads is limited`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        for _ in 0..<Uploads.mostUnfinished { _ = try await client.create(nil) }
        #expect(await rejection { _ = try await client.create(nil) }?.code == .quotaExceeded)
    }

    /// If one client begins a thousand uploads, their hash states must be freed before the uploads expire; otherwise
    /// the files of others are hashed again from their beginning for each part.
    @Test func `abandoned uploads take no memory from others`() async throws {
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

    @Test func `an upload is limited by the asset size and by the free disk space`() async throws {
        var limits = DatabaseLimits()
        limits.assetBytes = 1_000
        let test = try TestDatabase(limits: limits)
        let client = ResumableClient(test)
        #expect(await rejection { _ = try await client.create(1_001) }?.cause == .tooLarge)
        #expect(await rejection { _ = try await client.create(.max) }?.cause == .tooLarge)
        let open = try await client.create(nil)
        #expect(await rejection { try await client.send(open, at: 0, [], length: 1_001) }?.cause == .tooLarge)
        #expect(await rejection { try await client.send(open, at: 0, [someBytes(1_001)]) }?.cause == .tooLarge)

        limits.freeDiskBytes = .max
        let full = try TestDatabase(limits: limits)
        #expect(await rejection { _ = try await ResumableClient(full).create(10) }?.cause == .storageFull)
        let late = try await ResumableClient(full).create(nil)
        #expect(
            await rejection { try await ResumableClient(full).send(late, at: 0, [[1]]) }?.cause == .storageFull)
    }

    // MARK: Expiry

    @Test func `an expired upload is gone, and then its file and row are deleted`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        var test = try TestDatabase(directory: directory, keepsDirectory: true)
        let old = try await ResumableClient(test).create(100)
        let young = try await ResumableClient(test).create(100)
        for name in [old, young] { try await ResumableClient(test).send(name, at: 0, [someBytes(50)]) }
        #expect(test.uploadFiles == [old, young].sorted())
        await test.close()
        try test.tamper("UPDATE resumable_upload SET expires = 1 WHERE name = '\(old)'")
        test = try TestDatabase(directory: directory)
        let client = ResumableClient(test)
        for error in [
            await rejection { _ = try await client.get(old) }, await rejection { _ = try await client.head(old) },
            await rejection { try await client.send(old, at: 50, [[1]]) },
            await rejection { try await client.terminate(old) },
        ] {
            #expect(error?.code == .notFound && error?.cause == .tokenExpired)
        }
        try await test.database.assets.collect()
        #expect(await rejection { _ = try await client.get(old) }?.cause == nil)
        #expect(test.uploadFiles == [young])
        #expect(try await client.send(young, at: 50, [someBytes(50)]).asset != nil)
        await test.close()
    }

    @Test func `sweeping spares uploads that can be resumed`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        var test = try TestDatabase(directory: directory, keepsDirectory: true)
        let bytes = someBytes(100)
        let name = try await ResumableClient(test).create(100)
        try await ResumableClient(test).send(name, at: 0, [Array(bytes[..<50])])
        let complete = try await ResumableClient(test).create(10)
        try await ResumableClient(test).send(complete, at: 0, [someBytes(10, seed: 2)])
        await test.close()
        // A crash after the commit leaves a complete upload's file under its old name.
        for stray in [complete, "stray"] {
            try Data().write(to: URL(fileURLWithPath: "\(directory)/assets/uploads/\(stray)"))
        }
        test = try TestDatabase(directory: directory)
        try await test.database.assets.sweep()
        #expect(test.uploadFiles == [name])
        let client = ResumableClient(test)
        #expect(try await client.send(name, at: 50, [Array(bytes[50...])]).asset != nil)
        #expect(try await client.get(complete).asset != nil)
        #expect(test.assetFiles.count == 2)
        await test.close()
    }

    // MARK: Faults

    @Test(arguments: [false, true]) func `a fault of the store at any step leaves an upload that can be resumed`(
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
            // The file kept before the fault has an unreferenced name until the next start.
            #expect(test.assetFiles.allSatisfy { $0 == bytes }, "step \(step)")
            #expect(test.uploadFiles.isEmpty, "step \(step)")
            step += 1
            try #require(step < 200)
        }
        #expect(step > 8)
    }
}
