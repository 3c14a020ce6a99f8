internal import RecordModel

/// Chooses the plan of a query. The planner accesses the data only through its closures.
struct QueryPlanner {
    let type: RecordTypeDefinition
    /// Whether the creation time never decreases as ids ascend.
    let createdFollowsIDs: Bool
    /// The maximum number of records to return; `nil` for all matches in any order.
    let limit: Int?
    /// Whether to estimate rows even if the choice of the plan does not need estimates. `explain` sets this.
    var estimatesAll = false
    /// Whether to plan for the opposite of the query's order.
    var isReversed = false
    /// Whether to read all records of the creators to which the predicate is limited, whatever other indexes there are.
    /// The number of rows read then depends only on records of these creators.
    var readsByCreator = false
    /// The searches that count for the rank (`PreparedQuery.ranked`).
    var ranked: [SearchCondition] = []
    /// Estimates the number of rows that a scan would read.
    let estimate: (IndexScan) throws(RecordError) -> Int
    /// Returns the ids of the records created within a time range.
    let ids: (ValueRange) throws(RecordError) -> IDRange

    /// The relative cost of collecting and sorting a row. Returning a row in order costs 1.
    private static let sortedRowCost = 1.2
    /// The maximum number of scans of a path that are estimated individually. Further scans count as the mean of these
    /// estimates.
    private static let estimatedScans = 8
    /// The maximum number of OR branches that are planned separately.
    private static let maxBranches = 32
    /// The maximum number of conditions and values that the planner examines for the ORs of one predicate. The limit
    /// keeps planning within the time limit of a query.
    private static let unionWork = 5_000

    /// Chooses a plan.
    ///
    /// - Parameter condition: The predicate that determines which fields have the same value in all matches. Sorting by
    ///   these fields has no effect. Pass the same `condition` to give plans with different predicates the same order.
    ///   The default is `predicate`.
    /// - Throws: The errors of `estimate` and `ids`.
    func plan(
        _ predicate: Predicate, sort: [SortTerm], orderedAs condition: Predicate? = nil
    ) throws(RecordError) -> QueryPlan {
        let parts = Conjuncts(predicate)
        let known = condition.map { Conjuncts($0).facts } ?? parts.facts
        let constants = Set(known.filter { $0.value.isConstant }.keys)
        var order = QueryOrder(sort, constants: constants, createdFollowsIDs: createdFollowsIDs)
        order.settle(present: Set(known.filter { $0.value.isPresent }.keys))
        if isReversed { order = order.reversed }
        if parts.isImpossible {
            return QueryPlan(
                scans: [], residual: .constant(false), predicate: predicate, order: order, isSorted: false,
                estimatedRows: 0, hasOverlaps: false)
        }
        let finder = AccessPathFinder(
            type: type, order: order, createdFollowsIDs: createdFollowsIDs, ranked: ranked, ids: ids)
        if readsByCreator, let path = try finder.creators(parts) {
            return try make(path, parts, predicate, order, rows: nil)
        }
        let everything = Set(parts.parts.indices)
        var paths = try finder.paths(for: parts)
        if let path = paths.first(where: { $0.isInOrder && $0.covered == everything }) {
            // This path reads only the rows of the page, so no estimate is needed.
            return try make(path, parts, predicate, order, rows: nil)
        }
        paths += try unions(parts, order, finder)
        if paths.count == 1 { return try make(paths[0], parts, predicate, order, rows: nil) }
        var rows: [Int] = []
        for path in paths { rows.append(try self.rows(of: path)) }
        let matches = max(1, rows.min() ?? 1)
        var best = 0
        var bestCost = Double.infinity
        for (number, path) in paths.enumerated() {
            let cost = self.cost(
                of: path, rows: rows[number], matches: matches, isCovered: path.covered == everything,
                isByTime: comesByTime(path, order))
            if cost < bestCost {
                best = number
                bestCost = cost
            }
        }
        return try make(paths[best], parts, predicate, order, rows: rows[best])
    }

    /// Whether the scans of a path return records by creation time, the first column of the order.
    private func comesByTime(_ path: AccessPath, _ order: QueryOrder) -> Bool {
        createdFollowsIDs && order.isByTimeFirst && !path.isInOrder && path.scans.allSatisfy(\.isOneKey)
    }

    private func cost(of path: AccessPath, rows: Int, matches: Int, isCovered: Bool, isByTime: Bool) -> Double {
        guard let limit else { return Double(rows) }
        guard path.isInOrder || isByTime else { return Double(rows) * Self.sortedRowCost }
        let page = Double(min(rows, limit + 1)) * (path.isInOrder ? 1 : Self.sortedRowCost)
        // If conditions remain to be checked, scans in order read on until enough of their rows have matched to fill a
        // page.
        return isCovered ? page : min(Double(rows), page * Double(rows) / Double(min(matches, max(rows, 1))))
    }

    private func rows(of path: AccessPath) throws(RecordError) -> Int {
        var sum = 0
        for scan in path.scans.prefix(Self.estimatedScans) { sum += try estimate(scan) }
        guard path.scans.count > Self.estimatedScans else { return sum }
        return sum / Self.estimatedScans * path.scans.count
    }

    private func make(
        _ path: AccessPath, _ parts: Conjuncts, _ predicate: Predicate, _ order: QueryOrder, rows: Int?
    ) throws(RecordError) -> QueryPlan {
        let rows = if let rows { rows } else if estimatesAll { try self.rows(of: path) } else { 0 }
        let isSorted = !path.isInOrder && limit != nil
        let residual = parts.without(path.covered)
        let isPage = path.isInOrder && residual == .constant(true)
        let isByTime = isSorted && comesByTime(path, order)
        var scans = path.scans
        if isByTime { for number in scans.indices { scans[number].isBackward = !order.isIDAscending } }
        return QueryPlan(
            scans: scans, residual: residual, predicate: predicate, order: order, isSorted: isSorted,
            isByTime: isByTime,
            estimatedRows: isPage ? min(rows, limit.map { $0 + 1 } ?? rows) : rows, hasOverlaps: path.hasOverlaps,
            nearest: path.nearest)
    }

    // MARK: OR

    /// Paths that use separate scans for each branch of an OR.
    private func unions(
        _ parts: Conjuncts, _ order: QueryOrder, _ finder: AccessPathFinder
    ) throws(RecordError) -> [AccessPath] {
        var found: [AccessPath] = []
        var work = Self.unionWork
        let weights = parts.choices.isEmpty ? [] : parts.parts.map(\.weight)
        let weight = weights.reduce(0, +)
        for choice in parts.choices where choice.branches.count <= Self.maxBranches {
            // Each branch is joined with all other conjuncts.
            let cost = choice.branches.count * (weight - weights[choice.part]) + weights[choice.part]
            guard cost <= work else { continue }
            work -= cost
            let others = parts.parts.enumerated().filter { $0.offset != choice.part }.map(\.element)
            var union = AccessPath(scans: [], covered: [], isInOrder: true, hasOverlaps: true)
            var isExact = true
            for branch in choice.branches {
                let branch = Conjuncts(Predicate.and(others + [branch]).simplified())
                if branch.isImpossible { continue }
                guard let path = try best(of: branch, finder) else {
                    isExact = false
                    union.scans = []
                    break
                }
                isExact = isExact && path.covered.count == branch.parts.count
                // A lookup by name does not return the record's position in the order.
                union.isInOrder = union.isInOrder && path.isInOrder && (order.isByID || !path.isByName)
                union.scans += path.scans
            }
            guard !union.scans.isEmpty, union.scans.count <= AccessPathFinder.maxScans else { continue }
            if isExact { union.covered = Set(parts.parts.indices) }
            found.append(union)
        }
        return found
    }

    /// The cheapest path to the matches of a branch, without scans of all records of the type.
    private func best(of parts: Conjuncts, _ finder: AccessPathFinder) throws(RecordError) -> AccessPath? {
        var best: AccessPath?
        var bestRows = Int.max
        for path in try finder.paths(for: parts) where !path.covered.isEmpty {
            let rows = try self.rows(of: path)
            if rows < bestRows {
                best = path
                bestRows = rows
            }
        }
        return best
    }
}

extension Predicate {
    /// The number of conditions and values in the predicate.
    fileprivate var weight: Int {
        switch self {
        case .constant, .search: 1
        case .condition(let condition): if case .isIn(let values) = condition.test { 1 + values.count } else { 1 }
        case .not(let part): part.weight
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.weight }
        }
    }
}
