internal import RecordModel
internal import Threads

/// What the queries of one database share across threads: the pool for long ones, statistics, advice.
package final class QueryServices: Sendable {
    package let pool = ReaderPool()
    package let advice = QueryAdvice()
    /// By the number of the index.
    let statistics = Locked<[Int64: IndexStatistics]>([:])
    package let counters = QueryCounters()

    init() {}

    func close() async {
        await pool.close()
    }
}
