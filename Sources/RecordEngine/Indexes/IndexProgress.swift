package import RecordModel
internal import Synchronization
internal import Threads

/// How the building of indexes goes, read by `/metrics` and `/schema` from any thread.
package final class IndexProgress: Sendable {
    private let records = Atomic<UInt64>(0)
    private let slices = Atomic<UInt64>(0)
    private let open = Locked<[IndexID: Int]>([:])

    init() {}

    /// The records that were put into indexes since the database was opened, counted once per index.
    package var builtRecords: UInt64 { records.load(ordering: .relaxed) }
    /// The slices in which indexes were built and dropped since the database was opened.
    package var doneSlices: UInt64 { slices.load(ordering: .relaxed) }
    /// The records in each index that is being built, by its number.
    package var building: [IndexID: Int] { open.withLock { $0 } }

    /// - Parameters:
    ///   - building: What is being built after the slice.
    ///   - added: The records that it has put into indexes.
    func didCommit(building: [IndexID: Int], added: Int) {
        records.add(UInt64(added), ordering: .relaxed)
        slices.add(1, ordering: .relaxed)
        open.withLock { $0 = building }
    }
}
