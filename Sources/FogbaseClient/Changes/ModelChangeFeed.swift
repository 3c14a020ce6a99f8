/// The changes of one model's records, as an endless asynchronous sequence. Changes of other record types are omitted.
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
/// The feed waits, retries and throws as ``ChangeFeed`` does. Do not start with a token from another model's feed,
/// because earlier changes of this model would be missing.
public struct ModelChangeFeed<Model: RecordDecodable>: AsyncSequence, Sendable {
    /// An event of a change feed.
    public enum Event: Sendable {
        /// A page of changes. Save the page's token even if the page has no changes of this model.
        case changes(ModelChangePage<Model>)
        /// The token has expired, and the feed starts from the beginning. Delete the records that the feed does not
        /// deliver again.
        case startOver

        /// The token to save together with the data of this event; `nil` after `startOver`.
        public var token: ChangeToken? {
            guard case .changes(let page) = self else { return nil }
            return page.token
        }
    }

    let request: FeedRequest

    public func makeAsyncIterator() -> Iterator {
        Iterator(follower: ChangeFollower(request, filling: .empty))
    }

    /// The iterator of the feed.
    public struct Iterator: AsyncIteratorProtocol {
        var follower: ChangeFollower<ModelChangePage<Model>>

        /// Returns the next event, which is never `nil`.
        ///
        /// - Throws: `FogbaseError` if the error is not temporary; `CancellationError` if the task was canceled.
        public mutating func next() async throws -> Event? {
            switch try await follower.next() {
            case .changes(let page): .changes(page)
            case .startOver: .startOver
            }
        }
    }
}
