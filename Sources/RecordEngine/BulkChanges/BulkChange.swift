internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The change that a bulk update or bulk delete makes to each record.
struct BulkChange: Sendable {
    private let request: WriteRequest
    private let operation: RecordOperation?
    /// Whether this is a bulk delete.
    var isDeletion: Bool { operation == nil }
    private let typeID: TypeID
    private let matcher: RecordMatcher
    private let namesDeletedAccounts: Bool
    /// The ids of the fields that the predicate tests.
    private let predicateFields: [Int]
    private let isRestrictedToOwn: Bool

    /// The maximum work of matching one record, in the unit of `MatchCostMeter`. This work takes about 50 ms, and the
    /// writer is blocked meanwhile.
    static let workPerRecord = 50_000_000

    /// - Parameter isRestrictedToOwn: Whether the predicate only matches records that the caller created.
    init(
        _ set: BulkRequest, type: RecordTypeDefinition, predicate: Predicate, isRestrictedToOwn: Bool,
        reader: RecordReader
    ) {
        // The responses of single records are discarded. Without fields these responses are short.
        request = WriteRequest(
            caller: set.query.caller, address: set.query.address, shape: .batch(isAtomic: false), operations: [],
            fields: [])
        typeID = type.id
        matcher = RecordMatcher(predicate)
        namesDeletedAccounts = predicate.namesDeletedAccounts
        predicateFields = predicate.fields.compactMap { if case .field(let field) = $0 { field.id } else { nil } }
        self.isRestrictedToOwn = isRestrictedToOwn
        switch set.change {
        case .delete: operation = nil
        case .modify(let input):
            var operation = RecordOperation(
                .modify(createsMissing: false, replacesAll: false), typeName: type.name, isTypeInPath: true,
                recordName: nil, input: input)
            // The writer reports invalid values, so an error is ignored here.
            try? operation.prepare(by: reader.schema, in: reader.database, zone: set.query.address.zone)
            self.operation = operation
        }
    }

    /// Changes records until the slice's budget is spent. Counts the changed and the skipped records. Further slices
    /// change the rest.
    ///
    /// - Throws: ACCESS_DENIED if the caller has lost read access to a field that the predicate tests;
    ///   QUERY_TOO_EXPENSIVE if matching one record takes too much work; storage errors; any error that would be the
    ///   same for every record.
    func perform(
        on records: ArraySlice<RecordNumber>, in transaction: WriteTransaction, _ budget: inout SliceBudget,
        _ progress: inout BulkProgress
    ) throws(RecordError) {
        var request = request
        request.caller = try transaction.callers.current(request.caller, in: request.address)
        let writer = RecordWriter(transaction, request)
        try requireAskedFields(writer)
        var ignored: [UInt8] = []
        for id in records {
            if try perform(on: id, with: writer, into: &ignored, &progress.skips) {
                progress.changed += 1
                progress.note(writer.responses.notices)
            }
            // Those of a skipped record count for nothing.
            writer.responses.forgetNotices(from: 0)
            ignored.removeAll(keepingCapacity: true)
            // Charge skipped records too: skipping a record can take as much work as changing it.
            budget.spend()
            if !budget.hasMore { break }
        }
    }

    /// - Returns: Whether the record was changed. If not, the record was added to `skips`.
    private func perform(
        on id: RecordNumber, with writer: RecordWriter, into ignored: inout [UInt8], _ skips: inout SkippedRecords
    ) throws(RecordError) -> Bool {
        let transaction = writer.transaction
        let found = try transaction.records.find(id: id)
        guard let record = found, let type = transaction.schema[id: typeID], !record.row.isDeleted,
            record.row.type == typeID
        else {
            skips.add(.deletedSinceMatched, name: nil)
            return false
        }
        // A record that the caller can no longer read is not matched again, because the result would reveal its values.
        // The record counts as deleted.
        let visibility = writer.context.visibility(of: type)
        guard visibility.mayRead(record.row.facts) else {
            skips.add(.deletedSinceMatched, name: nil)
            return false
        }
        let name = RecordName(String(decoding: record.name, as: UTF8.self))
        guard visibility.mayWrite(record.row.facts) else {
            skips.add(.rejected(writer.caller, .write, .record(type.name)), name: name)
            return false
        }
        guard try stillMatches(record, in: transaction) else {
            skips.add(.changedSinceMatched, name: name)
            return false
        }
        // In a bulk change, the limits on cascades and member entries apply to each record.
        writer.cascaded = 0
        writer.checkedBelow = 0
        writer.memberEntries = 0
        do throws(RecordError) {
            try transaction.item { () throws(RecordError) in
                try change(record, with: writer, into: &ignored)
                try writer.runChecks()
            }
            return true
        } catch {
            writer.undo()
            // An error that does not depend on the record would be the same for all records.
            guard transaction.store.failure == nil, isOfRecord(error) else { throw error }
            skips.add(error, name: name)
            return false
        }
    }

    /// Ends the work if the caller can no longer write any record of the type. Users may write single records by an
    /// access list, so they are checked for each record.
    ///
    /// - Throws: AUTHENTICATION_FAILED or ACCESS_DENIED.
    func requireRight(in transaction: WriteTransaction) throws(RecordError) {
        let caller = try transaction.callers.current(request.caller, in: request.address)
        guard caller.userID == nil, let type = transaction.schema[id: typeID] else { return }
        if Visibility(of: type, for: caller, in: request.address.scope).writes == .none {
            throw .rejected(caller, .write, .records(type.name))
        }
    }

    /// Ends the bulk change if the caller can no longer read a field that the predicate tests. The results of further
    /// matching would reveal the field's values.
    ///
    /// - Throws: ACCESS_DENIED.
    private func requireAskedFields(_ writer: RecordWriter) throws(RecordError) {
        guard !predicateFields.isEmpty, let type = writer.transaction.schema[id: typeID],
            let hidden = writer.context.visibility(of: type).fields?.unreadable(isOwn: isRestrictedToOwn),
            predicateFields.contains(where: hidden.contains)
        else { return }
        throw RecordError(
            .accessDenied,
            "The predicate names a field that you may no longer read: permissions have changed since the start")
    }

    private func stillMatches(
        _ record: StoredRecord, in transaction: WriteTransaction
    ) throws(RecordError) -> Bool {
        if matcher.isTrivial { return true }
        return try record.name.withUnsafeBufferPointer { name throws(RecordError) in
            try StoredFields(text: record.fields, layout: record.layout).withView { view throws(RecordError) in
                var indexed = IndexedRecord(view, name: UnsafeRawBufferPointer(name), record.row)
                if namesDeletedAccounts { try indexed.hideDeletedAccounts(transaction.userNames.name) }
                var meter = MatchCostMeter(recordLimit: Self.workPerRecord)
                do throws(MatchFailure) {
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
        _ record: StoredRecord, with writer: RecordWriter, into response: inout [UInt8]
    ) throws(RecordError) {
        guard var operation else {
            guard let zone = try writer.existingZone() else { return }
            try writer.writeTombstone(record, zone: zone)
            return
        }
        operation.recordName = RecordName(String(decoding: record.name, as: UTF8.self))
        _ = try writer.perform(operation, position: 0, into: &response)
    }

    /// Whether an error concerns only one record, so that other records may succeed.
    private func isOfRecord(_ error: RecordError) -> Bool {
        switch error.code {
        case .conflict, .exists, .notFound, .accessDenied: true
        // A bulk delete fails only for records that a reference protects. A bulk update with a reference to a missing
        // target fails for all records.
        case .validatingReferenceError: operation == nil
        case .badRequest, .quotaExceeded:
            operation == nil || error.cause == .tooLarge || error.cause == .uniqueViolation
        case .atomicError, .authenticationFailed, .authenticationRequired, .internalError, .throttled, .tryAgainLater,
            .zoneNotFound:
            false
        }
    }
}
