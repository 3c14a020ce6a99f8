#if THREAD_SANITIZER
    import Glibc
#else
    public import Synchronization
#endif

/// A value behind a lock.
///
/// It is `Synchronization.Mutex`, except in thread sanitizer builds (`-D THREAD_SANITIZER`): the sanitizer reports races in
/// correct programs that use `Mutex` on Linux with Swift 6.3.1, and understands a `pthread_mutex_t`.
///
/// Public, so that other modules inline it: of a `package` function the compiler inlines nothing across modules, and each
/// lock would look up metadata at run time.
public final class Locked<Value: ~Copyable>: Sendable {
    #if THREAD_SANITIZER
        private let box: PThreadBox<Value>

        public init(_ value: consuming sending Value) {
            box = PThreadBox(value)
        }

        /// Runs `body` with the value while no other thread has it. Short work only; never lock twice.
        public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            box.lock()
            defer { box.unlock() }
            return try body(&box.value)
        }
    #else
        @usableFromInline let mutex: Mutex<Value>

        @inlinable public init(_ value: consuming sending Value) {
            mutex = Mutex(value)
        }

        /// Runs `body` with the value while no other thread has it. Short work only; never lock twice.
        @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
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
