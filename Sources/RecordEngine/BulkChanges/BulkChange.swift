internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// One change that is made to many records.
struct BulkChange: Sendable {
    private let request: WriteRequest
    private let operation: RecordOperation?
    /// Whether it deletes what it finds.
    var isDeletion: Bool { operation == nil }
    private let typeID: TypeID
    private let matcher: RecordMatcher
    private let namesGoneAccounts: Bool
    /// The fields that the condition looks at.
    private let askedFields: [Int]
    private let isOwnAlone: Bool

    /// What the condition may ask of one record, in the unit of `MatchMeter`: some 50 ms, for which the writer is held up.
    static let workPerRecord = 50_000_000

    /// - Parameter isOwnAlone: Whether all records of the set are the caller's own, for the sake of the condition.
    init(
        _ set: BulkRequest, type: RecordTypeDefinition, predicate: Predicate, isOwnAlone: Bool, reader: RecordReader
    ) {
        // Answers are not shown: with no field they are short.
        request = WriteRequest(
            caller: set.query.caller, address: set.query.address, shape: .batch(isAtomic: false), operations: [],
            fields: [])
        typeID = type.id
        matcher = RecordMatcher(predicate)
        namesGoneAccounts = predicate.namesGoneAccounts
        askedFields = predicate.fields.compactMap { if case .field(let field) = $0 { field.id } else { nil } }
        self.isOwnAlone = isOwnAlone
        switch set.change {
        case .delete: operation = nil
        case .modify(let input):
            var operation = RecordOperation(
                .modify(createsMissing: false, replacesAll: false), typeName: type.name, isTypeInPath: true,
                recordName: nil, input: input)
            // What is wrong with the values is the writer's to say.
            try? operation.prepare(by: reader.schema, in: reader.database)
            self.operation = operation
        }
    }

    /// Changes records as long as the slice lasts, and adds up how many were changed, and which were skipped; the others wait
    /// for the next slice.
    func perform(
        on records: ArraySlice<RecordNumber>, in transaction: WriteTransaction, _ budget: inout SliceBudget,
        _ progress: inout BulkProgress
    ) throws(RecordError) {
        var request = request
        request.caller = try transaction.callers.current(request.caller)
        let writer = RecordWriter(transaction, request)
        try requireAskedFields(writer)
        var ignored: [UInt8] = []
        for id in records {
            if try perform(on: id, with: writer, into: &ignored, &progress.skips) { progress.changed += 1 }
            ignored.removeAll(keepingCapacity: true)
            // To skip one may be as much work as to change it.
            budget.spend()
            if !budget.hasMore { break }
        }
    }

    /// - Returns: Whether it was changed; if not, it is skipped.
    private func perform(
        on id: RecordNumber, with writer: RecordWriter, into ignored: inout [UInt8], _ skips: inout SetSkips
    ) throws(RecordError) -> Bool {
        let transaction = writer.transaction
        let found = try transaction.records.find(id: id)
        guard let record = found, let type = transaction.schema[id: typeID], !record.row.isDeleted,
            record.row.type == typeID
        else {
            skips.add(.goneSinceMatched, name: nil)
            return false
        }
        // What may not be read any more is not to be asked whether it matches, and counts as gone.
        let visibility = writer.context.visibility(of: type)
        guard visibility.mayRead(record.row.facts) else {
            skips.add(.goneSinceMatched, name: nil)
            return false
        }
        let name = RecordName(String(decoding: record.name, as: UTF8.self))
        guard visibility.mayWrite(record.row.facts) else {
            skips.add(.refused(writer.caller, .write, .record(type.name)), name: name)
            return false
        }
        guard try stillMatches(record, in: transaction) else {
            skips.add(.changedSinceMatched, name: name)
            return false
        }
        // What goes with one record is not the next one's burden.
        writer.cascaded = 0
        writer.memberEntries = 0
        do throws(RecordError) {
            try transaction.item { () throws(RecordError) in
                try change(record, with: writer, into: &ignored)
                try writer.runChecks()
            }
            return true
        } catch {
            writer.undo()
            // What is wrong with the change itself is wrong with it for all records.
            guard transaction.store.failure == nil, isOfRecord(error) else { throw error }
            skips.add(error, name: name)
            return false
        }
    }

    /// Ends a set whose condition asks for what its caller may not read any more: what goes on would tell of it.
    private func requireAskedFields(_ writer: RecordWriter) throws(RecordError) {
        guard !askedFields.isEmpty, let type = writer.transaction.schema[id: typeID],
            let hidden = writer.context.visibility(of: type).fields?.unreadable(isOwn: isOwnAlone),
            askedFields.contains(where: hidden.contains)
        else { return }
        throw RecordError(
            .accessDenied,
            "The condition names a field that is not yours to read any more: rights have changed since the start")
    }

    private func stillMatches(
        _ record: StoredRecord, in transaction: WriteTransaction
    ) throws(RecordError) -> Bool {
        if matcher.isTrivial { return true }
        return try record.name.withUnsafeBufferPointer { name throws(RecordError) in
            try StoredFields(text: record.fields, layout: record.layout).withView { view throws(RecordError) in
                var indexed = IndexedRecord(view, name: UnsafeRawBufferPointer(name), record.row)
                if namesGoneAccounts { try indexed.hideGoneAccounts(transaction.userNames.name) }
                var meter = MatchMeter(recordLimit: Self.workPerRecord)
                do throws(MatchObstacle) {
                    return try matcher.matches(indexed, &meter)
                } catch {
                    switch error {
                    case .damaged(let damage): throw damage
                    case .outOfTime, .tooMuch: throw .conditionTooExpensive
                    }
                }
            }
        }
    }

    private func change(
        _ record: StoredRecord, with writer: RecordWriter, into answer: inout [UInt8]
    ) throws(RecordError) {
        guard var operation else {
            guard let zone = try writer.existingZone() else { return }
            try writer.bury(record, zone: zone)
            return
        }
        operation.recordName = RecordName(String(decoding: record.name, as: UTF8.self))
        _ = try writer.perform(operation, position: 0, into: &answer)
    }

    /// Whether a refusal is about one record, so that others may fare better.
    private func isOfRecord(_ error: RecordError) -> Bool {
        switch error.code {
        case .conflict, .exists, .notFound, .accessDenied: true
        // A deletion meets what holds the record; a change brings a reference whose target is missing to all alike.
        case .validatingReferenceError: operation == nil
        case .badRequest, .quotaExceeded:
            operation == nil || error.cause == .tooLarge || error.cause == .uniqueViolation
        case .atomicError, .authenticationFailed, .authenticationRequired, .internalError, .throttled, .tryAgainLater,
            .zoneNotFound:
            false
        }
    }
}
