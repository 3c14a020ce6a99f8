package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Bulk updates and bulk deletes: changes of all records that match a predicate.
package struct BulkChanges {
    /// The number of changed records that count as one operation in the rate limit of writes. So many take about one slice
    /// of the writer's time.
    package static let recordsPerOperation = 100

    let reader: RecordReader

    private var database: RecordDatabase { reader.database }

    /// Updates or deletes all records that match a predicate, slice by slice. Other writes run between slices.
    ///
    /// The matching records are determined at the start. The slice that changes a record checks the record again. The
    /// slice skips the record if it no longer matches, if the caller may not write it, or if a reference protects it.
    /// Each slice is atomic. An error does not undo the slices committed earlier.
    ///
    /// With an idempotency key, each slice of an update also stores the progress. A request repeated after a crash
    /// therefore does not increment a field twice. A repeated delete continues instead, because deleting a record twice
    /// is harmless.
    ///
    /// If the request prefers it, or if more records match than one request may change, a job does the work. Anonymous
    /// callers cannot have jobs.
    ///
    /// - Returns: The job; else `{"matched":n,"deleted"|"updated":n,"skipped":n,"skipReasons"?:[…],"notices"?:[…]}` as the
    ///   body (`SkippedRecords.json`, `WriteNotice.json`).
    /// - Throws: The errors of `QueryReader.run`, and:
    ///   - AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller may write no record of the type or not all of the
    ///     fields, and for a delete of user records in the public database.
    ///   - BAD_REQUEST without a predicate unless `isForAll`; with cause TOO_LARGE if an anonymous caller changes more
    ///     records than one request may; with cause SET_INTERRUPTED for an idempotency key whose update was interrupted.
    ///   - CONFLICT with cause TOO_MANY_AFFECTED if more than `maxAffected` records match.
    ///   - TRY_AGAIN_LATER while a request with the same idempotency key runs.
    ///
    ///   An error after the first slice carries the number of records changed before it.
    package func perform(_ request: BulkRequest) async throws(RecordError) -> BulkResponse {
        let database = database
        try checkRights(request)
        // A client may repeat its request before the last slice is committed, while no response is stored yet.
        let running = request.idempotency.map {
            QueryServices.RunningBulkChange(caller: request.query.caller.identityID, key: $0.text)
        }
        if let running, !database.queries.runningBulkChanges.withLock({ $0.insert(running).inserted }) {
            throw .setRunning
        }
        defer {
            if let running { database.queries.runningBulkChanges.withLock { _ = $0.remove(running) } }
        }
        if let key = request.idempotency, let response = try await remembered(key, for: request.query.caller) {
            switch response.outcome {
            case .bulkChangeStarted: throw .setInterrupted(response)
            case .job: return .job(try await job(response.name, for: request.query.caller), isReplay: true)
            default: return .done(response)
            }
        }
        try await addIndexes(for: request)
        let set = try await database.queries.pool.read(database, for: request.query.poolUser) {
            reader throws(RecordError) in
            var request = request
            request.query = try reader.queries.current(request.query)
            return try reader.bulkChanges.matches(request)
        }
        if set.isLeftToJob {
            let job = try await database.jobs.create(
                .bulkChange(BulkTask(request)), for: request.query.caller, in: request.query.address,
                total: set.matched,
                key: request.idempotency)
            return .job(job, isReplay: false)
        }
        var progress = BulkProgress(matched: set.matched)
        if !request.isDryRun, let type = set.type {
            let change = BulkChange(
                request, type: type, predicate: set.predicate, isRestrictedToOwn: set.isRestrictedToOwn, reader: reader)
            try await perform(change, on: set.records, &progress) {
                progress, isLast, transaction throws(RecordError) in
                guard let key = request.idempotency else { return }
                if !isLast, !request.change.isRepeatUnsafe || progress.changed == 0 { return }
                let response = WriteResponse(
                    outcome: isLast ? .set : .bulkChangeStarted,
                    document: progress.json(request.change, isDryRun: false))
                try transaction.remember(response, key, for: request.query.caller)
            }
        }
        var response = WriteResponse(outcome: .set, document: progress.json(request.change, isDryRun: request.isDryRun))
        response.followed = progress.followed
        if let key = request.idempotency, !request.isDryRun, set.records.isEmpty {
            try await remember(response, key, for: request.query.caller)
        }
        return .done(response)
    }

    /// Checks a request that will be performed later.
    ///
    /// - Throws: The errors of `perform` that do not depend on the number of matches; NOT_FOUND for an unknown type,
    ///   also in development.
    func check(_ request: BulkRequest) async throws(RecordError) {
        try checkRights(request)
        try await addIndexes(for: request)
        try await database.queries.pool.read(database, for: request.query.poolUser) { reader throws(RecordError) in
            let query = try reader.queries.current(request.query)
            guard let bound = try reader.queries.bind(query) else {
                throw .unknownType(query.typeName)
            }
            try reader.queries.requireIndexes(bound, query)
        }
    }

    private func checkRights(_ request: BulkRequest) throws(RecordError) {
        let input = request.query.input
        if input.condition?.isBlank ?? true, input.filters.isEmpty, !request.isForAll { throw .conditionMissing }
        try requireSomeWriteRight(request.query)
        if case .delete = request.change, request.query.typeName == .users,
            request.query.address.scope == .publicDatabase
        {
            throw .userRecordStays
        }
        try allowFields(of: request)
    }

    /// Adds the indexes that the condition lacks, where the environment allows it.
    private func addIndexes(for request: BulkRequest) async throws(RecordError) {
        for (wish, type) in try await reader.queries.missingIndexes(for: request.query, isForCaller: false) {
            _ = try await database.indexes.add(wish, to: type)
        }
    }

    private func job(_ name: String, for caller: Caller) async throws(RecordError) -> JobInfo {
        try await database.queries.pool.read(database, for: PoolUser(caller, nil)) { reader throws(RecordError) in
            try reader.jobs.find(name, for: caller)
        }
    }

    /// Rejects callers that may write no record of the type, even if no record matches. A read-only API key or
    /// administrator must not cause work for the writer. Users pass this check, because their permissions depend on the
    /// record.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for anonymous callers; ACCESS_DENIED for API keys and administrators.
    private func requireSomeWriteRight(_ request: QueryRequest) throws(RecordError) {
        guard let type = reader.schema[request.typeName] else { return }
        guard Visibility(of: type, for: request.caller, in: request.address.scope).writes == .none else { return }
        switch request.caller {
        case .user, .participant: return
        case .anonymous, .service, .administrator:
            throw .rejected(request.caller, .write, .records(type.name))
        }
    }

    /// Rejects an update of fields that the caller may not write in any record, not even in its own records.
    ///
    /// - Throws: The error of `RecordOperation.allowed`.
    private func allowFields(of request: BulkRequest) throws(RecordError) {
        guard case .modify(let input) = request.change, let type = reader.schema[request.query.typeName] else { return }
        let operation = RecordOperation(
            .modify(createsMissing: false, replacesAll: false), typeName: type.name, isTypeInPath: true,
            recordName: nil, input: input)
        let visibility = Visibility(of: type, for: request.query.caller, in: request.query.address.scope)
        _ = try operation.allowed(by: visibility.fields, of: type, isOwn: true, in: database.environment)
    }

    /// Finds the internal ids of all matches, in the order of the index scan.
    ///
    /// - Throws: The errors of `perform` for missing indexes, for too many matches, and for a predicate that takes too
    ///   long.
    private func matches(_ request: BulkRequest) throws(RecordError) -> MatchedRecords {
        var set = MatchedRecords()
        let limit = database.limits.setRecords
        guard let bound = try reader.queries.bind(request.query), let zone = bound.zone else { return set }
        try reader.queries.requireIndexes(bound, request.query)
        let budget = QueryBudget(
            time: .milliseconds(database.limits.queryMilliseconds), workPerRecord: BulkChange.workPerRecord)
        try reader.queries.advising(bound, budget) { () throws(RecordError) in
            let query = try TargetResolver.resolve(bound, by: reader.queries, budget)
            set.type = query.type
            // The slice that changes a record checks the record again, including the caller's read access.
            set.predicate = query.condition
            set.isRestrictedToOwn = query.isRestrictedToOwn
            let runner = try reader.queries.runnerOfAll(query, zone: zone, budget)
            set.matched = try runner.count()
            if request.isDryRun { return }
            if let most = request.maxAffected, set.matched > most {
                throw .tooManyAffected(set.matched, limit: most)
            }
            if request.prefersJob || set.matched > limit, request.query.caller != .anonymous {
                set.isLeftToJob = true
                return
            }
            guard set.matched <= limit else { throw .setTooLarge(set.matched, limit: limit) }
            set.records.reserveCapacity(set.matched)
            try runner.forEachMatch { record throws(RecordError) in set.records.append(record) }
        }
        return set
    }

    /// Changes records slice by slice.
    ///
    /// - Parameter note: Called in the transaction of each slice, to store the progress.
    /// - Throws: The error that ended the work (see `BulkWork`).
    func perform(
        _ change: BulkChange, on records: [RecordNumber], _ progress: inout BulkProgress,
        note: @escaping BulkWork.Note
    ) async throws(RecordError) {
        guard !records.isEmpty else { return }
        let work = BulkWork(change, on: records, progress, note: note)
        try await database.slices.run(work, in: database)
        progress = work.progress
    }

    /// Returns the response stored for an idempotency key; `nil` if there is none.
    private func remembered(
        _ key: IdempotencyKey, for caller: Caller
    ) async throws(RecordError) -> WriteResponse? {
        try await database.write(startsLazily: true) { transaction throws(RecordError) in
            try transaction.remembered(key, for: caller)
        }
    }

    private func remember(
        _ response: WriteResponse, _ key: IdempotencyKey, for caller: Caller
    ) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            try transaction.remember(response, key, for: caller)
        }
    }
}

/// The result of a bulk request.
package enum BulkResponse: Sendable {
    case done(WriteResponse)
    /// A job does the work.
    case job(JobInfo, isReplay: Bool)
}

/// The records that match the predicate at the start of the bulk change.
private struct MatchedRecords: Sendable {
    var type: RecordTypeDefinition?
    var predicate = Predicate.constant(false)
    var isRestrictedToOwn = false
    var matched = 0
    var records: [RecordNumber] = []
    /// Whether a job does the work, so that `records` is empty.
    var isLeftToJob = false
}

/// The progress of a bulk change.
struct BulkProgress: Sendable {
    let matched: Int
    var changed = 0
    /// The number of records that were deleted or rewritten beside the matched ones.
    var followed = 0
    var skips = SkippedRecords()
    /// The notices about the written values: one for each field and code, because all records get the same values.
    private var notices: [WriteNotice] = []

    init(matched: Int) {
        self.matched = matched
    }

    /// Adds the notices of a changed record.
    mutating func note(_ notices: [WriteNotice]) {
        for var notice in notices where self.notices.count < Limits.writeNotices {
            notice.recordName = ""
            if !self.notices.contains(notice) { self.notices.append(notice) }
        }
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
        if !notices.isEmpty { object.append(("notices", .array(notices.map(\.json)))) }
        return JSONValue.object(JSONObject(object)).bytes
    }
}

extension BulkRequest.Change {
    /// Whether changing a record twice could give a different result than changing it once.
    fileprivate var isRepeatUnsafe: Bool {
        switch self {
        case .delete: false
        case .modify: true
        }
    }
}

extension String {
    /// Whether the text is empty or only white space.
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
