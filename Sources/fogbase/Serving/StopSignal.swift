import Glibc
import Threads

/// The signals SIGTERM and SIGINT. They are blocked in all threads, and the main thread waits for them.
struct StopSignal {
    /// Blocks both signals in this thread and in all threads that this thread starts. Call this before any other thread
    /// starts.
    init() {
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Blocks until a signal arrives. After that, a second signal ends the process at once. This is safe because all
    /// acknowledged writes are on disk.
    func wait() {
        Self.waitForOne()
        SystemThread.start(name: "second-signal") {
            let signal = Self.waitForOne()
            _exit(128 + signal)
        }
    }

    /// Waits for a signal for a limited time in milliseconds.
    ///
    /// - Returns: Whether a signal arrived.
    func wait(milliseconds: Int) -> Bool {
        var set = Self.set
        var time = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        return sigtimedwait(&set, nil, &time) > 0
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        return set
    }

    @discardableResult
    private static func waitForOne() -> Int32 {
        var set = set
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }
}
