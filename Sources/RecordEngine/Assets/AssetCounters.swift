internal import Threads

/// Counters of one database's assets, read by `/metrics` from any thread.
package final class AssetCounters: Sendable {
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

    /// Files that were uploaded.
    package var uploads: UInt64 { counts.withLock { $0.uploads } }
    /// Uploads whose content was there already.
    package var duplicates: UInt64 { counts.withLock { $0.duplicates } }
    /// Bytes of uploads.
    package var received: UInt64 { counts.withLock { $0.received } }
    /// Files that were opened for an answer.
    package var downloads: UInt64 { counts.withLock { $0.downloads } }
    /// Files taken away since no record had them.
    package var collected: UInt64 { counts.withLock { $0.collected } }
    /// Files that nobody knew, left behind by a crash.
    package var swept: UInt64 { counts.withLock { $0.swept } }
}
