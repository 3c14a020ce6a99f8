internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// A feed whose events a `BatchStream` sends.
protocol BatchFeed: AnyObject, Sendable {
    /// The name of the events.
    static var event: String { get }
    /// Wakes the feed.
    var signal: FeedSignal { get }

    /// Returns the next events, and moves behind them.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_EXPIRED or TOKEN_INVALID if the feed must be restarted; other errors end the
    ///   stream.
    func events(for caller: Caller, limit: Int, by reader: RecordReader) async throws(RecordError) -> EventBatch

    /// Goes on after the loss of the position. Returns the token of the new one.
    func restart(by reader: RecordReader) throws(RecordError) -> String
}

/// Consecutive events of a feed.
struct EventBatch: Sendable {
    /// The data of each event, and the token after it.
    var events: [(data: JSONObject, token: String)]
    /// The token after the batch.
    let end: String
    /// Whether more events exist already.
    let moreComing: Bool
}

/// A feed as server-sent events: those of the feed, `caughtup`, `reset` and `end`.
///
/// Unchecked: `next` is called by one task at a time, on the thread of the context.
///
/// - Source: WHATWG HTML, "Server-sent events".
final class BatchStream<Feed: BatchFeed>: HTTPEventSource, @unchecked Sendable {
    private let feed: Feed
    private let context: RecordAPIContext
    private let id: DatabaseID?
    private let requestID: String
    private let fields: HTTPFields
    private let deadline: AuthenticationDeadline
    private var caller: Caller
    /// When to send a heartbeat, in nanoseconds of the monotonic clock; 0 until the first tick.
    private var silentUntil: UInt64 = 0
    private var lastTick: UInt64 = 0
    private var stage = Stage.opening
    /// Whether the client knows that it has all events.
    private var isCaughtUp = false

    private enum Stage {
        case opening, open, ended
    }

    /// - Parameter id: The database of the request; `nil` for the default database.
    init(_ feed: Feed, of call: RecordCall, id: DatabaseID?) {
        self.feed = feed
        self.id = id
        context = call.context
        fields = call.request.fields
        requestID = call.request.id
        deadline = AuthenticationDeadline(call.database)
        caller = call.caller.account
    }

    // MARK: Events of the transport

    func tick(now: UInt64) {
        if lastTick == 0 { silentUntil = now + StreamTimes.heartbeat }
        lastTick = now
        if now >= silentUntil { feed.signal.raise(.silence) }
        if deadline.tick(now) { feed.signal.raise(.rights) }
    }

    func clientDidLeave() { feed.signal.raise(.end) }

    func serverWillStop() { feed.signal.raise(.end) }

    // MARK: Events of the client

    func next() async throws -> [UInt8]? {
        switch stage {
        case .ended: return nil
        case .opening:
            stage = .open
            return text("retry: ", String(StreamTimes.retry), "\n\n") + (await advance(.commit))
        case .open:
            while true {
                let reasons = await feed.signal.wait()
                if reasons.contains(.end) || Task.isCancelled { break }
                let piece = await advance(reasons)
                guard piece.isEmpty else { return piece }
            }
            stage = .ended
            return retryAfterEnd
        }
    }

    /// Returns the text of the next events, which may be empty. After an error, the text ends the stream.
    private func advance(_ reasons: FeedSignal.Reasons) async -> [UInt8] {
        var piece: [UInt8]
        do {
            piece = try await context.reading(id) { reader in try await self.events(by: reader, reasons) }
        } catch {
            stage = .ended
            piece = text("event: end\ndata: ")
            if case .bytes(let body) = context.api.errorResponse(error, id: requestID).body { piece += body }
            piece += text("\n\n") + retryAfterEnd
        }
        if !piece.isEmpty { silentUntil = lastTick + StreamTimes.heartbeat }
        return piece
    }

    private func events(by reader: RecordReader, _ reasons: FeedSignal.Reasons) async throws -> [UInt8] {
        try reader.refresh()
        let isSilent = reasons.contains(.silence)
        let batch: EventBatch
        do throws(RecordError) {
            if deadline.hasPassed { caller = try deadline.authenticate(fields, with: reader) }
            batch = try await feed.events(for: caller, limit: StreamTimes.limit, by: reader)
        } catch {
            guard error.isOfLostPosition else { throw error }
            isCaughtUp = false
            return try reset(error, by: reader)
        }
        var piece: [UInt8] = []
        for event in batch.events {
            piece += text("event: ", Feed.event, "\ndata: ")
            JSONValue.object(event.data).write(to: &piece)
            piece += text("\nid: ", event.token, "\n\n")
        }
        if batch.moreComing {
            feed.signal.raise(.commit)
        } else if !isCaughtUp {
            isCaughtUp = true
            piece += text("event: caughtup\ndata: {\"token\":\"", batch.end, "\"}\nid: ", batch.end, "\n\n")
        } else if piece.isEmpty, isSilent {
            // An id without data moves the client's position without an event. Its token then does not become too old.
            piece += text("id: ", batch.end, "\n\n")
        }
        return piece
    }

    /// The client must read its records again. The stream goes on.
    private func reset(_ error: RecordError, by reader: RecordReader) throws(RecordError) -> [UInt8] {
        let token = try feed.restart(by: reader)
        var piece = text("event: reset\ndata: ")
        JSONValue.object(JSONObject([("reason", .string(error.reason))])).write(to: &piece)
        return piece + text("\nid: ", token, "\n\n")
    }

    private var retryAfterEnd: [UInt8] { text("retry: ", String(Int.random(in: StreamTimes.retryAfterEnd)), "\n\n") }

    private func text(_ texts: String...) -> [UInt8] { texts.flatMap { Array($0.utf8) } }
}

/// The times of all event streams.
enum StreamTimes {
    /// The maximum number of events of one read.
    static let limit = 200
    /// The time without an event after which a heartbeat is sent, in nanoseconds. Proxies close connections that are
    /// silent for a minute, some after 30 seconds.
    static let heartbeat: UInt64 = 15_000_000_000
    /// How long a client should wait before it connects again, in milliseconds.
    static let retry = 2_000
    /// The same after the server has ended the stream. The clients of a server that restarts spread over this time.
    static let retryAfterEnd = 1_000...5_000
    /// What clients wait beyond the time that an error names, in milliseconds, so that they do not come back together.
    static let retrySpread = 0...2_000
}
