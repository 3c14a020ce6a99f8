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
        var notices: [QueryNotice] = []
        while true {
            do throws(QueryObstacle) {
                return try answer(request, notices, budget: QueryBudget(time: Self.loopTime), isOnPool: false)
            } catch {
                switch error {
                case .refused(let refusal): throw refusal
                case .needsIndex(let wish):
                    guard notices.isEmpty else { throw .indexBuilding(request.typeName, retryAfter: 1) }
                    notices = try await addIndexes(wish, for: request)
                case .overBudget:
                    let notices = notices
                    return try await database.queries.pool.read(database) { reader throws(RecordError) in
                        try reader.answerOnPool(request, notices)
                    }
                }
            }
        }
    }

    /// What a loop spares for one query.
    private static let loopTime = Duration.milliseconds(2)

    private func answerOnPool(_ request: QueryRequest, _ notices: [QueryNotice]) throws(RecordError) -> [UInt8] {
        let time = Duration.milliseconds(database.limits.queryMilliseconds)
        do throws(QueryObstacle) {
            return try answer(request, notices, budget: QueryBudget(time: time), isOnPool: true)
        } catch {
            switch error {
            case .refused(let refusal): throw refusal
            case .needsIndex: throw .indexBuilding(request.typeName, retryAfter: 1)
            case .overBudget(let examined):
                database.queries.counters.didStop()
                throw .queryTooExpensive(examined: examined)
            }
        }
    }

    /// Adds indexes just in time, and tells which.
    private func addIndexes(_ wish: IndexWish, for request: QueryRequest) async throws(RecordError) -> [QueryNotice] {
        let made = try await database.addIndexes(wish, to: request.typeName)
        try refresh()
        guard let type = schema[request.typeName] else { return [] }
        return made.map { QueryNotice(index: $0, of: type) }
    }

    // MARK: One attempt

    private func answer(
        _ request: QueryRequest, _ notices: [QueryNotice], budget: QueryBudget, isOnPool: Bool
    ) throws(QueryObstacle) -> [UInt8] {
        guard let query = try refusing({ () throws(RecordError) in try self.bind(request) }) else {
            return QueryAnswer.empty(wantsCount: request.input.count)
        }
        try checkIndexes(query, request, mayCause: notices.isEmpty && !isOnPool)
        guard let zone = query.zone else { return QueryAnswer.empty(wantsCount: request.input.count) }
        let limit = request.input.limit ?? min(database.limits.defaultPageSize, database.limits.pageSize)
        let plan = try refusing { () throws(RecordError) in
            var planner = try self.planner(for: query.type, zone: zone, limit: limit)
            planner.estimatesAll = request.input.explain
            return try planner.plan(query.predicate, sort: query.sort)
        }
        let reading = try refusing { () throws(RecordError) in try self.queryReading() }
        var budget = budget
        var answer = QueryAnswer(limit: limit, limits: database.limits)
        let runner = QueryRunner(plan, zone: zone, type: query.type.id, reading: reading)
        let selection = FieldSelection(request.input.fields, of: query.type)
        let type = query.type
        let showsAll = selection == .all
        try runner.forEach(after: query.cursor?.place, limit: limit + 1, &budget) {
            cursor, place throws(QueryObstacle) in
            guard answer.hasRoom() else { return false }
            try self.refusing { () throws(RecordError) in
                try self.append(cursor, cursor.row, type, selection: selection, to: &answer.json)
            }
            answer.didAppend(read: showsAll ? 0 : cursor.fields.count, place)
            return true
        }
        answer.endRecords()
        if answer.hasMore, let place = answer.last {
            answer.append(cursor: QueryCursor(place: place, now: query.now).seal(query.binding, with: database.keys))
        }
        if request.input.count {
            answer.append(count: try count(query, zone: zone, reading, &budget))
        }
        if !notices.isEmpty { answer.append(notices) }
        note(plan, query, budget, returned: answer.count, isOnPool: isOnPool)
        if request.input.explain {
            answer.append(
                PlanDocument(
                    plan, type: query.type, examined: budget.examined, returned: answer.count,
                    nanoseconds: budget.elapsed, isOnPool: isOnPool,
                    showsFigures: request.caller.isAdministrator, showsWalks: query.readsAll
                ).json)
        }
        return answer.finish()
    }

    private func count(
        _ query: PreparedQuery, zone: Int64, _ reading: QueryReading, _ budget: inout QueryBudget
    ) throws(QueryObstacle) -> Int {
        let plan = try refusing { () throws(RecordError) in
            try self.planner(for: query.type, zone: zone, limit: nil).plan(query.predicate, sort: [])
        }
        return try QueryRunner(plan, zone: zone, type: query.type.id, reading: reading).count(&budget)
    }

    /// Refuses what no index serves, or asks for one.
    func checkIndexes(
        _ query: PreparedQuery, _ request: QueryRequest, mayCause: Bool
    ) throws(QueryObstacle) {
        let needs = QueryNeeds(
            query.predicate, sort: query.sort, type: query.type, createdFollowsIDs: database.createdFollowsIDs)
        let lack = needs.lack(countsUnfinished: false)
        if mayCause, database.environment == .development, mayCauseIndexes(request.caller, query.type) {
            let wish = needs.wish
            let count = query.type.indexes.count + wish.options.count + wish.indexes.count
            if !wish.isEmpty, count <= IndexDefinition.maxPerType { throw .needsIndex(wish) }
        }
        guard let lack else { return }
        if needs.lack(countsUnfinished: true) == nil {
            throw .refused(.indexBuilding(query.type.name, retryAfter: 5))
        }
        database.queries.advice.note(
            query.shape, examined: 0, returned: 0, nanoseconds: 0, isRefused: true,
            wanted: needs.wish.fieldNames(in: query.type))
        throw .refused(.notIndexed(lack, type: query.type))
    }

    /// Indexes are everybody's: who may write a type nowhere but in a private database of its own adds none.
    private func mayCauseIndexes(_ caller: Caller, _ type: RecordTypeDefinition) -> Bool {
        [Action.create, .write].contains {
            Authorization.reach(of: $0, for: caller, in: .publicDatabase, grants: type.grants) != .none
        }
    }

    private func note(
        _ plan: QueryPlan, _ query: PreparedQuery, _ budget: QueryBudget, returned: Int, isOnPool: Bool
    ) {
        database.queries.counters.didAnswer(onPool: isOnPool, examined: budget.examined)
        let elapsed = isOnPool ? budget.elapsed : 0
        guard QueryAdvice.isCostly(examined: budget.examined, returned: returned, nanoseconds: elapsed) else { return }
        let needs = QueryNeeds(
            query.predicate, sort: query.sort, type: query.type, createdFollowsIDs: database.createdFollowsIDs)
        database.queries.advice.note(
            query.shape, examined: budget.examined, returned: returned, nanoseconds: budget.elapsed, isRefused: false,
            wanted: needs.wish.fieldNames(in: query.type))
    }

    func refusing<Value>(_ body: () throws(RecordError) -> Value) throws(QueryObstacle) -> Value {
        do throws(RecordError) { return try body() } catch { throw .refused(error) }
    }
}
