import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@Suite struct CheckpointTests {
    /// A database that counts as idle at once, and copies any log then.
    private static func eager() throws -> TestDatabase {
        var rules = CheckpointRules()
        rules.idlePages = 1
        rules.idleTime = .zero
        return try TestDatabase(checkpoints: rules)
    }

    /// Waits until so many checkpoints are made; the end of the test's time is the limit. The reader lets go of its view
    /// first, as one does whose thread has nothing to do.
    private static func wait(for count: UInt64, on test: TestDatabase, resting: Bool = true) async {
        if resting { test.reader.rest() }
        while test.database.statistics.checkpoints < count { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(5))) func `the log is copied when nothing is written, and begins anew`() async throws {
        let test = try Self.eager()
        let start = test.database.fileSizes.database
        try await test.create("a", #""text":"\#(String(repeating: "a", count: 50_000))""#)
        // The type came with a commit of its own, which may have been copied alone.
        test.reader.rest()
        while test.database.fileSizes.database < start + 50_000 { await Task.yield() }
        #expect(try test.read("a").fields["text"] != nil)
        // Now and then a checkpoint meets a reader, and the log goes on where it was; with nobody there, it does not grow.
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

    @Test(.timeLimit(.minutes(5))) func `a view that is held open keeps what it shows`() async throws {
        let test = try Self.eager()
        try await test.create("a", #""n":1"#)
        try test.reader.refresh()
        // The view is open: what comes later is copied no further than it allows.
        try await test.change("a", #""n":2"#)
        await Self.wait(for: 1, on: test, resting: false)
        #expect(try test.read("a").fields["n"] == .int64(2))
        try await test.create("b", #""n":3"#)
        await test.close()
        let again = try TestDatabase(folder: test.folder, keepsFolder: true)
        #expect(try again.read("a").fields["n"] == .int64(2))
        #expect(try again.read("b").fields["n"] == .int64(3))
    }

    /// Long before the log is full.
    @Test func `a large commit is copied when those who waited for it have written`() async throws {
        var rules = CheckpointRules()
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

    @Test func `sixteen megabytes of log are the rules without a setting`() {
        #expect(CheckpointRules(logBytes: 16 << 20) == CheckpointRules())
    }

    /// Each write is a commit of at least two pages of 4 KiB, in a log that is copied at 64.
    @Test func `a log that is to stay short is copied soon`() async throws {
        let test = try TestDatabase(checkpoints: CheckpointRules(logBytes: 256 << 10))
        for number in 0..<64 { try await test.create("r\(number)") }
        #expect(test.database.statistics.checkpoints >= 2)
        #expect(try test.read("r63").fields.isEmpty)
    }

    /// Two long queries of which one always had a view kept the log from beginning anew: it grew until the disk was full.
    ///
    ///     first     view open ───────────────┐ ends
    ///     second          waits to come in ──┼──────── view open
    ///     writer    … log is full, waits ────┴ copies, begins anew
    @Test(.timeLimit(.minutes(5))) func `long queries that overlap do not keep the log from beginning anew`()
        async throws
    {
        var rules = CheckpointRules(logBytes: 256 << 10)
        rules.idleTime = .zero
        // However slow the machine is.
        rules.longestPatience = .seconds(3_600)
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
        // Whether it came in before the log began anew or behind that, it sees what was acknowledged.
        await second.hasView()
        try await write(1)
        // As much again as is in the log by now finds its place in it.
        try await write(100)
        #expect(test.database.fileSizes.log <= before + 128 << 10)
        await second.end()
    }

    @Test func `a small log stays as it is`() async throws {
        var rules = CheckpointRules()
        rules.idleTime = .zero
        let test = try TestDatabase(checkpoints: rules)
        for number in 0..<10 { try await test.create("r\(number)") }
        #expect(test.database.statistics.checkpoints == 0)
    }
}

/// A reader for long queries on a thread of its own, which takes a view and keeps it.
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
