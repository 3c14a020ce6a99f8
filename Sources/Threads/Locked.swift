#if THREAD_SANITIZER
    import Glibc
#else
    package import Synchronization
#endif

/// A value behind a lock.
///
/// It is `Synchronization.Mutex`, except in thread sanitizer builds (`-D THREAD_SANITIZER`): the sanitizer reports races in
/// correct programs that use `Mutex` on Linux with Swift 6.3.1, and understands a `pthread_mutex_t`.
package final class Locked<Value: ~Copyable>: Sendable {
    #if THREAD_SANITIZER
        private let box: PThreadBox<Value>

        package init(_ value: consuming sending Value) {
            box = PThreadBox(value)
        }

        /// Runs `body` with the value while no other thread has it. Short work only; never lock twice.
        package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            box.lock()
            defer { box.unlock() }
            return try body(&box.value)
        }
    #else
        // Inlinable, like the calls: unspecialized, each lock would look up metadata at run time.
        @usableFromInline let mutex: Mutex<Value>

        @inlinable package init(_ value: consuming sending Value) {
            mutex = Mutex(value)
        }

        /// Runs `body` with the value while no other thread has it. Short work only; never lock twice.
        @inlinable package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}

#if THREAD_SANITIZER
    /// Unchecked: `value` is touched between `lock` and `unlock` only.
    private final class PThreadBox<Value: ~Copyable>: @unchecked Sendable {
        nonisolated(unsafe) var value: Value
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        init(_ value: consuming Value) {
            self.value = value
            mutex = .allocate(capacity: 1)
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        func lock() {
            pthread_mutex_lock(mutex)
        }

        func unlock() {
            pthread_mutex_unlock(mutex)
        }
    }
#endif
