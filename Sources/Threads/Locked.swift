#if THREAD_SANITIZER
    import Glibc
#else
    public import Synchronization
#endif

/// A value protected by a mutex.
///
/// Wraps `Synchronization.Mutex`. Thread sanitizer builds (`-D THREAD_SANITIZER`) use a `pthread_mutex_t` instead: with
/// Swift 6.3.1 on Linux, the sanitizer reports false races for `Mutex`.
///
/// The type is public so that other modules can inline it. The compiler does not inline `package` functions across
/// modules, so each lock would look up metadata at run time.
public final class Locked<Value: ~Copyable>: Sendable {
    #if THREAD_SANITIZER
        private let box: PThreadBox<Value>

        /// Creates the lock with its value.
        public init(_ value: consuming sending Value) {
            box = PThreadBox(value)
        }

        /// Runs `body` with exclusive access to the value. Keep `body` short. The lock is not recursive.
        public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            box.lock()
            defer { box.unlock() }
            return try body(&box.value)
        }
    #else
        @usableFromInline let mutex: Mutex<Value>

        /// Creates the lock with its value.
        @inlinable public init(_ value: consuming sending Value) {
            mutex = Mutex(value)
        }

        /// Runs `body` with exclusive access to the value. Keep `body` short. The lock is not recursive.
        @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}

#if THREAD_SANITIZER
    /// Unchecked: `value` is accessed only between `lock` and `unlock`.
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
