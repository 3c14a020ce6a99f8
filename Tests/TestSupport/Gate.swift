import Glibc

/// A gate that tests wait at until it is opened, so that an interleaving happens instead of being hoped for.
///
/// Unchecked: the state is touched only while `mutex` is held.
package final class Gate: @unchecked Sendable {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Lets everyone through, now and later.
    package func open() {
        pthread_mutex_lock(mutex)
        isOpen = true
        let waiting = waiters
        waiters = []
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
        for waiter in waiting { waiter.resume() }
    }

    /// Suspends until the gate is open.
    package func wait() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            if !park(continuation) { continuation.resume() }
        }
    }

    /// Blocks the calling thread until the gate is open. Not for the threads of Swift's own pool.
    package func waitBlocking() {
        pthread_mutex_lock(mutex)
        while !isOpen { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }

    private func park(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if !isOpen { waiters.append(continuation) }
        return !isOpen
    }
}
