package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Runs queries on a reader's thread, in its snapshot.
package struct QueryReader {
    let reader: RecordReader

    var database: RecordDatabase { reader.database }
    var schema: Schema { reader.schema }
    var store: StoreReader { reader.store }

    /// Runs a query, on this thread if the query fits the time limit of an event loop, else on a pool thread. In
    /// development, first adds missing indexes if the caller may add them.
    ///
    /// - Throws:
    ///   - AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller may read none of the type.
    ///   - NOT_FOUND for an unknown type in production. In development the page is empty.
    ///   - BAD_REQUEST for a predicate that does not fit the type; with cause NOT_INDEXED if no index serves it; with
    ///     cause QUERY_TOO_EXPENSIVE if it exceeds its time limit; with cause TOKEN_INVALID for a cursor of another
    ///     caller or query.
    ///   - TRY_AGAIN_LATER while an index is being built, with cause INDEX_BUILDING; while too many queries wait; with
    ///     cause REQUEST_ABANDONED if the client disconnects.
    /// - Source: CloudKit Web Services Reference, "Fetching Records Using a Query".
    package func run(_ request: QueryRequest) async throws(RecordError) -> RecordPage {
        if Self.isLong(request.input) { return try await longQuery(request) }
        var request = request
        var notices: [QueryNotice] = []
        while true {
            let budget = QueryBudget(time: loopTime)
            guard let query = try bind(request) else { return request.emptyPage }
            let missing = try missingIndexes(of: query, request, isFirst: notices.isEmpty)
            if !missing.isEmpty {
                guard notices.isEmpty else { throw .indexBuilding(missing[0].type, retryAfter: 1) }
                for (indexRequest, type) in missing { notices += try await addIndexes(indexRequest, to: type) }
                request = try current(request)
                continue
            }
            do throws(RecordError) {
                return try respond(query, request, notices, budget, isOnPool: false)
            } catch {
                guard budget.stoppedAfter != nil else { throw error }
                if budget.elapsed > Self.overrunSpent { reader.lastOverrun = MonotonicClock.now }
                return try await respondOnPool(request, notices)
            }
        }
    }

    /// Runs a query on the pool, because binding and planning alone may exceed the time limit of an event loop.
    private func longQuery(_ request: QueryRequest) async throws(RecordError) -> RecordPage {
        var notices: [QueryNotice] = []
        if database.environment == .development {
            let missing = try await database.queries.pool.read(database, for: request.poolUser, isForCaller: true) {
                reader throws(RecordError) in
                let (reader, request) = (reader.queries, try reader.queries.current(request))
                return try reader.bind(request).map { query throws(RecordError) in
                    try reader.missingIndexes(of: query, request, isFirst: true)
                } ?? []
            }
            for (indexRequest, type) in missing { notices += try await addIndexes(indexRequest, to: type) }
        }
        return try await respondOnPool(request, notices)
    }

    private func respondOnPool(
        _ request: QueryRequest, _ notices: [QueryNotice]
    ) async throws(RecordError) -> RecordPage {
        try await database.queries.pool.read(database, for: request.poolUser, isForCaller: true) {
            reader throws(RecordError) in
            try reader.queries.respondOnThisThread(try reader.queries.current(request), notices)
        }
    }

    /// The indexes that a query lacks and its caller may add.
    ///
    /// - Parameter isForCaller: Whether to stop when the client disconnects.
    /// - Throws: As `run`.
    func missingIndexes(
        for request: QueryRequest, isForCaller: Bool
    ) async throws(RecordError) -> [(request: IndexRequest, type: RecordTypeName)] {
        guard Self.isLong(request.input) else { return try missingIndexesOnThisThread(for: request) }
        return try await database.queries.pool.read(database, for: request.poolUser, isForCaller: isForCaller) {
            reader throws(RecordError) in
            try reader.queries.missingIndexesOnThisThread(for: try reader.queries.current(request))
        }
    }

    /// Returns the request with the caller's current permissions. They may have changed while the request waited for a
    /// thread.
    func current(_ request: QueryRequest) throws(RecordError) -> QueryRequest {
        var request = request
        request.caller = try reader.callers.current(request.caller)
        return request
    }

    private func missingIndexesOnThisThread(
        for request: QueryRequest
    ) throws(RecordError) -> [(request: IndexRequest, type: RecordTypeName)] {
        guard let query = try bind(request) else { return [] }
        return try missingIndexes(of: query, request, isFirst: true)
    }

    /// The time limit of one query on an event loop. The limit is shorter after another query has exceeded it, because
    /// both queries may run in one turn of the loop.
    private var loopTime: Duration {
        if let spareTime = reader.spareTime { return spareTime }
        return MonotonicClock.now &- reader.lastOverrun < Self.overrunNanoseconds
            ? .microseconds(400) : .milliseconds(2)
    }

    /// The input length in bytes above which binding runs on the pool. Binding looks up each account name, up to a
    /// thousand of them, and hashes lists on each level of a predicate.
    private static let longInput = 8 << 10

    /// Whether binding and planning a query may take too long for an event loop.
    private static func isLong(_ input: QueryInput) -> Bool { input.size > longInput || input.mayUsePolygons }

    /// The nanoseconds after which a failed attempt counts as an overrun. Some attempts fail at the first check.
    private static let overrunSpent: UInt64 = 1_000_000

    /// How long an event loop uses the shorter time limit after an overrun, in nanoseconds.
    private static let overrunNanoseconds: UInt64 = 10_000_000

    /// Runs a query on the current pool thread, with the full time limit of a query.
    ///
    /// - Throws: As `run`.
    func respondOnThisThread(_ request: QueryRequest, _ notices: [QueryNotice]) throws(RecordError) -> RecordPage {
        let budget = QueryBudget(time: .milliseconds(database.limits.queryMilliseconds))
        guard let query = try bind(request) else { return request.emptyPage }
        try requireIndexes(query, request)
        return try advising(query, budget) { () throws(RecordError) in
            try respond(query, request, notices, budget, isOnPool: true)
        }
    }

    /// Runs `body`. If the query exceeds its time limit, adds the query to `/schema/advice`, which the error mentions.
    func advising<Value>(
        _ query: PreparedQuery, _ budget: QueryBudget, _ body: () throws(RecordError) -> Value
    ) throws(RecordError) -> Value {
        do throws(RecordError) {
            return try body()
        } catch {
            if let examined = budget.stoppedAfter { noteStopped(query, examined: examined) }
            throw error
        }
    }

    /// Adds indexes for a query. Returns the notices for the response.
    private func addIndexes(_ indexRequest: IndexRequest, to typeName: RecordTypeName) async throws(RecordError)
        -> [QueryNotice]
    {
        let added = try await database.indexes.add(indexRequest, to: typeName)
        try reader.refresh()
        guard let type = schema[typeName], typeName != .share else { return [] }
        return added.all.map { QueryNotice(index: $0, of: type) }
    }

    // MARK: One attempt

    private static let firstReservation = 262_144

    private func respond(
        _ query: PreparedQuery, _ request: QueryRequest, _ notices: [QueryNotice], _ budget: QueryBudget, isOnPool: Bool
    ) throws(RecordError) -> RecordPage {
        let query = try TargetResolver.resolve(query, by: self, budget)
        if let aggregation = query.aggregation {
            return try respond(aggregation, query, request, notices, budget, isOnPool: isOnPool)
        }
        var page = request.emptyPage
        guard let zone = query.zone else { return page }
        let limit = request.limit(database.limits)
        let runner = try runner(
            of: query, zone: zone, sort: query.sort, limit: limit, budget, estimatesAll: request.input.explain)
        func shape() -> Int64 { (query.isReversed ? runner.order.reversed : runner.order).shape(query.ranked) }
        // The schema or the caller's rights may have changed since the page of the cursor.
        if let cursor = query.cursor, cursor.shape != shape() { throw .cursorRejected }
        let type = query.type
        let shown = query.shown
        let showsAll = shown.isAll
        var bounds = PageLimits(limit: limit, bytes: database.limits.pageBytes)
        /// The position of the first record read, if it is needed for a cursor.
        var first: QueryPosition?
        /// The position of the last record read, if the page is full.
        var last: QueryPosition?
        var hasMore = false
        var starts: [Int] = []
        let from = query.isReversed ? query.cursor?.position.reversed : query.cursor?.position
        var expanded = query.expansion.map { ExpandedRecords($0, by: reader, budget) }
        var highlights = query.highlights.map(Highlights.init)
        try runner.forEach(after: from, limit: limit + 1) { cursor, position throws(RecordError) in
            if last != nil {
                hasMore = true
                return false
            }
            let start = page.records.json.count
            let system = cursor.systemFields
            page.records.beginMember()
            if from != nil {
                if first == nil { first = position() }
                starts.append(page.records.json.count)
            }
            _ = try reader.append(cursor, system, type, shown, to: &page.records.json)
            let hidden = showsAll ? 0 : shown.bytes(of: cursor, creator: system.creator)
            bounds.didRead(hidden)
            if bounds.areReached(by: page.records.count, page.records.bytes) { last = position() }
            // Reserve memory for a full page of records as long as the first one.
            if page.records.count == 1 {
                page.records.json.reserveCapacity(min(page.records.json.count * (limit + 1), Self.firstReservation))
            }
            try budget.didCopy(page.records.json.count - start + hidden)
            try expanded?.add(cursor, system, shown.visibility)
            try highlights?.add(cursor, budget)
            return true
        }
        // A page after or before a cursor has at least the record of the cursor on its other side.
        let (front, back) = query.isReversed ? (hasMore ? last : nil, first) : (first, hasMore ? last : nil)
        func seal(_ position: QueryPosition) -> String {
            let cursor = QueryCursor(
                position: query.isReversed ? position.reversed : position, now: query.now, shape: shape(),
                ranking: runner.ranking?.numbers ?? [])
            return cursor.sealed(for: request, query, with: database.keys)
        }
        if let back { page.end = .cursor(seal(back)) }
        if let front { page.previousCursor = seal(front) }
        if query.isReversed { page.records.reverseMembers(startingAt: starts) }
        if request.input.count { page.count = try runnerOfAll(query, zone: zone, budget).count() }
        if request.input.estimatesTotal {
            let isWhole = page.end == .complete && query.cursor == nil
            page.total =
                isWhole
                ? RecordTotal(value: page.records.count, relation: .exact)
                : try TotalEstimator(queries: self).total(query, zone: zone, budget)
        }
        page.notices = notices
        note(query, runner.parts, budget, returned: page.records.count, isOnPool: isOnPool)
        if request.input.explain {
            page.plan =
                PlanDocument(
                    runner.parts, asked: query.asked, targets: query.targets, type: query.type,
                    examined: budget.examined, returned: page.records.count, nanoseconds: budget.elapsed,
                    isOnPool: isOnPool,
                    showsFigures: Authorization.authorize(request.caller, .readSchema) == .allowed,
                    showsScans: query.readsAll,
                    isAmongOthers: request.address.scope != .publicDatabase && database.environment == .production
                ).json
        }
        page.highlights = highlights?.json(isReversed: query.isReversed)
        page.expanded = try expanded?.json(in: zone)
        return page
    }

    /// Creates a runner that returns all matches of a query, in any order.
    func runnerOfAll(
        _ query: PreparedQuery, zone: ZoneID, _ budget: QueryBudget, estimatesAll: Bool = false
    ) throws(RecordError) -> QueryRunner {
        try runner(of: query, zone: zone, sort: [], limit: nil, budget, estimatesAll: estimatesAll)
    }

    /// Plans one branch for the records without an access list of each zone, and one for each audience of the caller.
    func runner(
        of query: PreparedQuery, zone: ZoneID, sort: [SortTerm], limit: Int?, _ budget: QueryBudget,
        estimatesAll: Bool = false, readsByCreator: Bool = false
    ) throws(RecordError) -> QueryRunner {
        let words = limit == nil || estimatesAll ? nil : query.words
        let known = words.flatMap { reader.queryCache.plan($0) }
        var isByDataToo = false
        func part(_ predicate: Predicate, _ home: RowHome) throws(RecordError) -> QueryBranch {
            var planner = try planner(for: query.type, home: home, limit: limit, budget: budget) { isByDataToo = true }
            planner.estimatesAll = estimatesAll
            planner.isReversed = limit != nil && query.isReversed
            planner.readsByCreator = readsByCreator
            planner.ranked = query.ranked
            return QueryBranch(try planner.plan(predicate, sort: sort, orderedAs: query.orderCondition), in: home)
        }
        let first = if let known { QueryBranch(known, in: .zone(zone)) } else { try part(query.predicate, .zone(zone)) }
        if let words, known == nil, !isByDataToo { reader.queryCache.keep(first.plan, for: words) }
        var parts = [first]
        for zone in query.furtherZones { parts.append(try part(query.predicate, .zone(zone))) }
        for audience in query.audiences { parts.append(try part(query.condition, .audience(audience))) }
        return QueryRunner(
            parts, order: first.plan.order, type: query.type.id, store: store, budget: budget,
            ranking: try RankStatistics(queries: self, zone: zone, budget: budget).ranking(of: query, sort: sort),
            userName: reader.userNames.name)
    }

    /// Rejects a query that no index serves. If the caller may add the missing indexes, returns them instead.
    ///
    /// - Parameter isFirst: Whether no index has been added for this query yet. If true, the result includes indexes
    ///   that only speed up the query. If false, the result has only required indexes, in case an index was just
    ///   dropped.
    /// - Returns: The indexes to add before the query runs; `nil` if the query can run now.
    /// - Throws: BAD_REQUEST with cause NOT_INDEXED; TRY_AGAIN_LATER with cause INDEX_BUILDING.
    func checkIndexes(
        _ query: PreparedQuery, _ request: QueryRequest, isFirst: Bool
    ) throws(RecordError) -> IndexRequest? {
        var needs = query.needs(in: database)
        let missingIndex = needs.missingIndex(countsUnfinished: false)
        let isUnfinished = missingIndex != nil && needs.missingIndex(countsUnfinished: true) == nil
        if isFirst || (missingIndex != nil && !isUnfinished), database.environment == .development,
            mayCauseIndexes(request.caller, query.type)
        {
            let indexRequest = needs.request()
            let count = query.type.indexes.count + indexRequest.options.count + indexRequest.indexes.count
            if !indexRequest.isEmpty, count <= IndexDefinition.maxPerType { return indexRequest }
        }
        guard let missingIndex else { return nil }
        if isUnfinished {
            throw .indexBuilding(query.type.name, retryAfter: 5)
        }
        database.queries.advice.note(
            query.shape, examined: 0, returned: 0, nanoseconds: 0, isRejected: true,
            wanted: needs.request().fieldNames(in: query.type))
        throw .notIndexed(missingIndex, type: query.type)
    }

    /// Rejects a query that lacks a required index. Used where no index can be added.
    ///
    /// - Throws: BAD_REQUEST with cause NOT_INDEXED; TRY_AGAIN_LATER with cause INDEX_BUILDING.
    func requireIndexes(_ query: PreparedQuery, _ request: QueryRequest) throws(RecordError) {
        guard try missingIndexes(of: query, request, isFirst: false).isEmpty else {
            throw .indexBuilding(request.typeName, retryAfter: 1)
        }
    }

    /// Whether the caller may add indexes. Indexes affect all users, so write permission in the caller's own private
    /// database is not enough.
    private func mayCauseIndexes(_ caller: Caller, _ type: RecordTypeDefinition) -> Bool {
        [Action.create, .write].contains {
            Authorization.permitted(of: $0, for: caller.account, in: .publicDatabase, type: type) != .none
        }
    }

    func note(
        _ query: PreparedQuery, _ branches: [QueryBranch], _ budget: QueryBudget, returned: Int, isOnPool: Bool
    ) {
        reader.indexUses.count(branches, for: database.queries.indexUses)
        database.queries.counters.didRespond(onPool: isOnPool, examined: budget.examined)
        let elapsed = isOnPool ? budget.elapsed : 0
        guard IndexAdvisor.isCostly(examined: budget.examined, returned: returned, nanoseconds: elapsed) else { return }
        var needs = query.needs(in: database)
        database.queries.advice.note(
            query.shape, examined: budget.examined, returned: returned, nanoseconds: budget.elapsed, isRejected: false,
            wanted: needs.request().fieldNames(in: query.type))
    }

    private func noteStopped(_ query: PreparedQuery, examined: Int) {
        database.queries.counters.didStop()
        var needs = query.needs(in: database)
        database.queries.advice.note(
            query.shape, examined: examined, returned: 0,
            nanoseconds: UInt64(max(0, database.limits.queryMilliseconds)) * 1_000_000, isRejected: true,
            wanted: needs.request().fieldNames(in: query.type))
    }
}

extension QueryCursor {
    /// Returns the cursor as a text. Of a listing, it is that of the listing without a query.
    fileprivate func sealed(for request: QueryRequest, _ query: PreparedQuery, with keys: DatabaseKeys) -> String {
        guard request.isListing else { return seal(query.binding, with: keys) }
        let binding = ListingCursor.Binding(zone: query.binding.zone, type: query.type.id, caller: request.caller)
        return ListingCursor.seal(position.record, binding, with: keys)
    }
}
