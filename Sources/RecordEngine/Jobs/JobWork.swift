internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// The sliced work of one job of a caller.
///
/// Each slice reads the state of the job first. So a job that is paused or canceled changes nothing more.
///
/// Unchecked: see `SlicedWork`.
final class JobWork: SlicedWork, @unchecked Sendable {
    private let id: JobID
    private unowned let database: RecordDatabase
    /// How the job does its task; `nil` until the first slice has read the task.
    private var steps: (any JobSteps)?
    /// The number of items in the current slice.
    private var next = 0
    /// Who pays for the items of the current slice, and how many of them count as one operation; `nil` without a limit.
    private var payer: (caller: Caller, recordsPerOperation: Int)?
    /// The number of records that do not make up an operation yet.
    private var uncharged = 0
    /// How long the job waits for the rate limit of its caller; `nil` if it does not wait.
    private(set) var pause: Duration?
    /// Whether a slice of items was committed.
    private(set) var hasAdvanced = false
    /// When the current slice of running time began, in nanoseconds of the monotonic clock.
    private var timed = MonotonicClock.now

    init(_ id: JobID, in database: RecordDatabase) {
        self.id = id
        self.database = database
    }

    var weight: Int { 64 }
    var operations: Int { 1 }
    var frees: Bool { steps?.frees ?? false }
    var isOfItems: Bool { true }
    var pace: SliceBudget.Pace { .awaited }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        let jobs = transaction.store.jobs
        (next, payer, pause) = (0, nil, nil)
        guard let row = try jobs.find(id), row.state == .running else { return SliceProgress(hasMore: false) }
        guard let steps else {
            steps = try JobTask(stored: row.task).steps()
            return SliceProgress(hasMore: true)
        }
        if let perOperation = steps.recordsPerOperation, let caller = row.caller.caller,
            let allowance = database.writeLimits.limiter?.allowance(of: caller, in: database)
        {
            guard allowance.operations > 0 else {
                pause = allowance.pause
                return SliceProgress(hasMore: false)
            }
            payer = (caller, perOperation)
            budget.limit(to: allowance.operations * perOperation - uncharged)
        }
        var stored = row.progress
        let part = try steps.perform(id, in: transaction, &budget, &stored)
        next = budget.done
        let now = MonotonicClock.now
        stored.worked += Int64((now &- timed) / 1_000_000)
        timed = now
        if case .last = part { stored.total = stored.done + stored.skipped }
        try jobs.advance(id, stored)
        switch part {
        case .notLast: return SliceProgress(hasMore: true, done: next)
        case .last: try jobs.set(.succeeded, of: id, now: transaction.now)
        case .failed(let error): try jobs.set(.failed, of: id, now: transaction.now, error: JobWriter.json(error))
        }
        return SliceProgress(hasMore: false, done: next)
    }

    func didCommit(_ slice: SliceProgress) -> AfterCommit? {
        if next > 0 {
            hasAdvanced = true
            steps?.didCommit()
            charge()
        }
        guard slice.hasMore, let steps, steps.needsRound else { return nil }
        return { () throws(RecordError) in try await self.prepareRound() }
    }

    /// Counts the items of the slice in the rate limit of the caller's writes.
    private func charge() {
        guard let payer else { return }
        uncharged += next
        database.writeLimits.limiter?.charge(uncharged / payer.recordsPerOperation, to: payer.caller, in: database)
        uncharged %= payer.recordsPerOperation
    }

    private func prepareRound() async throws(RecordError) {
        try await steps?.prepareRound(of: id, in: database)
    }

    func didFail(_ error: RecordError) -> SliceRetry { steps?.didFail(error) ?? .end(error) }
}
