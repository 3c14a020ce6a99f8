internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// The planner's access to the data: row estimates and id ranges.
extension QueryReader {
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
        let estimator = ScanEstimator(queries: self, type: type, home: home)
        var probesLeft = Self.probesPerPlan
        // The branches of an OR often contain the same time range.
        var idsByTime: [ValueRange: IDRange] = [:]
        func willAsk() throws(RecordError) {
            didAsk()
            if MonotonicClock.now > budget.deadline { throw budget.stop(examined: 0) }
        }
        return QueryPlanner(
            type: type, createdFollowsIDs: reader.createdFollowsIDs && !type.hasPreservedDates, limit: limit,
            estimate: { scan throws(RecordError) in
                try willAsk()
                probesLeft -= 1
                return try estimator.rows(of: scan, mayCount: probesLeft >= 0)
            },
            ids: { range throws(RecordError) in
                if let known = idsByTime[range] { return known }
                try willAsk()
                let found = try self.store.scanning.ids(createdWithin: range)
                idsByTime[range] = found
                return found
            })
    }
}
