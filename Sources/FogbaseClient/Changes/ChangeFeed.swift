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
    /// What a feed tells.
    public enum Event: Hashable, Sendable {
        /// What has changed. An empty page without more to come says that the app has all there is.
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
    let types: [String]?

    public func makeAsyncIterator() -> Iterator {
        let (database, fields, types) = (database, fields, types)
        return Iterator(
            follower: ChangeFollower(
                database.connection, since: token, every: interval, atMost: longestInterval
            ) { try await database.changes(since: $0, fields: fields, types: types) })
    }

    /// Goes through the feed.
    public struct Iterator: AsyncIteratorProtocol {
        var follower: ChangeFollower<ChangePage>

        /// The next event; the feed has no end.
        public mutating func next() async throws -> Event? {
            switch try await follower.next() {
            case .changes(let page): .changes(page)
            case .startOver: .startOver
            }
        }
    }
}
