internal import RecordModel

/// Long work that the writer does in slices among other writes, each slice in one commit.
///
/// The queue holds at most one slice of a job, so that the calls of a job never overlap. All of them are on the writer's
/// thread, except `didFail` for a slice that the queue did not take or whose `AfterCommit` failed. Those who implement it
/// are unchecked for this reason.
protocol Job: AnyObject, Sendable {
    /// Work that comes after a commit and before the next slice, away from the writer's thread.
    typealias AfterCommit = @Sendable () async throws(RecordError) -> Void

    /// What a slice counts for in the size of a group.
    var weight: Int { get }
    /// The operations of a slice, for the statistics.
    var operations: Int { get }
    /// Whether it only deletes: on a full disk it gets the room that is kept for that.
    var frees: Bool { get }
    /// Who waits for it, which decides how long a slice may take.
    var pace: SliceBudget.Pace { get }

    /// Does a part of the work inside the group's transaction.
    ///
    /// May be called again after the whole group was rolled back, so what it did counts from `didCommit` on.
    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> JobProgress

    /// The slice is durable.
    ///
    /// - Returns: What comes before the next slice; `nil` for nothing.
    func didCommit(_ progress: JobProgress) -> AfterCommit?

    /// The slice failed, or was not taken; nothing of it is stored.
    func didFail(_ error: RecordError) -> JobRetry
}

extension Job {
    var weight: Int { 1 }
    var operations: Int { 0 }
    var frees: Bool { false }
    var pace: SliceBudget.Pace { .background }
}

/// What a slice has done.
struct JobProgress: Hashable, Sendable {
    /// Whether there is more to do.
    var hasMore: Bool
    /// How many records, or assets, are done with.
    var done = 0
}

/// What comes after a slice that failed.
enum JobRetry {
    /// Another slice at once, for a job that now does less in one.
    case again
    /// Another slice after a pause, which doubles with each failure in a row.
    case later
    /// Nothing: those that wait for the job get the error.
    case end(RecordError)
}
