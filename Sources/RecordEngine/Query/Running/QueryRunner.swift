internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Runs a plan on one reader, inside its view.
struct QueryRunner {
    let plan: QueryPlan
    let zone: Int64
    let type: Int64
    let reading: QueryReading
    private let residual: RecordMatcher
    private let whole: RecordMatcher
    /// Whether an entry whose key may be cut must be asked again: some value of the condition is as long as what keys keep.
    private let rechecks: Bool

    init(_ plan: QueryPlan, zone: Int64, type: Int64, reading: QueryReading) {
        self.plan = plan
        self.zone = zone
        self.type = type
        self.reading = reading
        residual = RecordMatcher(plan.residual)
        whole = RecordMatcher(plan.predicate)
        rechecks = plan.predicate.hasLongText
    }

    // MARK: In order

    /// Entries that a walk among others reads at least.
    private static let mergedChunk = 4

    /// Calls `body` with each match in the query's order, until it returns false.
    ///
    /// - Parameters:
    ///   - place: Where to begin behind; `nil` for the beginning.
    ///   - limit: How many `body` will take at most.
    ///   - body: Gets a record and, if it asks, the record's place in the order.
    func forEach(
        after place: QueryPlace?, limit: Int, _ budget: inout QueryBudget,
        _ body: (RecordCursor, () -> QueryPlace) throws(QueryObstacle) -> Bool
    ) throws(QueryObstacle) {
        if plan.isSorted {
            try forEachSorted(after: place, limit: limit, &budget, body)
            return
        }
        if plan.walks.count == 1, let walk = DirectWalk(plan.walks[0], zone: zone, type: type, order: plan.order) {
            try forEach(of: walk, after: place, &budget, body)
            return
        }
        // Of many walks each gives a part of the page.
        let chunk = plan.walks.count <= 1 ? limit : limit / plan.walks.count + Self.mergedChunk
        var walks = MergedWalks(runners(after: place, chunk: chunk), order: plan.order)
        while let (place, mayBeCut) = try walks.next(reading, &budget) {
            guard let cursor = try record(place.record) else { continue }
            defer { cursor.finish() }
            try budget.take(1)
            guard try matches(cursor, mayBeCut: mayBeCut) else { continue }
            guard try body(cursor, { place }) else { return }
        }
    }

    /// Walks records and index in one statement, which stays open meanwhile.
    private func forEach(
        of walk: DirectWalk, after place: QueryPlace?, _ budget: inout QueryBudget,
        _ body: (RecordCursor, () -> QueryPlace) throws(QueryObstacle) -> Bool
    ) throws(QueryObstacle) {
        let reading = reading
        guard let cursor = try reading.store({ () throws(StoreError) in try walk.start(reading, after: place) }) else {
            return
        }
        defer { cursor.finish() }
        // Each look at a column costs a call: what is known of the whole walk is not asked of each record.
        let hasEnd = walk.hasEnd
        let mayHaveCuts = rechecks && walk.hasKeys
        let asksNothing = residual.isTrivial && !mayHaveCuts
        repeat {
            try budget.take(1)
            if hasEnd, walk.hasEnded(at: cursor.id) { return }
            if !asksNothing {
                let mayBeCut = mayHaveCuts && IndexKey.mayBeCut(cursor.key.count)
                guard try matches(cursor, mayBeCut: mayBeCut) else { continue }
            }
            guard try body(cursor, { walk.place(cursor) }) else { return }
        } while try reading.store({ () throws(StoreError) in try cursor.next() })
    }

    private func forEachSorted(
        after place: QueryPlace?, limit: Int, _ budget: inout QueryBudget,
        _ body: (RecordCursor, () -> QueryPlace) throws(QueryObstacle) -> Bool
    ) throws(QueryObstacle) {
        var first = FirstPlaces(limit, order: plan.order)
        let needsRecord = !plan.order.isByID || !residual.isTrivial
        try forEachEntry(&budget) { record, mayBeCut throws(QueryObstacle) in
            var candidate = QueryPlace(key: [], record: record)
            if needsRecord || (rechecks && mayBeCut) {
                guard let cursor = try self.record(record) else { return }
                defer { cursor.finish() }
                guard try matches(cursor, mayBeCut: mayBeCut) else { return }
                candidate.key = try sortKey(cursor)
            }
            if let place, !place.precedes(candidate, in: plan.order) { return }
            if first.wants(candidate) { first.add(candidate) }
        }
        for place in first.finish() {
            guard let cursor = try record(place.record) else { continue }
            defer { cursor.finish() }
            try budget.take(1)
            guard try body(cursor, { place }) else { return }
        }
    }

    // MARK: In any order

    /// The exact number of matches.
    func count(_ budget: inout QueryBudget) throws(QueryObstacle) -> Int {
        var count = 0
        if residual.isTrivial, !plan.hasOverlaps, !rechecks {
            for walk in plan.walks { count += try self.count(walk, &budget) }
            return count
        }
        try forEachMatch(&budget) { _ throws(QueryObstacle) in count += 1 }
        return count
    }

    /// Calls `body` with the id of each match, once.
    func forEachMatch(
        _ budget: inout QueryBudget, _ body: (Int64) throws(QueryObstacle) -> Void
    ) throws(QueryObstacle) {
        try forEachEntry(&budget) { record, mayBeCut throws(QueryObstacle) in
            if !residual.isTrivial || (rechecks && mayBeCut) {
                guard let cursor = try self.record(record) else { return }
                defer { cursor.finish() }
                guard try matches(cursor, mayBeCut: mayBeCut) else { return }
            }
            try body(record)
        }
    }

    /// Entries that are counted in one statement where others wait for the thread.
    private static let shortCount = 8_192

    private func count(_ walk: IndexWalk, _ budget: inout QueryBudget) throws(QueryObstacle) -> Int {
        if budget.isShort {
            // To count some and give up costs less than to count until time is over.
            let found = try count(walk, limit: Self.shortCount, &budget)
            if found == Self.shortCount { throw .overBudget(examined: budget.examined) }
            return found
        }
        return try count(walk, limit: .max, &budget)
    }

    private func count(
        _ walk: IndexWalk, limit: Int, _ budget: inout QueryBudget
    ) throws(QueryObstacle) -> Int {
        let deadline = budget.deadline
        let found: Int
        switch walk.source {
        case .index(let index) where walk.ids.isEverything:
            found = try reading.store(until: deadline) { () throws(StoreError) in
                try reading.indexes.count(
                    index.id, zone: zone, IndexReading.KeyRange(lower: walk.lower, upper: walk.upper), limit: limit)
            }
        case .records, .creator:
            var creator: Int64?
            if case .creator(let id) = walk.source { creator = id }
            found = try reading.store(until: deadline) { () throws(StoreError) in
                try reading.records.count(
                    zone: zone, type: type, creator: creator, within: (walk.ids.above, walk.ids.below), limit: limit)
            }
        case .index, .name:
            var count = 0
            var runner = WalkRunner(walk, zone: zone, type: type, order: plan.order, after: nil, chunk: 1_024)
            while try runner.current(reading, &budget) != nil {
                count += 1
                runner.advance()
            }
            return count
        }
        try budget.take(found)
        return found
    }

    /// Calls `body` with each record that a walk meets, once, whether it matches or not.
    private func forEachEntry(
        _ budget: inout QueryBudget, _ body: (_ record: Int64, _ mayBeCut: Bool) throws(QueryObstacle) -> Void
    ) throws(QueryObstacle) {
        var seen: Set<Int64> = []
        let dedupes = plan.hasOverlaps
        for var walk in runners(after: nil, chunk: 1_024) {
            while let (place, mayBeCut) = try walk.current(reading, &budget) {
                walk.advance()
                if dedupes, !seen.insert(place.record).inserted { continue }
                try budget.take(1)
                try body(place.record, mayBeCut)
            }
        }
    }

    // MARK: Records

    private func runners(after place: QueryPlace?, chunk: Int) -> [WalkRunner] {
        plan.walks.map {
            WalkRunner($0, zone: zone, type: type, order: plan.order, after: place, chunk: chunk)
        }
    }

    private func record(_ id: Int64) throws(QueryObstacle) -> RecordCursor? {
        try reading.store { () throws(StoreError) in try reading.records.record(id) }
    }

    private func matches(_ cursor: RecordCursor, mayBeCut: Bool) throws(QueryObstacle) -> Bool {
        if rechecks, mayBeCut { return try matches(cursor, whole) }
        return residual.isTrivial ? true : try matches(cursor, residual)
    }

    private func matches(_ cursor: RecordCursor, _ matcher: RecordMatcher) throws(QueryObstacle) -> Bool {
        do throws(RecordError) {
            return try matcher.matches(try IndexedRecord(cursor, cursor.row))
        } catch {
            throw .refused(error)
        }
    }

    private func sortKey(_ cursor: RecordCursor) throws(QueryObstacle) -> [UInt8] {
        if plan.order.isByID { return [] }
        do throws(RecordError) {
            let record = try IndexedRecord(cursor, cursor.row)
            var key: [UInt8] = []
            for term in plan.order.columns {
                IndexKey.append(try record.value(of: term.field.anySource), isAscending: term.isAscending, to: &key)
            }
            return key
        } catch {
            throw .refused(error)
        }
    }
}

extension QueryField {
    /// Where its value is found in a record, whether or not an index can hold it.
    var anySource: IndexDefinition.Source {
        switch self {
        case .field(let field): .field(field.id)
        case .system(let field): .system(field)
        }
    }
}

extension Predicate {
    /// Whether it compares with a text that is as long as what keys keep of texts, or longer.
    var hasLongText: Bool {
        switch self {
        case .constant: false
        case .not(let inner): inner.hasLongText
        case .and(let list), .or(let list): list.contains { $0.hasLongText }
        case .condition(let condition):
            switch condition.test {
            case .isNull: false
            case .equals(let value): value.isLong
            case .isIn(let list): list.contains { $0.isLong }
            case .isWithin(let range): range.lower?.value.isLong == true || range.upper?.value.isLong == true
            case .hasPrefix(let text): text.count >= IndexKey.textBytes
            }
        }
    }
}

extension QueryValue {
    fileprivate var isLong: Bool {
        if case .text(let text) = self { text.count >= IndexKey.textBytes } else { false }
    }
}
