import Glibc
import Threads

/// The signals SIGTERM and SIGINT, and for a server also SIGHUP. They are blocked in all threads, and the main thread
/// waits for them.
struct StopSignal {
    /// Blocks the signals in this thread and in all threads that this thread starts. Call this before any other thread
    /// starts.
    ///
    /// - Parameter isServer: Whether SIGHUP does not end the process.
    init(isServer: Bool = false) {
        var set = isServer ? Self.serverSet : Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Blocks until a signal to stop arrives. After that, a second one ends the process at once. This is safe because all
    /// acknowledged writes are on disk.
    ///
    /// - Parameter hangUp: Called for each SIGHUP.
    func wait(hangUp: () -> Void) {
        while Self.waitForOne(of: Self.serverSet) == SIGHUP { hangUp() }
        SystemThread.start(name: "second-signal") {
            let signal = Self.waitForOne(of: Self.set)
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

    private static var serverSet: sigset_t {
        var set = set
        sigaddset(&set, SIGHUP)
        return set
    }

    private static func waitForOne(of set: sigset_t) -> Int32 {
        var set = set
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }
}
