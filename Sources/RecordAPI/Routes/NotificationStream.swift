internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Notifications as server-sent events: `notification`, `caughtup`, `reset` and `end`.
///
/// Unchecked: `next` is called by one task at a time, on the thread of the context.
///
/// - Source: WHATWG HTML, "Server-sent events".
final class NotificationStream: HTTPEventSource, @unchecked Sendable {
    private let feed: NotificationFeed
    private let context: RecordAPIContext
    private let id: DatabaseID?
    private let requestID: String
    private let authenticate: NotificationPoll.Authenticator
    private let database: RecordDatabase
    /// The version of callers' permissions of which the feed was last told.
    private var notedRights: UInt64
    /// When to send a heartbeat, in nanoseconds of the monotonic clock; 0 until the first tick.
    private var silentUntil: UInt64 = 0
    private var lastTick: UInt64 = 0
    private var stage = Stage.opening
    /// Whether the client knows that it has all notifications.
    private var isCaughtUp = false

    private enum Stage {
        case opening, open, ended
    }

    /// The maximum number of notifications of one read.
    private static let limit = 200
    /// The time without an event after which a heartbeat is sent, in nanoseconds.
    private static let heartbeat: UInt64 = 15_000_000_000
    /// How long a client should wait before it connects again, in milliseconds.
    private static let retry = 2_000
    /// The same after the server has ended the stream.
    private static let retryAfterEnd = 1_000...5_000

    init(
        _ feed: NotificationFeed, in database: RecordDatabase, of context: RecordAPIContext, id: DatabaseID?,
        requestID: String,
        authenticate: @escaping NotificationPoll.Authenticator
    ) {
        self.feed = feed
        self.database = database
        notedRights = feed.rightsVersion
        self.context = context
        self.id = id
        self.requestID = requestID
        self.authenticate = authenticate
    }

    // MARK: Events of the transport

    func tick(now: UInt64) {
        if lastTick == 0 { silentUntil = now + Self.heartbeat }
        lastTick = now
        let rights = database.rightsVersion
        if now >= silentUntil { feed.signal.raise(.silence) }
        if rights != notedRights {
            notedRights = rights
            feed.signal.raise(.commit)
        }
    }

    func clientDidLeave() { feed.signal.raise(.end) }

    func serverWillStop() { feed.signal.raise(.end) }

    // MARK: Events of the client

    func next() async throws -> [UInt8]? {
        switch stage {
        case .ended: return nil
        case .opening:
            stage = .open
            return text("retry: ", String(Self.retry), "\n\n") + (await advance(.commit))
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
        if !piece.isEmpty { silentUntil = lastTick + Self.heartbeat }
        return piece
    }

    private func events(by reader: RecordReader, _ reasons: FeedSignal.Reasons) async throws -> [UInt8] {
        try reader.refresh()
        let isSilent = reasons.contains(.silence)
        let batch: NotificationFeed.Batch
        do throws(RecordError) {
            batch = try await feed.next(for: try authenticate(reader), limit: Self.limit, by: reader)
        } catch {
            guard error.cause == .tokenExpired else { throw error }
            isCaughtUp = false
            return try reset(error, by: reader)
        }
        var piece: [UInt8] = []
        for (notification, token) in zip(batch.notifications, batch.tokens) {
            piece += text("event: notification\ndata: ")
            JSONValue.object(notification.json).write(to: &piece)
            piece += text("\nid: ", token, "\n\n")
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

    /// The client must read its records again. The stream goes on with new changes.
    private func reset(_ error: RecordError, by reader: RecordReader) throws(RecordError) -> [UInt8] {
        try feed.restart(by: reader)
        var piece = text("event: reset\ndata: ")
        JSONValue.object(JSONObject([("reason", .string(error.reason))])).write(to: &piece)
        return piece + text("\nid: ", feed.token(by: reader), "\n\n")
    }

    private var retryAfterEnd: [UInt8] { text("retry: ", String(Int.random(in: Self.retryAfterEnd)), "\n\n") }

    private func text(_ texts: String...) -> [UInt8] { texts.flatMap { Array($0.utf8) } }
}
