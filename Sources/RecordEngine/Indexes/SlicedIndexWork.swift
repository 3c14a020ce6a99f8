internal import RecordModel
internal import RecordStorage

/// The limits of the slices in which indexes are built.
package struct IndexBuildOptions: Hashable, Sendable {
    /// The maximum number of records for which a request builds its new index itself. Larger types are left to the work.
    package var inlineRecords = 5_000
    /// The maximum number of entries that one request inserts into all its new indexes together.
    package var inlineEntries = 20_000
    /// The number of records below a changed share or parent that one request looks at itself. Slices update the access
    /// lists of the others. 500 records take the writer about 10 ms, as long as a slice that a client waits for.
    package var inlineAccessLists = 500
    /// The duration of a slice while other writes wait, in nanoseconds.
    package var busyNanoseconds: UInt64 = 1_000_000
    /// The duration of a slice while no other writes wait, in nanoseconds.
    package var idleNanoseconds: UInt64 = 4_000_000
    /// The maximum number of records that one slice reads. Also the maximum number of entries that a slice inserts or
    /// removes.
    package var recordsPerSlice = Int.max
    /// The memory in bytes for entries that are sorted before they are inserted.
    package var bytesPerLoad = 8 << 20
    /// The maximum number of records, of all types, whose entries are sorted together. A restart repeats at most this
    /// many records.
    package var recordsPerLoad = 250_000
    /// The pause before a failed slice is retried.
    package var retryPause = Duration.seconds(1)

    /// Creates the default options.
    package init() {}
}

/// The work that builds indexes and empties the tables of dropped indexes.
///
/// Unchecked: see `SlicedWork`.
final class SlicedIndexWork: SlicedWork, @unchecked Sendable {
    /// The progress of index builds, for `/metrics` and `/schema`.
    let progress = IndexProgress()
    /// The load that the current slice continues, and the number of records in each index that is still being built.
    private var load: IndexBulkLoad?
    private var building: [IndexID: Int] = [:]

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        defer { load = transaction.indexes.load }
        let done = try transaction.indexWork.slice(&budget)
        let builds = try transaction.store.indexDefinitions.builds()
        building = Dictionary(builds.map { ($0.id, $0.built) }, uniquingKeysWith: { $1 })
        try transaction.indexWork.showAsJobs(builds)
        return done
    }

    func didCommit(_ slice: SliceProgress) -> AfterCommit? {
        load?.isCommitted = true
        load = nil
        progress.didCommit(building: building, added: slice.done)
        return nil
    }

    func didFail(_ error: RecordError) -> SliceRetry {
        load?.abandon()
        load = nil
        return .later
    }
}
