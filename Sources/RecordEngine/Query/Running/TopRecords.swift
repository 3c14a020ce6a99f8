internal import RecordModel

/// The first k positions in a query's order. Positions may be added in any order.
struct TopRecords {
    private var positions: [QueryPosition] = []
    private let order: QueryOrder
    private let limit: Int
    private var keyBytes = 0
    /// The position that a new position must precede to be kept; `nil` until there are `limit` positions.
    private var bound: QueryPosition?

    init(_ limit: Int, order: QueryOrder) {
        self.limit = limit
        self.order = order
    }

    /// Whether `add` would keep a position.
    func wants(_ position: QueryPosition) -> Bool {
        guard let bound else { return true }
        return position.precedes(bound, in: order)
    }

    /// Adds a position. Discards positions beyond `limit` now and then.
    ///
    /// - Throws: As `QueryBudget.sort`.
    mutating func add(_ position: QueryPosition, _ budget: QueryBudget) throws(RecordError) {
        positions.append(position)
        keyBytes += position.key.count
        // Occasionally sorting twice `limit` positions costs less than maintaining a heap.
        if positions.count >= limit * 2 { try settle(budget) }
    }

    private mutating func settle(_ budget: QueryBudget) throws(RecordError) {
        try budget.sort(positions.count, bytes: keyBytes)
        positions.sort { $0.precedes($1, in: order) }
        if positions.count > limit { positions.removeLast(positions.count - limit) }
        keyBytes = positions.reduce(0) { $0 + $1.key.count }
        if positions.count == limit { bound = positions.last }
    }

    /// Returns the kept positions in the query's order.
    ///
    /// - Throws: As `QueryBudget.sort`.
    mutating func finish(_ budget: QueryBudget) throws(RecordError) -> [QueryPosition] {
        try settle(budget)
        return positions
    }
}
