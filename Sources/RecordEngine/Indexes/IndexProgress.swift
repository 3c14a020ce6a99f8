package import RecordModel
internal import Synchronization
internal import Threads

/// The progress of index builds. `/metrics` and `/schema` read it from any thread.
package final class IndexProgress: Sendable {
    private let records = Atomic<UInt64>(0)
    private let slices = Atomic<UInt64>(0)
    private let open = Locked<[IndexID: Int]>([:])

    init() {}

    /// The number of records added to indexes since the database was opened. A record counts once for each index.
    package var builtRecords: UInt64 { records.load(ordering: .relaxed) }
    /// The number of slices that have built or dropped indexes since the database was opened.
    package var doneSlices: UInt64 { slices.load(ordering: .relaxed) }
    /// The number of records already in each index that is being built.
    package var building: [IndexID: Int] { open.withLock { $0 } }

    /// Counts a slice after its commit.
    ///
    /// - Parameters:
    ///   - building: The number of records in each index that is still being built after the slice.
    ///   - added: The number of records that the slice added to indexes.
    func didCommit(building: [IndexID: Int], added: Int) {
        records.add(UInt64(added), ordering: .relaxed)
        slices.add(1, ordering: .relaxed)
        open.withLock { $0 = building }
    }
}
