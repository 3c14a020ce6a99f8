internal import RecordModel
internal import RecordStorage

/// A stretch of records on its way into new indexes: over several slices their entries are gathered, then put into the
/// tables in the order of the indexes. Only then does the position of the builds advance.
///
/// Meanwhile others write. What is gathered of a record that they change may not be true any more: it is left out, and
/// made anew in the end from the record as it is by then. So it does no harm that a write is noted which fails later on.
///
/// Confined to the writer's thread.
final class IndexLoad {
    private enum Stage { case gathering, inserting, mending }

    /// What is being built, as it was stored when the stretch began.
    let builds: [IndexDefinitionTable.Build]
    /// By the number of the type.
    let fillings: [TypeID: IndexFilling]
    /// The record up to which entries are gathered.
    private(set) var position: RecordNumber
    /// Whether there are no records behind the stretch.
    private(set) var isLast = false
    /// The records in it, by the number of their type.
    private(set) var records: [TypeID: Int] = [:]
    /// Whether what the last slice has done is committed. If not, nothing of the stretch counts.
    var isCommitted = true

    private let start: RecordNumber
    private let end: RecordNumber
    private let types: [IndexID: TypeID]
    private var stage = Stage.gathering
    private var runs = IndexRuns()
    private var seen = 0
    private var changed: Set<RecordNumber> = []
    private var mending: [RecordNumber] = []

    /// - Parameters:
    ///   - builds: All of them are at the same position, behind which the stretch begins.
    ///   - end: The number of a record behind which it must not go.
    init(
        _ builds: [IndexDefinitionTable.Build], _ fillings: [TypeID: IndexFilling], after start: RecordNumber,
        upTo end: RecordNumber
    ) {
        self.builds = builds
        self.fillings = fillings
        self.start = start
        self.end = end
        position = start
        types = Dictionary(builds.map { ($0.id, $0.type) }, uniquingKeysWith: { $1 })
    }

    /// Whether an index of it has turned out to be one that cannot be built.
    var hasFailures: Bool { fillings.values.contains { !$0.failures.isEmpty } }

    /// Lets go of what is in memory, since nothing of it can be used.
    func abandon() {
        isCommitted = false
        stage = .mending
        runs = IndexRuns()
        changed = []
        mending = []
    }

    /// Notes that a write takes entries of a record away, or brings some.
    func note(changeOf record: RecordNumber, in index: IndexID) {
        guard stage != .mending, record > start, record <= position, types[index] != nil else { return }
        changed.insert(record)
    }

    /// Goes on with the work as long as the slice lasts.
    ///
    /// - Returns: Whether all of it is done.
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

    /// - Returns: Whether all entries are there.
    private func gather(_ slice: inout SliceBudget, in transaction: WriteTransaction) throws(RecordError) -> Bool {
        let building = transaction.indexBuilding
        let walk = transaction.store.walk()
        defer { walk.finish() }
        let position = position
        try walk.begin(after: position)
        while slice.hasMore {
            guard let (cursor, zone) = try walk.next() else {
                isLast = end == .highest
                if !isLast { self.position = end }
                return true
            }
            let row = cursor.row
            if row.id > end {
                self.position = end
                return true
            }
            // Made when all of these indexes were there: its own write has put it in. Else a build beside writers who are
            // faster would never end.
            if row.id.rawValue > transaction.lastUnindexed {
                isLast = true
                return true
            }
            let known = runs.count
            if !row.isDeleted, let filling = fillings[row.type] {
                records[row.type, default: 0] += 1
                try filling.gather(cursor, row, zone: zone, into: runs, in: transaction)
            }
            self.position = row.id
            seen += 1
            slice.spend(touched: 1 + runs.count - known)
            if runs.bytes >= building.bytesPerStretch || seen >= building.recordsPerStretch { return true }
        }
        runs.endRun()
        return false
    }

    /// Makes the entries of records that were changed meanwhile.
    ///
    /// - Returns: Whether none are left.
    private func mend(_ slice: inout SliceBudget, in transaction: WriteTransaction) throws(RecordError) -> Bool {
        let walk = transaction.store.walk()
        defer { walk.finish() }
        while let record = mending.last {
            guard slice.hasMore else { return false }
            mending.removeLast()
            walk.finish()
            try walk.begin(after: record.previous)
            let found = try walk.next()
            let fresh = IndexRuns()
            defer { slice.spend(touched: 1 + fresh.count) }
            guard let (cursor, zone) = found, cursor.record.id == record else { continue }
            let row = cursor.row
            guard !row.isDeleted, let filling = fillings[row.type] else { continue }
            try filling.gather(cursor, row, zone: zone, into: fresh, in: transaction)
            while let entry = fresh.next() { try insert(entry, of: fresh, in: transaction) }
        }
        return true
    }

    private func insert(
        _ entry: IndexRuns.Entry, of runs: IndexRuns, in transaction: WriteTransaction
    ) throws(RecordError) {
        guard let type = types[entry.index] else { return }
        try fillings[type]?.insert(entry, of: runs, in: transaction)
    }
}
