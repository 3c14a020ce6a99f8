import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing

/// A full disk: deletions free space, and the server knows whether it can write.
@Suite struct FullDiskTests {
    private static let full = StoreFailure(code: 13, message: "database or disk is full")
    private static let quota = StoreFailure(code: 778, message: "disk I/O error", systemError: 122)
    private static let readOnly = StoreFailure(code: 8, message: "attempt to write a readonly database")

    private static func inject(
        _ error: StoreFailure, at step: Int = 0, lasts: Bool, into test: TestDatabase
    ) async -> FaultPlan {
        let plan = FaultPlan(failAt: step, with: error, losesTransaction: true, lasts: lasts)
        test.inject(plan)
        return plan
    }

    /// Writes without a reader: those of the server hold no snapshot while they wait.
    private static func create(_ names: [String], _ fields: String, in test: TestDatabase) async throws {
        let records = names.map {
            #"{"operationType":"create","record":{"recordType":"Post","recordName":"\#($0)","fields":{\#(fields)}}}"#
        }
        _ = try await test.batch("{\"operations\":[\(records.joined(separator: ","))]}")
    }

    private static func delete(_ name: String, in test: TestDatabase) async throws {
        let response = try await test.batch(
            #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"\#(name)"}}]}"#)
        #expect(response.allSatisfy { $0["serverErrorCode"] == nil }, "\(response)")
    }

    /// A commit without space must not fail with 507 while a checkpoint would free enough.
    @Test(arguments: [full, quota]) func `a write without disk space is retried after a checkpoint`(
        error: StoreFailure
    ) async throws {
        for step in 0..<8 {
            let test = try TestDatabase()
            try await test.create("a", #""n":1"#)
            test.reader.rest()
            let plan = await Self.inject(error, at: step, lasts: false, into: test)
            try await Self.create(["b"], #""n":2"#, in: test)
            test.inject(nil)
            #expect(plan.hasFired, "step \(step)")
            #expect(try test.read("b").fields["n"] == .int64(2))
            #expect(await test.database.writeBlocker(looks: true) == nil)
            await test.close()
        }
    }

    @Test(arguments: [(full, WriteBlocker.full), (quota, .quota), (readOnly, .readOnly)])
    func `a disk that stays full is reported, and so is its recovery`(
        error: StoreFailure, blocker: WriteBlocker
    ) async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":1"#)
        #expect(await test.database.writeBlocker() == nil)
        _ = await Self.inject(error, lasts: true, into: test)
        let rejected = await rejection { try await test.create("b", #""n":2"#) }
        #expect(rejected?.cause == (blocker == .readOnly ? .unavailable : .storageFull))
        // The space would suffice, but the write fails.
        #expect(await test.database.writeBlocker(looks: true) == blocker)
        #expect(blocker.error.code == .tryAgainLater)
        #expect(try test.read("a").fields["n"] == .int64(1))
        test.inject(nil)
        #expect(await test.database.writeBlocker(looks: true) == nil)
        try await test.create("b", #""n":2"#)
        await test.close()
        #expect(await test.database.writeBlocker() == .closed)
    }

    @Test func `after a failed sync the error reports the sync`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":1"#)
        var step = 0
        while test.database.isHealthy {
            _ = await Self.inject(StoreFailure(code: 1034, message: "fsync"), at: step, lasts: false, into: test)
            _ = await rejection { try await test.create("b\(step)") }
            test.inject(nil)
            step += 1
            try #require(step < 50)
        }
        #expect(await test.database.writeBlocker(looks: true) == .failedSync)
    }

    /// Even if the WAL fills the whole disk, deletions must work.
    @Test(.enabled(if: SmallDisk.isPossible, Comment(rawValue: SmallDisk.reason)), arguments: [950, 20_000, 400_000])
    func `deletions free a full disk`(size: Int) async throws {
        let disk = try SmallDisk(megabytes: 12)
        let test = try TestDatabase(directory: disk.path + "/db", keepsDirectory: true)
        StartReserve(in: disk.path + "/db").keep()
        let text = String(repeating: "x", count: size)
        func fill(_ round: String) async throws -> [String] {
            var names: [String] = []
            while true {
                try #require(names.count < 50_000)
                let batch = size < 5_000 ? 100 : 1
                let next = (0..<batch).map { "\(round)-\(names.count + $0)" }
                let error = await rejection { try await Self.create(next, "\"t\":\"\(text)\"", in: test) }
                if let error {
                    #expect(error.cause == .storageFull)
                    break
                }
                names += next
            }
            return names
        }
        let first = try await fill("a")
        try #require(first.count > 5)
        #expect(await test.database.writeBlocker(looks: true) == .full)
        for name in first { try await Self.delete(name, in: test) }
        // Of small records tombstones are left, which fill pages.
        func forget() async throws {
            if size < 1_000 { #expect(try await test.database.maintenance.forgetDeletions(olderThan: -1) > 0) }
        }
        try await forget()
        #expect(await test.database.writeBlocker(looks: true) == nil)
        // Writes can use the space of deleted records, repeatedly.
        for round in ["b", "c"] {
            let names = try await fill(round)
            #expect(names.count > first.count / 2, "\(round): \(names.count) of \(first.count)")
            for name in names { try await Self.delete(name, in: test) }
            try await forget()
        }
        #expect(await test.database.writeBlocker(looks: true) == nil)
        await test.close()
    }

    @Test(.enabled(if: SmallDisk.isPossible, Comment(rawValue: SmallDisk.reason)))
    func `a disk that others have filled accepts deletions and is reported before a write fails`() async throws {
        let disk = try SmallDisk(megabytes: 16)
        let test = try TestDatabase(directory: disk.path + "/db", keepsDirectory: true)
        StartReserve(in: disk.path + "/db").keep()
        let text = String(repeating: "x", count: 9_000)
        for number in 0..<40 { try await Self.create(["r\(number)"], "\"t\":\"\(text)\"", in: test) }
        #expect(await test.database.writeBlocker(looks: true) == nil)
        let filler = disk.path + "/filler"
        Self.fill(filler)
        #expect(await test.database.writeBlocker(looks: true) == .full)
        for number in 0..<40 { try await Self.delete("r\(number)", in: test) }
        unlink(filler)
        #expect(await test.database.writeBlocker(looks: true) == nil)
        try await Self.create(["more"], "", in: test)
        await test.close()
    }

    /// Writes a file to the last block of its disk.
    private static func fill(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let piece = [UInt8](repeating: 1, count: 4_096)
        while write(descriptor, piece, piece.count) == piece.count {}
    }
}
