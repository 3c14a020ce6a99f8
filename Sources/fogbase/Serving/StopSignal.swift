import Glibc
import Threads

/// SIGTERM and SIGINT, taken out of every thread's hands: the main thread waits for them instead of being interrupted.
struct StopSignal {
    /// Blocks both signals in this thread and in all that it starts; so it comes before any other thread.
    init() {
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Blocks until one of them comes. From then on another one ends the process at once: everything acknowledged is on
    /// the disk anyway.
    func wait() {
        Self.waitForOne()
        SystemThread.start(name: "second-signal") {
            let signal = Self.waitForOne()
            _exit(128 + signal)
        }
    }

    /// Waits for one of them.
    ///
    /// - Returns: Whether one came in that time.
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
