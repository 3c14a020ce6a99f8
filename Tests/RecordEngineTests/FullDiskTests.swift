import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing

/// A disk without room: what was deleted makes some, and the server knows whether it can write.
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
        let answer = try await test.batch(
            #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"\#(name)"}}]}"#)
        #expect(answer.allSatisfy { $0["serverErrorCode"] == nil }, "\(answer)")
    }

    /// Before, one commit without room was a 507, however much a checkpoint would have given.
    @Test(arguments: [full, quota]) func `a write without room runs again when the log was copied`(
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
            #expect(await test.database.writeObstacle(looks: true) == nil)
            await test.close()
        }
    }

    @Test(arguments: [(full, WriteObstacle.full), (quota, .quota), (readOnly, .readOnly)])
    func `a disk that stays so is told, and that it takes writes again`(
        error: StoreFailure, obstacle: WriteObstacle
    ) async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":1"#)
        #expect(await test.database.writeObstacle() == nil)
        _ = await Self.inject(error, lasts: true, into: test)
        let refused = await refusal { try await test.create("b", #""n":2"#) }
        #expect(refused?.cause == (obstacle == .readOnly ? .unavailable : .storageFull))
        // The space would do, but what is written is not taken.
        #expect(await test.database.writeObstacle(looks: true) == obstacle)
        #expect(obstacle.error.code == .tryAgainLater)
        #expect(try test.read("a").fields["n"] == .int64(1))
        test.inject(nil)
        #expect(await test.database.writeObstacle(looks: true) == nil)
        try await test.create("b", #""n":2"#)
        await test.close()
        #expect(await test.database.writeObstacle() == .closed)
    }

    @Test func `after a failed sync that is what is told`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":1"#)
        var step = 0
        while test.database.isHealthy {
            _ = await Self.inject(StoreFailure(code: 1034, message: "fsync"), at: step, lasts: false, into: test)
            _ = await refusal { try await test.create("b\(step)") }
            test.inject(nil)
            step += 1
            try #require(step < 50)
        }
        #expect(await test.database.writeObstacle(looks: true) == .failedSync)
    }

    /// Before, the log had taken the whole disk, and nothing could be deleted.
    @Test(.enabled(if: SmallDisk.isPossible, Comment(rawValue: SmallDisk.reason)), arguments: [500, 20_000, 400_000])
    func `a full disk is left by deleting`(size: Int) async throws {
        let disk = try SmallDisk(megabytes: 12)
        let test = try TestDatabase(folder: disk.path + "/db", keepsFolder: true)
        StartReserve(in: disk.path + "/db").keep()
        let text = String(repeating: "x", count: size)
        func fill(_ round: String) async throws -> [String] {
            var names: [String] = []
            while true {
                try #require(names.count < 50_000)
                let batch = size < 5_000 ? 100 : 1
                let next = (0..<batch).map { "\(round)-\(names.count + $0)" }
                let error = await refusal { try await Self.create(next, "\"t\":\"\(text)\"", in: test) }
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
        #expect(await test.database.writeObstacle(looks: true) == .full)
        for name in first { try await Self.delete(name, in: test) }
        // Of small records tombstones are left, which fill pages.
        func forget() async throws {
            if size < 1_000 { #expect(try await test.database.maintenance.forgetDeletions(olderThan: -1) > 0) }
        }
        try await forget()
        #expect(await test.database.writeObstacle(looks: true) == nil)
        // What was deleted can be taken by others, not once alone.
        for round in ["b", "c"] {
            let names = try await fill(round)
            #expect(names.count > first.count / 2, "\(round): \(names.count) of \(first.count)")
            for name in names { try await Self.delete(name, in: test) }
            try await forget()
        }
        #expect(await test.database.writeObstacle(looks: true) == nil)
        await test.close()
    }

    @Test(.enabled(if: SmallDisk.isPossible, Comment(rawValue: SmallDisk.reason)))
    func `a disk that others have filled takes deletions, and is told before a write has failed`() async throws {
        let disk = try SmallDisk(megabytes: 16)
        let test = try TestDatabase(folder: disk.path + "/db", keepsFolder: true)
        StartReserve(in: disk.path + "/db").keep()
        let text = String(repeating: "x", count: 9_000)
        for number in 0..<40 { try await Self.create(["r\(number)"], "\"t\":\"\(text)\"", in: test) }
        #expect(await test.database.writeObstacle(looks: true) == nil)
        let filler = disk.path + "/filler"
        Self.fill(filler)
        #expect(await test.database.writeObstacle(looks: true) == .full)
        for number in 0..<40 { try await Self.delete("r\(number)", in: test) }
        unlink(filler)
        #expect(await test.database.writeObstacle(looks: true) == nil)
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
