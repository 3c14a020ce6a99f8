internal import RecordModel
internal import RecordWire

/// The work of a bulk change. The first failure ends the work, and its error carries the progress. One exception: a
/// delete on a full disk continues with smaller slices.
///
/// Unchecked: see `SlicedWork`.
final class BulkWork: SlicedWork, @unchecked Sendable {
    /// Writes additional rows in the transaction of a slice. Receives the progress including this slice, and whether
    /// this slice is the last.
    typealias Note = @Sendable (BulkProgress, _ isLast: Bool, WriteTransaction) throws(RecordError) -> Void

    private let change: BulkChange
    private let records: [RecordNumber]
    private let note: Note
    /// The progress of the committed slices.
    private(set) var progress: BulkProgress
    private var position = 0
    /// The progress including the current slice, which is not committed yet.
    private var next: BulkProgress
    /// The maximum number of records in one slice. The work reduces it when the disk is full and the WAL has no space
    /// for a larger slice.
    private var sliceRecords = 1_000
    /// The maximum number of records in the current slice; after the slice has run, the number of records in it.
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
    var isOfItems: Bool { true }
    var pace: SliceBudget.Pace { .awaited }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        budget.limit(to: sliceRecords)
        attempted = min(sliceRecords, records.count - position)
        next = progress
        try change.perform(on: records[position...], in: transaction, &budget, &next)
        attempted = budget.done
        next.followed += transaction.followed
        let isLast = position + attempted == records.count
        try note(next, isLast, transaction)
        return SliceProgress(hasMore: !isLast, done: attempted)
    }

    func didCommit(_ slice: SliceProgress) -> AfterCommit? {
        progress = next
        position += slice.done
        return nil
    }

    func didFail(_ error: RecordError) -> SliceRetry {
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
    /// The error of a failed slice. The text says how many records earlier slices changed, and that these changes stay.
    fileprivate func after(_ progress: BulkProgress) -> RecordError {
        let told = cause == .storageFull ? "The server's disk became full" : reason
        var error = self
        error.reason = "\(told). \(progress.changed) of \(progress.matched) records were changed before and stay so"
        return error
    }
}
