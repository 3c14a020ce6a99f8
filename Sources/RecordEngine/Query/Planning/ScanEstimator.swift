internal import RecordModel
internal import RecordStorage
internal import Threads

/// Estimates how many rows scans read in one home.
struct ScanEstimator {
    let queries: QueryReader
    let type: RecordTypeDefinition
    let home: RowHome

    /// The maximum number of rows that planning counts in one scan. Above it, planning uses statistics.
    private static let probedRows = 128
    /// The maximum number of leaves of postings that planning counts in one scan.
    private static let countedLeaves = 32

    /// Estimates the rows that a scan would read. Counts up to `probedRows` rows; above it, uses statistics.
    func rows(of scan: IndexScan, mayCount: Bool) throws(RecordError) -> Int {
        let probe = Self.probedRows
        if case .postings(let tree) = scan.source { return try rows(of: tree, mayCount: mayCount) }
        // If no further scan may be counted, assume the maximum of a count.
        let found = mayCount ? try queries.store.count(scan, home: home, type: type.id, limit: probe) : probe
        if found < probe { return found }
        switch scan.source {
        case .name: return 1
        // Assume more rows than for an index range without statistics, which is narrower.
        case .creator: return max(probe * 8, typeEntries / 50)
        case .records: return max(probe * 8, typeEntries)
        case .index(let index): return estimate(index, lower: scan.lower, upper: scan.upper)
        case .postings: return 0
        }
    }

    /// Estimates the rows of postings. Only some of the leaves are counted, because a search of many words and fields has
    /// thousands of them.
    private func rows(of tree: PostingTree, mayCount: Bool) throws(RecordError) -> Int {
        var countsLeft = mayCount ? Self.countedLeaves : 0
        return try tree.rows { leaf throws(RecordError) in
            countsLeft -= 1
            guard countsLeft >= 0 else { return estimate(leaf.index, lower: leaf.lower, upper: leaf.upper) }
            let found = try queries.store.indexes.count(
                leaf.index.id, home: home, IndexScanner.KeyRange(lower: leaf.lower, upper: leaf.upper),
                limit: Self.probedRows)
            return found < Self.probedRows ? found : estimate(leaf.index, lower: leaf.lower, upper: leaf.upper)
        }
    }

    /// Estimates the entries in a range of keys that has at least `probedRows` of them.
    private func estimate(_ index: IndexDefinition, lower: [UInt8], upper: [UInt8]?) -> Int {
        guard let known = queries.database.queries.statistics.withLock({ $0[index.id] }) else {
            return Self.probedRows * 4
        }
        return max(Self.probedRows, known.estimate(home: home, lower: lower, upper: upper))
    }

    /// The number of records of a type in the home, according to the statistics of its indexes. Other homes do not count,
    /// because the plan would reveal how many records they have.
    private var typeEntries: Int {
        queries.database.queries.statistics.withLock { known in
            type.indexes.reduce(0) { most, index in
                guard let statistics = known[index.id] else { return most }
                let entries = statistics.estimate(home: home, lower: [], upper: nil)
                return max(most, entries / index.kind.entriesPerRecord)
            }
        }
    }
}

extension IndexDefinition.Kind {
    /// A usual number of entries of one record, for estimates.
    fileprivate var entriesPerRecord: Int {
        switch self {
        case .ordered, .widening, .places: 1
        case .members: 4
        case .parts, .words: 20
        }
    }
}
