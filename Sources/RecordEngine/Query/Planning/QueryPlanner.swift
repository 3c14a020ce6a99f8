internal import RecordModel

/// Chooses how a query is answered. Pure: what it must know of the data it asks through closures.
struct QueryPlanner {
    let type: RecordTypeDefinition
    /// Whether a later record never has an earlier time of creation.
    let createdFollowsIDs: Bool
    /// The records that the caller wants; `nil` for all of them, in any order.
    let limit: Int?
    /// Whether rows are estimated even where nothing hangs on it: for those who want to see the plan.
    var estimatesAll = false
    /// The rows that a walk would meet, as far as statistics tell.
    let estimate: (IndexWalk) throws(RecordError) -> Int
    /// The ids of records whose time of creation is within a range.
    let ids: (ValueRange) throws(RecordError) -> IDRange

    /// A row that is only gathered and sorted costs this much of one that is shown.
    private static let sortedRowCost = 1.2
    /// Walks whose rows are estimated one by one; beyond, the mean of these counts for each.
    private static let estimatedWalks = 8
    /// Branches of an OR that are looked at as walks of their own.
    private static let maxBranches = 32
    /// Tests and values that are looked at for the ORs of one condition: a plan must not take longer than a query may.
    private static let unionWork = 5_000

    /// - Parameter condition: What says which fields have one value, so that sorting by them means nothing; the predicate
    ///   unless several plans with predicates of their own shall have one order.
    func plan(
        _ predicate: Predicate, sort: [SortTerm], orderedAs condition: Predicate? = nil
    ) throws(RecordError) -> QueryPlan {
        let parts = ConditionParts(predicate)
        let known = condition.map { ConditionParts($0).facts } ?? parts.facts
        let constants = Set(known.filter { $0.value.isConstant }.keys)
        let order = QueryOrder(sort, constants: constants, createdFollowsIDs: createdFollowsIDs)
        if parts.isImpossible {
            return QueryPlan(
                walks: [], residual: .constant(false), predicate: predicate, order: order, isSorted: false,
                estimatedRows: 0, hasOverlaps: false)
        }
        let finder = WalkFinder(type: type, order: order, createdFollowsIDs: createdFollowsIDs, ids: ids)
        let everything = Set(parts.parts.indices)
        var paths = try finder.paths(for: parts)
        if let path = paths.first(where: { $0.isInOrder && $0.covered == everything }) {
            // It finds the page and nothing else: there is nothing to weigh.
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

    /// Whether the walks of a path come by time of creation, the first column of the order.
    private func comesByTime(_ path: AccessPath, _ order: QueryOrder) -> Bool {
        createdFollowsIDs && order.isByTimeFirst && !path.isInOrder && path.walks.allSatisfy(\.isOneKey)
    }

    private func cost(of path: AccessPath, rows: Int, matches: Int, isCovered: Bool, isByTime: Bool) -> Double {
        guard let limit else { return Double(rows) }
        guard path.isInOrder || isByTime else { return Double(rows) * Self.sortedRowCost }
        let page = Double(min(rows, limit + 1)) * (path.isInOrder ? 1 : Self.sortedRowCost)
        // In order, a page is full when enough of the rows have matched.
        return isCovered ? page : min(Double(rows), page * Double(rows) / Double(min(matches, max(rows, 1))))
    }

    private func rows(of path: AccessPath) throws(RecordError) -> Int {
        var sum = 0
        for walk in path.walks.prefix(Self.estimatedWalks) { sum += try estimate(walk) }
        guard path.walks.count > Self.estimatedWalks else { return sum }
        return sum / Self.estimatedWalks * path.walks.count
    }

    private func make(
        _ path: AccessPath, _ parts: ConditionParts, _ predicate: Predicate, _ order: QueryOrder, rows: Int?
    ) throws(RecordError) -> QueryPlan {
        let rows = if let rows { rows } else if estimatesAll { try self.rows(of: path) } else { 0 }
        let isSorted = !path.isInOrder && limit != nil
        let residual = parts.without(path.covered)
        let isPage = path.isInOrder && residual == .constant(true)
        let isByTime = isSorted && comesByTime(path, order)
        var walks = path.walks
        if isByTime { for number in walks.indices { walks[number].isBackward = !order.isIDAscending } }
        return QueryPlan(
            walks: walks, residual: residual, predicate: predicate, order: order, isSorted: isSorted,
            isByTime: isByTime,
            estimatedRows: isPage ? min(rows, limit.map { $0 + 1 } ?? rows) : rows, hasOverlaps: path.hasOverlaps)
    }

    // MARK: OR

    /// Paths that find each branch of an OR by walks of its own.
    private func unions(
        _ parts: ConditionParts, _ order: QueryOrder, _ finder: WalkFinder
    ) throws(RecordError) -> [AccessPath] {
        var found: [AccessPath] = []
        var work = Self.unionWork
        let weights = parts.choices.isEmpty ? [] : parts.parts.map(\.weight)
        let weight = weights.reduce(0, +)
        for choice in parts.choices where choice.branches.count <= Self.maxBranches {
            // Each branch is joined anew with all other parts.
            let cost = choice.branches.count * (weight - weights[choice.part]) + weights[choice.part]
            guard cost <= work else { continue }
            work -= cost
            let others = parts.parts.enumerated().filter { $0.offset != choice.part }.map(\.element)
            var union = AccessPath(walks: [], covered: [], isInOrder: true, hasOverlaps: true)
            var isExact = true
            for branch in choice.branches {
                let branch = ConditionParts(Predicate.and(others + [branch]).simplified())
                if branch.isImpossible { continue }
                guard let path = try best(of: branch, finder) else {
                    isExact = false
                    union.walks = []
                    break
                }
                isExact = isExact && path.covered.count == branch.parts.count
                // The walk to a name does not say where in the order its record stands.
                union.isInOrder = union.isInOrder && path.isInOrder && (order.isByID || !path.isByName)
                union.walks += path.walks
            }
            guard !union.walks.isEmpty, union.walks.count <= WalkFinder.maxWalks else { continue }
            if isExact { union.covered = Set(parts.parts.indices) }
            found.append(union)
        }
        return found
    }

    /// The cheapest path to a branch that does not walk all records of the type.
    private func best(of parts: ConditionParts, _ finder: WalkFinder) throws(RecordError) -> AccessPath? {
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
    /// The tests and values in it.
    fileprivate var weight: Int {
        switch self {
        case .constant: 1
        case .condition(let condition): if case .isIn(let values) = condition.test { 1 + values.count } else { 1 }
        case .not(let part): part.weight
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.weight }
        }
    }
}
