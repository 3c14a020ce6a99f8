internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// What planners ask of the data.
extension RecordReader {
    /// Rows are counted up to here before statistics are asked.
    private static let probedRows = 128
    /// Walks that are counted for one plan. For further ones statistics must do: a plan must not take longer than a query
    /// may on a loop.
    private static let probesPerPlan = 128

    /// - Parameters:
    ///   - deadline: When planning ends, by the monotonic clock.
    ///   - didAsk: Is called when the plan comes to hang on the data.
    func planner(
        for type: RecordTypeDefinition, zone: Int64, limit: Int?, deadline: UInt64,
        didAsk: @escaping () -> Void = {}
    ) throws(RecordError) -> QueryPlanner {
        let reading = queries
        var probesLeft = Self.probesPerPlan
        // Branches of an OR ask for the same times again and again.
        var idsByTime: [ValueRange: IDRange] = [:]
        func willAsk() throws(QueryObstacle) {
            didAsk()
            if MonotonicClock.now > deadline { throw .overBudget(examined: 0) }
        }
        return QueryPlanner(
            type: type, createdFollowsIDs: database.createdFollowsIDs && !type.hasPreservedDates, limit: limit,
            estimate: { walk throws(QueryObstacle) in
                try willAsk()
                probesLeft -= 1
                return try self.refusing { () throws(RecordError) in
                    try self.estimate(walk, type: type, zone: zone, reading, mayCount: probesLeft >= 0)
                }
            },
            ids: { range throws(QueryObstacle) in
                if let known = idsByTime[range] { return known }
                try willAsk()
                let found = try reading.ids(createdWithin: range)
                idsByTime[range] = found
                return found
            })
    }

    /// The rows that a walk would meet: counted if they are few, else as statistics have it.
    private func estimate(
        _ walk: IndexWalk, type: RecordTypeDefinition, zone: Int64, _ reading: QueryReading, mayCount: Bool
    ) throws(RecordError) -> Int {
        let probe = Self.probedRows
        let ids = (above: walk.ids.above, below: walk.ids.below)
        switch walk.source {
        case .name: return 1
        case .creator(let creator):
            let found = try counted(mayCount) { () throws(RecordError) in
                try reading.records.count(zone: zone, type: type.id, creator: creator, within: ids, limit: probe)
            }
            // More than an unknown range of an index is taken for: of the two the range is the narrower.
            return found < probe ? found : max(probe * 8, typeEntries(type) / 50)
        case .records:
            let found = try counted(mayCount) { () throws(RecordError) in
                try reading.records.count(zone: zone, type: type.id, creator: nil, within: ids, limit: probe)
            }
            return found < probe ? found : max(probe * 8, typeEntries(type))
        case .index(let index):
            let range = IndexReading.KeyRange(lower: walk.lower, upper: walk.upper)
            let found = try counted(mayCount) { () throws(RecordError) in
                try reading.indexes.count(index.id, zone: zone, range, limit: probe)
            }
            if found < probe { return found }
            guard let known = database.queries.statistics.withLock({ $0[index.id] }) else { return probe * 4 }
            return max(probe, known.estimate(zone: zone, lower: walk.lower, upper: walk.upper))
        }
    }

    /// As many as are counted at most, where nothing may be counted.
    private func counted(_ mayCount: Bool, _ count: () throws(RecordError) -> Int) throws(RecordError) -> Int {
        mayCount ? try count() : Self.probedRows
    }

    /// How many records a type has in all zones, as far as statistics of its indexes tell.
    private func typeEntries(_ type: RecordTypeDefinition) -> Int {
        database.queries.statistics.withLock { known in
            type.indexes.reduce(0) { max($0, $1.kind == .ordered ? known[$1.id]?.entries ?? 0 : 0) }
        }
    }
}
