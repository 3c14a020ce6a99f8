package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

extension RecordReader {
    /// Answers a query: on this thread if it takes no longer than a loop can spare, else on a thread of the pool; with an
    /// index more, if one is missing that the caller may cause.
    ///
    /// - Returns: `{"records":[…],"cursor"?,"count"?,"notices"?,"plan"?}`.
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller may read none of the type; NOT_FOUND for an
    ///   unknown type in production (in development the answer is empty); BAD_REQUEST for a condition that does not fit,
    ///   with cause NOT_INDEXED for what would scan, QUERY_TOO_EXPENSIVE for what takes too long; TRY_AGAIN_LATER while
    ///   its index is being built.
    /// - Source: CloudKit Web Services Reference, "Fetching Records Using a Query".
    package func query(_ request: QueryRequest) async throws(RecordError) -> [UInt8] {
        if request.input.size > Self.longInput { return try await longQuery(request) }
        var request = request
        var notices: [QueryNotice] = []
        while true {
            let started = MonotonicClock.now
            do throws(QueryObstacle) {
                return try answer(request, notices, budget: QueryBudget(time: loopTime), isOnPool: false)
            } catch {
                switch error {
                case .refused(let refusal): throw refusal
                case .needsIndex(let wish):
                    guard notices.isEmpty else { throw .indexBuilding(request.typeName, retryAfter: 1) }
                    notices = try await addIndexes(wish, for: request)
                    request = try current(request)
                case .overBudget:
                    let now = MonotonicClock.now
                    if now &- started > Self.overrunSpent { lastOverrun = now }
                    return try await answerOnPool(request, notices)
                }
            }
        }
    }

    /// To bind and to plan it may alone be more than a loop can spare.
    private func longQuery(_ request: QueryRequest) async throws(RecordError) -> [UInt8] {
        var notices: [QueryNotice] = []
        if database.environment == .development, let wish = try await missingIndexes(for: request, isForCaller: true) {
            notices = try await addIndexes(wish, for: request)
        }
        return try await answerOnPool(request, notices)
    }

    /// Does what is long on a thread of the pool.
    ///
    /// - Throws: What `body` does; TRY_AGAIN_LATER if too many wait already.
    package func onPool<Value: Sendable>(
        _ body: @escaping @Sendable () throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        try await database.queries.pool.read(database, isForCaller: true) { _ throws(RecordError) in try body() }
    }

    private func answerOnPool(
        _ request: QueryRequest, _ notices: [QueryNotice]
    ) async throws(RecordError) -> [UInt8] {
        try await database.queries.pool.read(database, isForCaller: true) { reader throws(RecordError) in
            try reader.answerHere(try reader.current(request), notices)
        }
    }

    /// What is missing of the indexes that a query needs, if its caller may cause them.
    ///
    /// - Parameter isForCaller: Whether it ends with the request when the client hangs up.
    func missingIndexes(for request: QueryRequest, isForCaller: Bool) async throws(RecordError) -> IndexWish? {
        guard request.input.size > Self.longInput else { return try missingIndexesHere(for: request) }
        return try await database.queries.pool.read(database, isForCaller: isForCaller) {
            reader throws(RecordError) in
            try reader.missingIndexesHere(for: try reader.current(request))
        }
    }

    /// A request with the rights that its caller has now: it may have waited for a thread.
    func current(_ request: QueryRequest) throws(RecordError) -> QueryRequest {
        var request = request
        request.caller = try current(request.caller)
        return request
    }

    private func missingIndexesHere(for request: QueryRequest) throws(RecordError) -> IndexWish? {
        do throws(QueryObstacle) {
            guard let query = try refusing({ () throws(RecordError) in try self.bind(request) }) else { return nil }
            try checkIndexes(query, request, isFirst: true)
            return nil
        } catch {
            switch error {
            case .refused(let refusal): throw refusal
            case .overBudget: return nil
            case .needsIndex(let wish): return wish
            }
        }
    }

    /// What a loop spares for one query: less if it has just spent all of it on another, since both may have come in one
    /// turn of the loop.
    private var loopTime: Duration {
        MonotonicClock.now &- lastOverrun < Self.overrunNanoseconds ? .microseconds(400) : .milliseconds(2)
    }

    /// Longer words are bound on the pool at once: each of a thousand names of accounts is a search, and lists are hashed on
    /// every level of a condition.
    private static let longInput = 8 << 10

    /// What counts as having spent the time of a loop: some queries are given up at the first look.
    private static let overrunSpent: UInt64 = 1_000_000

    /// How long a loop remembers that a query was too long for it.
    private static let overrunNanoseconds: UInt64 = 10_000_000

    /// Answers on a thread that has nothing else to do.
    func answerHere(_ request: QueryRequest, _ notices: [QueryNotice]) throws(RecordError) -> [UInt8] {
        let time = Duration.milliseconds(database.limits.queryMilliseconds)
        do throws(QueryObstacle) {
            return try answer(request, notices, budget: QueryBudget(time: time), isOnPool: true)
        } catch {
            throw refusal(error, of: request)
        }
    }

    /// What an obstacle means on the pool, where there is no more time to be had and no index to be added.
    func refusal(_ obstacle: QueryObstacle, of request: QueryRequest) -> RecordError {
        switch obstacle {
        case .refused(let refusal): return refusal
        case .needsIndex: return .indexBuilding(request.typeName, retryAfter: 1)
        case .overBudget(let examined):
            noteStopped(request, examined: examined)
            return .queryTooExpensive
        }
    }

    /// Adds indexes just in time, and tells which.
    private func addIndexes(_ wish: IndexWish, for request: QueryRequest) async throws(RecordError) -> [QueryNotice] {
        let added = try await database.addIndexes(wish, to: request.typeName)
        try refresh()
        guard let type = schema[request.typeName] else { return [] }
        return added.all.map { QueryNotice(index: $0, of: type) }
    }

    // MARK: One attempt

    private func answer(
        _ request: QueryRequest, _ notices: [QueryNotice], budget: QueryBudget, isOnPool: Bool
    ) throws(QueryObstacle) -> [UInt8] {
        guard let query = try refusing({ () throws(RecordError) in try self.bind(request) }) else {
            return QueryAnswer.empty(wantsCount: request.input.count)
        }
        try checkIndexes(query, request, isFirst: notices.isEmpty && !isOnPool)
        guard let zone = query.zone else { return QueryAnswer.empty(wantsCount: request.input.count) }
        let limit = request.input.limit ?? min(database.limits.defaultPageSize, database.limits.pageSize)
        var budget = budget
        let runner = try runner(
            of: query, zone: zone, sort: query.sort, limit: limit, deadline: budget.deadline,
            estimatesAll: request.input.explain)
        var answer = QueryAnswer(limit: limit, limits: database.limits)
        let type = query.type
        let shown = query.shown
        let showsAll = shown.isAll
        try runner.forEach(after: query.cursor?.place, limit: limit + 1, &budget) {
            cursor, place, budget throws(QueryObstacle) in
            guard answer.hasRoom() else { return false }
            let start = answer.json.count
            let system = cursor.systemFields
            _ = try self.refusing { () throws(RecordError) in
                try self.append(
                    cursor, system, type, selection: shown.selection(creator: system.creator),
                    for: request.caller, in: request.address.scope, to: &answer.json)
            }
            let hidden = showsAll ? 0 : shown.bytes(of: cursor, creator: system.creator)
            answer.didAppend(read: hidden, place)
            try budget.didCopy(answer.json.count - start + hidden)
            return true
        }
        answer.endRecords()
        if answer.hasMore, let place = answer.last {
            answer.append(cursor: QueryCursor(place: place, now: query.now).seal(query.binding, with: database.keys))
        }
        if request.input.count {
            answer.append(count: try runnerOfAll(query, zone: zone, deadline: budget.deadline).count(&budget))
        }
        if !notices.isEmpty { answer.append(notices) }
        note(query, budget, returned: answer.count, isOnPool: isOnPool)
        if request.input.explain {
            answer.append(
                PlanDocument(
                    runner.parts, asked: query.asked, type: query.type, examined: budget.examined,
                    returned: answer.count, nanoseconds: budget.elapsed, isOnPool: isOnPool,
                    showsFigures: Authorization.authorize(request.caller, .readSchema) == .allowed,
                    showsWalks: query.readsAll,
                    isAmongOthers: request.address.scope != .publicDatabase && database.environment == .production
                ).json)
        }
        return answer.finish()
    }

    /// Plans to meet all matches, in any order.
    func runnerOfAll(
        _ query: PreparedQuery, zone: Int64, deadline: UInt64
    ) throws(QueryObstacle) -> QueryRunner {
        try runner(of: query, zone: zone, sort: [], limit: nil, deadline: deadline)
    }

    /// Plans a query for the records without an access list and for each audience of the caller.
    private func runner(
        of query: PreparedQuery, zone: Int64, sort: [SortTerm], limit: Int?, deadline: UInt64,
        estimatesAll: Bool = false
    ) throws(QueryObstacle) -> QueryRunner {
        let words = limit == nil || estimatesAll ? nil : query.words
        let known = words.flatMap { knownQueries.plan($0) }
        var isByDataToo = false
        func part(_ predicate: Predicate, _ place: Int64) throws(QueryObstacle) -> QueryPart {
            var planner = try refusing { () throws(RecordError) in
                try self.planner(for: query.type, zone: place, limit: limit, deadline: deadline) { isByDataToo = true }
            }
            planner.estimatesAll = estimatesAll
            let condition = query.audiences.isEmpty ? nil : query.condition
            return QueryPart(try planner.plan(predicate, sort: sort, orderedAs: condition), in: place)
        }
        let first = if let known { QueryPart(known, in: zone) } else { try part(query.predicate, zone) }
        if let words, known == nil, !isByDataToo { knownQueries.keep(first.plan, for: words) }
        var parts = [first]
        for audience in query.audiences { parts.append(try part(query.condition, audience)) }
        return QueryRunner(
            parts, order: first.plan.order, type: query.type.id, reading: queries, userName: userName)
    }

    /// Refuses what no index serves, or asks for one.
    ///
    /// - Parameter isFirst: No index was added for this query yet, so that it asks for those too without which it could
    ///   do. Later it asks for what it cannot do without, if somebody has just taken that away.
    func checkIndexes(
        _ query: PreparedQuery, _ request: QueryRequest, isFirst: Bool
    ) throws(QueryObstacle) {
        var needs = needs(of: query)
        let lack = needs.lack(countsUnfinished: false)
        let isUnfinished = lack != nil && needs.lack(countsUnfinished: true) == nil
        if isFirst || (lack != nil && !isUnfinished), database.environment == .development,
            mayCauseIndexes(request.caller, query.type)
        {
            let wish = needs.wish()
            let count = query.type.indexes.count + wish.options.count + wish.indexes.count
            if !wish.isEmpty, count <= IndexDefinition.maxPerType { throw .needsIndex(wish) }
        }
        guard let lack else { return }
        if isUnfinished {
            throw .refused(.indexBuilding(query.type.name, retryAfter: 5))
        }
        database.queries.advice.note(
            query.shape, examined: 0, returned: 0, nanoseconds: 0, isRefused: true,
            wanted: needs.wish().fieldNames(in: query.type))
        throw .refused(.notIndexed(lack, type: query.type))
    }

    /// Indexes are everybody's: who may write a type nowhere but in a private database of its own adds none.
    private func mayCauseIndexes(_ caller: Caller, _ type: RecordTypeDefinition) -> Bool {
        [Action.create, .write].contains {
            Authorization.reach(of: $0, for: caller, in: .publicDatabase, type: type) != .none
        }
    }

    private func note(
        _ query: PreparedQuery, _ budget: QueryBudget, returned: Int, isOnPool: Bool
    ) {
        database.queries.counters.didAnswer(onPool: isOnPool, examined: budget.examined)
        let elapsed = isOnPool ? budget.elapsed : 0
        guard QueryAdvice.isCostly(examined: budget.examined, returned: returned, nanoseconds: elapsed) else { return }
        var needs = needs(of: query)
        database.queries.advice.note(
            query.shape, examined: budget.examined, returned: returned, nanoseconds: budget.elapsed, isRefused: false,
            wanted: needs.wish().fieldNames(in: query.type))
    }

    /// The refusal sends people to the advice: it has to be there.
    private func noteStopped(_ request: QueryRequest, examined: Int) {
        database.queries.counters.didStop()
        guard let query = try? bind(request) else { return }
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

    func refusing<Value>(_ body: () throws(RecordError) -> Value) throws(QueryObstacle) -> Value {
        do throws(RecordError) { return try body() } catch { throw .refused(error) }
    }
}
