/// What the subscriptions of the caller report, as an endless asynchronous sequence.
///
/// ```swift
/// for try await event in container.notificationFeed(since: saved) {
///     switch event {
///     case .notifications(let page): show(page.notifications)
///     case .startOver: reload()
///     }
///     saved = event.token ?? .now
/// }
/// ```
///
/// The server responds as soon as there is a notification. The feed retries temporary errors and throws all other errors.
/// It throws `CancellationError` when its task is canceled.
public struct NotificationFeed: AsyncSequence, Sendable {
    /// An event of the feed.
    public enum Event: Hashable, Sendable {
        /// Notifications, at least one.
        case notifications(NotificationPage)
        /// The token has expired. Read the records again. The feed goes on with the next change.
        case startOver

        /// The token to save when the event is processed; `nil` after `startOver`.
        public var token: NotificationToken? {
            guard case .notifications(let page) = self else { return nil }
            return page.token
        }
    }

    let container: Container
    let token: NotificationToken?

    public func makeAsyncIterator() -> Iterator { Iterator(container: container, token: token) }

    /// The iterator of the feed.
    public struct Iterator: AsyncIteratorProtocol {
        let container: Container
        var token: NotificationToken?
        /// Whether the last page had all remaining notifications.
        private var isUpToDate = false
        /// The number of failed requests since the last response.
        private var failures = 0

        /// How long the server waits for a notification, in seconds. Some proxies end silent connections after 30 seconds.
        private static let patience = 25

        init(container: Container, token: NotificationToken?) {
            (self.container, self.token) = (container, token)
        }

        /// Returns the next event, which is never `nil`.
        ///
        /// - Throws: `FogbaseError` if the error is not temporary; `CancellationError` if the task was canceled.
        public mutating func next() async throws -> Event? {
            while true {
                try Task.checkCancellation()
                do {
                    let page = try await container.notifications(since: token, wait: isUpToDate ? Self.patience : 0)
                    (token, isUpToDate, failures) = (page.token, !page.moreComing, 0)
                    if !page.notifications.isEmpty { return .notifications(page) }
                } catch let error as FogbaseError {
                    if error.isOfToken, token != nil, token != .now {
                        token = .now
                        return .startOver
                    }
                    guard error.isRetryable else { throw error }
                    let connection = container.connection
                    try await connection.retry.sleep(
                        connection.streaming.delay(after: failures, asked: error.retryAfter))
                    failures += 1
                }
            }
        }
    }
}

extension Container {
    /// Returns what the subscriptions of the caller report, as a sequence that ends when its task is canceled.
    ///
    /// - Parameter token: The token of the last event that was processed; `nil` starts with the oldest notification.
    public func notificationFeed(since token: NotificationToken? = nil) -> NotificationFeed {
        NotificationFeed(container: self, token: token)
    }
}
