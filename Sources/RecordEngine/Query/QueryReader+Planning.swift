internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// The planner's access to the data: row estimates and id ranges.
extension QueryReader {
    /// The maximum number of rows that planning counts in one scan. Above it, planning uses statistics.
    private static let probedRows = 128
    /// The maximum number of scans that planning counts for one plan. Further scans use statistics. Planning must not
    /// take longer than a query may take on an event loop.
    private static let probesPerPlan = 128

    /// Creates a planner for the data in this reader's snapshot.
    ///
    /// - Parameters:
    ///   - budget: The query's budget, whose deadline also limits planning.
    ///   - didAsk: Called when the plan starts to depend on the data and not only on query and schema.
    func planner(
        for type: RecordTypeDefinition, home: RowHome, limit: Int?, budget: QueryBudget,
        didAsk: @escaping () -> Void = {}
    ) throws(RecordError) -> QueryPlanner {
        var probesLeft = Self.probesPerPlan
        // The branches of an OR often contain the same time range.
        var idsByTime: [ValueRange: IDRange] = [:]
        func willAsk() throws(RecordError) {
            didAsk()
            if MonotonicClock.now > budget.deadline { throw budget.stop(examined: 0) }
        }
        return QueryPlanner(
            type: type, createdFollowsIDs: database.createdFollowsIDs && !type.hasPreservedDates, limit: limit,
            estimate: { scan throws(RecordError) in
                try willAsk()
                probesLeft -= 1
                return try self.estimate(scan, type: type, home: home, mayCount: probesLeft >= 0)
            },
            ids: { range throws(RecordError) in
                if let known = idsByTime[range] { return known }
                try willAsk()
                let found = try self.store.scanning.ids(createdWithin: range)
                idsByTime[range] = found
                return found
            })
    }

    /// Estimates the rows that a scan would read. Counts up to `probedRows` rows; above it, uses statistics.
    private func estimate(
        _ scan: IndexScan, type: RecordTypeDefinition, home: RowHome, mayCount: Bool
    ) throws(RecordError) -> Int {
        let probe = Self.probedRows
        // If no further scan may be counted, assume the maximum of a count.
        let found = mayCount ? try store.count(scan, home: home, type: type.id, limit: probe) : probe
        if found < probe { return found }
        switch scan.source {
        case .name: return 1
        // Assume more rows than for an index range without statistics, which is narrower.
        case .creator: return max(probe * 8, typeEntries(type) / 50)
        case .records: return max(probe * 8, typeEntries(type))
        case .index(let index):
            guard let known = database.queries.statistics.withLock({ $0[index.id] }) else { return probe * 4 }
            return max(probe, known.estimate(home: home, lower: scan.lower, upper: scan.upper))
        }
    }

    /// The number of records of a type in all zones, according to the statistics of its indexes.
    private func typeEntries(_ type: RecordTypeDefinition) -> Int {
        database.queries.statistics.withLock { known in
            type.indexes.reduce(0) { max($0, $1.kind == .ordered ? known[$1.id]?.entries ?? 0 : 0) }
        }
    }
}
