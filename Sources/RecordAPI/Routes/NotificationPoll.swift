internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// A response that waits until there is a notification, or for a limited time (long poll).
///
/// Unchecked: `next` is called by one task at a time, on the thread of the context.
final class NotificationPoll: HTTPEventSource, @unchecked Sendable {
    /// Returns the caller with its current rights.
    typealias Authenticator = @Sendable (RecordReader) throws(RecordError) -> Caller

    private let feed: NotificationFeed
    private let context: RecordAPIContext
    private let id: DatabaseID?
    private let limit: Int
    private let authenticate: Authenticator
    /// Returns the body; `nil` for an empty one.
    private let document: (NotificationFeed.Batch) -> JSONValue?
    /// Called when the transport has taken the body, and for changes that notify nothing.
    private let didPass: ((NotificationFeed.Batch) -> Void)?
    /// How long to wait, in nanoseconds.
    private let time: UInt64
    private let deadline: AuthenticationDeadline
    /// When to end, in nanoseconds of the monotonic clock; 0 until the first tick.
    private var end: UInt64 = 0
    private var isOver = false
    private var hasAnswered = false
    private var batch: NotificationFeed.Batch?

    /// - Parameters:
    ///   - batch: What the feed has already returned.
    ///   - seconds: How long to wait.
    init(
        _ feed: NotificationFeed, in database: RecordDatabase, of context: RecordAPIContext, id: DatabaseID?,
        limit: Int, seconds: Int,
        startingWith batch: NotificationFeed.Batch? = nil, authenticate: @escaping Authenticator,
        document: @escaping (NotificationFeed.Batch) -> JSONValue?,
        didPass: ((NotificationFeed.Batch) -> Void)? = nil
    ) {
        self.feed = feed
        deadline = AuthenticationDeadline(database)
        self.context = context
        self.id = id
        self.limit = limit
        self.batch = batch
        self.authenticate = authenticate
        self.document = document
        self.didPass = didPass
        time = UInt64(seconds) * 1_000_000_000
        // Something may have changed since the feed was read.
        feed.signal.raise(.commit)
    }

    // MARK: Events of the transport

    func tick(now: UInt64) {
        if end == 0 { end = now + time }
        if now >= end {
            feed.signal.raise([.silence, .commit])
        } else if deadline.tick(now) {
            feed.signal.raise(.commit)
        }
    }

    func clientDidLeave() { feed.signal.raise(.end) }

    func serverWillStop() { feed.signal.raise(.end) }

    // MARK: The body

    func next() async throws -> [UInt8]? {
        guard !isOver else { return nil }
        if hasAnswered {
            // The transport has taken the body. A client that has left in the meantime did not get it.
            isOver = true
            if let batch, !feed.signal.take().contains(.end), !Task.isCancelled { didPass?(batch) }
            return nil
        }
        while batch?.notifications.isEmpty ?? true {
            let reasons = await feed.signal.wait()
            if reasons.contains(.end) || Task.isCancelled { break }
            do {
                batch = try await context.reading(id) { reader in try await self.read(reader) }
            } catch {
                // The next request gets the error.
                break
            }
            guard let batch, batch.notifications.isEmpty else { continue }
            didPass?(batch)
            if batch.moreComing { feed.signal.raise(.commit) } else if reasons.contains(.silence) { break }
        }
        hasAnswered = true
        guard let batch, let body = document(batch) else {
            isOver = true
            return nil
        }
        return body.bytes
    }

    private func read(_ reader: RecordReader) async throws -> NotificationFeed.Batch {
        try reader.refresh()
        // At most one response follows, so each read authenticates.
        let version = reader.callersVersion
        let caller = try authenticate(reader)
        deadline.move(to: version)
        return try await feed.next(for: caller, limit: limit, by: reader)
    }
}
