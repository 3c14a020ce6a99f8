import Foundation
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing
import Threads

@testable import RecordEngine

/// What happens to times and orders when the system clock is set.
@Suite struct SystemClockTests {
    private static let start: Int64 = 1_800_000_000_000
    private static let day: Int64 = 86_400_000

    private final class Clock: Sendable {
        private let time = Locked<Int64>(SystemClockTests.start)
        var now: Int64 {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }
    }

    private static func database(_ clock: Clock, directory: String? = nil) throws -> TestDatabase {
        try TestDatabase(.production, directory: directory, keepsDirectory: directory != nil, clock: { clock.now })
    }

    @Test func `a small step back holds the time, and a large one does not`() async throws {
        let clock = Clock()
        let test = try Self.database(clock)
        try await test.putType(fields: #""n":{"type":"INT64"}"#)
        func create(_ name: String) async throws -> Int64? {
            try await test.create(name, #""n":1"#)
            return try test.read(name).modified?.timestamp
        }
        clock.now = Self.start + 10_000
        #expect(try await create("a") == Self.start + 10_000)
        clock.now = Self.start + 5_000
        #expect(try await create("held") == Self.start + 10_000)
        #expect(test.database.createdFollowsIDs && test.database.statistics.takeStepBack() == nil)
        clock.now = Self.start + 4_999
        #expect(try await create("followed") == Self.start + 4_999)
        #expect(!test.database.createdFollowsIDs)
        #expect(test.database.statistics.takeStepBack() == 5_001)
        #expect(test.database.statistics.takeStepBack() == nil)
        // One wrong reading leaves one wrong time.
        clock.now = Self.start + Self.day
        #expect(try await create("ahead") == Self.start + Self.day)
        clock.now = Self.start + 20_000
        #expect(try await create("back") == Self.start + 20_000)
        try await test.change("ahead", #""n":2"#)
        #expect(try test.read("ahead").modified?.timestamp == Self.start + 20_000)
        await test.close()
    }

    @Test func `queries by creation time are right after the clock went back, with and without an index`() async throws
    {
        let clock = Clock()
        let test = try Self.database(clock)
        try await test.putType(fields: #""g":{"type":"INT64","indexes":["QUERYABLE"]},"n":{"type":"INT64"}"#)
        var times: [String: Int64] = [:]
        func fill(_ name: String, at time: Int64) async throws {
            clock.now = time
            for number in 0..<20 {
                try await test.create("\(name)\(number)", #""g":\#(number % 2),"n":1"#)
                times["\(name)\(number)"] = clock.now
                clock.now += 1_000
            }
        }
        try await fill("a", at: Self.start)
        try await fill("ahead", at: Self.start + Self.day)
        // A page from before, and its reader with cached plans.
        let before = try await test.query("g == 1", sort: "-createdTimestamp", limit: 5)
        let listed = try test.list(limit: 7)
        try await fill("b", at: Self.start + 60_000)
        let stale = await rejection {
            _ = try await test.query("g == 1", sort: "-createdTimestamp", limit: 5, cursor: before.cursor)
        }
        #expect(stale?.cause == .tokenInvalid)
        #expect(try test.list(limit: 100, cursor: listed.cursor).names.count == 53)
        func check(_ comment: Comment) async throws {
            for condition in ["", "g == 1", "createdTimestamp >= \(Self.start + 60_000)"] {
                for sort in ["createdTimestamp", "-createdTimestamp"] {
                    let expected = times.filter { name, time in
                        switch condition {
                        case "": true
                        case "g == 1": ["1", "3", "5", "7", "9"].contains(name.suffix(1))
                        default: time >= Self.start + 60_000
                        }
                    }.sorted { sort == "createdTimestamp" ? $0.value < $1.value : $0.value > $1.value }.map(\.key)
                    #expect(try await test.pages(condition, sort: sort, limit: 7) == expected, comment)
                }
            }
        }
        try await check("without an index")
        try await test.database.schemas.indexCreationTimes()
        await test.database.indexes.waitUntilBuilt()
        #expect(try test.indexes().count == 2)
        try await check("with the index")
        // Nothing more is added.
        let version = test.database.schema.version
        try await test.database.schemas.indexCreationTimes()
        #expect(test.database.schema.version == version)
        await test.close()
    }

    @Test func `a restart with a clock that is behind follows it, and keeps the fact`() async throws {
        let clock = Clock()
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var test = try Self.database(clock, directory: directory)
        try await test.putType(fields: #""n":{"type":"INT64"}"#)
        clock.now += 3 * 3_600_000
        try await test.create("a", #""n":1"#)
        await test.close()
        clock.now = Self.start
        test = try Self.database(clock, directory: directory)
        try await test.create("b", #""n":1"#)
        #expect(try test.read("b").created?.timestamp == Self.start)
        let stepBack = test.database.statistics.takeStepBack()
        #expect(stepBack == 10_800_000)
        await test.close()
        clock.now += 4 * 3_600_000
        test = try Self.database(clock, directory: directory)
        #expect(!test.database.createdFollowsIDs)
        await test.close()
    }

    @Test func `the fact is stored with the first group that is committed`() async throws {
        let clock = Clock()
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var test = try Self.database(clock, directory: directory)
        try await test.putType(fields: #""n":{"type":"INT64"}"#)
        clock.now += Self.day
        try await test.create("a", #""n":1"#)
        clock.now = Self.start
        var failures = 0
        for step in 0..<8 {
            let failure = StoreFailure(.other, "lost")
            test.inject(FaultPlan(failAt: step, with: failure, losesTransaction: true))
            if await rejection({ try await test.create("f\(step)", #""n":1"#) }) != nil { failures += 1 }
            test.inject(nil)
        }
        #expect(failures > 0)
        try await test.create("b", #""n":1"#)
        #expect(try test.read("b").created?.timestamp == Self.start)
        await test.close()
        test = try Self.database(clock, directory: directory)
        #expect(!test.database.createdFollowsIDs)
        await test.close()
    }

    @Test func `a backup that a crash has ended fails, even if it began when the clock was ahead`() async throws {
        let clock = Clock()
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var test = try Self.database(clock, directory: directory)
        clock.now += 3_000 * Self.day
        await test.database.jobs.showBackup()
        await test.close()
        clock.now = Self.start
        test = try Self.database(clock, directory: directory)
        var pauses = Pauses()
        var states: [JSONValue?] = []
        let limit = ContinuousClock.now + .seconds(60)
        repeat {
            try test.reader.refresh()
            let jobs = try test.reader.jobs.list(Jobs.Filter(limit: 10), for: .administrator(.bootstrap)).jobs
            states = jobs.map { $0.json(for: .administrator(.bootstrap))["state"] }
            await pauses.pause()
        } while states != ["failed"] && ContinuousClock.now < limit
        #expect(states == ["failed"])
        await test.close()
    }
}
