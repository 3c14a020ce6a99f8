internal import RecordModel
internal import RecordWire

/// Makes one change to a set of records. Ends with the first failure, and tells how far it came.
///
/// Unchecked: see `Job`.
final class BulkJob: Job, @unchecked Sendable {
    /// What is written together with a slice; told how far the change is with it, and whether it is the last.
    typealias Note = @Sendable (BulkProgress, _ isLast: Bool, WriteTransaction) throws(RecordError) -> Void

    private let change: BulkChange
    private let records: [RecordNumber]
    private let note: Note
    /// What is committed.
    private(set) var progress: BulkProgress
    private var position = 0
    /// What is done once the slice under way is committed.
    private var next: BulkProgress
    /// The most records of one slice; fewer on a full disk, whose log has no room for so many.
    private var sliceRecords = 1_000
    /// The records that the slice under way may touch, or has touched.
    private var attempted = 0

    init(_ change: BulkChange, on records: [RecordNumber], _ progress: BulkProgress, note: @escaping Note) {
        self.change = change
        self.records = records
        self.progress = progress
        next = progress
        self.note = note
    }

    var weight: Int { 64 }
    var operations: Int { 1 }
    var frees: Bool { change.isDeletion }
    var pace: SliceBudget.Pace { .awaited }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> JobProgress {
        budget.limit(to: sliceRecords)
        attempted = min(sliceRecords, records.count - position)
        next = progress
        try change.perform(on: records[position...], in: transaction, &budget, &next)
        attempted = budget.done
        let isLast = position + attempted == records.count
        try note(next, isLast, transaction)
        return JobProgress(hasMore: !isLast, done: attempted)
    }

    func didCommit(_ slice: JobProgress) -> AfterCommit? {
        progress = next
        position += slice.done
        return nil
    }

    func didFail(_ error: RecordError) -> JobRetry {
        if error.cause == .storageFull, change.isDeletion, attempted > 1 {
            attempted = max(1, attempted / 4)
            sliceRecords = attempted
            return .again
        }
        var failure = progress.changed > 0 ? error.after(progress) : error
        failure.details += [
            ("matched", .number(Int64(progress.matched))), ("changed", .number(Int64(progress.changed))),
            ("skipped", .number(Int64(progress.skips.count))),
        ]
        return .end(failure)
    }
}

extension RecordError {
    /// The refusal of a slice, which is none of those before it.
    fileprivate func after(_ progress: BulkProgress) -> RecordError {
        let told = cause == .storageFull ? "The server's disk became full" : reason
        var error = self
        error.reason = "\(told). \(progress.changed) of \(progress.matched) records were changed before and stay so"
        return error
    }
}
