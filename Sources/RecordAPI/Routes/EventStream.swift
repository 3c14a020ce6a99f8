internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire
internal import Threads

/// A change feed as server-sent events.
///
/// The connection's task calls `next`; all other functions only raise the stream's signal.
///
/// Unchecked: `next` is called by one task at a time, on the thread of the context.
///
/// - Source: WHATWG HTML, "Server-sent events".
final class EventStream: HTTPEventSource, @unchecked Sendable {
    private let feed: FeedStream
    private let context: RecordAPIContext
    private let id: DatabaseID?
    private let fields: HTTPFields
    private let requestID: String
    /// When to send a heartbeat, in nanoseconds of the monotonic clock; 0 until the first tick.
    private var silentUntil: UInt64 = 0
    private var lastTick: UInt64 = 0
    private let deadline: AuthenticationDeadline
    private var caller: Caller
    private var stage = Stage.opening
    /// Whether the client knows that it has all changes.
    private var isCaughtUp = false
    /// Whether the stream has moved since it last sent an id.
    private var hasUnsentPosition = false

    private enum Stage {
        case opening, open, ended
    }

    static let framing = EventFraming(
        change: "event: change\ndata: ", leave: "event: leave\ndata: ", end: "\nid: ")

    init(_ feed: FeedStream, of call: RecordCall, id: DatabaseID?) {
        self.feed = feed
        self.id = id
        context = call.context
        caller = call.caller
        fields = call.request.fields
        requestID = call.request.id
        deadline = AuthenticationDeadline(call.database)
    }

    // MARK: Events of the transport

    func tick(now: UInt64) {
        if lastTick == 0 { silentUntil = now + StreamTimes.heartbeat }
        lastTick = now
        var reasons: FeedSignal.Reasons = []
        if now >= silentUntil { reasons.insert(.silence) }
        if deadline.tick(now) { reasons.insert(.rights) }
        if !reasons.isEmpty { feed.signal.raise(reasons) }
    }

    func clientDidLeave() {
        feed.signal.raise(.end)
    }

    func serverWillStop() {
        feed.signal.raise(.end)
    }

    // MARK: Events of the client

    func next() async throws -> [UInt8]? {
        switch stage {
        case .ended: return nil
        case .opening:
            stage = .open
            var piece: [UInt8] = []
            append("retry: ", String(StreamTimes.retry), "\n\n", to: &piece)
            piece += await advance([])
            return piece
        case .open:
            while true {
                let reasons = await feed.signal.wait()
                if reasons.contains(.end) || Task.isCancelled { break }
                let piece = await advance(reasons)
                guard piece.isEmpty else { return piece }
            }
            stage = .ended
            var piece: [UInt8] = []
            appendRetryAfterEnd(to: &piece)
            return piece
        }
    }

    /// Returns the text of the next events, which may be empty. After an error, the text ends the stream.
    private func advance(_ reasons: FeedSignal.Reasons) async -> [UInt8] {
        do {
            let piece = try await context.reading(id) { reader in try await self.events(by: reader, reasons) }
            if !piece.isEmpty { silentUntil = lastTick + StreamTimes.heartbeat }
            return piece
        } catch {
            stage = .ended
            var piece: [UInt8] = []
            append("event: end\ndata: ", to: &piece)
            if case .bytes(let body) = context.api.errorResponse(error, id: requestID).body { piece += body }
            append("\n\n", to: &piece)
            appendRetryAfterEnd(to: &piece)
            return piece
        }
    }

    private func events(by reader: RecordReader, _ reasons: FeedSignal.Reasons) async throws -> [UInt8] {
        try reader.refresh()
        if deadline.hasPassed {
            let isParticipant = caller.participation != nil
            caller = try deadline.authenticate(fields, with: reader)
            if isParticipant { caller = try reader.participant(caller, in: feed.address) }
        }
        var piece: [UInt8] = []
        switch try await feed.next(for: caller, by: reader) {
        case .reset(let error):
            isCaughtUp = false
            appendReset(error, to: &piece)
            // The events from the beginning follow.
            feed.signal.raise(.commit)
        case .events(let events):
            append(events, by: reader, to: &piece)
            if events.moreComing { feed.signal.raise(.commit) }
        }
        if piece.isEmpty, reasons.contains(.silence) {
            // An id without data moves the client's position without an event. Its token then does not become too old.
            if hasUnsentPosition {
                append("id: ", feed.token(by: reader), "\n\n", to: &piece)
                hasUnsentPosition = false
            } else {
                append(":\n\n", to: &piece)
            }
        }
        return piece
    }

    private func append(_ events: FeedEvents, by reader: RecordReader, to piece: inout [UInt8]) {
        piece.reserveCapacity(events.bytes.count + events.entries.count * 128 + 64)
        var start = 0
        let hasMoved = feed.move(behind: events, by: reader) { index, token in
            let end = events.entries[index].end
            events.bytes.withUnsafeBytes { piece.append(contentsOf: $0[start..<end]) }
            append(token, "\n\n", to: &piece)
            start = end
        }
        if hasMoved { hasUnsentPosition = events.entries.isEmpty || events.moreComing }
        guard !events.moreComing, !isCaughtUp else { return }
        isCaughtUp = true
        hasUnsentPosition = false
        let token = feed.token(by: reader)
        append("event: caughtup\ndata: {\"token\":\"", token, "\"}\nid: ", token, "\n\n", to: &piece)
    }

    private func appendReset(_ error: RecordError, to piece: inout [UInt8]) {
        let data = JSONObject([("reason", .string(error.reason))])
        append("event: reset\ndata: ", to: &piece)
        JSONValue.object(data).write(to: &piece)
        append("\nid: ", FeedStart.beginningText, "\n\n", to: &piece)
    }

    private func appendRetryAfterEnd(to piece: inout [UInt8]) {
        append("retry: ", String(Int.random(in: StreamTimes.retryAfterEnd)), "\n\n", to: &piece)
    }

    private func append(_ texts: String..., to piece: inout [UInt8]) {
        for text in texts { piece.append(contentsOf: text.utf8) }
    }
}
