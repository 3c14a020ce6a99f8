internal import RecordModel
internal import Glibc
internal import RecordStorage
internal import Threads

/// What the queries of one database share across threads: the pool for long ones, statistics, advice.
package final class QueryServices: Sendable {
    /// Where queries run that are too long for an event loop.
    package let pool = ReaderPool(name: "fog-query")
    /// Where pages are made that are: one for each processor, as the loops would. Each is short, so that many may wait, and
    /// none waits for a long query.
    package let pages = ReaderPool(
        name: "fog-page", length: .page, threads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), queueLength: 4_096)
    /// What the costliest queries lack.
    package let advice = QueryAdvice()
    /// The changes of sets with an idempotency key that are under way.
    let runningSets = Locked<Set<RunningSet>>([])

    struct RunningSet: Hashable, Sendable {
        let caller: CallerID
        let key: String
    }
    /// By the number of the index.
    let statistics = Locked<[IndexID: IndexStatistics]>([:])
    /// What `/metrics` tells of queries.
    package let counters = QueryCounters()

    init() {}

    /// Takes over what an earlier run has found out.
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
