internal import CLinux
import Glibc

/// What the process arranges with the system before it serves.
enum ProcessSetup {
    /// A client that has gone, and a file that has reached the limit of file sizes (`ulimit -f`), are errors of one
    /// write, not the end of the process.
    static func turnSignalsIntoErrors() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Lets the allocator keep what an upload's pieces take, for the next pieces: else each is given back to the system
    /// and its pages are asked for anew, 136 of them for a MiB. What is kept too long is given back by `Maintenance`, but for
    /// the ends of all heaps but the first, which no call gives back: 2 MiB of each are kept. With 8 MiB an hour of mixed
    /// load took 31 to 47 MB, of which 20 to 24 were in use; with 2 it takes 20 to 33.
    ///
    /// As many heaps as threads can run at once, and the one of the first thread: with the system's eight for each
    /// processor, every thread of a pool has holes of its own that no other thread fills, and an hour of mixed load took
    /// 60 MB where 46 did. Fewer heaps than that cost threads their time at each other's locks (8 % of a read).
    static func keepFreedMemory() {
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        fogbase_keep_memory(2 << 20, 4 << 20, Int32(clamping: processors + 1))
    }

    /// Raises the limit of open files as far as the system lets us.
    ///
    /// - Returns: How many files the process may have open.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: UInt64(limit.rlim_cur))
    }
}
