import Cryptography
import Foundation
import Glibc
import RecordEngine
import RecordModel
import RecordStorage
import TestSupport
import Testing

/// The limits of uploads: the quota, the size of one file, the disk. A rejected upload leaves nothing.
@Suite struct AssetQuotaTests {
    private static let ann = Caller.user(16, roles: [:])
    private static let bob = Caller.user(17, roles: [:])

    private static func limits(_ change: (inout DatabaseLimits) -> Void) -> DatabaseLimits {
        var limits = DatabaseLimits()
        change(&limits)
        return limits
    }

    private func isOverQuota(_ body: () async throws -> Void) async -> Bool {
        await rejection(body)?.code == .quotaExceeded
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
        // A repetition is no second upload, and other users have separate quotas.
        try await test.upload(sampleBytes(8, count: 1_000), as: Self.ann)
        try await test.upload(sampleBytes(9, count: 3_000), as: Self.bob)
        try await test.create("a", #""file":\#(assets[0].json())"#, as: Self.ann)
        try await test.upload(sampleBytes(9, count: 3_000), as: Self.ann)
        #expect(await isOverQuota { try await test.upload(sampleBytes(7, count: 1), as: Self.ann) })
        #expect(try test.assetTroubles() == [])
    }

    @Test func `files that no record has any longer count again until they are collected`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        var assets: [Asset] = []
        for number in 0..<3 {
            let asset = try await test.upload(sampleBytes(number, count: 3_000), as: Self.ann)
            assets.append(asset)
            try await test.create("r\(number)", #""file":\#(asset.json())"#, as: Self.ann)
            try await test.delete("r\(number)")
        }
        #expect(await isOverQuota { try await test.upload(sampleBytes(9, count: 3_000), as: Self.ann) })
        // A record that has one again frees quota, regardless of the writer.
        let again = assets[0]
        try await test.create("a", #""file":\#(again.json()),"files":[\#(assets[1].json())]"#, as: Self.ann)
        try await test.upload(sampleBytes(9, count: 3_000), as: Self.ann)
        try await test.upload(sampleBytes(10, count: 3_000), as: Self.ann)
        // A field that moves an asset within its record leaves no claim.
        try await test.change(
            "a", #""file":null,"files":[\#(again.json())]"#, as: Self.ann)
        #expect(try test.assetTroubles() == [])
        try await test.database.assets.collect(unusedFor: -1)
        try await test.upload(sampleBytes(11, count: 10_000), as: Self.ann)
        #expect(try test.assetTroubles() == [])
    }

    /// Otherwise the quota would reveal whether another user has the file.
    @Test func `a file counts the same whether or not others have it`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        let bytes = sampleBytes(1, count: 6_000)
        for (name, caller) in [("17", Self.bob), ("16", Self.ann)] {
            let asset = try await test.upload(bytes, as: caller)
            try await test.create(name, #""file":\#(asset.json())"#, as: caller)
        }
        let sums = { try AssetAudit(test.directory).unusedSums.filter { $0.value > 0 } }
        #expect(try sums() == [:])
        try await test.delete("16")
        #expect(try sums() == [16: 6_000])
        #expect(await isOverQuota { try await test.upload(sampleBytes(2, count: 5_000), as: Self.ann) })
        // Bob's record was the last one, and it counts only for him.
        try await test.delete("17")
        #expect(try sums() == [16: 6_000, 17: 6_000])
        // For as long as an upload.
        try await test.database.travel("UPDATE asset_claim SET expires = 1 WHERE uploader = 16")
        try await test.database.assets.collect(unusedFor: 86_400)
        #expect(try sums() == [17: 6_000])
        #expect(try test.assetTroubles() == [])
    }

    /// An unused receipt of the same content, of another user or under another name, must not count as the last one.
    @Test func `a used claim stays next to unused ones`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        let bytes = sampleBytes(1, count: 6_000)
        let asset = try await test.upload(bytes, as: Self.ann)
        try await test.create("a", #""file":\#(asset.json())"#, as: Self.ann)
        try await test.upload(bytes, as: Self.bob)
        try await test.database.travel("UPDATE asset_claim SET expires = 1")
        try await test.database.assets.collect(unusedFor: 86_400)
        try await test.delete("a")
        #expect(try AssetAudit(test.directory).unusedSums[16] == 6_000)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `a file counts again however long a record has had it`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        let bytes = sampleBytes(1, count: 9_000)
        try await test.upload(sampleBytes(2, count: 500), as: Self.bob)
        for name in ["a", "b"] {
            let asset = try await test.upload(bytes, as: Self.ann)
            try await test.create(name, #""file":\#(asset.json())"#, as: Self.ann)
            try await test.database.travel("UPDATE asset_claim SET expires = 1")
            #expect(try await test.database.assets.collect(unusedFor: 86_400) == 0)
            // The last claim of an asset that a record has; the claim of the unused receipt has expired.
            #expect(try AssetAudit(test.directory).claims == (0, 1))
            // The receipt is no longer valid.
            let late = await rejection { try await test.create("c", #""file":\#(asset.json())"#, as: Self.ann) }
            #expect(late?.cause == .tokenInvalid)
        }
        for name in ["a", "b"] { try await test.delete(name) }
        #expect(await isOverQuota { try await test.upload(sampleBytes(3, count: 2_000), as: Self.ann) })
        #expect(try await test.database.assets.collect(unusedFor: 86_400) == 0)
        #expect(try AssetAudit(test.directory).unusedSums[16] == 9_000)
        #expect(try test.assetTroubles() == [])
        try await test.database.assets.collect(unusedFor: -1)
        #expect(try AssetAudit(test.directory).claims == (0, 0))
        try await test.upload(sampleBytes(3, count: 2_000), as: Self.ann)
    }

    @Test func `a file of an older version counts the assets that no record had any longer`() async throws {
        let patient = try await DoctorPatient { directory in
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            for number in 0..<2 {
                let asset = try await test.upload(sampleBytes(number, count: 3_000), as: Self.ann)
                try await test.create("r\(number)", #""file":\#(asset.json())"#, as: Self.ann)
            }
            try await test.delete("r0")
            await test.close()
        }
        for sql in [
            "DROP TABLE cloudkit_token", "DROP INDEX api_key_by_key_id", "ALTER TABLE api_key DROP COLUMN key_id",
            "ALTER TABLE api_key DROP COLUMN public_key", "ALTER TABLE session DROP COLUMN lifetime",
            "DROP TABLE schema_snapshot",
            "DROP TABLE job", "DROP TABLE schedule", "DROP TABLE webhook", "DROP TABLE webhook_delivery",
            "DROP TABLE hierarchy", "DROP TABLE access_update", "DROP TABLE job_rejection", "DROP TABLE share",
            "DROP TABLE participant",
            "DROP TABLE subscription", "DROP TABLE notification_token",
            "DROP TABLE lost_zone", "DROP INDEX zone_by_change", "ALTER TABLE zone DROP COLUMN changed",
            "ALTER TABLE zone DROP COLUMN created",
            "DROP TABLE audit_count",
            "DROP INDEX audit_refused",
            "DROP TRIGGER audit_is_kept", "DROP TRIGGER audit_retention_rises",
            "ALTER TABLE audit_retention DROP COLUMN refused_before",
            "CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT 1; END",
            "CREATE TRIGGER audit_retention_rises BEFORE UPDATE ON audit_retention BEGIN SELECT 1; END",
            "ALTER TABLE usage DROP COLUMN public_records", "ALTER TABLE usage DROP COLUMN public_bytes",
            "ALTER TABLE usage DROP COLUMN public_asset_bytes",
            "DROP INDEX account_by_name_key", "ALTER TABLE account DROP COLUMN name_key",
            "DROP TABLE look_alike_account",
            "DROP TABLE gone_account", "DROP TABLE opening", "ALTER TABLE type DROP COLUMN acl_required",
            "ALTER TABLE record DROP COLUMN received", "ALTER TABLE type DROP COLUMN has_preserved",
            "ALTER TABLE type DROP COLUMN former", "ALTER TABLE field DROP COLUMN former",
            "ALTER TABLE type DROP COLUMN renamed", "ALTER TABLE type DROP COLUMN renaming",
            "CREATE TRIGGER asset_claim_used AFTER UPDATE ON asset_claim BEGIN SELECT 1; END",
            "CREATE TRIGGER asset_claim_gone AFTER DELETE ON asset_claim BEGIN SELECT 1; END",
            """
            CREATE TRIGGER asset_claim_settled AFTER UPDATE OF used ON asset_claim WHEN old.used = 2 BEGIN
                UPDATE asset_unused SET bytes = bytes - old.size WHERE uploader = old.uploader;
            END
            """,
            "UPDATE asset_claim SET used = 1 WHERE used = 2", "DROP TRIGGER asset_claim_settled",
            "DELETE FROM migration WHERE position >= (SELECT position FROM migration WHERE name = 'assets that count again')",
        ] { try patient.injure(sql) }
        #expect(try AssetAudit(patient.directory).unusedSums == [:])
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        #expect(try AssetAudit(patient.directory).unusedSums == [16: 3_000])
        #expect(try test.assetTroubles() == [])
        await test.close()
    }

    @Test func `an upload of unknown length may use the whole remaining quota`() async throws {
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

    @Test(arguments: [true, false]) func `concurrent uploads share one quota`(isAnnounced: Bool) async throws {
        // ```
        // upload A                       upload B
        // begins, no byte yet
        //                                brings 8,000 bytes, is answered
        // 8,000 more bytes: rejected
        // ```
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        let upload = AssetUpload(
            caller: Self.ann, address: .publicDefault, length: isAnnounced ? 8_000 : nil)
        var hasBegun = false
        var innerWasRefused = false
        let outer = await isOverQuota {
            _ = try await test.reader.assets.receive(upload) {
                guard !hasBegun else { return nil }
                hasBegun = true
                innerWasRefused = await isOverQuota {
                    try await test.upload(sampleBytes(1, count: 8_000), as: Self.ann)
                }
                return sampleBytes(2, count: 8_000)
            }
        }
        // The announced length is reserved from the start.
        #expect(innerWasRefused == isAnnounced)
        #expect(outer != innerWasRefused)
        #expect(try AssetAudit(test.directory).rows.count == 1)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `concurrent parts of unknown length share one quota`() async throws {
        // Each upload sends a byte before the next one begins; they end one after the other.
        let limit = 4 << 20
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = limit })
        let client = ResumableClient(test, as: Self.ann)
        var rejected = 0
        func bring(_ left: Int) async throws {
            let name = try await client.create(nil)
            var pieces = 0
            let part = ResumablePart(offset: 0)
            let isRejected = await isOverQuota {
                _ = try await client.reader.uploads.append(part, to: client.named(name)) {
                    pieces += 1
                    if pieces == 2, left > 1 { try await bring(left - 1) }
                    return switch pieces {
                    case 1: [1]
                    case ...7: sampleBytes(left * 10 + pieces, count: 640_000)
                    default: nil
                    }
                }
            }
            if isRejected { rejected += 1 }
        }
        try await bring(4)
        #expect(rejected >= 3)
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        let kept = try #require(try connection.integer("SELECT sum(coalesce(length, offset)) FROM resumable_upload"))
        #expect(kept <= limit)
        #expect(test.uploadBytes <= limit, "on the disk")
        // Reservations do not exceed the kept bytes: the remaining quota is usable.
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
        // The received bytes are synced twice during the upload.
        let status = try await client.send(name, at: 0, Array(repeating: piece, count: 90))
        #expect(status.offset == limit)
        #expect(await isOverQuota { try await client.send(name, at: status.offset, [[1]]) })
        #expect(try await client.head(name).offset == limit)
    }

    @Test func `an interrupted upload releases its reservation and leaves nothing`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.unreferencedAssetBytes = 10_000 })
        for isAnnounced in [true, false] {
            var pieces = 3
            let upload = AssetUpload(
                caller: Self.ann, address: .publicDefault, length: isAnnounced ? 10_000 : nil)
            await #expect(throws: AssetTestFailure.stopped) {
                _ = try await test.reader.assets.receive(upload) {
                    pieces -= 1
                    if pieces == 0 { throw AssetTestFailure.stopped }
                    return sampleBytes(pieces)
                }
            }
            #expect(try AssetAudit(test.directory).files.isEmpty)
        }
        try await test.upload(sampleBytes(2, count: 10_000), as: Self.ann)
    }

    @Test func `a file that is too large is rejected, if possible before a byte of it`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.assetBytes = 1_000 })
        try await test.upload(sampleBytes(1, count: 1_000))
        let upload = AssetUpload(caller: .administrator(.bootstrap), address: .publicDefault, length: 1_001)
        let error = await rejection {
            _ = try await test.reader.assets.receive(upload) {
                Issue.record("It asked for bytes")
                return nil
            }
        }
        #expect(error?.cause == .tooLarge)
        #expect(
            await rejection { try await test.upload(sampleBytes(2, count: 1_001), isAnnounced: false, piece: 500) }?
                .cause
                == .tooLarge)
        #expect(try AssetAudit(test.directory).files.count == 1)
    }

    @Test func `uploads leave room on the disk for records`() async throws {
        let test = try TestDatabase(limits: Self.limits { $0.freeDiskBytes = Int.max })
        for isAnnounced in [true, false] {
            #expect(
                await rejection { try await test.upload(sampleBytes(1), isAnnounced: isAnnounced) }?.cause
                    == .storageFull
            )
        }
        #expect(try AssetAudit(test.directory).files.isEmpty)
        try await test.create("a", #""n":1"#)
    }

    /// Before the first file there is no directory whose free space could be read.
    @Test func `the very first upload leaves room too`() async throws {
        var status = statvfs()
        try #require(statvfs(NSTemporaryDirectory(), &status) == 0)
        let free = Int(status.f_bavail) * Int(status.f_frsize)
        let test = try TestDatabase(limits: Self.limits { $0.freeDiskBytes = free + 1 << 40 })
        for isAnnounced in [true, false] {
            #expect(
                await rejection { try await test.upload(sampleBytes(1), isAnnounced: isAnnounced) }?.cause
                    == .storageFull
            )
        }
        #expect(try AssetAudit(test.directory).files.isEmpty)
    }

    @Test func `an upload with another digest than the client's leaves nothing`() async throws {
        let test = try TestDatabase()
        var upload = AssetUpload(
            caller: .administrator(.bootstrap), address: .publicDefault, length: 1_000, digest: SHA256.hash([1]))
        #expect(
            await rejection { _ = try await test.reader.assets.receive([sampleBytes(1)], for: upload) }?.cause
                == .digestMismatch)
        #expect(try AssetAudit(test.directory).files.isEmpty)
        upload.digest = SHA256.hash(sampleBytes(1))
        _ = try await test.reader.assets.receive([sampleBytes(1)], for: upload)
    }

    @Test func `a file without bytes is a file`() async throws {
        let test = try TestDatabase()
        let asset = try await test.upload([])
        try await test.create("a", #""file":\#(asset.json())"#)
        #expect(try test.content("a") == [])
        #expect(try test.assetTroubles() == [])
    }
}
