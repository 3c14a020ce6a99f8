internal import RecordModel

/// The changes of a database, as they happen.
///
/// ```swift
/// for try await event in database.changeFeed(since: kept) {
///     switch event {
///     case .changes(let page): store.take(page.changed, page.deleted, keep: page.token)
///     case .startOver: store.removeAll()
///     }
/// }
/// ```
///
/// Pages come at once while there are more; then it asks again after a while, which grows while nothing happens. A server
/// that is away is waited for. It throws what waiting does not mend, and `CancellationError` when its task is cancelled.
public struct ChangeFeed: AsyncSequence, Sendable {
    /// What a feed hands out.
    public enum Event: Hashable, Sendable {
        /// What has changed. An empty page says that the app has all there is.
        case changes(ChangePage)
        /// The token is worth nothing any more. All records come again; drop those that do not.
        case startOver

        /// What to keep with the data that the event has made; `nil` is none.
        public var token: ChangeToken? {
            guard case .changes(let page) = self else { return nil }
            return page.token
        }
    }

    let database: Database
    let token: ChangeToken?
    let interval: Duration
    let longestInterval: Duration
    let fields: [String]?

    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: self, token: token, wait: interval)
    }

    /// Where one reader of the feed stands.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: ChangeFeed
        var token: ChangeToken?
        /// How long to wait the next time.
        var wait: Duration
        /// Whether to wait before asking.
        var isIdle = false
        /// Whether the app has been told that it has everything.
        var isUpToDate = false
        /// Whether the token before this one was worth nothing either.
        var hasStartedOver = false

        public mutating func next() async throws -> Event? {
            while true {
                if isIdle { try await pause(nil) }
                do {
                    let page = try await feed.database.changes(since: token, fields: feed.fields)
                    if let event = take(page) { return event }
                } catch let error as FogbaseError {
                    if let event = try await handle(error) { return event }
                }
            }
        }

        private mutating func take(_ page: ChangePage) -> Event? {
            if token != nil { hasStartedOver = false }
            token = page.token
            if !page.isEmpty { wait = feed.interval }
            isIdle = !page.moreComing
            let isNews = !page.isEmpty || (!page.moreComing && !isUpToDate)
            isUpToDate = !page.moreComing
            return isNews ? .changes(page) : nil
        }

        private mutating func handle(_ error: FogbaseError) async throws -> Event? {
            let isLost: Bool
            if case .tokenExpired = error { isLost = true } else { isLost = error.refusal?.cause == .tokenInvalid }
            if isLost, token != nil {
                // A server of which every token is old shall not be asked for everything without end.
                isIdle = hasStartedOver
                hasStartedOver = true
                token = nil
                isUpToDate = false
                return .startOver
            }
            guard error.isRetryable else { throw error }
            // It waits here, and need not do so once more before it asks.
            isIdle = false
            try await pause(error.retryAfter)
            return nil
        }

        /// Waits, each time longer than before.
        private mutating func pause(_ asked: Duration?) async throws {
            let now = Swift.max(wait, asked ?? .zero)
            wait = Swift.min(wait * 1.5, feed.longestInterval)
            try await feed.database.connection.retry.sleep(now)
        }
    }
}
