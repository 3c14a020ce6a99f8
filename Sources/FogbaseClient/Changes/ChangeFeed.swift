/// The changes of a zone, as an endless asynchronous sequence.
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
/// The feed delivers pages without delay until the app is up to date. Afterwards it stays connected, and the server
/// sends changes as they happen. If the transport, the server or a proxy cannot stream, the feed polls, and the polling
/// interval grows while nothing changes. The feed retries temporary errors and throws all other errors. It throws
/// `CancellationError` when its task is canceled.
public struct ChangeFeed: AsyncSequence, Sendable {
    /// An event of a change feed.
    public enum Event: Hashable, Sendable {
        /// A page of changes. An empty page with `moreComing == false` means that the app is up to date.
        case changes(ChangePage)
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
        var follower: ChangeFollower<ChangePage>

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
