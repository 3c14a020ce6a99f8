internal import Synchronization
internal import Threads

/// Receives the events of a store, on the thread where they happen.
package protocol StoreObserver: Sendable {
    /// Called after a failure.
    ///
    /// - Parameter text: A description of the failure for the operator's log.
    func didFail(_ text: String)
    /// Called after a checkpoint.
    func didCheckpoint()
    /// Called when the store follows a system clock that went back.
    ///
    /// - Parameter milliseconds: How far the last change of the store is ahead of the clock.
    func didStepBack(_ milliseconds: Int64)
}

/// The state of one store, shared by all threads.
package final class StoreStatus: Sendable {
    /// The published commits, and the gate for readers.
    package let clock: CommitClock
    /// Receives the events of the store.
    package let observer: (any StoreObserver)?
    /// Whether a sync has failed. The state of the disk is then unknown, and no more writes are accepted.
    private let failed = Atomic<Bool>(false)
    private let hasGoneBack = Atomic<Bool>(false)
    let disk = Locked(DiskWatch())

    /// Creates the state of a store that accepts writes.
    package init(clock: CommitClock, observer: (any StoreObserver)?) {
        self.clock = clock
        self.observer = observer
    }

    /// Whether a sync has failed, so that the state of the disk is unknown and the store accepts no more writes.
    package var hasFailedPermanently: Bool { failed.load(ordering: .relaxed) }

    /// Whether creation times never decrease with record numbers, so that the order of numbers is the order of
    /// creation. Changes to false before the first commit for which it is false.
    package var createdFollowsIDs: Bool { !hasGoneBack.load(ordering: .relaxed) }

    func clockWentBack() { hasGoneBack.store(true, ordering: .relaxed) }

    /// Rejects all further writes, and never blocks readers again.
    func failPermanently() {
        failed.store(true, ordering: .relaxed)
        clock.letIn(forGood: true)
    }

    /// The known reason why the store accepts no writes; `nil` if the store accepts writes.
    package var blocker: WriteBlocker? {
        hasFailedPermanently ? .failedSync : disk.withLock { $0.blocker }
    }

    /// Returns whether the caller should check the disk before it relies on `blocker`. True at most once per second.
    ///
    /// - Parameter freeBytes: Returns the free bytes of the disk.
    package func isCheckDue(freeBytes: () -> Int) -> Bool {
        let (isObstructed, lastCheck) = disk.withLock { ($0.blocker != nil, $0.lastCheck) }
        if lastCheck != 0 && MonotonicClock.coarse &- lastCheck < 1_000_000_000 { return false }
        return isObstructed || freeBytes() < DiskSpace.checkInterval
    }
}
