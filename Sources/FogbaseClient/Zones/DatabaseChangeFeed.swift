/// The changes of all zones of a private or shared database, as an endless asynchronous sequence.
///
/// ```swift
/// for try await event in database.zones.changeFeed(since: saved) {
///     switch event.change {
///     case .zones(let changes):
///         for case .deleted(let zone) in changes { store.removeAll(in: zone.id) }
///     case .records(let page, let zone): store.take(page.changed, page.deleted, in: zone)
///     case .zoneStartsOver(let zone): store.removeAll(in: zone)
///     case .startOver: store.removeAll()
///     case .upToDate: break
///     }
///     store.save(event.state)
/// }
/// ```
///
/// The feed reads which zones have changed, then the changes of each of them, page after page. When it has delivered all
/// changes, it delivers `upToDate` once and stays connected: the server says when a zone changes. If the transport, the
/// server or a proxy cannot stream, the feed polls, and the polling interval grows while nothing changes. The feed retries
/// temporary errors and throws all other errors. It throws `CancellationError` when its task is canceled.
public struct DatabaseChangeFeed: AsyncSequence, Sendable {
    /// The position of a feed in all zones of a database. Save the state of each event together with its data.
    public struct State: Hashable, Sendable, Codable {
        /// The position in the list of changed zones; `nil` for the beginning.
        var token: ZoneChangeToken?
        /// The position in each zone that was read.
        var zones: [Zone.ID: ChangeToken] = [:]
        /// The changed zones whose changes are not read yet, in the order of reading.
        var waiting: [Zone.ID] = []

        /// Creates the state of a feed that starts from the beginning.
        public init() {}
    }

    /// A step of a feed.
    public struct Event: Hashable, Sendable {
        /// What has happened.
        public var change: Change
        /// The position after this event. A feed with this state continues with the next event.
        public var state: State
    }

    /// The changes that an event can have.
    public enum Change: Hashable, Sendable {
        /// Zones that were created, changed or deleted, the oldest change first. Delete the records of deleted zones. The
        /// changed records follow in later events. In a shared database, a zone is deleted when it is no longer shared with
        /// the user.
        case zones([ZoneChange])
        /// A page of the changes in a zone.
        case records(ChangePage, zone: Zone.ID)
        /// The feed reads a zone from the beginning, because its token has expired, the user's rights in the zone have
        /// changed, or the zone was deleted and created again. Delete the zone's records that the feed does not deliver
        /// again.
        case zoneStartsOver(Zone.ID)
        /// The feed reads all zones from the beginning, because its token has expired. Delete the zones and the records
        /// that the feed does not deliver again.
        case startOver
        /// All changes are delivered. An app that syncs from time to time ends the loop here.
        case upToDate
    }

    let zones: DatabaseZones
    let selection: FeedSelection
    let state: State
    /// If the feed has to poll, the polling interval right after a change.
    let interval: Duration
    /// The longest polling interval.
    let longestInterval: Duration

    public func makeAsyncIterator() -> Iterator {
        Iterator(follower: DatabaseFollower(self))
    }

    /// The iterator of the feed.
    public struct Iterator: AsyncIteratorProtocol {
        var follower: DatabaseFollower

        /// Returns the next event, which is never `nil`.
        ///
        /// - Throws: `FogbaseError` if the error is not temporary; `CancellationError` if the task was canceled.
        public mutating func next() async throws -> Event? {
            try await follower.next()
        }
    }
}
