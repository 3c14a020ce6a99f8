package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Answers queries on the thread of a reader, in its view.
package struct QueryReader {
    let reader: RecordReader

    var database: RecordDatabase { reader.database }
    var schema: Schema { reader.schema }
    var store: StoreReader { reader.store }

    /// Answers a query: on this thread if it takes no longer than a loop can spare, else on a thread of the pool; with an
    /// index more, if one is missing that the caller may cause.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller may read none of the type; NOT_FOUND for an
    ///   unknown type in production (in development the answer is empty); BAD_REQUEST for a condition that does not fit,
    ///   with cause NOT_INDEXED for what would scan, QUERY_TOO_EXPENSIVE for what takes too long; TRY_AGAIN_LATER while
    ///   its index is being built.
    /// - Source: CloudKit Web Services Reference, "Fetching Records Using a Query".
    package func run(_ request: QueryRequest) async throws(RecordError) -> RecordPage {
        if request.input.size > Self.longInput { return try await longQuery(request) }
        var request = request
        var notices: [QueryNotice] = []
        while true {
            let budget = QueryBudget(time: loopTime)
            guard let query = try bind(request) else { return request.emptyPage }
            if let wish = try checkIndexes(query, request, isFirst: notices.isEmpty) {
                guard notices.isEmpty else { throw .indexBuilding(request.typeName, retryAfter: 1) }
                notices = try await addIndexes(wish, for: request)
                request = try current(request)
                continue
            }
            do throws(RecordError) {
                return try answer(query, request, notices, budget, isOnPool: false)
            } catch {
                guard budget.stoppedAfter != nil else { throw error }
                if budget.elapsed > Self.overrunSpent { reader.lastOverrun = MonotonicClock.now }
                return try await answerOnPool(request, notices)
            }
        }
    }

    /// To bind and to plan it may alone be more than a loop can spare.
    private func longQuery(_ request: QueryRequest) async throws(RecordError) -> RecordPage {
        var notices: [QueryNotice] = []
        if database.environment == .development, let wish = try await missingIndexes(for: request, isForCaller: true) {
            notices = try await addIndexes(wish, for: request)
        }
        return try await answerOnPool(request, notices)
    }

    private func answerOnPool(
        _ request: QueryRequest, _ notices: [QueryNotice]
    ) async throws(RecordError) -> RecordPage {
        try await database.queries.pool.read(database, isForCaller: true) { reader throws(RecordError) in
            try reader.queries.answerHere(try reader.queries.current(request), notices)
        }
    }

    /// What is missing of the indexes that a query needs, if its caller may cause them.
    ///
    /// - Parameter isForCaller: Whether it ends with the request when the client hangs up.
    func missingIndexes(for request: QueryRequest, isForCaller: Bool) async throws(RecordError) -> IndexWish? {
        guard request.input.size > Self.longInput else { return try missingIndexesHere(for: request) }
        return try await database.queries.pool.read(database, isForCaller: isForCaller) {
            reader throws(RecordError) in
            try reader.queries.missingIndexesHere(for: try reader.queries.current(request))
        }
    }

    /// A request with the rights that its caller has now: it may have waited for a thread.
    func current(_ request: QueryRequest) throws(RecordError) -> QueryRequest {
        var request = request
        request.caller = try reader.callers.current(request.caller)
        return request
    }

    private func missingIndexesHere(for request: QueryRequest) throws(RecordError) -> IndexWish? {
        guard let query = try bind(request) else { return nil }
        return try checkIndexes(query, request, isFirst: true)
    }

    /// What a loop spares for one query: less if it has just spent all of it on another, since both may have come in one
    /// turn of the loop.
    private var loopTime: Duration {
        MonotonicClock.now &- reader.lastOverrun < Self.overrunNanoseconds ? .microseconds(400) : .milliseconds(2)
    }

    /// Longer words are bound on the pool at once: each of a thousand names of accounts is a search, and lists are hashed on
    /// every level of a condition.
    private static let longInput = 8 << 10

    /// What counts as having spent the time of a loop: some queries are given up at the first look.
    private static let overrunSpent: UInt64 = 1_000_000

    /// How long a loop remembers that a query was too long for it.
    private static let overrunNanoseconds: UInt64 = 10_000_000

    /// Answers on a thread that has nothing else to do.
    func answerHere(_ request: QueryRequest, _ notices: [QueryNotice]) throws(RecordError) -> RecordPage {
        let budget = QueryBudget(time: .milliseconds(database.limits.queryMilliseconds))
        guard let query = try bind(request) else { return request.emptyPage }
        try requireIndexes(query, request)
        return try advising(query, budget) { () throws(RecordError) in
            try answer(query, request, notices, budget, isOnPool: true)
        }
    }

    /// Runs a query that has all the time a query may take. If that runs out, the error sends people to the advice: the
    /// query has to be there.
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

    /// Adds indexes just in time, and tells which.
    private func addIndexes(_ wish: IndexWish, for request: QueryRequest) async throws(RecordError) -> [QueryNotice] {
        let added = try await database.indexes.add(wish, to: request.typeName)
        try reader.refresh()
        guard let type = schema[request.typeName] else { return [] }
        return added.all.map { QueryNotice(index: $0, of: type) }
    }

    // MARK: One attempt

    private static let firstReservation = 262_144

    private func answer(
        _ query: PreparedQuery, _ request: QueryRequest, _ notices: [QueryNotice], _ budget: QueryBudget, isOnPool: Bool
    ) throws(RecordError) -> RecordPage {
        var page = request.emptyPage
        guard let zone = query.zone else { return page }
        let limit = request.limit(database.limits)
        let runner = try runner(
            of: query, zone: zone, sort: query.sort, limit: limit, budget, estimatesAll: request.input.explain)
        let type = query.type
        let shown = query.shown
        let showsAll = shown.isAll
        var bounds = PageBounds(limit: limit, database.limits)
        /// Of the last record of a full page.
        var last: QueryPlace?
        var hasMore = false
        try runner.forEach(after: query.cursor?.place, limit: limit + 1) { cursor, place throws(RecordError) in
            if last != nil {
                hasMore = true
                return false
            }
            let start = page.records.json.count
            let system = cursor.systemFields
            page.records.beginMember()
            _ = try reader.append(cursor, system, type, shown, to: &page.records.json)
            let hidden = showsAll ? 0 : shown.bytes(of: cursor, creator: system.creator)
            bounds.didRead(hidden)
            if bounds.areReached(by: page.records.count, page.records.bytes) { last = place() }
            // The others are likely to be as long as the first.
            if page.records.count == 1 {
                page.records.json.reserveCapacity(min(page.records.json.count * (limit + 1), Self.firstReservation))
            }
            try budget.didCopy(page.records.json.count - start + hidden)
            return true
        }
        if hasMore, let last {
            page.end = .cursor(QueryCursor(place: last, now: query.now).seal(query.binding, with: database.keys))
        }
        if request.input.count { page.count = try runnerOfAll(query, zone: zone, budget).count() }
        page.notices = notices
        note(query, budget, returned: page.records.count, isOnPool: isOnPool)
        if request.input.explain {
            page.plan =
                PlanDocument(
                    runner.parts, asked: query.asked, type: query.type, examined: budget.examined,
                    returned: page.records.count, nanoseconds: budget.elapsed, isOnPool: isOnPool,
                    showsFigures: Authorization.authorize(request.caller, .readSchema) == .allowed,
                    showsWalks: query.readsAll,
                    isAmongOthers: request.address.scope != .publicDatabase && database.environment == .production
                ).json
        }
        return page
    }

    /// Plans to meet all matches, in any order.
    func runnerOfAll(_ query: PreparedQuery, zone: ZoneID, _ budget: QueryBudget) throws(RecordError) -> QueryRunner {
        try runner(of: query, zone: zone, sort: [], limit: nil, budget)
    }

    /// Plans a query for the records without an access list and for each audience of the caller.
    private func runner(
        of query: PreparedQuery, zone: ZoneID, sort: [SortTerm], limit: Int?, _ budget: QueryBudget,
        estimatesAll: Bool = false
    ) throws(RecordError) -> QueryRunner {
        let words = limit == nil || estimatesAll ? nil : query.words
        let known = words.flatMap { reader.knownQueries.plan($0) }
        var isByDataToo = false
        func part(_ predicate: Predicate, _ home: RowHome) throws(RecordError) -> QueryPart {
            var planner = try planner(for: query.type, home: home, limit: limit, budget: budget) { isByDataToo = true }
            planner.estimatesAll = estimatesAll
            let condition = query.audiences.isEmpty ? nil : query.condition
            return QueryPart(try planner.plan(predicate, sort: sort, orderedAs: condition), in: home)
        }
        let first = if let known { QueryPart(known, in: .zone(zone)) } else { try part(query.predicate, .zone(zone)) }
        if let words, known == nil, !isByDataToo { reader.knownQueries.keep(first.plan, for: words) }
        var parts = [first]
        for audience in query.audiences { parts.append(try part(query.condition, .audience(audience))) }
        return QueryRunner(
            parts, order: first.plan.order, type: query.type.id, store: store, budget: budget,
            userName: reader.userNames.name)
    }

    /// Rejects a query that no index serves, unless its caller may cause the index.
    ///
    /// - Parameter isFirst: No index was added for this query yet, so that it asks for those too without which it could
    ///   do. Later it asks for what it cannot do without, if somebody has just taken that away.
    /// - Returns: Indexes to add before the query runs; `nil` if it can run now.
    private func checkIndexes(
        _ query: PreparedQuery, _ request: QueryRequest, isFirst: Bool
    ) throws(RecordError) -> IndexWish? {
        var needs = needs(of: query)
        let lack = needs.lack(countsUnfinished: false)
        let isUnfinished = lack != nil && needs.lack(countsUnfinished: true) == nil
        if isFirst || (lack != nil && !isUnfinished), database.environment == .development,
            mayCauseIndexes(request.caller, query.type)
        {
            let wish = needs.wish()
            let count = query.type.indexes.count + wish.options.count + wish.indexes.count
            if !wish.isEmpty, count <= IndexDefinition.maxPerType { return wish }
        }
        guard let lack else { return nil }
        if isUnfinished {
            throw .indexBuilding(query.type.name, retryAfter: 5)
        }
        database.queries.advice.note(
            query.shape, examined: 0, returned: 0, nanoseconds: 0, isRefused: true,
            wanted: needs.wish().fieldNames(in: query.type))
        throw .notIndexed(lack, type: query.type)
    }

    /// Rejects a query whose indexes are missing, where none can be added.
    func requireIndexes(_ query: PreparedQuery, _ request: QueryRequest) throws(RecordError) {
        guard try checkIndexes(query, request, isFirst: false) == nil else {
            throw .indexBuilding(request.typeName, retryAfter: 1)
        }
    }

    /// Indexes are everybody's: who may write a type nowhere but in a private database of its own adds none.
    private func mayCauseIndexes(_ caller: Caller, _ type: RecordTypeDefinition) -> Bool {
        [Action.create, .write].contains {
            Authorization.reach(of: $0, for: caller, in: .publicDatabase, type: type) != .none
        }
    }

    private func note(_ query: PreparedQuery, _ budget: QueryBudget, returned: Int, isOnPool: Bool) {
        database.queries.counters.didAnswer(onPool: isOnPool, examined: budget.examined)
        let elapsed = isOnPool ? budget.elapsed : 0
        guard QueryAdvice.isCostly(examined: budget.examined, returned: returned, nanoseconds: elapsed) else { return }
        var needs = needs(of: query)
        database.queries.advice.note(
            query.shape, examined: budget.examined, returned: returned, nanoseconds: budget.elapsed, isRefused: false,
            wanted: needs.wish().fieldNames(in: query.type))
    }

    private func noteStopped(_ query: PreparedQuery, examined: Int) {
        database.queries.counters.didStop()
        var needs = needs(of: query)
        database.queries.advice.note(
            query.shape, examined: examined, returned: 0,
            nanoseconds: UInt64(max(0, database.limits.queryMilliseconds)) * 1_000_000, isRefused: true,
            wanted: needs.wish().fieldNames(in: query.type))
    }

    private func needs(of query: PreparedQuery) -> QueryNeeds {
        QueryNeeds(
            query.predicate, sort: query.sort, type: query.type,
            createdFollowsIDs: database.createdFollowsIDs && !query.type.hasPreservedDates)
    }
}
