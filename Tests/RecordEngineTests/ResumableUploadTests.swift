import Cryptography
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import TestSupport
import Testing

@Suite struct ResumableUploadTests {
    // MARK: Durable offsets

    @Test func `an acknowledged offset survives reopening, and garbage after it is truncated`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        let bytes = someBytes(300_000)
        let name: String
        do {
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            let client = ResumableClient(test)
            name = try await client.create(300_000, type: "text/plain", filename: "a.txt")
            #expect(try await client.head(name).offset == 0)
            let status = try await client.send(
                name, at: 0, [Array(bytes[..<100_000]), Array(bytes[100_000..<200_001])])
            #expect(status.offset == 200_001 && status.length == 300_000 && status.asset == nil)
            await test.close()
        }
        // Bytes that were written and never synced may be anything after a power cut.
        let path = "\(directory)/assets/uploads/\(name)"
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: [UInt8](repeating: 0, count: 50_000))
        try file.close()

        let test = try TestDatabase(directory: directory)
        let client = ResumableClient(test)
        #expect(try await client.head(name).offset == 200_001)
        let status = try await client.send(name, at: 200_001, [Array(bytes[200_001...])])
        let asset = try #require(status.asset?.asset)
        #expect(status.offset == 300_000)
        #expect(asset.fileChecksum == SHA256.hash(bytes).base64 && asset.size == 300_000)
        #expect(asset.contentType == "text/plain" && asset.filename == "a.txt" && asset.receipt != nil)
        #expect(test.assetFiles == [bytes])
        #expect(test.uploadFiles.isEmpty)
        #expect(try await client.get(name).asset?.asset.fileChecksum == asset.fileChecksum)
        await test.close()
    }

    /// As after a disk that has lost synced bytes.
    @Test(arguments: [400, 1_000]) func `an upload with a truncated file is gone and can be terminated`(
        acknowledged: Int64
    ) async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        let name: String
        do {
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            let client = ResumableClient(test)
            name = try await client.create(1_000)
            #expect(try await client.send(name, at: 0, [someBytes(400)]).offset == 400)
            await test.close()
            // All of it, and a crash before it was completed.
            try test.tamper("UPDATE resumable_upload SET offset = \(acknowledged)")
        }
        let path = "\(directory)/assets/uploads/\(name)"
        #expect(truncate(path, 399) == 0)

        let test = try TestDatabase(directory: directory)
        let client = ResumableClient(test)
        let error = await rejection {
            if acknowledged == 1_000 {
                _ = try await client.head(name)
            } else {
                try await client.send(name, at: 400, [someBytes(600)])
            }
        }
        #expect(error?.code == .notFound && error?.cause == .tokenExpired)
        #expect(test.uploadFiles == [name])
        try await client.terminate(name)
        #expect(test.uploadFiles.isEmpty)
        await test.close()
    }

    @Test func `the received bytes of an interrupted part are kept`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let bytes = someBytes(1_000)
        let name = try await client.create(1_000)
        await #expect(throws: BrokenOff.self) {
            try await client.send(name, at: 0, [Array(bytes[..<10]), Array(bytes[10..<400])], breaksOff: true)
        }
        #expect(try await client.get(name).offset == 400)
        await #expect(throws: BrokenOff.self) { try await client.send(name, at: 400, [], breaksOff: true) }
        let status = try await client.send(name, at: 400, [Array(bytes[400...])])
        #expect(status.asset?.asset.fileChecksum == SHA256.hash(bytes).base64)
    }

    @Test(arguments: 1...12) func `random parts, interrupted and reopened at random, join to the whole`(
        _ seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let total = Int.random(in: 0...400_000, using: &generator)
        let bytes = someBytes(total, seed: seed)
        let isDeferred = Bool.random(using: &generator)
        var test = try TestDatabase(directory: directory, keepsDirectory: true)
        let name = try await ResumableClient(test).create(isDeferred ? nil : Int64(total))
        while true {
            if Int.random(in: 0..<4, using: &generator) == 0 {
                await test.close()
                test = try TestDatabase(directory: directory, keepsDirectory: true)
            }
            let client = ResumableClient(test)
            let status = try await client.head(name)
            if status.asset != nil { break }
            let offset = Int(status.offset)
            var pieces: [[UInt8]] = []
            var end = offset
            for _ in 0..<Int.random(in: 1...4, using: &generator) where end < total {
                let next = min(total, end + Int.random(in: 1...80_000, using: &generator))
                pieces.append(Array(bytes[end..<next]))
                end = next
            }
            let breaksOff = Bool.random(using: &generator)
            let checksum: ResumablePart.Checksum? =
                Bool.random(using: &generator)
                ? .init(algorithm: .sha256, digest: SHA256.hash(Array(bytes[offset..<end])).bytes) : nil
            let length = isDeferred && end == total ? Int64(total) : nil
            do {
                let after = try await client.send(
                    name, at: status.offset, pieces, length: length, checksum: checksum, breaksOff: breaksOff)
                #expect(!breaksOff && after.offset == end)
            } catch is BrokenOff {
                let after = try await client.get(name)
                // A part with a checksum counts as a whole or not at all.
                #expect(after.offset == (checksum == nil ? end : offset) || after.asset != nil)
            }
        }
        let status = try await ResumableClient(test).get(name)
        #expect(status.asset?.asset.fileChecksum == SHA256.hash(bytes).base64)
        #expect(status.offset == total && status.length == Int64(total))
        #expect(test.assetFiles == [bytes])
        #expect(test.uploadFiles.isEmpty)
        await test.close()
    }

    @Test func `an empty upload is complete at once`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let name = try await client.create(0)
        let status = try await client.get(name)
        #expect(status.asset?.asset.size == 0 && status.offset == 0)
        #expect(test.uploadFiles.isEmpty)
        // Nothing more to say about it is no error.
        #expect(try await client.send(name, at: 0, []).asset != nil)
        #expect(await rejection { try await client.send(name, at: 0, [[1]], count: 1) }?.cause == .tooLarge)
    }

    @Test func `an upload with all bytes and no asset, as after a crash, is completed by the next request`()
        async throws
    {
        for asksByHead in [true, false] {
            let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
            var test = try TestDatabase(directory: directory, keepsDirectory: true)
            let bytes = someBytes(5_000)
            let name = try await ResumableClient(test).create(9_000)
            try await ResumableClient(test).send(name, at: 0, [bytes])
            await test.close()
            try test.tamper("UPDATE resumable_upload SET length = 5000")
            test = try TestDatabase(directory: directory)
            let client = ResumableClient(test)
            let status = asksByHead ? try await client.head(name) : try await client.get(name)
            #expect(status.asset?.asset.fileChecksum == SHA256.hash(bytes).base64)
            #expect(test.uploadFiles.isEmpty)
            await test.close()
        }
    }

    @Test func `content that is there already is not stored twice`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let bytes = someBytes(2_000)
        for _ in 0..<2 {
            let name = try await client.create(2_000)
            #expect(try await client.send(name, at: 0, [bytes]).asset != nil)
        }
        #expect(test.assetFiles == [bytes])
        #expect(test.uploadFiles.isEmpty)
    }

    // MARK: Checksums

    @Test(arguments: DigestAlgorithm.allCases) func `a part with another checksum is dropped`(
        _ algorithm: DigestAlgorithm
    ) async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let bytes = someBytes(3_000)
        let name = try await client.create(3_000)
        let first = Array(bytes[..<1_000])
        let digest = { (bytes: [UInt8]) throws -> ResumablePart.Checksum in
            let digest = try #require(MessageDigest(algorithm))
            digest.update(bytes)
            return .init(algorithm: algorithm, digest: digest.finalize())
        }
        try await client.send(name, at: 0, [first], checksum: try digest(first))
        let wrong = await rejection {
            try await client.send(name, at: 1_000, [Array(bytes[1_000...])], checksum: try digest(first))
        }
        #expect(wrong?.cause == .digestMismatch)
        #expect(try await client.head(name).offset == 1_000)
        await #expect(throws: BrokenOff.self) {
            try await client.send(
                name, at: 1_000, [Array(bytes[1_000..<2_000])], checksum: try digest(first), breaksOff: true)
        }
        #expect(try await client.get(name).offset == 1_000)
        let rest = Array(bytes[1_000...])
        let status = try await client.send(name, at: 1_000, [rest], checksum: try digest(rest))
        #expect(status.asset?.asset.fileChecksum == SHA256.hash(bytes).base64)
        #expect(test.assetFiles == [bytes])
    }

    // MARK: Refusals

    @Test func `impossible offsets and lengths are rejected and change nothing`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let name = try await client.create(100)
        try await client.send(name, at: 0, [someBytes(40)])
        for offset: Int64 in [0, 39, 41, 100, .max] {
            let error = await rejection { try await client.send(name, at: offset, [[1]]) }
            #expect(error?.code == .conflict && error?.details.first?.value == .number(40))
        }
        #expect(await rejection { try await client.send(name, at: 40, [[1]], length: 99) }?.code == .badRequest)
        #expect(await rejection { try await client.send(name, at: 40, [], count: 61) }?.cause == .tooLarge)
        #expect(try await client.get(name).offset == 40)
        // Of a part without a length, the bytes that fit are kept.
        let long = await rejection { try await client.send(name, at: 40, [someBytes(50), someBytes(11)]) }
        #expect(long?.cause == .tooLarge)
        #expect(try await client.get(name).offset == 90)
    }

    @Test func `a deferred length is set once and not too small`() async throws {
        let test = try TestDatabase()
        let client = ResumableClient(test)
        let name = try await client.create(nil)
        try await client.send(name, at: 0, [someBytes(40)])
        #expect(try await client.get(name).length == nil)
        #expect(await rejection { try await client.send(name, at: 40, [], length: 39) }?.code == .badRequest)
        #expect(try await client.send(name, at: 40, [], length: 50).length == 50)
        #expect(await rejection { try await client.send(name, at: 40, [], length: 51) }?.code == .badRequest)
        #expect(try await client.send(name, at: 40, [someBytes(10)], length: 50).asset != nil)
    }

    @Test func `only its uploader uses an upload, in its database`() async throws {
        let test = try TestDatabase()
        let (ann, _) = try await test.signUp("ann")
        let (bob, _) = try await test.signUp("bob")
        let name = try await ResumableClient(test, as: ann).create(10)
        let mine = DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.userID)))
        for stranger in [
            ResumableClient(test), ResumableClient(test, as: bob), ResumableClient(test, as: ann, in: mine),
        ] {
            #expect(await stranger.isGone(name))
            #expect(await rejection { _ = try await stranger.head(name) }?.code == .notFound)
            #expect(await rejection { try await stranger.send(name, at: 0, [[1]]) }?.code == .notFound)
            #expect(await rejection { try await stranger.terminate(name) }?.code == .notFound)
        }
        let anonymous = ResumableClient(test, as: .anonymous)
        #expect(await rejection { _ = try await anonymous.create(10) }?.code == .authenticationRequired)
        #expect(await anonymous.isGone(name))
        #expect(try await ResumableClient(test, as: ann).get(name).offset == 0)
        #expect(await rejection { _ = try await ResumableClient(test, as: bob, in: mine).create(1) } != nil)
    }
}
