internal import Synchronization
internal import Threads

/// Told of what happens in a store, on whichever thread it happens.
package protocol StoreObserver: Sendable {
    /// - Parameter text: For the operator's log.
    func didFail(_ text: String)
    func didCheckpoint()
}

/// What all threads know of one store.
package final class StoreStatus: Sendable {
    /// Published commits, and the gate for readers.
    package let clock: CommitClock
    package let observer: (any StoreObserver)?
    /// Whether a sync to the disk has failed: what the disk holds is not known any more, so nothing more is written to it.
    private let failed = Atomic<Bool>(false)
    let disk = Locked(DiskWatch())

    package init(clock: CommitClock, observer: (any StoreObserver)?) {
        self.clock = clock
        self.observer = observer
    }

    package var hasFailedForGood: Bool { failed.load(ordering: .relaxed) }

    /// Ends writing for good, and keeps no reader out any more.
    func failForGood() {
        failed.store(true, ordering: .relaxed)
        clock.letIn(forGood: true)
    }

    /// Why the store takes no writes, as far as it is known; `nil` if it takes them.
    package var obstacle: WriteObstacle? {
        hasFailedForGood ? .failedSync : disk.withLock { $0.obstacle }
    }

    /// Whether the disk is to be looked at before `obstacle` is believed.
    ///
    /// - Parameter freeBytes: What is free on it.
    package func isLookDue(freeBytes: () -> Int) -> Bool {
        let (isObstructed, lastLook) = disk.withLock { ($0.obstacle != nil, $0.lastLook) }
        if lastLook != 0 && MonotonicClock.coarse &- lastLook < 1_000_000_000 { return false }
        return isObstructed || freeBytes() < DiskRoom.betweenLooks
    }
}
