package import RecordModel
internal import RecordStorage
internal import RecordWire

extension RecordDatabase {
    /// Performs the operations of one request and answers when they are durable.
    ///
    /// - Throws: For a single operation, its refusal. For a batch only what concerns all of it; items carry their own.
    package nonisolated func modify(_ request: WriteRequest) async throws(RecordError) -> WriteAnswer {
        if request.preserves.contains(.created) { try await schemas.admitPreservedDates(of: request) }
        // Operations or bytes, whichever is more: a group of large records is a group of few.
        let bytes = request.operations.first?.input.body.count ?? 0
        let operations = max(1, request.operations.count)
        let weight = max(operations, bytes / 32_768)
        let result: Result<WriteAnswer, RecordError> = await withUnsafeContinuation { continuation in
            submit(
                PendingModification(
                    request, operations: operations, weight: weight, isAlone: weight > 100, continuation: continuation))
        }
        return try result.get()
    }
}

/// The writes that come most often, in a class of their own: methods of a generic one look up its types at each call.
///
/// Unchecked: see `PendingWrite`.
private final class PendingModification: PendingWrite, @unchecked Sendable {
    private let request: WriteRequest
    private var answer: WriteAnswer?
    private let continuation: UnsafeContinuation<Result<WriteAnswer, RecordError>, Never>

    override var frees: Bool {
        request.operations.allSatisfy { if case .delete = $0.verb { true } else { false } }
    }

    init(
        _ request: WriteRequest, operations: Int, weight: Int, isAlone: Bool,
        continuation: UnsafeContinuation<Result<WriteAnswer, RecordError>, Never>
    ) {
        self.request = request
        self.continuation = continuation
        super.init(operations: operations, weight: weight, isAlone: isAlone, startsLazily: true)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        answer = try transaction.modify(request)
    }

    override func finish(_ failure: RecordError?) {
        continuation.finish(&answer, failure)
    }
}

extension WriteTransaction {
    /// - Throws: AUTHENTICATION_FAILED if the caller's account, key or role has ended while the request waited: what comes
    ///   behind that in the sequence is not its own any more.
    func modify(_ request: WriteRequest) throws(RecordError) -> WriteAnswer {
        var request = request
        if let version = request.rightsVersion, mayHaveChanged(request.caller, since: version) {
            request.caller = try callers.current(request.caller)
        }
        if let key = request.idempotency {
            if let answer = try remembered(request, key) { return answer }
            try ensureSavepoint()
        }
        if !request.preserves.isEmpty { try preservedDates.allow(request.caller) }
        let writer = RecordWriter(self, request)
        let answer =
            switch request.shape {
            case .single: try modifyOne(request, with: writer)
            case .batch(let isAtomic): try modifyBatch(request, isAtomic: isAtomic, with: writer)
            }
        if writer.preserved > 0 { try preservedDates.audit(writer.preserved, request) }
        if let key = request.idempotency { try remember(answer, key, for: request.caller, shown: writer.answers.shown) }
        return answer
    }

    /// Administrators are in a file of their own, which no version of this one tells of.
    private func mayHaveChanged(_ caller: Caller, since version: UInt64) -> Bool {
        rightsChanged || version != publishedRights || caller.administrator != nil
    }

    private func modifyOne(_ request: WriteRequest, with writer: RecordWriter) throws(RecordError) -> WriteAnswer {
        guard !request.operations.isEmpty else { throw .badRequest("The request has no operation") }
        var answer = WriteAnswer(outcome: .updated)
        let result = try writer.perform(request.operations[0], position: 0, into: &answer.records.json)
        try writer.runChecks()
        answer.notices = writer.answers.noticesJSON
        switch result {
        case .saved(let name, let tag, let isNew):
            answer.outcome = isNew ? .created : .updated
            answer.name = name
            answer.tag = tag
        case .deleted(let name):
            answer.outcome = .deleted
            answer.name = name
            answer.records = RecordList()
        case .failed(let error, _):
            throw error
        }
        return answer
    }

    private func modifyBatch(
        _ request: WriteRequest, isAtomic: Bool, with writer: RecordWriter
    ) throws(RecordError) -> WriteAnswer {
        try ensureSavepoint()
        var answer = WriteAnswer(outcome: .batch, records: RecordList(request.opening))
        let limit = answerBytes
        if request.fields == nil {
            // Most records come back as they came. Growing would copy large ones several times, while all others wait.
            let bodyBytes = request.operations.first?.input.body.count ?? 0
            let bytes = min(limit, bodyBytes + request.operations.count * Self.metadataBytes)
            answer.records.json.reserveCapacity(answer.records.start + bytes)
        }
        if isAtomic {
            do throws(RecordError) {
                try item { () throws(RecordError) in
                    for (position, operation) in request.operations.enumerated() {
                        answer.records.beginMember()
                        do throws(RecordError) {
                            _ = try writer.perform(operation, position: position, into: &answer.records.json)
                            guard answer.records.bytes <= limit else { throw .answerTooLarge(limit) }
                        } catch {
                            writer.guilty = (position, error)
                            throw error
                        }
                    }
                    try writer.runChecks()
                }
            } catch {
                // Everything is undone; the guilty item says why, the rest that they went with it.
                guard store.failure == nil, var guilty = writer.guilty else { throw error }
                if guilty.error.serverRecord != nil, let name = request.operations[guilty.position].recordName {
                    // It may have met what this batch had made of the record, which never was.
                    writer.undo()
                    guilty.error.serverRecord = try writer.readableRecord(name)
                }
                answer.noteBeyondScope(guilty.error, request, request.operations[guilty.position])
                answer.records.removeAll()
                writer.answers.forgetShown(from: 0)
                writer.answers.forgetNotices(from: 0)
                writer.preserved = 0
                for (position, operation) in request.operations.enumerated() {
                    writer.answers.append(
                        position == guilty.position ? guilty.error : .batchFailed, name: operation.recordName,
                        to: &answer.records)
                }
            }
        } else {
            for (position, operation) in request.operations.enumerated() {
                let mark = answer.records.mark
                let (noticed, preserved) = (writer.answers.notices.count, writer.preserved)
                do throws(RecordError) {
                    try item { () throws(RecordError) in
                        answer.records.beginMember()
                        _ = try writer.perform(operation, position: position, into: &answer.records.json)
                        guard answer.records.bytes <= limit else { throw .answerTooLarge(limit) }
                        try writer.runChecks()
                    }
                } catch {
                    guard store.failure == nil else { throw error }
                    var error = error
                    answer.noteBeyondScope(error, request, operation)
                    writer.undo()
                    answer.records.removeMembers(since: mark)
                    writer.answers.forgetShown(from: mark.position)
                    writer.answers.forgetNotices(from: noticed)
                    writer.preserved = preserved
                    if answer.records.bytes + (error.serverRecord?.count ?? 0) > limit { error.serverRecord = nil }
                    writer.answers.append(error, name: operation.recordName, to: &answer.records)
                }
            }
        }
        answer.notices = writer.answers.noticesJSON
        return answer
    }

    /// The answer to a batch may have as many bytes as this many request bodies: operations that send little can ask for
    /// much, and the answer is made in one piece on the writer's thread.
    private static let answerBodies = 2

    /// So many bytes the answer to a batch may have.
    var answerBytes: Int { min(limits.bodyBytes, .max / Self.answerBodies) * Self.answerBodies }
    /// What an answer has besides a record's fields, about.
    private static let metadataBytes = 512
}

extension WriteAnswer {
    fileprivate mutating func noteBeyondScope(
        _ error: RecordError, _ request: WriteRequest, _ operation: RecordOperation
    ) {
        guard case .service(let key) = request.caller, error.isBeyondScope(of: key, operation.typeName) else { return }
        typesBeyondScope.insert(operation.typeName)
    }
}

extension RecordError {
    static func answerTooLarge(_ limit: Int) -> RecordError {
        .badRequest(
            "The answer to the batch would be too large. Ask for fewer fields with desiredKeys, or send fewer operations",
            cause: .tooLarge, details: [("limit", .number(Int64(limit)))])
    }

    /// What stands for the innocent items of an atomic batch that failed.
    static let batchFailed = RecordError(
        .atomicError, "Another operation of this atomic batch failed, so none was performed")
}
