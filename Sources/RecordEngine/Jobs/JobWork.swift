package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// The sliced work of one job of a caller.
///
/// The job changes its records in the order of their numbers, in rounds. A round finds the matches with the smallest
/// numbers after the job's position; its slices change them. Each slice stores the position in the same transaction, so
/// the job changes no record twice, also if the process ends in between. Records that were created after the job have
/// greater numbers than its last one, so the job ends.
///
/// Each slice reads the state of the job first. So a job that is paused or canceled changes nothing more.
///
/// Unchecked: see `SlicedWork`.
final class JobWork: SlicedWork, @unchecked Sendable {
    private let id: JobID
    private unowned let database: RecordDatabase
    /// The matches of the current round, and how many of them are done.
    private var round: [RecordNumber] = []
    private var index = 0
    private var isLastRound = false
    private var change: BulkChange?
    private var task: JobTask?
    private var skips: SkippedRecords?
    /// The number of records in the current slice, and its skips.
    private var next: (done: Int, skips: SkippedRecords?) = (0, nil)
    /// The maximum number of records in one slice. A full disk reduces it.
    private var sliceRecords = 1_000
    private var attempted = 0
    /// Whether a slice of records was committed.
    private(set) var hasAdvanced = false
    /// When the current slice of running time began, in nanoseconds of the monotonic clock.
    private var timed = MonotonicClock.now

    /// The maximum number of records in a round. They take 0.8 MB, and the search for them takes less than a second.
    private static let roundRecords = 100_000
    /// The time limit for finding the matches of a round.
    private static let roundTime = Duration.seconds(120)

    init(_ id: JobID, in database: RecordDatabase) {
        self.id = id
        self.database = database
    }

    var weight: Int { 64 }
    var operations: Int { 1 }
    var frees: Bool { change?.isDeletion ?? false }
    var isOfItems: Bool { true }
    var pace: SliceBudget.Pace { .awaited }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        let jobs = transaction.store.jobs
        next = (0, skips)
        attempted = 0
        guard let row = try jobs.find(id), row.state == .running else { return SliceProgress(hasMore: false) }
        if task == nil {
            task = try JobTask(stored: row.task)
            return SliceProgress(hasMore: true)
        }
        var stored = row.progress
        if let change, index < round.count {
            budget.limit(to: sliceRecords)
            attempted = min(sliceRecords, round.count - index)
            var progress = BulkProgress(matched: 0)
            try change.requireRight(in: transaction)
            try change.perform(on: round[index...], in: transaction, &budget, &progress)
            attempted = budget.done
            var skips = skips ?? SkippedRecords(json: (try? stored.skips.map(JSONValue.parse)) ?? .null)
            skips.add(progress.skips)
            next = (budget.done, skips)
            stored.done += Int64(progress.changed)
            stored.skipped = Int64(skips.count)
            stored.skips = skips.count == 0 ? nil : skips.json.bytes
            stored.position = round[index + budget.done - 1]
        }
        let now = MonotonicClock.now
        stored.worked += Int64((now &- timed) / 1_000_000)
        timed = now
        let isEnd = isLastRound && index + next.done == round.count
        if isEnd { stored.total = stored.done + stored.skipped }
        try jobs.advance(id, stored)
        if isEnd { try jobs.set(.succeeded, of: id, now: transaction.now) }
        return SliceProgress(hasMore: !isEnd, done: next.done)
    }

    func didCommit(_ slice: SliceProgress) -> AfterCommit? {
        index += next.done
        if next.done > 0 { hasAdvanced = true }
        skips = next.skips
        guard slice.hasMore, index == round.count, !isLastRound else { return nil }
        return { () throws(RecordError) in try await self.findRound() }
    }

    func didFail(_ error: RecordError) -> SliceRetry {
        if error.cause == .storageFull, change?.isDeletion == true, attempted > 1 {
            sliceRecords = max(1, attempted / 4)
            return .again
        }
        return .end(error)
    }

    // MARK: Rounds

    private struct Round: Sendable {
        var records: [RecordNumber]
        var isLast: Bool
        var change: BulkChange?
        var total: Int?
    }

    /// Finds the matches of the next round. The first round also counts all matches.
    private func findRound() async throws(RecordError) {
        guard let task else { throw .databaseUnavailable }
        let id = id
        let found = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try Self.findRound(of: id, task, by: reader)
        }
        if let total = found.total {
            let id = id
            try await database.write { transaction throws(RecordError) in
                guard var progress = try transaction.store.jobs.find(id)?.progress else { return }
                progress.total = progress.done + progress.skipped + Int64(total)
                try transaction.store.jobs.advance(id, progress)
            }
        }
        round = found.records
        index = 0
        isLastRound = found.isLast
        change = found.change
    }

    private static func findRound(
        of id: JobID, _ task: JobTask, by reader: RecordReader
    ) throws(RecordError) -> Round {
        let end = Round(records: [], isLast: true)
        guard let row = try reader.store.jobs.find(id), let address = row.address.address,
            let caller = row.caller.caller
        else { return end }
        let request = task.request(for: try reader.callers.current(caller, in: address), in: address)
        guard let bound = try reader.queries.bind(request.query), let zone = bound.zone else { return end }
        try reader.queries.requireIndexes(bound, request.query)
        let budget = QueryBudget(time: roundTime, workPerRecord: BulkChange.workPerRecord)
        let query = try TargetResolver.resolve(bound, by: reader.queries, budget)
        var smallest = SmallestNumbers(roundRecords)
        var count = 0
        try reader.queries.runnerOfAll(query, zone: zone, budget).forEachMatch { record throws(RecordError) in
            guard record > row.progress.position, record <= row.progress.last else { return }
            count += 1
            smallest.add(record)
        }
        let isFirst = row.progress.done == 0 && row.progress.skipped == 0
        if isFirst, let most = task.maxAffected, count > most { throw .tooManyAffected(count, limit: most) }
        let records = smallest.finish()
        return Round(
            records: records, isLast: count == records.count,
            change: BulkChange(
                request, type: query.type, predicate: query.condition, isRestrictedToOwn: query.isRestrictedToOwn,
                reader: reader), total: count)
    }
}

/// Keeps the smallest of many record numbers.
package struct SmallestNumbers {
    private let limit: Int
    private var numbers: [RecordNumber] = []
    /// Greater numbers are not among the smallest.
    private var bound: RecordNumber?

    /// Keeps nothing yet.
    ///
    /// - Parameter limit: How many numbers to keep.
    package init(_ limit: Int) { self.limit = limit }

    /// Adds a number, in any order.
    package mutating func add(_ number: RecordNumber) {
        if let bound, number > bound { return }
        numbers.append(number)
        if numbers.count >= 2 * limit { shorten() }
    }

    private mutating func shorten() {
        numbers.sort()
        if numbers.count > limit { numbers.removeLast(numbers.count - limit) }
        if numbers.count == limit { bound = numbers.last }
    }

    /// Returns the smallest numbers in ascending order.
    package mutating func finish() -> [RecordNumber] {
        shorten()
        return numbers
    }
}
