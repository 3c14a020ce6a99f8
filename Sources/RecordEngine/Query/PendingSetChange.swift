internal import RecordModel
internal import RecordWire

/// The slices of one change of a set: after each commit the rest waits again, so that every group has one slice, and
/// other writers' turns come between them.
///
/// Unchecked: see `PendingWrite`.
final class PendingSetChange: PendingWrite, @unchecked Sendable {
    /// What is written together with a slice; told how far the change is with it, and whether it is the last.
    typealias Note = @Sendable (SetProgress, _ isLast: Bool, WriteTransaction) throws(RecordError) -> Void

    private let change: SetChange
    private let records: [RecordNumber]
    private let database: RecordDatabase
    private let note: Note
    private let continuation: UnsafeContinuation<Result<SetProgress, RecordError>, Never>
    /// What is committed.
    private var progress: SetProgress
    private var position = 0
    /// What the running slice has done.
    private var slice = (changed: 0, skips: SetSkips())

    /// The most records of one slice; fewer on a full disk, whose log has no room for so many.
    private var sliceRecords = 1_000
    /// The records that the running slice may touch, or has touched.
    private var attempted = 0
    /// The longest that one slice takes when it holds up nobody.
    private static let idleSlice: UInt64 = 8_000_000

    /// The longest that one holds up writers who wait: three quarters of what they wait for the disk anyway, so that a set
    /// goes on as well on a slow disk, and nobody waits twice as long for it.
    private static func busySlice(sync: UInt64) -> UInt64 { min(max(sync / 4 * 3, 2_000_000), 6_000_000) }

    init(
        _ change: SetChange, on records: [RecordNumber], _ progress: SetProgress, in database: RecordDatabase,
        note: @escaping Note, continuation: UnsafeContinuation<Result<SetProgress, RecordError>, Never>
    ) {
        self.change = change
        self.records = records
        self.progress = progress
        self.database = database
        self.note = note
        self.continuation = continuation
        super.init(operations: 1, weight: 64, isAlone: false, startsLazily: false)
    }

    override var frees: Bool { change.isDeletion }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        let isBusy = transaction.groupSize > 1 || database.queueDepth > 0
        attempted = min(sliceRecords, records.count - position)
        slice = try change.perform(
            on: records[position...].prefix(sliceRecords), in: transaction,
            nanoseconds: isBusy ? Self.busySlice(sync: transaction.lastSync) : Self.idleSlice)
        attempted = slice.changed + slice.skips.count
        try note(sum, position + attempted == records.count, transaction)
    }

    override func finish(_ failure: RecordError?) {
        if failure?.cause == .storageFull, change.isDeletion, attempted > 1 {
            slice = (0, SetSkips())
            attempted = max(1, attempted / 4)
            sliceRecords = attempted
            return database.submit(self)
        }
        if var failure {
            if progress.changed > 0 { failure = failure.after(progress) }
            failure.details += [
                ("matched", .number(Int64(progress.matched))), ("changed", .number(Int64(progress.changed))),
                ("skipped", .number(Int64(progress.skips.count))),
            ]
            continuation.resume(returning: .failure(failure))
            return
        }
        progress = sum
        position += slice.changed + slice.skips.count
        slice = (0, SetSkips())
        if position == records.count {
            continuation.resume(returning: .success(progress))
        } else {
            database.submit(self)
        }
    }

    private var sum: SetProgress {
        var sum = progress
        sum.changed += slice.changed
        sum.skips.add(slice.skips)
        return sum
    }
}

extension RecordError {
    /// The refusal of a slice, which is none of those before it.
    fileprivate func after(_ progress: SetProgress) -> RecordError {
        let told = cause == .storageFull ? "The server's disk became full" : reason
        var error = self
        error.reason = "\(told). \(progress.changed) of \(progress.matched) records were changed before and stay so"
        return error
    }
}
