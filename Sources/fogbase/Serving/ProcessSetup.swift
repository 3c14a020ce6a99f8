internal import CLinux
import Glibc

/// Sets up the process before it serves requests.
enum ProcessSetup {
    /// Ignores SIGPIPE and SIGXFSZ. A disconnected client or a file at the size limit (`ulimit -f`) then makes one
    /// write fail instead of ending the process.
    static func turnSignalsIntoErrors() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Makes the allocator keep the memory of upload pieces for the next pieces. Otherwise, the memory of each piece is
    /// returned to the system and requested again, 136 page faults per MiB. `Maintenance` returns memory that is unused
    /// for long. The exceptions are the ends of all heaps but the first, which no call returns: 2 MiB of each are kept.
    /// (Measured after an hour of mixed load, with 20 to 24 MB in use: 31 to 47 MB resident with 8 MiB, 20 to 33 MB
    /// with 2 MiB.)
    ///
    /// Limits the number of heaps to one per processor and one for the main thread. With the default of eight per
    /// processor, each thread of a pool has free blocks that no other thread can use (measured: 60 MB instead of 46
    /// MB). With fewer heaps, threads wait for each other's locks (8 % of the time of a read).
    static func keepFreedMemory() {
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        fogbase_keep_memory(2 << 20, 4 << 20, Int32(clamping: processors + 1))
    }

    /// Raises the limit of open files to the maximum that the system allows.
    ///
    /// - Returns: The number of files that the process may have open.
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
