internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Runs plans as one query in the snapshot of one reader.
struct QueryRunner {
    /// At least one branch. All branches have the same order. Several audiences may contain the same record.
    let parts: [QueryBranch]
    let order: QueryOrder
    let type: TypeID
    let store: StoreReader
    /// The time and work budget of this attempt at the query.
    let budget: QueryBudget
    /// How matches are ranked; `nil` if the order has no rank.
    let ranking: Ranking?
    /// Returns the record name of an account, for conditions on deleted accounts; `nil` if the query has no such
    /// condition.
    private let userName: ((UserID) throws(RecordError) -> String)?

    init(
        _ parts: [QueryBranch], order: QueryOrder, type: TypeID, store: StoreReader, budget: QueryBudget,
        ranking: Ranking? = nil, userName: ((UserID) throws(RecordError) -> String)? = nil
    ) {
        self.userName = parts.contains { $0.plan.predicate.namesDeletedAccounts } ? userName : nil
        self.parts = parts
        self.ranking = ranking
        self.order = order
        self.type = type
        self.store = store
        self.budget = budget
    }

    /// Whether several branches can find the same record.
    var hasOverlaps: Bool { parts.count { $0.home.isAudience } > 1 }

    // MARK: Pages

    /// Calls `body` with each match in the query's order, until `body` returns false.
    ///
    /// - Parameters:
    ///   - position: The position after which to start; `nil` for the beginning.
    ///   - limit: The maximum number of matches that `body` accepts.
    ///   - body: Receives a record and a closure that returns the record's position in the order. `body` charges its
    ///     own work to the budget.
    /// - Throws: As `QueryBudget.match`, and the errors of `body`.
    func forEach(
        after position: QueryPosition?, limit: Int,
        _ body: (RecordCursor, () -> QueryPosition) throws(RecordError) -> Bool
    ) throws(RecordError) {
        if parts.contains(where: { $0.plan.isSorted || $0.plan.nearest != nil }) {
            for position in try topPositions(after: position, limit: limit) {
                try budget.take(1)
                guard let record = try store.scanning.record(position.record) else { continue }
                defer { record.finish() }
                guard try body(record, { position }) else { return }
            }
            return
        }
        try forEachMatch(of: parts, in: .query, after: position, limit: limit, needsRecords: true) {
            match, record throws(RecordError) in
            guard let record, try body(record, { match.position }) else { return .none }
            return .more
        }
    }

    /// The positions of the first matches. Used if at least one scan does not return the query's order.
    private func topPositions(after position: QueryPosition?, limit: Int) throws(RecordError) -> [QueryPosition] {
        var first = TopRecords(limit, order: order)
        var seen: Set<RecordNumber> = []
        var sums = RankSums()
        let needsRecords = order.columns.contains { !$0.field.isRank }
        for reading in [ScanOrder.query, .time, .none] {
            let parts = parts.filter { $0.order == reading && $0.plan.nearest == nil }
            if parts.isEmpty { continue }
            var count = 0
            try forEachMatch(of: parts, in: reading, after: position, limit: limit, needsRecords: needsRecords) {
                match, record throws(RecordError) in
                let candidate =
                    reading == .query
                    ? match.position : QueryPosition(key: try sortKey(match, record, &sums), record: match.id)
                if let position, !position.precedes(candidate, in: order) { return .more }
                if first.wants(candidate), !hasOverlaps || seen.insert(match.id).inserted {
                    try first.add(candidate, budget)
                }
                count += 1
                guard count == limit else { return .more }
                // Scans that return an order need to return at most one page.
                return switch reading {
                case .query: .none
                case .time: .sameTime
                case .none: .more
                }
            }
        }
        for part in parts {
            guard let search = part.plan.nearest else { continue }
            try addNearest(part, search, after: position, limit: limit, to: &first, &seen)
        }
        return try first.finish(budget)
    }

    /// The values of the order's columns for a match, encoded by `IndexKey`.
    ///
    /// - Parameter record: The record; `nil` if the order has the rank alone and no test has read the record.
    private func sortKey(
        _ match: IndexScanCursor, _ record: RecordCursor?, _ sums: inout RankSums
    ) throws(RecordError) -> [UInt8] {
        guard let ranking, let postings = match.postings(for: ranking) else {
            let found = if let record { record } else { try match.lookUp(store, budget) }
            return try sortKey(found)
        }
        return try sortKey(record, rank: ranking.rank(of: postings, &sums))
    }

    /// The values of the order's columns for a record, encoded by `IndexKey`.
    ///
    /// - Parameters:
    ///   - record: The record; `nil` if the order has the rank alone.
    ///   - rank: The rank of the record; `nil` to compute it.
    func sortKey(_ record: RecordCursor?, rank: Double? = nil) throws(RecordError) -> [UInt8] {
        guard !order.isByID else { return [] }
        let indexed = try record.map { record throws(RecordError) in try IndexedRecord(record) }
        var rank = rank
        if rank == nil, let ranking, let indexed { rank = try ranking.rank(of: indexed, budget) }
        var key: [UInt8] = []
        for term in order.columns {
            if term.field.isRank {
                IndexKey.append(.double(rank ?? 0), isAscending: term.isAscending, to: &key)
                continue
            }
            guard let indexed else { continue }
            let source = term.field.anySource
            try budget.spend(indexed.bytes(of: source))
            var value = try indexed.value(of: term.field)
            if let known = value {
                value = try term.form.of(known, first: IndexKey.decidingBytes) { work throws(RecordError) in
                    try budget.spend(work)
                }
            }
            IndexKey.append(
                value, isAscending: term.isAscending, isAbsentGreatest: term.isAbsentGreatest, to: &key)
        }
        return key
    }

    /// Tests whether the record of an index entry matches.
    ///
    /// - Parameter mustRecheck: Whether to test the whole predicate, and not only what the scan leaves open.
    /// - Throws: As `QueryBudget.match`.
    func matches(_ record: RecordCursor, _ part: QueryBranch, mustRecheck: Bool) throws(RecordError) -> Bool {
        var indexed = try IndexedRecord(record)
        if let userName { try indexed.hideDeletedAccounts(userName) }
        if mustRecheck, let whole = part.whole { return try budget.match(indexed, whole) }
        return try budget.match(indexed, part.residual)
    }
}
