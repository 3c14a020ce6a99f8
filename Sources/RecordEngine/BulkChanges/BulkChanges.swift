package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Deletes or changes all records that match a condition.
package struct BulkChanges {
    let reader: RecordReader

    private var database: RecordDatabase { reader.database }

    /// Deletes or changes all records that match a condition, in slices that let other writers through.
    ///
    /// The set is fixed at the start. Each record is asked again in the slice that changes it: one that no longer matches,
    /// or that the caller may not write, or that a reference holds, is skipped. A slice is all or nothing; what slices
    /// before it did stays done.
    ///
    /// With an idempotency key, how far a change has come is written with each slice, so that who asks again after a crash
    /// in the middle increments nothing twice. A deletion goes on instead: what is deleted is not deleted twice.
    ///
    /// - Returns: `{"matched":n,"deleted"|"updated":n,"skipped":n,"skipReasons"?:[…]}` as the body (`SetSkips.json`).
    /// - Throws: As `query`; BAD_REQUEST without a condition unless all records are meant, with cause TOO_LARGE for more
    ///   records than one request may change; CONFLICT with cause TOO_MANY_AFFECTED beyond `maxAffected`, SET_INTERRUPTED
    ///   for a key whose change was broken off. A failure in the middle carries how many were done before it.
    package func perform(_ request: BulkRequest) async throws(RecordError) -> WriteAnswer {
        let input = request.query.input
        if input.condition?.isBlank ?? true, input.filters.isEmpty, !request.isForAll { throw .conditionMissing }
        try requireSomeWriteRight(request.query)
        if case .delete = request.change, request.query.typeName == .users,
            request.query.address.scope == .publicDatabase
        {
            throw .userRecordStays
        }
        let database = database
        // Between the first slice and the last the answer is not known yet, and a client may have lost patience.
        let running = request.idempotency.map {
            QueryServices.RunningSet(caller: request.query.caller.identityID, key: $0.text)
        }
        try allowFields(of: request)
        if let running, !database.queries.runningSets.withLock({ $0.insert(running).inserted }) {
            throw .setRunning
        }
        defer {
            if let running { database.queries.runningSets.withLock { _ = $0.remove(running) } }
        }
        if let key = request.idempotency, let answer = try await remembered(key, for: request.query.caller) {
            if answer.outcome == .setBegun { throw .setInterrupted(answer) }
            return answer
        }
        if let wish = try await reader.queries.missingIndexes(for: request.query, isForCaller: false) {
            _ = try await database.indexes.add(wish, to: request.query.typeName)
        }
        let set = try await database.queries.pool.read(database) { reader throws(RecordError) in
            var request = request
            request.query = try reader.queries.current(request.query)
            return try reader.bulkChanges.matches(request)
        }
        var progress = BulkProgress(matched: set.matched)
        if !request.isDryRun, let type = set.type {
            let change = BulkChange(
                request, type: type, predicate: set.predicate, isOwnAlone: set.isOwnAlone, reader: reader)
            try await perform(change, on: set.records, &progress) {
                progress, isLast, transaction throws(RecordError) in
                guard let key = request.idempotency else { return }
                if !isLast, !request.change.mustNotRepeat || progress.changed == 0 { return }
                let answer = WriteAnswer(
                    outcome: isLast ? .set : .setBegun, document: progress.json(request.change, isDryRun: false))
                try transaction.remember(answer, key, for: request.query.caller)
            }
        }
        let answer = WriteAnswer(outcome: .set, document: progress.json(request.change, isDryRun: request.isDryRun))
        if let key = request.idempotency, !request.isDryRun, set.records.isEmpty {
            try await remember(answer, key, for: request.query.caller)
        }
        return answer
    }

    /// Refuses those who may write no record of the type, whatever matches: strangers, whom signing in may help, and keys
    /// and administrators whose scope or role only reads, who shall start no work of the writer's. Of users each record is
    /// judged by itself.
    private func requireSomeWriteRight(_ request: QueryRequest) throws(RecordError) {
        guard let type = reader.schema[request.typeName] else { return }
        guard Visibility(of: type, for: request.caller, in: request.address.scope).writes == .none else { return }
        switch request.caller {
        case .user: return
        case .anonymous, .service, .administrator:
            throw .refused(request.caller, .write, .records(type.name))
        }
    }

    /// Refuses a change of fields that the caller writes in no record, not even its own.
    private func allowFields(of request: BulkRequest) throws(RecordError) {
        guard case .modify(let input) = request.change, let type = reader.schema[request.query.typeName] else { return }
        let operation = RecordOperation(
            .modify(createsMissing: false, replacesAll: false), typeName: type.name, isTypeInPath: true,
            recordName: nil, input: input)
        let visibility = Visibility(of: type, for: request.query.caller, in: request.query.address.scope)
        _ = try operation.allowed(by: visibility.fields, of: type, isOwn: true, in: database.environment)
    }

    /// The ids of all matches, in the order in which the walk meets them.
    private func matches(_ request: BulkRequest) throws(RecordError) -> MatchedSet {
        var set = MatchedSet()
        let limit = database.limits.setRecords
        guard let query = try reader.queries.bind(request.query), let zone = query.zone else { return set }
        try reader.queries.requireIndexes(query, request.query)
        set.type = query.type
        // Of each record it is asked again whether the caller may see it.
        set.predicate = query.condition
        set.isOwnAlone = query.isOwnAlone
        let budget = QueryBudget(
            time: .milliseconds(database.limits.queryMilliseconds), workPerRecord: BulkChange.workPerRecord)
        try reader.queries.advising(query, budget) { () throws(RecordError) in
            let runner = try reader.queries.runnerOfAll(query, zone: zone, budget)
            set.matched = try runner.count()
            if request.isDryRun { return }
            if let most = request.maxAffected, set.matched > most {
                throw .tooManyAffected(set.matched, limit: most)
            }
            guard set.matched <= limit else { throw .setTooLarge(set.matched, limit: limit) }
            set.records.reserveCapacity(set.matched)
            try runner.forEachMatch { record throws(RecordError) in set.records.append(record) }
        }
        return set
    }

    /// Makes a change to records, slice by slice, each a write among others.
    ///
    /// - Parameter note: Called in the transaction of each slice.
    func perform(
        _ change: BulkChange, on records: [RecordNumber], _ progress: inout BulkProgress,
        note: @escaping BulkJob.Note
    ) async throws(RecordError) {
        guard !records.isEmpty else { return }
        let job = BulkJob(change, on: records, progress, note: note)
        try await database.jobs.run(job, in: database)
        progress = job.progress
    }

    /// The first answer to an idempotency key, if it is known.
    private func remembered(
        _ key: IdempotencyKey, for caller: Caller
    ) async throws(RecordError) -> WriteAnswer? {
        try await database.write(startsLazily: true) { transaction throws(RecordError) in
            try transaction.remembered(key, for: caller)
        }
    }

    private func remember(
        _ answer: WriteAnswer, _ key: IdempotencyKey, for caller: Caller
    ) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            try transaction.remember(answer, key, for: caller)
        }
    }
}

/// What a condition has found.
private struct MatchedSet: Sendable {
    var type: RecordTypeDefinition?
    var predicate = Predicate.constant(false)
    var isOwnAlone = false
    var matched = 0
    var records: [RecordNumber] = []
}

/// How far a change of a set is.
struct BulkProgress: Sendable {
    let matched: Int
    var changed = 0
    var skips = SetSkips()

    init(matched: Int) {
        self.matched = matched
    }

    func json(_ change: BulkRequest.Change, isDryRun: Bool) -> [UInt8] {
        let word =
            switch change {
            case .delete: "deleted"
            case .modify: "updated"
            }
        var object: [(String, JSONValue)] = [
            ("matched", .integer(Int64(matched))), (word, .integer(Int64(changed))),
            ("skipped", .integer(Int64(skips.count))),
        ]
        if skips.count > 0 { object.append(("skipReasons", skips.json)) }
        if isDryRun { object.append(("dryRun", .bool(true))) }
        return JSONValue.object(JSONObject(object)).bytes
    }
}

extension BulkRequest.Change {
    /// Whether records that have it already must not get it again.
    fileprivate var mustNotRepeat: Bool {
        switch self {
        case .delete: false
        case .modify: true
        }
    }
}

extension String {
    /// Whether there is nothing but white space in it.
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
