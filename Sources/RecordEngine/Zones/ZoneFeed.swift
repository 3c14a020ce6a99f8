package import RecordModel
internal import RecordStorage

/// One client's stream of the zones of a private or shared database that have changed.
///
/// A feed holds no changes. If its client does not read, the feed stays where it is, and goes on from there.
///
/// Unchecked: used only on the thread of its reader, one call at a time.
package final class ZoneFeed: @unchecked Sendable {
    /// Wakes the feed.
    package var signal: FeedSignal { watch.signal }
    private let database: FollowedDatabase
    private var caller: Caller
    private var position: FeedStart
    /// Why the feed cannot start where its client has stopped.
    private var lostStart: RecordError?
    private let watch: TopicWatch
    /// The version of callers' permissions with which the zones are watched.
    package private(set) var rightsVersion: UInt64

    /// Opens a feed. The snapshot of `reader` must be current. If the start is a token that cannot be used, the first call
    /// of `next` says so, and the feed is at its beginning.
    ///
    /// - Parameter watcher: The watcher of the reader's thread.
    /// - Throws: See `ZoneReader.changes` and `ZoneReader.sharedChanges`, except TOKEN_EXPIRED and TOKEN_INVALID.
    package init(
        of database: FollowedDatabase, for caller: Caller, since start: FeedStart, by reader: RecordReader,
        watcher: CommitWatcher
    ) throws(RecordError) {
        self.database = database
        self.caller = caller
        position = start
        watch = TopicWatch(watcher)
        rightsVersion = reader.rightsVersion
        // Also checks the token and the caller's rights.
        do throws(RecordError) {
            let first = try changes(limit: 1, by: reader)
            if start == .now { position = .token(first.token) }
        } catch  where error.isOfLostPosition {
            position = .beginning
            lostStart = error
        }
        watch.set(try topics(by: reader))
    }

    /// Returns the next changes with the token after each, and moves behind them. The snapshot of `reader` must be
    /// current.
    ///
    /// - Parameters:
    ///   - caller: The caller, authenticated just now.
    ///   - limit: The maximum number of zones.
    /// - Throws: The errors of `init`.
    package func next(
        for caller: Caller, limit: Int, by reader: RecordReader
    ) throws(RecordError) -> (page: ZoneChanges, tokens: [String]) {
        if let error = lostStart.take() { throw error }
        if reader.rightsVersion != rightsVersion || caller != self.caller {
            self.caller = caller
            rightsVersion = reader.rightsVersion
            watch.set(try topics(by: reader))
        }
        let page = try changes(limit: limit, by: reader)
        position = .token(page.token)
        reader.database.commitBroadcast.didDeliver(page.changes.count)
        guard let account else { return (page, []) }
        return (page, reader.zones.tokens(in: page, of: account, isShared: database == .shared, for: caller))
    }

    /// Goes on with the first change.
    package func restart() {
        position = .beginning
        signal.raise(.commit)
    }

    private func changes(limit: Int, by reader: RecordReader) throws(RecordError) -> ZoneChanges {
        switch database {
        case .scope(let scope): try reader.zones.changes(in: scope, for: caller, since: position, limit: limit)
        case .shared: try reader.zones.sharedChanges(for: caller, since: position, limit: limit)
        }
    }

    /// The account whose database it is; `nil` for the public database, which has no feed of zones.
    private var account: UserID? {
        switch database {
        case .scope(.publicDatabase): nil
        case .scope(.privateDatabase(let owner)): owner
        case .shared: caller.userID
        }
    }

    /// Returns the signals that may announce a change.
    private func topics(by reader: RecordReader) throws(RecordError) -> Set<CommitTopic> {
        guard let account else { return [] }
        let own = CommitTopic.zone(DatabaseAddress(scope: .privateDatabase(owner: account), zone: .everyZone))
        guard database == .shared else { return [own] }
        return Set(try reader.zones.sharedAddresses(of: account).map(CommitTopic.zone) + [own])
    }
}
