internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Runs plans as one query on one reader, inside its view.
struct QueryRunner {
    /// At least one; all in one order. Several audiences may have a record in common.
    let parts: [QueryPart]
    let order: QueryOrder
    let type: TypeID
    let store: StoreReader
    /// How much this attempt at the query may take.
    let budget: QueryBudget
    /// The public name of an account, for conditions on accounts that are gone; `nil` for all others.
    private let userName: ((UserID) throws(RecordError) -> String)?

    init(
        _ parts: [QueryPart], order: QueryOrder, type: TypeID, store: StoreReader, budget: QueryBudget,
        userName: ((UserID) throws(RecordError) -> String)? = nil
    ) {
        self.userName = parts.contains { $0.plan.predicate.namesGoneAccounts } ? userName : nil
        self.parts = parts
        self.order = order
        self.type = type
        self.store = store
        self.budget = budget
    }

    var hasOverlaps: Bool { parts.count { $0.home.isAudience } > 1 }

    // MARK: Pages

    /// Calls `body` with each match in the query's order, until it returns false.
    ///
    /// - Parameters:
    ///   - place: Where to begin behind; `nil` for the beginning.
    ///   - limit: How many `body` will take at most.
    ///   - body: Gets a record, and what tells its place in the order. It tells the budget of its own work.
    func forEach(
        after place: QueryPlace?, limit: Int, _ body: (RecordCursor, () -> QueryPlace) throws(RecordError) -> Bool
    ) throws(RecordError) {
        if parts.contains(where: { $0.plan.isSorted }) {
            for place in try firstPlaces(after: place, limit: limit) {
                try budget.take(1)
                guard let record = try store.scanning.record(place.record) else { continue }
                defer { record.finish() }
                guard try body(record, { place }) else { return }
            }
            return
        }
        try forEachMatch(of: parts, in: .query, after: place, limit: limit, needsRecords: true) {
            match, record throws(RecordError) in
            guard let record, try body(record, { match.place }) else { return .none }
            return .more
        }
    }

    /// The places of the first matches, where not all walks come in the query's order.
    private func firstPlaces(after place: QueryPlace?, limit: Int) throws(RecordError) -> [QueryPlace] {
        var first = FirstPlaces(limit, order: order)
        var seen: Set<RecordNumber> = []
        for reading in [ReadingOrder.query, .time, .none] {
            let parts = parts.filter { $0.order == reading }
            if parts.isEmpty { continue }
            var count = 0
            try forEachMatch(of: parts, in: reading, after: place, limit: limit, needsRecords: !order.isByID) {
                match, record throws(RecordError) in
                let candidate =
                    reading == .query ? match.place : QueryPlace(key: try sortKey(record), record: match.id)
                if let place, !place.precedes(candidate, in: order) { return .more }
                if first.wants(candidate), !hasOverlaps || seen.insert(match.id).inserted {
                    try first.add(candidate, budget)
                }
                count += 1
                guard count == limit else { return .more }
                // Of those that come in an order, no more than a page is wanted.
                return switch reading {
                case .query: .none
                case .time: .sameTime
                case .none: .more
                }
            }
        }
        return try first.finish(budget)
    }

    /// The columns of the order, of a record.
    private func sortKey(_ record: RecordCursor?) throws(RecordError) -> [UInt8] {
        guard let record, !order.isByID else { return [] }
        let indexed = try IndexedRecord(record)
        var key: [UInt8] = []
        for term in order.columns {
            let source = term.field.anySource
            try budget.spend(indexed.bytes(of: source))
            let value = try indexed.value(of: source, asDouble: term.field.type == .double)
            IndexKey.append(value, isAscending: term.isAscending, to: &key)
        }
        return key
    }

    /// Whether a record that was found by an entry matches.
    ///
    /// - Parameter mayBeCut: Whether the key of the entry may be cut.
    func matches(_ record: RecordCursor, _ part: QueryPart, mayBeCut: Bool) throws(RecordError) -> Bool {
        var indexed = try IndexedRecord(record)
        if let userName { try indexed.hideGoneAccounts(userName) }
        if mayBeCut, let whole = part.whole { return try budget.match(indexed, whole) }
        return try budget.match(indexed, part.residual)
    }
}
