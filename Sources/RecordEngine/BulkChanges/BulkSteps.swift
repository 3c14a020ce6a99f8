package import RecordModel
internal import RecordStorage
internal import RecordWire

/// The steps of a job that makes a bulk change.
///
/// The job changes its records in the order of their numbers. A round finds the matches with the smallest numbers after
/// the job's position. So the job changes no record twice. Records that were created after the job have greater numbers
/// than its last one, so the job ends.
final class BulkSteps: JobSteps {
    private let task: BulkTask
    private var round: Round?
    private var index = 0
    private var skips: SkippedRecords?
    /// The number of records in the current slice, and the skips including those.
    private var next: (done: Int, skips: SkippedRecords?) = (0, nil)
    /// The maximum number of records in one slice. A full disk reduces it.
    private var sliceRecords = 1_000
    private var attempted = 0

    /// The maximum number of records in a round. They take 0.8 MB, and the search for them takes less than a second.
    private static let roundRecords = 100_000
    /// The time limit for finding the matches of a round.
    private static let roundTime = Duration.seconds(120)

    private struct Round: Sendable {
        var records: [RecordNumber] = []
        var isLast = true
        var change: BulkChange?
        var total: Int?
    }

    init(_ task: BulkTask) { self.task = task }

    var recordsPerOperation: Int? { BulkChanges.recordsPerOperation }

    var frees: Bool { round?.change?.isDeletion ?? false }

    var needsRound: Bool {
        guard let round else { return true }
        return index == round.records.count && !round.isLast
    }

    func perform(
        _ job: JobID, in transaction: WriteTransaction, _ budget: inout SliceBudget, _ progress: inout StoredProgress
    ) throws(RecordError) -> JobPart {
        next = (0, skips)
        attempted = 0
        guard let round else { return .notLast }
        if let change = round.change, index < round.records.count {
            budget.limit(to: sliceRecords)
            attempted = min(sliceRecords, round.records.count - index)
            var bulk = BulkProgress(matched: 0)
            try change.requireRight(in: transaction)
            try change.perform(on: round.records[index...], in: transaction, &budget, &bulk)
            attempted = budget.done
            var skips = skips ?? SkippedRecords(json: (try? progress.skips.map(JSONValue.parse)) ?? .null)
            skips.add(bulk.skips)
            next = (budget.done, skips)
            progress.done += Int64(bulk.changed)
            progress.skipped = Int64(skips.count)
            progress.skips = skips.count == 0 ? nil : skips.json.bytes
            progress.position = round.records[index + budget.done - 1]
        }
        return round.isLast && index + next.done == round.records.count ? .last : .notLast
    }

    func didCommit() {
        index += next.done
        skips = next.skips
    }

    func didFail(_ error: RecordError) -> SliceRetry {
        if error.cause == .storageFull, frees, attempted > 1 {
            sliceRecords = max(1, attempted / 4)
            return .again
        }
        return .end(error)
    }

    // MARK: Rounds

    /// Finds the matches of the next round. The first round also counts all matches.
    func prepareRound(of job: JobID, in database: RecordDatabase) async throws(RecordError) {
        let task = task
        let found = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try Self.findRound(of: job, task, by: reader)
        }
        if let total = found.total {
            try await database.write { transaction throws(RecordError) in
                guard var progress = try transaction.store.jobs.find(job)?.progress else { return }
                progress.total = progress.done + progress.skipped + Int64(total)
                try transaction.store.jobs.advance(job, progress)
            }
        }
        round = found
        index = 0
    }

    private static func findRound(
        of id: JobID, _ task: BulkTask, by reader: RecordReader
    ) throws(RecordError) -> Round {
        guard let row = try reader.store.jobs.find(id), let address = row.address.address,
            let caller = row.caller.caller
        else { return Round() }
        let request = task.request(for: try reader.callers.current(caller, in: address), in: address)
        guard let bound = try reader.queries.bind(request.query), let zone = bound.zone else { return Round() }
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
