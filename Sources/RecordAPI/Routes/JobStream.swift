internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The progress of a job as server-sent events: `job` with the job as JSON, at most once per second. The stream ends
/// after the event of a job that has ended.
///
/// Unchecked: `next` is called by one task at a time, on the thread of the context.
///
/// - Source: WHATWG HTML, "Server-sent events".
final class JobStream: HTTPEventSource, @unchecked Sendable {
    private let name: String
    private let context: RecordAPIContext
    private let id: DatabaseID?
    private let fields: HTTPFields
    private let requestID: String
    private let signal = FeedSignal()
    private var sent: JobInfo?
    private var hasEnded = false
    /// The number of ticks since something was sent.
    private var silentTicks = 0

    /// The number of seconds after which a comment is sent. Proxies close connections that are silent for long.
    private static let heartbeat = 15

    init(_ job: JobInfo, of call: RecordCall, id: DatabaseID?) {
        name = job.name
        context = call.context
        self.id = id
        fields = call.request.fields
        requestID = call.request.id
        signal.raise(.commit)
    }

    func tick(now: UInt64) { signal.raise(.commit) }

    func clientDidLeave() { signal.raise(.end) }

    func serverWillStop() { signal.raise(.end) }

    func next() async throws -> [UInt8]? {
        while !hasEnded {
            if await signal.wait().contains(.end) { return nil }
            let piece = await advance()
            if !piece.isEmpty { return piece }
        }
        return nil
    }

    /// Returns the event of the job if it has changed; else a comment now and then.
    private func advance() async -> [UInt8] {
        var piece: [UInt8] = []
        do {
            let (job, caller) = try await context.reading(id) { reader in
                try reader.refresh()
                let caller = try Bearer.authenticate(self.fields, with: reader)
                return (try reader.jobs.find(self.name, for: caller), caller)
            }
            silentTicks += 1
            if job != sent {
                sent = job
                hasEnded = job.isFinal
                piece.appendLiteral("event: job\ndata: ")
                job.json(for: caller).write(to: &piece)
                piece.appendLiteral("\n\n")
            } else if silentTicks >= Self.heartbeat {
                piece.appendLiteral(":\n\n")
            }
        } catch {
            hasEnded = true
            piece.appendLiteral("event: end\ndata: ")
            if case .bytes(let body) = context.api.errorResponse(error, id: requestID).body { piece += body }
            piece.appendLiteral("\n\n")
        }
        if !piece.isEmpty { silentTicks = 0 }
        return piece
    }
}
