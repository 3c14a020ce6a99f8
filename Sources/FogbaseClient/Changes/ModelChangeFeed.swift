/// The changes of one model's records, as they happen; records of other types are passed over.
///
/// ```swift
/// for try await event in database.changeFeed(of: Post.self, since: kept) {
///     switch event {
///     case .changes(let page):
///         for post in page.items { posts[post.id] = post }
///         for name in page.deleted { posts[name] = nil }
///     case .startOver: posts = [:]
///     }
///     kept = event.token
/// }
/// ```
///
/// It waits, goes on and throws as ``ChangeFeed`` does. The token is that of the whole database: one that a feed of another
/// model has handed out leaves out what came before it.
public struct ModelChangeFeed<Model: RecordDecodable>: AsyncSequence, Sendable {
    /// What a feed tells.
    public enum Event: Sendable {
        /// What has changed. A page without any of the model's records has a token that is worth keeping all the same.
        case changes(ModelChangePage<Model>)
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

    public func makeAsyncIterator() -> Iterator {
        let database = database
        return Iterator(
            follower: ChangeFollower(
                database.connection, since: token, every: interval, atMost: longestInterval
            ) { try await database.changes(of: Model.self, since: $0) })
    }

    /// Goes through the feed.
    public struct Iterator: AsyncIteratorProtocol {
        var follower: ChangeFollower<ModelChangePage<Model>>

        /// The next event; the feed has no end.
        public mutating func next() async throws -> Event? {
            switch try await follower.next() {
            case .changes(let page): .changes(page)
            case .startOver: .startOver
            }
        }
    }
}
