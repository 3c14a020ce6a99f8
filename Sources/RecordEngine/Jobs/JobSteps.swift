internal import RecordModel
internal import RecordStorage

/// How a job does its task: in rounds, each of which is prepared outside the writer's thread and performed in slices.
///
/// The progress of a slice is stored in the transaction of the slice. So a job that goes on after the process has ended
/// repeats nothing.
///
/// Confined: `prepareRound` runs between slices, all other functions run on the writer's thread, and the calls never
/// overlap (see `SlicedWork`).
protocol JobSteps: AnyObject {
    /// Whether the job only deletes (see `SlicedWork.frees`).
    var frees: Bool { get }
    /// The number of records that count as one operation in the rate limit of the caller's writes; `nil` if the job writes
    /// no records.
    var recordsPerOperation: Int? { get }
    /// Whether all of the round is committed, so that the next one is to be prepared.
    var needsRound: Bool { get }

    /// Prepares the next round of a job.
    func prepareRound(of job: JobID, in database: RecordDatabase) async throws(RecordError)

    /// Performs a part of the round, until the budget is spent. The store may undo the part and call this again, so the
    /// object's own progress changes in `didCommit`.
    ///
    /// - Parameter progress: The stored progress, to which the part is added.
    /// - Returns: How the job goes on.
    func perform(
        _ job: JobID, in transaction: WriteTransaction, _ budget: inout SliceBudget, _ progress: inout StoredProgress
    ) throws(RecordError) -> JobPart

    /// Called when the part that was performed last is durable.
    func didCommit()

    /// Decides how to continue after a part that failed.
    func didFail(_ error: RecordError) -> SliceRetry
}

/// How a job goes on after a part of it.
enum JobPart {
    case notLast
    case last
    /// The job ends with an error. What the part has done stays.
    case failed(RecordError)
}

extension JobSteps {
    var frees: Bool { false }
    var recordsPerOperation: Int? { nil }

    func didFail(_ error: RecordError) -> SliceRetry { .end(error) }
}
