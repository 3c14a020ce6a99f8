internal import Foundation
internal import RecordWire

/// A bulk delete that runs in the background and reports its progress.
///
/// ```swift
/// let deletion = database.deleteInBackground(Query<Entry>().filter(.time, lessThan: halfYearAgo))
/// for await progress in deletion.progress { bar.value = progress.fraction }
/// let outcome = try await deletion.value
/// ```
///
/// The server does the work in a job, and this object follows it, also over broken connections. The number of records
/// is not limited. If the app ends, the job continues. It can be paused and canceled.
///
/// A server without jobs, and a server that gives anonymous callers none, deletes the matching records within the
/// request. If there are more than one request may delete, the client fetches them page by page, and deletes each record
/// only if it has not changed since. If the app then ends, the records deleted so far stay deleted, and another call
/// with the same query deletes the rest.
public final class BackgroundDeletion: Sendable {
    /// The progress of a deletion.
    public struct Progress: Hashable, Sendable {
        /// The number of records that matched at the start.
        public var total: Int
        /// The number of records deleted so far.
        public var deleted: Int
        /// The number of records skipped so far: records that had changed, were already deleted, or cannot be deleted
        /// by the caller.
        public var skipped: Int
        /// The number of records per second; `nil` if it is unknown. Only jobs have it.
        public var rate: Int?
        /// The estimated time until the end; `nil` if it is unknown. Only jobs have it.
        public var timeLeft: Duration?
        /// Whether the job is paused.
        public var isPaused = false

        /// The completed fraction, 0 to 1.
        public var fraction: Double {
            total == 0 ? 1 : min(1, Double(deleted + skipped) / Double(total))
        }
    }

    /// How the deletion has started.
    enum Start: Sendable {
        /// A job of the server does the work.
        case job(ServerJob)
        /// The server has done the work.
        case done(SetOutcome)
        /// The server cannot do the work in one request.
        case rejected
    }

    /// The latest progress, for a single `for await` loop. The stream finishes when the deletion ends.
    public let progress: AsyncStream<Progress>
    private let connection: Connection
    private let start: Task<Start, any Error>
    private let task: Task<SetOutcome, any Error>

    /// - Parameters:
    ///   - begin: Starts the deletion.
    ///   - deletePages: Deletes the records without a job, if `begin` returns `rejected`.
    init(
        over connection: Connection, _ begin: @escaping @Sendable () async throws -> Start,
        deletePages: @escaping @Sendable (@Sendable (Progress) -> Void) async throws -> SetOutcome
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: .bufferingNewest(1))
        let start = Task { try await begin() }
        progress = stream
        self.connection = connection
        self.start = start
        task = Task {
            defer { continuation.finish() }
            switch try await start.value {
            case .done(let outcome):
                continuation.yield(Progress(total: outcome.matched, deleted: outcome.changed, skipped: outcome.skipped))
                return outcome
            case .rejected: return try await deletePages { continuation.yield($0) }
            case .job(let job):
                return try await connection.outcome(of: job) { continuation.yield(Progress($0)) }
            }
        }
    }

    /// The outcome of the deletion. Reading it waits until the deletion has ended. While the server cannot be reached,
    /// its job continues, and this goes on waiting.
    ///
    /// - Throws: The `FogbaseError` that ended the deletion; `CancellationError` if it was canceled, here or by somebody
    ///   else. If the server could not be told of the cancellation, the `FogbaseError` that says why.
    public var value: SetOutcome {
        get async throws { try await task.value }
    }

    /// The id of the server's job, such as for `fogbase jobs show`; `nil` if no job does the work. Reading it waits until
    /// the deletion has started.
    ///
    /// - Throws: The error for which the deletion could not be started.
    public var jobID: String? {
        get async throws {
            guard case .job(let job) = try await start.value else { return nil }
            return job.id
        }
    }

    /// Pauses the server's job until ``resume()``. Records deleted so far stay deleted.
    ///
    /// - Throws: `FogbaseError.conflict` if the job has ended; `invalidArgument` if no job does the work.
    public func pause() async throws {
        try await connection.control(try await requireJob(), "pause")
    }

    /// Continues a paused job.
    ///
    /// - Throws: `FogbaseError.conflict` if the job has ended; `invalidArgument` if no job does the work.
    public func resume() async throws {
        try await connection.control(try await requireJob(), "resume")
    }

    private func requireJob() async throws -> String {
        guard let id = try await jobID else {
            throw FogbaseError.invalidArgument("This deletion has no job on the server, and cannot be paused")
        }
        return id
    }

    /// Cancels the deletion, and its job on the server. Records deleted so far stay deleted.
    ///
    /// The server finishes the current step. If the connection breaks while the job is being created, the client does not
    /// know its id, and the job may continue.
    public func cancel() {
        start.cancel()
        task.cancel()
    }
}

extension BackgroundDeletion.Progress {
    fileprivate init(_ job: ServerJob) {
        let completed = job.done + job.skipped
        // Records that have ceased to match are neither deleted nor skipped.
        let total = job.state == .succeeded ? completed : max(job.total ?? 0, completed)
        self.init(
            total: total, deleted: job.done, skipped: job.skipped, rate: job.rate, timeLeft: job.timeLeft,
            isPaused: job.state == .paused)
    }
}

extension Database {
    /// Starts to delete the records that match a query, in the background.
    ///
    /// ```swift
    /// let deletion = database.deleteInBackground(Query<Entry>().filter(.time, lessThan: halfYearAgo))
    /// let outcome = try await deletion.value
    /// ```
    ///
    /// - Parameter query: The query, with at least one condition. Without a job, the limit of the query is the page
    ///   size.
    /// - Returns: The running deletion. Its ``BackgroundDeletion/value`` throws `FogbaseError.invalidArgument` if the
    ///   query has no condition, and `unavailable` if the caller has too many unfinished jobs.
    public func deleteInBackground<Model>(_ query: Query<Model>) -> BackgroundDeletion {
        let work = DeletionWork(database: self, query: query)
        return BackgroundDeletion(over: connection) {
            try await work.start()
        } deletePages: { report in
            try await work.deletePages(report)
        }
    }
}
