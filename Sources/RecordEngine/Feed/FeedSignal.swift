package import RecordModel
internal import Synchronization
internal import Threads

/// Wakes one stream. Any thread may raise the signal.
package final class FeedSignal: Sendable {
    /// Why a stream was woken.
    package struct Reasons: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// There may be new changes.
        package static let commit = Reasons(rawValue: 1)
        /// The permissions of callers have changed.
        package static let rights = Reasons(rawValue: 2)
        /// Nothing was sent for some time.
        package static let silence = Reasons(rawValue: 4)
        /// The stream must end.
        package static let end = Reasons(rawValue: 8)
    }

    private struct State {
        var raised: Reasons = []
        var waiter: UnsafeContinuation<Reasons, Never>?
    }

    private let state = Locked(State())

    /// Creates a signal that is not raised.
    package init() {}

    /// Raises the signal. If the stream waits, it continues.
    package func raise(_ reason: Reasons) {
        let waiter = state.withLock { state -> UnsafeContinuation<Reasons, Never>? in
            state.raised.formUnion(reason)
            return state.waiter.take()
        }
        waiter?.resume(returning: take())
    }

    /// Waits until the signal is raised. Returns the reasons and clears them, except `end`. A cancelled task gets `end`.
    package func wait() async -> Reasons {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Reasons, Never>) in
                let isRaised = state.withLock { state in
                    if state.raised.isEmpty { state.waiter = continuation }
                    return !state.raised.isEmpty
                }
                if isRaised { continuation.resume(returning: take()) }
            }
        } onCancel: {
            raise(.end)
        }
    }

    /// Returns the reasons and clears them, except `end`.
    package func take() -> Reasons {
        state.withLock { state in
            let reasons = state.raised
            state.raised.formIntersection(.end)
            return reasons
        }
    }
}

/// What a stream waits for: commits that have changed one of these.
package enum CommitTopic: Hashable, Sendable {
    /// The records of a zone, or the zones of a database if the zone is `everyZone`.
    case zone(DatabaseAddress)
    /// The records of a type in a zone.
    case type(DatabaseAddress, TypeID)
    /// The subscriptions of an account.
    case subscriptions(of: UserID)
}

/// The topics that one stream waits for.
final class TopicWatch {
    /// Wakes the stream.
    let signal = FeedSignal()
    private let watcher: CommitWatcher
    private var topics: Set<CommitTopic> = []

    /// - Parameter watcher: The watcher of the stream's thread.
    init(_ watcher: CommitWatcher) { self.watcher = watcher }

    deinit {
        for topic in topics { watcher.remove(signal, for: topic) }
    }

    /// Waits for other topics. Something may have changed before, so a next read must follow.
    func set(_ wanted: Set<CommitTopic>) {
        for topic in topics.subtracting(wanted) { watcher.remove(signal, for: topic) }
        for topic in wanted.subtracting(topics) { watcher.add(signal, for: topic) }
        topics = wanted
        signal.raise(.commit)
    }
}

/// Tells the streams of all threads about commits in their zones.
package final class CommitBroadcast: Sendable {
    private let watchers = Locked<[CommitWatcher]>([])
    private let delivered = Atomic<UInt64>(0)

    init() {}

    /// The number of open streams.
    package var streams: Int {
        watchers.withLock { $0 }.reduce(0) { $0 + $1.count }
    }

    /// The number of events that streams have delivered.
    package var events: UInt64 { delivered.load(ordering: .relaxed) }

    func didDeliver(_ events: Int) {
        if events > 0 { delivered.add(UInt64(events), ordering: .relaxed) }
    }

    /// Creates the watcher of one thread.
    ///
    /// - Parameter executor: The executor of the thread; `nil` for any thread.
    package func makeWatcher(_ executor: (any TaskExecutor)?) -> CommitWatcher {
        let watcher = CommitWatcher(executor)
        watchers.withLock { $0.append(watcher) }
        return watcher
    }

    /// Removes the watcher of a thread that ends.
    package func remove(_ watcher: CommitWatcher) {
        watchers.withLock { watchers in watchers.removeAll { $0 === watcher } }
    }

    /// Wakes the streams that wait for the topics of a commit. Called on the writer's thread.
    func publish(_ topics: [CommitTopic]) {
        for watcher in watchers.withLock({ $0 }) { watcher.note(topics) }
    }
}

/// The streams of one thread that wait for commits.
package final class CommitWatcher: Sendable {
    private struct State {
        var signals: [CommitTopic: [ObjectIdentifier: FeedSignal]] = [:]
        /// The topics with commits whose streams have not been woken yet.
        var changed: Set<CommitTopic> = []
        var isScheduled = false
    }

    private let executor: (any TaskExecutor)?
    private let state = Locked(State())

    /// The number of streams that are woken before the thread serves other connections.
    private static let batch = 32

    fileprivate init(_ executor: (any TaskExecutor)?) {
        self.executor = executor
    }

    /// The number of streams.
    package var count: Int {
        // A stream may wait for several topics.
        state.withLock { Set($0.signals.values.flatMap(\.keys)).count }
    }

    func add(_ signal: FeedSignal, for topic: CommitTopic) {
        state.withLock { $0.signals[topic, default: [:]][ObjectIdentifier(signal)] = signal }
    }

    func remove(_ signal: FeedSignal, for topic: CommitTopic) {
        state.withLock { state in
            state.signals[topic]?[ObjectIdentifier(signal)] = nil
            if state.signals[topic]?.isEmpty ?? false { state.signals[topic] = nil }
        }
    }

    /// Notes commits, and schedules `wakeStreams` on the watcher's thread.
    fileprivate func note(_ topics: [CommitTopic]) {
        let mustSchedule = state.withLock { state in
            var isAffected = false
            for topic in topics where state.signals[topic] != nil {
                state.changed.insert(topic)
                isAffected = true
            }
            guard isAffected, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        guard mustSchedule else { return }
        Task(executorPreference: executor) { await self.wakeStreams() }
    }

    /// Wakes the streams of all changed topics, a batch at a time. Commits in the meantime are noted for a next pass, so
    /// that a thread with thousands of streams is never more than one pass behind.
    private func wakeStreams() async {
        while true {
            let signals = state.withLock { state -> [FeedSignal] in
                let topics = state.changed
                state.changed = []
                state.isScheduled = !topics.isEmpty
                var signals: [ObjectIdentifier: FeedSignal] = [:]
                for topic in topics {
                    if let known = state.signals[topic] { signals.merge(known) { signal, _ in signal } }
                }
                return Array(signals.values)
            }
            if signals.isEmpty, !state.withLock({ $0.isScheduled }) { return }
            for (index, signal) in signals.enumerated() {
                signal.raise(.commit)
                if index % Self.batch == Self.batch - 1 { await Task.yield() }
            }
        }
    }
}
