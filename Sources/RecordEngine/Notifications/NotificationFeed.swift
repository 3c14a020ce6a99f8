package import RecordModel
internal import RecordStorage

/// One client's notifications: its position, and the subscriptions and rights with which the next changes are judged.
///
/// A feed holds no notifications. If its client does not read, the feed stays where it is, and goes on from there.
///
/// Unchecked: used only on the thread of its reader, one call at a time.
package final class NotificationFeed: @unchecked Sendable {
    /// Consecutive notifications.
    package struct Batch: Sendable {
        /// The notifications in the order of their changes.
        package let notifications: [SubscriptionNotification]
        /// The token after each notification.
        package let tokens: [String]
        /// The token after the batch.
        package let end: String
        /// Whether more changes exist already.
        package let moreComing: Bool
    }

    /// Wakes the feed.
    package var signal: FeedSignal { watch.signal }
    private var caller: Caller
    private var subscriptions: BoundSubscriptions
    private var position: NotificationPosition
    /// Why the feed cannot start where its client has stopped.
    private var lostStart: RecordError?
    private let watch: TopicWatch
    /// The version of callers' permissions with which `subscriptions` are bound.
    package private(set) var rightsVersion: UInt64

    /// Opens the notifications of a caller's account. The snapshot of `reader` must be current.
    ///
    /// - Parameters:
    ///   - watcher: The watcher of the reader's thread.
    ///   - isStream: Whether the first call of `next` throws the error of a token that cannot be used, instead of this
    ///     initializer.
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID or TOKEN_EXPIRED; AUTHENTICATION_REQUIRED or ACCESS_DENIED for a
    ///   caller without an account.
    package init(
        for caller: Caller, since start: FeedStart, by reader: RecordReader, watcher: CommitWatcher,
        isStream: Bool = false
    ) throws(RecordError) {
        self.caller = caller
        watch = TopicWatch(watcher)
        let account = try caller.subscriber
        do throws(RecordError) {
            position = try reader.notifications.open(start, of: account)
        } catch  where isStream && error.isOfLostPosition {
            position = try reader.notifications.open(.now, of: account)
            lostStart = error
        }
        subscriptions = try reader.subscriptions.bound(for: caller)
        rightsVersion = reader.rightsVersion
        watch.set(subscriptions.topics)
    }

    /// Returns the next notifications, and moves behind them. The snapshot of `reader` must be current.
    ///
    /// - Parameters:
    ///   - caller: The caller, authenticated just now.
    ///   - limit: The maximum number of notifications.
    /// - Throws: BAD_REQUEST with cause TOKEN_EXPIRED if deletions are no longer kept that the client would have been
    ///   notified of; TRY_AGAIN_LATER if the reader pool is full, or if the store accepts no writes and a subscription
    ///   fires once.
    package func next(
        for caller: Caller, limit: Int, by reader: RecordReader
    ) async throws(RecordError) -> Batch {
        if let error = lostStart.take() { throw error }
        let areCurrent = try reader.subscriptions.areCurrent(subscriptions)
        if reader.rightsVersion != rightsVersion || caller != self.caller || !areCurrent {
            subscriptions = try reader.subscriptions.bound(for: caller)
            self.caller = caller
            rightsVersion = reader.rightsVersion
            watch.set(subscriptions.topics)
        }
        let account = subscriptions.account
        // Nothing before the oldest subscription is notified.
        let oldest = subscriptions.items.map(\.since).min() ?? reader.knownSequence
        if oldest > position.sequence { (position.sequence, position.within) = (oldest, .max) }
        let page = try await reader.page(
            NotificationsRequest(
                caller: caller, subscriptions: subscriptions, position: position, limit: limit,
                known: reader.knownSequence))
        try await reader.database.subscriptions.didFire(page.fired, of: account)
        position = page.end
        reader.database.notificationQueues.didNotify(page.notifications.count)
        return Batch(
            notifications: page.notifications,
            tokens: page.notifications.indices.map { sealed(page.position(after: $0), by: reader) },
            end: sealed(page.end, by: reader), moreComing: page.moreComing)
    }

    /// Goes on after the newest change.
    package func skip(by reader: RecordReader) throws(RecordError) {
        position = try reader.notifications.open(.now, of: subscriptions.account)
        signal.raise(.commit)
    }

    /// The position as a token.
    package func token(by reader: RecordReader) -> String { sealed(position, by: reader) }

    private func sealed(_ position: NotificationPosition, by reader: RecordReader) -> String {
        position.sealed(of: subscriptions.account, in: reader.store.epoch, with: reader.database.keys)
    }
}
