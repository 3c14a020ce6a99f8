internal import RecordModel
internal import Threads

/// How large the pieces are in which indexes are built.
package struct IndexBuilding: Hashable, Sendable {
    /// An index on at most so many records is built inside the request that makes it.
    package var recordsAtOnce = 5_000
    /// … as long as the indexes that one request makes get no more entries than this.
    package var entriesAtOnce = 20_000
    /// The time of a slice while other writes wait.
    package var busyNanoseconds: UInt64 = 1_000_000
    /// The time of a slice while none do.
    package var idleNanoseconds: UInt64 = 4_000_000
    /// The most records that one slice looks at, and entries that it puts in or takes away.
    package var recordsPerSlice = Int.max
    /// Entries are sorted in memory, this much at a time, before they go in.
    package var bytesPerStretch = 8 << 20
    /// … or the entries of so many records, also of other types: a restart does this much again.
    package var recordsPerStretch = 250_000
    /// After how long a slice that failed is tried again, also one of a removed account.
    package var retryPause = Duration.seconds(1)

    package init() {}
}

extension RecordDatabase {
    /// Sees to it that indexes are built, and tables of dropped ones taken away, in slices among other writes. Returns at
    /// once. Happens by itself when the database opens and when its schema changes.
    package nonisolated func buildIndexes() {
        if indexBuilder.begin() { submit(IndexSlice(self)) }
    }

    /// Waits until nothing is left to build and to drop, or until that has failed or the database was closed.
    package nonisolated func indexesAreBuilt() async {
        await indexBuilder.wait()
    }
}

/// One slice of index work as a write among others. When it is committed it submits the next one; when the database
/// closes, that is refused, and so the work ends.
private final class IndexSlice: PendingWrite, @unchecked Sendable {
    private let database: RecordDatabase
    private var outcome: WriteTransaction.SliceOutcome?
    private var load: IndexLoad?

    init(_ database: RecordDatabase) {
        self.database = database
        super.init(operations: 0, weight: 1, isAlone: false, startsLazily: false)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        outcome = nil
        defer { load = transaction.indexes.load }
        let building = transaction.indexBuilding
        let database = database
        outcome = try transaction.indexSlice { started in
            let isBusy = transaction.groupSize > 1 || database.queueDepth > 0
            let time = isBusy ? building.busyNanoseconds : building.idleNanoseconds
            return MonotonicClock.now &- started < time
        }
    }

    override func finish(_ failure: RecordError?) {
        guard failure == nil, let outcome else {
            load?.abandon()
            return database.retry(after: database.indexBuilder.didFail()) { $0.buildIndexes() }
        }
        load?.isCommitted = true
        database.indexProgress.didCommit(building: outcome.building, added: outcome.added)
        if database.indexBuilder.didCommit(hasMore: outcome.hasMore) { database.submit(IndexSlice(database)) }
    }
}
