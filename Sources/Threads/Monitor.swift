public import Glibc

/// A value protected by a mutex, with a condition variable. The type is public for the same reason as `Locked`.
///
/// Unchecked: the value is accessed only while `mutex` is held.
public final class Monitor<Value>: @unchecked Sendable {
    @usableFromInline var value: Value
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    /// Creates the monitor with its value.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        // Deadlines use the monotonic clock, so that a change of the system time does not lengthen a wait.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the value.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Blocks the calling thread until `isTrue` returns true, then runs `body` under the same lock.
    ///
    /// A thread that changes the value must call `signal` or `broadcast` afterwards.
    package func wait<Result, Failure: Error>(
        until isTrue: (inout Value) -> Bool, then body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isTrue(&value) {
            pthread_cond_wait(condition, mutex)
        }
        return try body(&value)
    }

    /// Blocks the calling thread until `isTrue` returns true or `deadline` has passed, then runs `body` under the same
    /// lock.
    package func wait<Result, Failure: Error>(
        until isTrue: (inout Value) -> Bool, orUntil deadline: Deadline,
        then body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var time = timespec(
            tv_sec: Int(clamping: deadline.nanoseconds / 1_000_000_000),
            tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isTrue(&value) {
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { break }
        }
        return try body(&value)
    }

    /// Wakes one waiting thread.
    package func signal() {
        pthread_cond_signal(condition)
    }

    /// Wakes all waiting threads.
    package func broadcast() {
        pthread_cond_broadcast(condition)
    }
}
