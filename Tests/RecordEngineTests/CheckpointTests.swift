import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@Suite struct CheckpointTests {
    /// A database that counts as idle at once, and then checkpoints a log of any size.
    private static func eager() throws -> TestDatabase {
        var rules = CheckpointPolicy()
        rules.idlePages = 1
        rules.idleTime = .zero
        return try TestDatabase(checkpoints: rules)
    }

    /// Waits for the given number of checkpoints, limited by the test's time. The reader releases its snapshot first,
    /// like an idle reader.
    private static func wait(for count: UInt64, on test: TestDatabase, resting: Bool = true) async {
        if resting { test.reader.rest() }
        while test.database.statistics.checkpoints < count { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(5))) func `the WAL is checkpointed when no writes come, and restarts`() async throws {
        let test = try Self.eager()
        let start = test.database.fileSizes.database
        try await test.create("a", #""text":"\#(String(repeating: "a", count: 50_000))""#)
        // The type was created by a separate commit, which may have been copied alone.
        test.reader.rest()
        while test.database.fileSizes.database < start + 50_000 { await Task.yield() }
        #expect(try test.read("a").fields["text"] != nil)
        // Sometimes a checkpoint meets a reader, and the WAL continues at its end; without readers it does not grow.
        var number: Int64 = 0
        var (before, after) = (-1, 0)
        while after > before {
            before = test.database.fileSizes.log
            number += 1
            let made = test.database.statistics.checkpoints
            test.reader.rest()
            try await test.change("a", #""n":\#(number)"#)
            await Self.wait(for: made + 1, on: test)
            after = test.database.fileSizes.log
        }
        #expect(try test.read("a").fields["n"] == .int64(number))
    }

    @Test(.timeLimit(.minutes(5))) func `an open snapshot keeps its content`() async throws {
        let test = try Self.eager()
        try await test.create("a", #""n":1"#)
        try test.reader.refresh()
        // The snapshot is open: later commits are copied only as far as it permits.
        try await test.change("a", #""n":2"#)
        await Self.wait(for: 1, on: test, resting: false)
        #expect(try test.read("a").fields["n"] == .int64(2))
        try await test.create("b", #""n":3"#)
        await test.close()
        let again = try TestDatabase(directory: test.directory, keepsDirectory: true)
        #expect(try again.read("a").fields["n"] == .int64(2))
        #expect(try again.read("b").fields["n"] == .int64(3))
    }

    /// Long before the log is full.
    @Test func `a large commit is checkpointed after the writes that waited for it`() async throws {
        var rules = CheckpointPolicy()
        (rules.idlePages, rules.largeCommit, rules.pagesOfLarge) = (.max, 16, 20)
        let test = try TestDatabase(checkpoints: rules)
        try await test.create("a", #""n":1"#)
        for round in 0..<3 {
            let text = String(repeating: "a", count: 100_000)
            try await test.create("large\(round)", #""text":"\#(text)""#)
            #expect(test.database.statistics.checkpoints == UInt64(round))
            for number in 0..<3 { try await test.create("small\(round)-\(number)", #""n":1"#) }
            #expect(test.database.statistics.checkpoints == UInt64(round) + 1)
        }
        #expect(try test.read("large2").fields["text"] != nil)
    }

    @Test func `without a setting the limit of the WAL is 16 MB`() {
        #expect(CheckpointPolicy(walBytes: 16 << 20) == CheckpointPolicy())
    }

    /// Each write is a commit of at least two pages of 4 KiB, in a log that is copied at 64.
    @Test func `a WAL with a low limit is checkpointed early`() async throws {
        let test = try TestDatabase(checkpoints: CheckpointPolicy(walBytes: 256 << 10))
        for number in 0..<64 { try await test.create("r\(number)") }
        #expect(test.database.statistics.checkpoints >= 2)
        #expect(try test.read("r63").fields.isEmpty)
    }

    /// If one of two long queries always had a snapshot, the WAL could not restart, and would grow until the disk is full.
    ///
    ///     first     view open ───────────────┐ ends
    ///     second          waits to come in ──┼──────── view open
    ///     writer    … log is full, waits ────┴ copies, restarts
    @Test(.timeLimit(.minutes(5))) func `long queries that overlap do not prevent a restart of the WAL`()
        async throws
    {
        var rules = CheckpointPolicy(walBytes: 256 << 10)
        rules.idleTime = .zero
        // For a machine of any speed.
        rules.longestWait = .seconds(3_600)
        var limits = DatabaseLimits()
        limits.queryMilliseconds = 3_600_000
        let test = try TestDatabase(limits: limits, checkpoints: rules)
        try await test.create("a")
        test.reader.rest()
        let text = String(repeating: "a", count: 10_000)
        func write(_ count: Int) async throws {
            for _ in 0..<count { try await test.change("a", #""t":"\#(text)""#) }
            test.reader.rest()
        }
        let first = try test.database.makeReader(.query)
        try first.refresh()
        // The log waits for the first.
        try await write(200)
        let second = LongReader(test.database)
        let before = test.database.fileSizes.log
        first.rest()
        // Whether it starts before or after the restart of the WAL, it sees all acknowledged writes.
        await second.hasView()
        try await write(1)
        // As many bytes again as the log has now fit into it.
        try await write(100)
        #expect(test.database.fileSizes.log <= before + 128 << 10)
        await second.end()
    }

    @Test func `a small WAL is left alone`() async throws {
        var rules = CheckpointPolicy()
        rules.idleTime = .zero
        let test = try TestDatabase(checkpoints: rules)
        for number in 0..<10 { try await test.create("r\(number)") }
        #expect(test.database.statistics.checkpoints == 0)
    }
}

/// A reader for long queries on its own thread, which opens a snapshot and keeps it.
private final class LongReader: Sendable {
    private let isThere = Gate()
    private let mayEnd = Gate()
    private let hasEnded = Gate()

    init(_ database: RecordDatabase) {
        Thread.detachNewThread { [self] in
            if let reader = try? database.makeReader(.query), (try? reader.refresh()) != nil {
                isThere.open()
                mayEnd.waitBlocking()
                reader.rest()
            }
            hasEnded.open()
        }
    }

    func hasView() async { await isThere.wait() }

    func end() async {
        mayEnd.open()
        await hasEnded.wait()
    }
}
