internal import RecordModel
internal import RecordStorage

/// Loads the entries of a range of records into new indexes, over several slices. The load gathers the entries, sorts
/// them, and inserts them in index order. The position of the builds advances only after all entries are inserted.
///
/// Other writes run between the slices. If they change a record, its gathered entries may be outdated. The load leaves
/// out these entries, and at the end inserts entries of the current record. Noting a write that later fails is
/// therefore harmless.
///
/// Only the writer's thread may use a load.
final class IndexBulkLoad {
    private enum Stage { case gathering, inserting, mending }

    /// The builds as they were stored when the load started.
    let builds: [IndexDefinitionTable.Build]
    /// The indexes to fill, by record type.
    let backfills: [TypeID: IndexBackfill]
    /// The last record whose entries have been gathered.
    private(set) var position: RecordNumber
    /// Whether no record follows the range.
    private(set) var isLast = false
    /// The number of records in the range, by type.
    private(set) var records: [TypeID: Int] = [:]
    /// Whether the last slice has been committed. If it failed, the whole load is discarded.
    var isCommitted = true

    private let start: RecordNumber
    private let end: RecordNumber
    private let types: [IndexID: TypeID]
    private var stage = Stage.gathering
    private var runs = IndexSortedRuns()
    private var seen = 0
    private var changed: Set<RecordNumber> = []
    private var mending: [RecordNumber] = []

    /// - Parameters:
    ///   - builds: The builds to advance. All are at position `start`.
    ///   - start: The record before the first record of the range.
    ///   - end: The last record that the range may include.
    init(
        _ builds: [IndexDefinitionTable.Build], _ backfills: [TypeID: IndexBackfill], after start: RecordNumber,
        upTo end: RecordNumber
    ) {
        self.builds = builds
        self.backfills = backfills
        self.start = start
        self.end = end
        position = start
        types = Dictionary(builds.map { ($0.id, $0.type) }, uniquingKeysWith: { $1 })
    }

    /// Whether at least one index of the load cannot be built.
    var hasFailures: Bool { backfills.values.contains { !$0.failures.isEmpty } }

    /// Discards all gathered entries after a failed slice.
    func abandon() {
        isCommitted = false
        stage = .mending
        runs = IndexSortedRuns()
        changed = []
        mending = []
    }

    /// Notes that a write removes or inserts a record's entries in an index.
    func note(changeOf record: RecordNumber, in index: IndexID) {
        guard stage != .mending, record > start, record <= position, types[index] != nil else { return }
        changed.insert(record)
    }

    /// Continues the load until it is complete or the slice's budget is spent.
    ///
    /// - Returns: Whether the load is complete.
    /// - Throws: Storage errors.
    func run(_ slice: inout SliceBudget, in transaction: WriteTransaction) throws(RecordError) -> Bool {
        if stage == .gathering {
            guard try gather(&slice, in: transaction) else { return false }
            stage = .inserting
        }
        if stage == .inserting {
            while slice.hasMore {
                guard let entry = runs.next() else {
                    mending = changed.sorted(by: >)
                    changed = []
                    stage = .mending
                    break
                }
                slice.spend(touched: 1)
                if changed.isEmpty || !changed.contains(entry.record) {
                    try insert(entry, of: runs, in: transaction)
                }
            }
        }
        guard stage == .mending else { return false }
        return try mend(&slice, in: transaction)
    }

    /// - Returns: Whether all entries of the range have been gathered.
    private func gather(_ slice: inout SliceBudget, in transaction: WriteTransaction) throws(RecordError) -> Bool {
        let building = transaction.indexBuilding
        let scan = transaction.store.scan()
        defer { scan.finish() }
        let position = position
        try scan.begin(after: position)
        while slice.hasMore {
            guard let (cursor, zone) = try scan.next() else {
                isLast = end == .highest
                if !isLast { self.position = end }
                return true
            }
            let row = cursor.row
            if row.id > end {
                self.position = end
                return true
            }
            // All of these indexes existed when the record was created, so the write that created the record inserted
            // its entries. Without this check, a build could not catch up with fast writers.
            if row.id.rawValue > transaction.lastUnindexed {
                isLast = true
                return true
            }
            let known = runs.count
            if !row.isDeleted, let filling = backfills[row.type] {
                records[row.type, default: 0] += 1
                try filling.gather(cursor, row, zone: zone, into: runs, in: transaction)
            }
            self.position = row.id
            seen += 1
            slice.spend(touched: 1 + runs.count - known)
            if runs.bytes >= building.bytesPerLoad || seen >= building.recordsPerLoad { return true }
        }
        runs.endRun()
        return false
    }

    /// Inserts the current entries of records that other writes changed during the load.
    ///
    /// - Returns: Whether all such records have been processed.
    private func mend(_ slice: inout SliceBudget, in transaction: WriteTransaction) throws(RecordError) -> Bool {
        let scan = transaction.store.scan()
        defer { scan.finish() }
        while let record = mending.last {
            guard slice.hasMore else { return false }
            mending.removeLast()
            scan.finish()
            try scan.begin(after: record.previous)
            let found = try scan.next()
            let fresh = IndexSortedRuns()
            defer { slice.spend(touched: 1 + fresh.count) }
            guard let (cursor, zone) = found, cursor.record.id == record else { continue }
            let row = cursor.row
            guard !row.isDeleted, let filling = backfills[row.type] else { continue }
            try filling.gather(cursor, row, zone: zone, into: fresh, in: transaction)
            while let entry = fresh.next() { try insert(entry, of: fresh, in: transaction) }
        }
        return true
    }

    private func insert(
        _ entry: IndexSortedRuns.Entry, of runs: IndexSortedRuns, in transaction: WriteTransaction
    ) throws(RecordError) {
        guard let type = types[entry.index] else { return }
        try backfills[type]?.insert(entry, of: runs, in: transaction)
    }
}
