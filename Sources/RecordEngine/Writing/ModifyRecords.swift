package import RecordModel
internal import RecordStorage
internal import RecordWire

extension RecordDatabase {
    /// Executes the operations of one request, and returns when they are durable.
    ///
    /// If a share or parent of a large hierarchy changes, this function also waits for the slices that update the access
    /// lists of its records. They go on without the caller.
    ///
    /// - Parameter charge: Receives what the request has cost besides its operations. Called also if the request fails.
    /// - Throws: For a single operation, the operation's error. For a batch, only errors of the whole batch: errors of
    ///   single items are in the response.
    package nonisolated func modify(
        _ request: WriteRequest, charge: (WriteCost) -> Void = { _ in }
    ) async throws(RecordError) -> WriteResponse {
        if request.preserves.contains(.created) { try await schemas.admitPreservedDates(of: request) }
        // The weight grows with operations and with bytes, so that a group contains few large records.
        let bytes = request.operations.first?.input.body.count ?? 0
        let operations = max(1, request.operations.count)
        let weight = max(operations, bytes / 32_768)
        let outcome = await withUnsafeContinuation { continuation in
            submit(
                PendingModification(
                    request, operations: operations, weight: weight, bytes: bytes, isAlone: weight > 100,
                    continuation: continuation))
        }
        var cost = outcome.cost
        if let left = outcome.left {
            await slices.wait(for: left)
            cost.sliced = left.rewritten
        }
        if cost != WriteCost() { charge(cost) }
        return try outcome.result.get()
    }
}

/// What a write has cost besides its operations.
package struct WriteCost: Hashable, Sendable {
    /// The number of records that the write has rewritten or deleted because of its own: by cascades, and below a record
    /// whose share or parent has changed.
    package var followers = 0
    /// The number of records that slices have rewritten afterwards.
    package var sliced = 0
    /// The time that a large write took on the writer's thread, if it is a long time; otherwise 0.
    package var milliseconds = 0
}

/// The pending write of a modify request. Not a `PendingValue`, because modify requests are frequent and methods of a
/// generic class look up their types at each call.
///
/// Unchecked `Sendable`: see `PendingWrite`.
private final class PendingModification: PendingWrite, @unchecked Sendable {
    private let request: WriteRequest
    private var response: WriteResponse?
    private var followed = 0
    private let bytes: Int
    private let continuation: UnsafeContinuation<Outcome, Never>

    /// The result, its cost so far, and the work that the request has left.
    typealias Outcome = (result: Result<WriteResponse, RecordError>, cost: WriteCost, left: HierarchyWork?)

    override var callerAccount: UserID? { request.caller.writerID }

    /// A long text takes long if an index has an expensive form of it.
    override var mayTakeLong: Bool { bytes > 4_096 * operations }

    override var frees: Bool {
        request.operations.allSatisfy { if case .delete = $0.verb { true } else { false } }
    }

    init(
        _ request: WriteRequest, operations: Int, weight: Int, bytes: Int, isAlone: Bool,
        continuation: UnsafeContinuation<Outcome, Never>
    ) {
        self.request = request
        self.bytes = bytes
        self.continuation = continuation
        super.init(operations: operations, weight: weight, isAlone: isAlone, startsLazily: true)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        defer { followed = max(followed, transaction.followed) }
        response = try transaction.modify(request)
    }

    override func finish(_ failure: RecordError?) {
        let result: Result<WriteResponse, RecordError> =
            if let failure {
                .failure(failure)
            } else if let response = response.take() {
                .success(response)
            } else {
                .failure(.databaseUnavailable)
            }
        let cost = WriteCost(
            followers: followed,
            milliseconds: nanoseconds > WriteQueue.heavyNanoseconds ? Int(nanoseconds / 1_000_000) : 0)
        continuation.resume(returning: (result, cost, failure == nil ? left : nil))
    }
}

extension WriteTransaction {
    /// Executes the operations of one request, or replays the first response to the same request.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the caller's account, key or role ended while the request was queued.
    ///   Authorization is rechecked when a queued write executes.
    func modify(_ request: WriteRequest) throws(RecordError) -> WriteResponse {
        var request = request
        request.caller = try current(request.caller, since: request.rightsVersion)
        if let key = request.idempotency {
            if let response = try remembered(request, key) { return response }
            try ensureSavepoint()
        }
        if !request.preserves.isEmpty { try preservedDates.allow(request.caller) }
        let response: WriteResponse
        let writers: [RecordWriter]
        switch request.shape {
        case .single:
            let writer = RecordWriter(self, request)
            response = try modifyOne(request, with: writer)
            writers = [writer]
        case .batch(let isAtomic):
            (response, writers) = try modifyBatch(request, isAtomic: isAtomic)
        }
        let preserved = writers.reduce(0) { $0 + $1.preserved }
        if preserved > 0, request.auditsPreserved { try preservedDates.audit(preserved, request) }
        if let key = request.idempotency {
            try remember(response, key, for: request.caller, shown: writers.flatMap(\.responses.shown))
        }
        return response
    }

    /// Returns a caller with its current permissions.
    ///
    /// - Parameter version: The rights version with which the caller was authenticated. `nil` skips the check.
    /// - Throws: AUTHENTICATION_FAILED if the caller's account, key or role has ended.
    func current(_ caller: Caller, since version: UInt64?) throws(RecordError) -> Caller {
        guard let version, mayHaveChanged(caller, since: version) else { return caller }
        return try callers.current(caller)
    }

    /// Whether the caller's permissions may have changed since a version of this database's permissions. Always true
    /// for administrators, since they are stored in a separate file.
    private func mayHaveChanged(_ caller: Caller, since version: UInt64) -> Bool {
        rightsChanged || version != publishedRights || caller.administrator != nil
    }

    private func modifyOne(_ request: WriteRequest, with writer: RecordWriter) throws(RecordError) -> WriteResponse {
        guard !request.operations.isEmpty else { throw .badRequest("The request has no operation") }
        var response = WriteResponse(outcome: .updated)
        let result = try writer.perform(request.operations[0], position: 0, into: &response.records.json)
        try writer.runChecks()
        response.notices = writer.responses.noticesJSON
        switch result {
        case .saved(let name, let tag, let isNew):
            response.outcome = isNew ? .created : .updated
            response.name = name
            response.tag = tag
        case .deleted(let name):
            response.outcome = .deleted
            response.name = name
            response.records = RecordList()
        case .failed(let error, _):
            throw error
        }
        return response
    }

    /// Executes the operations of a batch, run by run. A run has consecutive operations in one zone. An atomic batch
    /// executes all operations of a run or none.
    ///
    /// - Returns: The response, and the writers of the runs.
    private func modifyBatch(
        _ request: WriteRequest, isAtomic: Bool
    ) throws(RecordError) -> (WriteResponse, [RecordWriter]) {
        try ensureSavepoint()
        var response = WriteResponse(outcome: .batch, records: RecordList(request.opening))
        let limit = responseBytes
        if request.fields == nil {
            // Reserve the length of the request, since most responses repeat the request. Growing the buffer would copy
            // large records several times on the writer's thread.
            let bodyBytes = request.operations.first?.input.body.count ?? 0
            let bytes = min(limit, bodyBytes + request.operations.count * Self.metadataBytes)
            response.records.json.reserveCapacity(response.records.start + bytes)
        }
        var writers: [RecordWriter] = []
        for run in try request.runs(isAtomic: isAtomic) {
            var request = request
            // A participant has other rights in another zone.
            if run.address.zone != request.address.zone {
                request.caller = try callers.participant(request.caller, in: run.address)
            }
            var writer = RecordWriter(self, request, in: run.address)
            if isAtomic {
                try modifyTogether(run.operations, of: request, with: writer, into: &response)
            } else if try !modifyEach(run.operations, of: request, with: writer, inSavepoints: false, into: &response) {
                writer = RecordWriter(self, request, in: run.address)
                _ = try modifyEach(run.operations, of: request, with: writer, inSavepoints: true, into: &response)
            }
            writers.append(writer)
        }
        let notices = writers.flatMap(\.responses.notices).prefix(Limits.writeNotices)
        if !notices.isEmpty { response.notices = JSONValue.array(notices.map(\.json)).bytes }
        return (response, writers)
    }

    /// Executes one run of an atomic batch.
    private func modifyTogether(
        _ run: Range<Int>, of request: WriteRequest, with writer: RecordWriter, into response: inout WriteResponse
    ) throws(RecordError) {
        let limit = responseBytes
        let start = response.records.mark
        do throws(RecordError) {
            try item { () throws(RecordError) in
                for position in run {
                    let operation = request.operations[position]
                    response.records.beginMember()
                    do throws(RecordError) {
                        _ = try writer.perform(operation, position: position, into: &response.records.json)
                        guard response.records.bytes <= limit else { throw .responseTooLarge(limit) }
                    } catch {
                        writer.guilty = (position, error)
                        throw error
                    }
                }
                try writer.runChecks()
            }
        } catch {
            // Undo the whole batch. The failed item gets its error, the other items get ATOMIC_ERROR.
            guard store.failure == nil, var guilty = writer.guilty else { throw error }
            if guilty.error.serverRecord != nil, let name = request.operations[guilty.position].recordName {
                // The error may contain the record with changes of this batch, which are undone.
                writer.undo()
                guilty.error.serverRecord = try writer.readableRecord(name)
            }
            response.noteBeyondScope(guilty.error, request, request.operations[guilty.position])
            response.records.removeMembers(since: start)
            writer.responses.forgetShown(from: start.position)
            writer.responses.forgetNotices(from: 0)
            writer.preserved = 0
            // A replay reads a record of an error by its name in the zone of the request.
            if request.idempotency != nil, writer.address != request.address { guilty.error.serverRecord = nil }
            for position in run {
                let operation = request.operations[position]
                writer.responses.append(
                    position == guilty.position ? guilty.error : .batchFailed, of: operation, to: &response.records)
            }
        }
    }

    /// Executes one run of a batch that is not atomic: an operation that fails leaves the others alone.
    ///
    /// A savepoint per operation doubles the cost of a batch, because each one copies the pages that it changes. Nearly
    /// all errors come from the checks before the first change, and there is nothing to undo then. So the run is tried
    /// in one savepoint.
    ///
    /// - Parameter inSavepoints: Whether each operation has a savepoint.
    /// - Returns: `false` if an operation without a savepoint failed after a change. The whole run is undone then.
    private func modifyEach(
        _ run: Range<Int>, of request: WriteRequest, with writer: RecordWriter, inSavepoints: Bool,
        into response: inout WriteResponse
    ) throws(RecordError) -> Bool {
        let (start, failed) = (response.records.mark, response.failures.count)
        guard !inSavepoints else {
            for position in run {
                try modify(position, of: request, with: writer, inSavepoint: true, into: &response)
            }
            return true
        }
        do throws(RecordError) {
            try item { () throws(RecordError) in
                for position in run {
                    try modify(position, of: request, with: writer, inSavepoint: false, into: &response)
                }
            }
            return true
        } catch {
            guard store.failure == nil else { throw error }
            response.records.removeMembers(since: start)
            response.failures.removeSubrange(failed...)
            return false
        }
    }

    /// Executes one operation of a batch that is not atomic. Its error becomes a member of the response.
    ///
    /// - Throws: The error of an operation without a savepoint that failed after a change.
    private func modify(
        _ position: Int, of request: WriteRequest, with writer: RecordWriter, inSavepoint: Bool,
        into response: inout WriteResponse
    ) throws(RecordError) {
        let limit = responseBytes
        let operation = request.operations[position]
        let mark = response.records.mark
        let (noticed, preserved, changes) = (writer.responses.notices.count, writer.preserved, store.changes)
        do throws(RecordError) {
            try item(inSavepoint: inSavepoint) { () throws(RecordError) in
                response.records.beginMember()
                _ = try writer.perform(operation, position: position, into: &response.records.json)
                guard response.records.bytes <= limit else { throw .responseTooLarge(limit) }
                try writer.runChecks()
            }
        } catch {
            guard store.failure == nil, inSavepoint || changes != nil && store.changes == changes else { throw error }
            var error = error
            response.noteBeyondScope(error, request, operation)
            writer.undo()
            response.records.removeMembers(since: mark)
            writer.responses.forgetShown(from: mark.position)
            writer.responses.forgetNotices(from: noticed)
            writer.preserved = preserved
            response.failures.append(WriteResponse.Failure(position: position, error: error))
            if response.records.bytes + (error.serverRecord?.count ?? 0) > limit
                || request.idempotency != nil && writer.address != request.address
            {
                error.serverRecord = nil
            }
            writer.responses.append(error, of: operation, to: &response.records)
        }
    }

    /// The largest response to a batch, as a multiple of the largest request body. A limit is needed because short
    /// operations can have long responses, which the writer's thread builds.
    private static let responseBodies = 2

    /// The largest response to a batch in bytes.
    var responseBytes: Int { min(limits.bodyBytes, .max / Self.responseBodies) * Self.responseBodies }
    /// The approximate size of a response's record without its fields, in bytes.
    private static let metadataBytes = 512
}

extension WriteResponse {
    fileprivate mutating func noteBeyondScope(
        _ error: RecordError, _ request: WriteRequest, _ operation: RecordOperation
    ) {
        guard case .service(let key) = request.caller, error.isBeyondScope(of: key, operation.typeName) else { return }
        typesBeyondScope.insert(operation.typeName)
    }
}

extension RecordError {
    /// The error for a batch whose response would exceed the limit.
    static func responseTooLarge(_ limit: Int) -> RecordError {
        .badRequest(
            "The response to the batch would be too large. Ask for fewer fields with desiredKeys, or send fewer operations",
            cause: .tooLarge, details: [("limit", .number(Int64(limit)))])
    }

    /// ATOMIC_ERROR: the error of all items of a failed atomic batch except the failed item.
    static let batchFailed = RecordError(
        .atomicError, "Another operation of this atomic batch failed, so none was performed")
}
