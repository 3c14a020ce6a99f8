internal import RecordModel
internal import RecordStorage

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
    /// After how long a job whose slice failed is tried again.
    package var retryPause = Duration.seconds(1)

    package init() {}
}

/// Builds indexes, and empties dropped ones.
///
/// Unchecked: see `Job`.
final class IndexJob: Job, @unchecked Sendable {
    /// How far it is.
    let progress = IndexProgress()
    /// What the slice under way has brought: the stretch, and the records in each index that is still being built.
    private var load: IndexLoad?
    private var building: [IndexID: Int] = [:]

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> JobProgress {
        defer { load = transaction.indexes.load }
        let done = try transaction.indexWork.slice(&budget)
        building = Dictionary(
            try transaction.store.indexDefinitions.builds().map { ($0.id, $0.built) }, uniquingKeysWith: { $1 })
        return done
    }

    func didCommit(_ slice: JobProgress) -> AfterCommit? {
        load?.isCommitted = true
        load = nil
        progress.didCommit(building: building, added: slice.done)
        return nil
    }

    func didFail(_ error: RecordError) -> JobRetry {
        load?.abandon()
        load = nil
        return .later
    }
}
