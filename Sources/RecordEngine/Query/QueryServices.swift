internal import RecordModel
internal import Glibc
internal import RecordStorage
internal import Threads

/// The state that all queries of one database share across threads: worker pools, statistics and advice.
package final class QueryServices: Sendable {
    /// The pool for queries that take too long for an event loop.
    package let pool = ReaderPool(name: "fog-query")
    /// The pool for pages that take too long for an event loop, with one thread per processor. Each page takes little
    /// time, so many pages may wait. Queries use a separate pool, so no page waits for a long query.
    package let pages = ReaderPool(
        name: "fog-page", length: .page, threads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), queueLength: 4_096,
        userLength: 1_024)
    /// The indexes that the most expensive queries need.
    package let advice = IndexAdvisor()
    /// The running bulk changes that have an idempotency key.
    let runningBulkChanges = Locked<Set<RunningBulkChange>>([])

    /// The caller and key of a running bulk change.
    struct RunningBulkChange: Hashable, Sendable {
        let caller: CallerID
        let key: String
    }
    /// The planner statistics of each index.
    let statistics = Locked<[IndexID: IndexStatistics]>([:])
    /// How many queries have used each index.
    let indexUses = IndexUses()
    /// The query counters for `/metrics`.
    package let counters = QueryCounters()

    init() {}

    /// Loads the statistics that the database file stores.
    func load(_ rows: [IndexStatisticTable.Row]) {
        statistics.withLock { known in
            for row in rows { known[row.index] = IndexStatistics(row) }
        }
    }

    func close() async {
        await pool.close()
        await pages.close()
    }
}
