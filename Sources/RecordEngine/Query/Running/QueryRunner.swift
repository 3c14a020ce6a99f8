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

    // MARK: In order

    /// Entries that a walk among others reads at least.
    private static let mergedChunk = 4

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
            try forEachSorted(after: place, limit: limit, body)
        } else {
            try forEach(of: parts, after: place, limit: limit, body)
        }
    }

    /// The matches of plans whose walks come in the query's order.
    private func forEach(
        of parts: [QueryPart], after place: QueryPlace?, limit: Int,
        _ body: (RecordCursor, () -> QueryPlace) throws(RecordError) -> Bool
    ) throws(RecordError) {
        if parts.count == 1, parts[0].plan.walks.count == 1,
            let walk = DirectWalk(parts[0].plan.walks[0], home: parts[0].home, type: type, order: order)
        {
            try forEach(of: walk, parts[0], after: place, body)
            return
        }
        var merged = walks(of: parts, after: place, limit: limit)
        let owners = parts.indices.flatMap { Array(repeating: $0, count: parts[$0].plan.walks.count) }
        defer { merged.finish() }
        try merged.start(after: place, store, budget)
        while let first = merged.first {
            let standing = merged.cursor(first)
            let found: RecordCursor? = if let standing { standing } else { try record(first.place.record) }
            if let cursor = found {
                defer { if standing == nil { cursor.finish() } }
                try budget.take(1)
                let part = parts[owners[first.walk]]
                let mayBeCut = part.rechecks && merged.mayBeCut(first)
                if try matches(cursor, part, mayBeCut: mayBeCut) {
                    guard try body(cursor, { first.place }) else { return }
                }
            }
            try merged.advance(store, budget)
        }
    }

    /// The walks of plans: as statements, if they are few and all hand out records by themselves.
    private func walks(of parts: [QueryPart], after place: QueryPlace?, limit: Int) -> MergedWalks {
        let count = parts.reduce(0) { $0 + $1.plan.walks.count }
        if count <= MergedWalks.maxStatements {
            let direct = parts.flatMap { part in
                part.plan.walks.compactMap { DirectWalk($0, home: part.home, type: type, order: order) }
            }
            if direct.count == count { return MergedWalks(direct, order: order) }
        }
        // Of many walks each gives a part of the page.
        let chunk = count <= 1 ? limit : limit / count + Self.mergedChunk
        return MergedWalks(parts.flatMap { runners($0, after: place, chunk: chunk) }, order: order)
    }

    /// Walks records and index in one statement, which stays open meanwhile.
    private func forEach(
        of walk: DirectWalk, _ part: QueryPart, after place: QueryPlace?,
        _ body: (RecordCursor, () -> QueryPlace) throws(RecordError) -> Bool
    ) throws(RecordError) {
        guard let cursor = try walk.start(store, after: place) else { return }
        defer { cursor.finish() }
        // Each look at a column costs a call: what is known of the whole walk is not asked of each record.
        let hasEnd = walk.hasEnd
        let mayHaveCuts = part.rechecks && walk.hasKeys
        let asksNothing = part.residual.isTrivial && !mayHaveCuts
        repeat {
            try budget.take(1)
            if hasEnd, walk.hasEnded(at: cursor.id) { return }
            if !asksNothing {
                let mayBeCut = mayHaveCuts && IndexKey.mayBeCut(cursor.keyLength)
                guard try matches(cursor, part, mayBeCut: mayBeCut) else { continue }
            }
            guard try body(cursor, { walk.place(cursor) }) else { return }
        } while try cursor.next()
    }

    private func forEachSorted(
        after place: QueryPlace?, limit: Int, _ body: (RecordCursor, () -> QueryPlace) throws(RecordError) -> Bool
    ) throws(RecordError) {
        var first = FirstPlaces(limit, order: order)
        var seen: Set<RecordNumber> = []
        for part in parts {
            guard part.plan.isSorted else {
                // It has them in order: more than a page of it is not wanted.
                var count = 0
                try forEach(of: [part], after: place, limit: limit) {
                    cursor, place throws(RecordError) in
                    count += 1
                    if !hasOverlaps || seen.insert(cursor.id).inserted { try first.add(place(), budget) }
                    return count < limit
                }
                continue
            }
            if part.plan.isByTime {
                try forEachByTime(of: part, after: place, limit: limit) {
                    record, candidate throws(RecordError) in
                    if hasOverlaps, !seen.insert(record).inserted { return }
                    if first.wants(candidate) { try first.add(candidate, budget) }
                }
                continue
            }
            let needsRecord = !order.isByID || !part.residual.isTrivial
            try forEachEntry(of: part) { record, mayBeCut throws(RecordError) in
                if hasOverlaps, !seen.insert(record).inserted { return }
                var candidate = QueryPlace(key: [], record: record)
                if needsRecord || (part.rechecks && mayBeCut) {
                    guard let cursor = try self.record(record) else { return }
                    defer { cursor.finish() }
                    guard try matches(cursor, part, mayBeCut: mayBeCut) else { return }
                    candidate.key = try sortKey(cursor)
                }
                if let place, !place.precedes(candidate, in: order) { return }
                if first.wants(candidate) { try first.add(candidate, budget) }
            }
        }
        for place in try first.finish(budget) {
            guard let cursor = try record(place.record) else { continue }
            defer { cursor.finish() }
            try budget.take(1)
            guard try body(cursor, { place }) else { return }
        }
    }

    // MARK: Records

    func runners(_ part: QueryPart, after place: QueryPlace?, chunk: Int) -> [WalkRunner] {
        part.plan.walks.map {
            WalkRunner($0, home: part.home, type: type, order: order, after: place, chunk: chunk)
        }
    }

    func record(_ id: RecordNumber) throws(RecordError) -> RecordCursor? {
        try store.scanning.record(id)
    }

    func matches(_ cursor: RecordCursor, _ part: QueryPart, mayBeCut: Bool) throws(RecordError) -> Bool {
        if mayBeCut, let whole = part.whole { return try matches(cursor, whole) }
        return part.residual.isTrivial ? true : try matches(cursor, part.residual)
    }

    private func matches(_ cursor: RecordCursor, _ matcher: RecordMatcher) throws(RecordError) -> Bool {
        var record = try IndexedRecord(cursor)
        if let userName { try record.hideGoneAccounts(userName) }
        return try budget.match(record, matcher)
    }

    func sortKey(_ cursor: RecordCursor) throws(RecordError) -> [UInt8] {
        if order.isByID { return [] }
        let record = try IndexedRecord(cursor)
        var key: [UInt8] = []
        for term in order.columns {
            let source = term.field.anySource
            try budget.spend(record.bytes(of: source))
            let asDouble = term.field.type == .double
            let value = try record.value(of: source, asDouble: asDouble)
            IndexKey.append(value, isAscending: term.isAscending, to: &key)
        }
        return key
    }
}
