internal import Threads

/// Counters of one database's assets, read by `/metrics` from any thread.
package final class AssetCounters: Sendable {
    /// The values of the counters.
    struct Counts: Sendable {
        var uploads: UInt64 = 0
        var duplicates: UInt64 = 0
        var received: UInt64 = 0
        var downloads: UInt64 = 0
        var collected: UInt64 = 0
        var swept: UInt64 = 0
    }

    private let counts = Locked(Counts())

    init() {}

    func add(_ counter: WritableKeyPath<Counts, UInt64>, _ number: UInt64 = 1) {
        counts.withLock { $0[keyPath: counter] &+= number }
    }

    /// The number of uploaded files.
    package var uploads: UInt64 { counts.withLock { $0.uploads } }
    /// The number of uploads of content that was already stored.
    package var duplicates: UInt64 { counts.withLock { $0.duplicates } }
    /// The number of uploaded bytes.
    package var received: UInt64 { counts.withLock { $0.received } }
    /// The number of files that were opened for a response.
    package var downloads: UInt64 { counts.withLock { $0.downloads } }
    /// The number of files that were deleted because no record used them.
    package var collected: UInt64 { counts.withLock { $0.collected } }
    /// The number of unknown files that were deleted after a crash.
    package var swept: UInt64 { counts.withLock { $0.swept } }
}
