internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// What planners ask of the data.
extension QueryReader {
    /// Rows are counted up to here before statistics are asked.
    private static let probedRows = 128
    /// Walks that are counted for one plan. For further ones statistics must do: a plan must not take longer than a query
    /// may on a loop.
    private static let probesPerPlan = 128

    /// - Parameters:
    ///   - budget: Planning ends with the time of the query.
    ///   - didAsk: Is called when the plan comes to hang on the data.
    func planner(
        for type: RecordTypeDefinition, home: RowHome, limit: Int?, budget: QueryBudget,
        didAsk: @escaping () -> Void = {}
    ) throws(RecordError) -> QueryPlanner {
        var probesLeft = Self.probesPerPlan
        // Branches of an OR ask for the same times again and again.
        var idsByTime: [ValueRange: IDRange] = [:]
        func willAsk() throws(RecordError) {
            didAsk()
            if MonotonicClock.now > budget.deadline { throw budget.stop(examined: 0) }
        }
        return QueryPlanner(
            type: type, createdFollowsIDs: database.createdFollowsIDs && !type.hasPreservedDates, limit: limit,
            estimate: { walk throws(RecordError) in
                try willAsk()
                probesLeft -= 1
                return try self.estimate(walk, type: type, home: home, mayCount: probesLeft >= 0)
            },
            ids: { range throws(RecordError) in
                if let known = idsByTime[range] { return known }
                try willAsk()
                let found = try self.store.scanning.ids(createdWithin: range)
                idsByTime[range] = found
                return found
            })
    }

    /// The rows that a walk would meet: counted if they are few, else as statistics have it.
    private func estimate(
        _ walk: IndexWalk, type: RecordTypeDefinition, home: RowHome, mayCount: Bool
    ) throws(RecordError) -> Int {
        let probe = Self.probedRows
        // As many as are counted at most, where nothing may be counted.
        let found = mayCount ? try store.count(walk, home: home, type: type.id, limit: probe) : probe
        if found < probe { return found }
        switch walk.source {
        case .name: return 1
        // More than an unknown range of an index is taken for: of the two the range is the narrower.
        case .creator: return max(probe * 8, typeEntries(type) / 50)
        case .records: return max(probe * 8, typeEntries(type))
        case .index(let index):
            guard let known = database.queries.statistics.withLock({ $0[index.id] }) else { return probe * 4 }
            return max(probe, known.estimate(home: home, lower: walk.lower, upper: walk.upper))
        }
    }

    /// How many records a type has in all zones, as far as statistics of its indexes tell.
    private func typeEntries(_ type: RecordTypeDefinition) -> Int {
        database.queries.statistics.withLock { known in
            type.indexes.reduce(0) { max($0, $1.kind == .ordered ? known[$1.id]?.entries ?? 0 : 0) }
        }
    }
}
