internal import Foundation
internal import RecordModel
internal import RecordWire

/// The state of a job of the server.
struct ServerJob: Sendable {
    let id: String
    /// The state. `nil` is one that this client does not know; the job has not ended.
    let state: JobState?
    /// The number of records that matched at the start; `nil` if it is unknown.
    let total: Int?
    let done: Int
    let skipped: Int
    let skipReasons: [SetOutcome.SkipReason]
    /// The number of records per second; `nil` if it is unknown.
    let rate: Int?
    let timeLeft: Duration?
    /// Why the job has failed.
    let error: FogbaseError?

    var isFinal: Bool { state?.isFinal ?? false }

    /// Reads the JSON of a job.
    ///
    /// - Throws: `FogbaseError.notFogbase` if it is none.
    init(_ tree: JSONValue) throws {
        guard let id = tree["id"]?.string, let state = tree["state"]?.string, let done = tree["done"]?.integer else {
            throw FogbaseError.notFogbase(status: 200, "The response has no job")
        }
        self.id = id
        self.state = JobState(rawValue: state)
        self.done = Int(done)
        total = tree["total"]?.integer.map(Int.init)
        skipped = Int(tree["skipped"]?.integer ?? 0)
        skipReasons = (tree["skipReasons"]?.array ?? []).compactMap(SetOutcome.SkipReason.init)
        rate = tree["rate"]?.integer.map(Int.init)
        timeLeft = tree["secondsLeft"]?.integer.map { .seconds($0) }
        error = tree["error"].map { FogbaseError($0, status: nil) }
    }

    /// The outcome of a job that has ended.
    ///
    /// - Throws: The `FogbaseError` that ended the job; `CancellationError` if it was canceled.
    func outcome() throws -> SetOutcome {
        switch state {
        case .succeeded:
            return SetOutcome(
                matched: total ?? done + skipped, changed: done, skipped: skipped, skipReasons: skipReasons)
        case .cancelled: throw CancellationError()
        default: throw error ?? .notFogbase(status: 200, "The job \(id) has failed without a reason")
        }
    }
}

extension Connection {
    /// Pauses, resumes or cancels a job.
    ///
    /// - Returns: The job in its new state.
    @discardableResult
    func control(_ id: String, _ command: String) async throws -> ServerJob {
        var call = Call("POST", "jobs", id, command)
        call.isRepeatable = true
        return try ServerJob(try await send(call).readTree())
    }

    /// Cancels a job.
    ///
    /// - Returns: The job, which has ended in one way or another.
    func cancelJob(_ id: String) async throws -> ServerJob {
        do {
            return try await control(id, "cancel")
        } catch FogbaseError.conflict {
            return try await job(id)
        }
    }

    /// Waits until a job has ended, and returns its outcome. If the task is canceled, cancels the job.
    ///
    /// - Parameter report: Receives each state of the job.
    /// - Throws: The `FogbaseError` that ended the job; `CancellationError` if it was canceled.
    func outcome(
        of job: ServerJob, _ report: @escaping @Sendable (ServerJob) -> Void = { _ in }
    ) async throws -> SetOutcome {
        var follower = JobFollower(job, over: self, report)
        do {
            return try (try await follower.end()).outcome()
        } catch  where Task.isCancelled && !follower.job.isFinal {
            // This task can no longer send requests.
            return try await Task { try await cancelJob(job.id).outcome() }.value
        }
    }

    /// Fetches the state of a job.
    func job(_ id: String) async throws -> ServerJob {
        try ServerJob(try await send(Call("GET", "jobs", id)).readTree())
    }
}

/// Follows a job until it ends: on a stream of events, or by polling if the transport, the server or a proxy does not
/// stream. Errors that may pass do not end it, because the job goes on.
struct JobFollower {
    /// The last known state of the job.
    private(set) var job: ServerJob
    private let connection: Connection
    private let report: @Sendable (ServerJob) -> Void
    private var streams: Bool
    /// The number of streams in a row without a byte.
    private var muteStreams = 0
    /// The number of failures since the last state of the job.
    private var failures = 0
    /// The delay before the next poll.
    private var wait = firstWait

    private static let firstWait = Duration.milliseconds(250)
    private static let longestWait = Duration.seconds(5)

    /// - Parameter report: Receives each state of the job.
    init(_ job: ServerJob, over connection: Connection, _ report: @escaping @Sendable (ServerJob) -> Void) {
        self.job = job
        self.connection = connection
        self.report = report
        streams = connection.transport.streamsEvents
    }

    /// Waits until the job has ended, and returns its last state.
    ///
    /// - Throws: `FogbaseError` if the server rejects the request for the job; `CancellationError`.
    mutating func end() async throws -> ServerJob {
        report(job)
        while !job.isFinal {
            var problem: FogbaseError
            do {
                if streams { try await followStream() } else { try await poll() }
                continue
            } catch let error as FogbaseError {
                problem = error
            } catch let error as TransportError {
                problem = .responseLost("\(error)")
            }
            if streams, problem.isOfStreaming {
                streams = false
            } else {
                guard problem.isRetryable else { throw problem }
                let delay = connection.streaming.delay(after: failures, asked: problem.retryAfter)
                failures += 1
                try await connection.retry.sleep(delay)
            }
        }
        return job
    }

    private mutating func take(_ job: ServerJob) {
        self.job = job
        failures = 0
        report(job)
    }

    private mutating func poll() async throws {
        try await connection.retry.sleep(wait)
        wait = min(wait * 1.5, Self.longestWait)
        take(try await connection.job(job.id))
    }

    /// Takes the job's states from a stream. Returns when the job has ended, or if there are no streams.
    ///
    /// - Throws: `FogbaseError` or `TransportError` if the stream ends before the job.
    private mutating func followStream() async throws {
        guard let stream = try await EventStream.open(Call("GET", "jobs", job.id), by: connection) else {
            streams = false
            return
        }
        defer {
            // Some proxies hold responses back until they are complete.
            muteStreams = stream.hasReceived ? 0 : muteStreams + 1
            if muteStreams > 1 { streams = false }
        }
        while try await stream.receive() {
            while let event = stream.events.popFirst() {
                switch event.type {
                case "job":
                    guard let tree = try? JSONValue.parse(event.data) else {
                        throw FogbaseError.notFogbase(status: 200, "An event has no job")
                    }
                    take(try ServerJob(tree))
                    if job.isFinal { return }
                case "end": throw event.error
                default: break
                }
            }
        }
        throw FogbaseError.responseLost("The stream ended before the job")
    }
}

/// A transport whose requests run to their end even if the task that sends them is canceled.
struct ShieldedTransport: Transport {
    let base: any Transport
    /// Receives the response to a request whose task was canceled.
    let receiveLate: @Sendable (TransportResponse) async -> Void

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (base, receiveLate) = (base, receiveLate)
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        let sending = Task {
            defer { continuation.finish() }
            return try await base.send(request)
        }
        // A canceled task does not wait.
        for await _ in end {}
        guard Task.isCancelled else { return try await sending.value }
        Task { if let response = try? await sending.value { await receiveLate(response) } }
        throw CancellationError()
    }

    func stream(
        _ request: TransportRequest
    ) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        try await base.stream(request)
    }
}
