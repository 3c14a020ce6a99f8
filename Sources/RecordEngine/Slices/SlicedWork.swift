internal import RecordModel

/// Long work that the writer does in slices between other writes. Each slice is part of one commit.
///
/// The queue holds at most one slice of the same work, so its calls never overlap. All calls run on the writer's thread,
/// with one exception: `didFail` for a slice that the queue rejected, or whose `AfterCommit` failed. Conforming types
/// are `@unchecked Sendable` for this reason.
protocol SlicedWork: AnyObject, Sendable {
    /// Work that runs after a slice's commit and before the next slice, outside the writer's thread.
    typealias AfterCommit = @Sendable () async throws(RecordError) -> Void

    /// The number that a slice adds to the size of its group.
    var weight: Int { get }
    /// The account that the work is for; `nil` for the server. Accounts take turns with their large writes.
    var account: UserID? { get }
    /// The number of operations that a slice adds to the statistics.
    var operations: Int { get }
    /// Whether the work only deletes. If true, the work may use the disk space reserved for deletions on a full disk.
    var frees: Bool { get }
    /// Whether the slice sets its savepoints itself, one for each item. If it fails after an item, the whole group is
    /// rolled back, and the other writes of the group run again.
    var isOfItems: Bool { get }
    /// Whether a client waits for the work. The duration of a slice depends on this.
    var pace: SliceBudget.Pace { get }

    /// Runs one slice of the work inside the group's transaction.
    ///
    /// The writer may repeat a slice after it rolls back the whole group. The work's state must therefore change in
    /// `didCommit` and not in `slice`.
    ///
    /// - Throws: Any error. The writer then rolls back the slice and calls `didFail`.
    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress

    /// Updates the work's state. Called when the slice is durable.
    ///
    /// - Returns: Work to do before the next slice; `nil` for none.
    func didCommit(_ progress: SliceProgress) -> AfterCommit?

    /// Decides how to continue. Called when the slice failed or the queue rejected it; nothing of the slice is stored.
    func didFail(_ error: RecordError) -> SliceRetry
}

extension SlicedWork {
    var weight: Int { 1 }
    var account: UserID? { nil }
    var operations: Int { 0 }
    var frees: Bool { false }
    var isOfItems: Bool { false }
    var pace: SliceBudget.Pace { .background }
}

/// The result of a slice.
struct SliceProgress: Hashable, Sendable {
    /// Whether the work needs another slice.
    var hasMore: Bool
    /// The number of records or assets that the slice completed.
    var done = 0
}

/// What to do after a failed slice.
enum SliceRetry {
    /// Run another slice immediately. For work that has reduced the size of its slices.
    case again
    /// Run another slice after a pause. Each consecutive failure doubles the pause.
    case later
    /// End the work. Callers that wait for the work receive the error.
    case end(RecordError)
}
