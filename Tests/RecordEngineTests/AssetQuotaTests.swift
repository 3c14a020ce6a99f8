import Cryptography
import RecordEngine
import RecordModel
import RecordStorage
import Testing

/// What uploads may take: of the quota, of one file, of the disk. What is refused leaves nothing behind.
@Suite struct AssetQuotaTests {
    private static let ann = Caller.user(16, roles: [:])
    private static let bob = Caller.user(17, roles: [:])

    private static func limits(_ change: (inout DatabaseLimits) -> Void) -> DatabaseLimits {
        var limits = DatabaseLimits()
        change(&limits)
        return limits
    }

    private func isOverQuota(_ body: () async throws -> Void) async -> Bool {
        await refusal(body)?.code == .quotaExceeded
    }

    @Test func `unused bytes count for their uploader until a record has them`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        var assets: [Asset] = []
        for number in 0..<3 { assets.append(try await test.upload(sampleBytes(number, count: 3_000), as: Self.ann)) }
        for isAnnounced in [true, false] {
            #expect(
                await isOverQuota {
                    try await test.upload(sampleBytes(9, count: 3_000), as: Self.ann, isAnnounced: isAnnounced)
                })
        }
        // The same again is no second upload, and others have quotas of their own.
        try await test.upload(sampleBytes(8, count: 1_000), as: Self.ann)
        try await test.upload(sampleBytes(9, count: 3_000), as: Self.bob)
        try await test.create("a", #""file":\#(assets[0].json())"#, as: Self.ann)
        try await test.upload(sampleBytes(9, count: 3_000), as: Self.ann)
        #expect(await isOverQuota { try await test.upload(sampleBytes(7, count: 1), as: Self.ann) })
        #expect(try test.assetTroubles() == [])
    }

    @Test func `an upload of unknown length may take all that is left`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        try await test.upload(sampleBytes(1, count: 10_000), as: Self.ann, isAnnounced: false, piece: 999)
        #expect(
            await isOverQuota {
                try await test.upload(sampleBytes(2, count: 1), as: Self.ann, isAnnounced: false)
            })
        #expect(
            await isOverQuota {
                try await test.upload(sampleBytes(2, count: 10_001), as: Self.bob, isAnnounced: false, piece: 100)
            })
        #expect(try test.assetTroubles() == [])
    }

    @Test(arguments: [true, false]) func `uploads beside each other share one quota`(isAnnounced: Bool) async throws {
        // ```
        // upload A                       upload B
        // begins, no byte yet
        //                                brings 8,000 bytes, is answered
        // brings 8,000 bytes: refused
        // ```
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        let upload = AssetUpload(
            caller: Self.ann, address: .publicDefault, length: isAnnounced ? 8_000 : nil)
        var hasBegun = false
        var innerWasRefused = false
        let outer = await isOverQuota {
            _ = try await test.reader.receiveAsset(upload) {
                guard !hasBegun else { return nil }
                hasBegun = true
                innerWasRefused = await isOverQuota {
                    try await test.upload(sampleBytes(1, count: 8_000), as: Self.ann)
                }
                return sampleBytes(2, count: 8_000)
            }
        }
        // What is announced is held from the beginning on.
        #expect(innerWasRefused == isAnnounced)
        #expect(outer != innerWasRefused)
        #expect(try AssetAudit(test.folder).rows.count == 1)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `parts of unknown length beside each other share one quota`() async throws {
        // Each upload brings a byte, then the next one begins; they end one after the other.
        let limit = 4 << 20
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = limit })
        let client = ResumableClient(test, as: Self.ann)
        var refused = 0
        func bring(_ left: Int) async throws {
            let name = try await client.create(nil)
            var pieces = 0
            let part = ResumablePart(offset: 0)
            let isRefused = await isOverQuota {
                _ = try await client.reader.continueUpload(client.named(name), part) {
                    pieces += 1
                    if pieces == 2, left > 1 { try await bring(left - 1) }
                    return switch pieces {
                    case 1: [1]
                    case ...7: sampleBytes(left * 10 + pieces, count: 640_000)
                    default: nil
                    }
                }
            }
            if isRefused { refused += 1 }
        }
        try await bring(4)
        #expect(refused >= 3)
        let connection = try Connection(path: DataFolder.databasePath(in: test.folder), role: .writer)
        let kept = try #require(try connection.integer("SELECT sum(coalesce(length, offset)) FROM resumable_upload"))
        #expect(kept <= limit)
        #expect(test.uploadBytes <= limit, "on the disk")
        // Nothing is held that is not there: what is left can be had.
        let rest = limit - Int(kept)
        if rest > 0 { try await test.upload(sampleBytes(99, count: rest), as: Self.ann, isAnnounced: false) }
        #expect(await isOverQuota { try await test.upload([1], as: Self.ann) })
    }

    @Test func `an upload of unknown length that is made durable meanwhile counts once`() async throws {
        let limit = 90 << 20
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = limit })
        let client = ResumableClient(test, as: Self.ann)
        let name = try await client.create(nil)
        let piece = sampleBytes(1, count: 1 << 20)
        // Twice while it goes on, what has come is synced.
        let status = try await client.send(name, at: 0, Array(repeating: piece, count: 90))
        #expect(status.offset == limit)
        #expect(await isOverQuota { try await client.send(name, at: status.offset, [[1]]) })
        #expect(try await client.head(name).offset == limit)
    }

    @Test func `an upload that breaks off gives back what it held, and leaves nothing`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        for isAnnounced in [true, false] {
            var pieces = 3
            let upload = AssetUpload(
                caller: Self.ann, address: .publicDefault, length: isAnnounced ? 10_000 : nil)
            await #expect(throws: AssetTestFailure.stopped) {
                _ = try await test.reader.receiveAsset(upload) {
                    pieces -= 1
                    if pieces == 0 { throw AssetTestFailure.stopped }
                    return sampleBytes(pieces)
                }
            }
            #expect(try AssetAudit(test.folder).files.isEmpty)
        }
        try await test.upload(sampleBytes(2, count: 10_000), as: Self.ann)
    }

    @Test func `a file that is too large is refused, if possible before a byte of it`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.assetBytes = 1_000 })
        try await test.upload(sampleBytes(1, count: 1_000))
        let upload = AssetUpload(caller: .administrator(.bootstrap), address: .publicDefault, length: 1_001)
        let error = await refusal {
            _ = try await test.reader.receiveAsset(upload) {
                Issue.record("It asked for bytes")
                return nil
            }
        }
        #expect(error?.cause == .tooLarge)
        #expect(
            await refusal { try await test.upload(sampleBytes(2, count: 1_001), isAnnounced: false, piece: 500) }?.cause
                == .tooLarge)
        #expect(try AssetAudit(test.folder).files.count == 1)
    }

    @Test func `uploads leave room on the disk for records`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.freeDiskBytes = Int.max })
        for isAnnounced in [true, false] {
            #expect(
                await refusal { try await test.upload(sampleBytes(1), isAnnounced: isAnnounced) }?.cause == .storageFull
            )
        }
        #expect(try AssetAudit(test.folder).files.isEmpty)
        try await test.create("a", #""n":1"#)
    }

    @Test func `another digest than the client's leaves nothing`() async throws {
        let test = try TestDatabase()
        var upload = AssetUpload(
            caller: .administrator(.bootstrap), address: .publicDefault, length: 1_000, digest: SHA256.hash([1]))
        #expect(
            await refusal { _ = try await test.reader.receiveAsset([sampleBytes(1)], for: upload) }?.cause
                == .digestMismatch)
        #expect(try AssetAudit(test.folder).files.isEmpty)
        upload.digest = SHA256.hash(sampleBytes(1))
        _ = try await test.reader.receiveAsset([sampleBytes(1)], for: upload)
    }

    @Test func `a file without bytes is a file`() async throws {
        let test = try TestDatabase()
        let asset = try await test.upload([])
        try await test.create("a", #""file":\#(asset.json())"#)
        #expect(try test.content("a") == [])
        #expect(try test.assetTroubles() == [])
    }
}
