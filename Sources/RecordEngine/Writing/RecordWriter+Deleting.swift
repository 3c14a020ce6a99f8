internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Deletes records and the records that refer to them with DELETE_SELF.
extension RecordWriter {
    /// Deletes the record of an operation and appends the response.
    ///
    /// - Parameter ignoresMissing: Whether a missing record counts as deleted.
    /// - Throws: NOT_FOUND; CONFLICT with cause PRECONDITION_FAILED; ACCESS_DENIED without WRITE or for a user record;
    ///   the errors of `writeTombstone`.
    func delete(
        _ operation: RecordOperation, ignoresMissing: Bool, into response: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        guard let name = operation.recordName else { throw .badRequest("The operation needs a recordName") }
        guard let zone = try existingZone(), let existing = try find(name, zone: zone),
            let type = transaction.schema[id: existing.row.type],
            operation.typeName == nil || operation.typeName == type.name,
            case let visibility = context.visibility(of: type), visibility.knows(existing.row.facts)
        else {
            guard ignoresMissing else { throw try missing(operation) }
            try requireSomeWriteRight(operation)
            responses.appendDeletion(name.text, to: &response)
            return .deleted(name: name.text)
        }
        if try placements.leave(existing, type) {
            responses.appendDeletion(name.text, to: &response)
            return .deleted(name: name.text)
        }
        try visibility.requireWriting(existing.row.facts, of: type.name)
        try check(operation.precondition, existing, type: type)
        if try context.isUserRecord(existing, type) { throw .userRecordStays }
        try writeTombstone(existing, zone: zone)
        responses.appendDeletion(name.text, to: &response)
        return .deleted(name: name.text)
    }

    /// Replaces a record, and all records that refer to it with DELETE_SELF, by tombstones.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE if the cascade exceeds `limits.cascadeRecords`.
    func writeTombstone(_ first: StoredRecord, zone: ZoneID) throws(RecordError) {
        // A participant that deletes a share leaves it.
        if first.row.type == RecordTypeDefinition.shares.id, try placements.leave(first, .shares) { return }
        try transaction.ensureSavepoint()
        // Keep record numbers instead of records: 10,000 records could take 10,000 MB.
        var waiting: [RecordNumber] = []
        var known: Set<RecordNumber> = [first.row.id]
        var next: StoredRecord? = first
        let records = transaction.records
        while let record = next {
            let name = try writeTombstoneAlone(record, zone: zone)
            checks.append(.isNotValidated(zone: zone, target: name, position: position))
            // Read one record more than the limit, to detect a cascade above the limit.
            let limit = transaction.limits.cascadeRecords
            let sources = try records.sources(
                zone: zone, target: name, action: ReferenceAction.deleteSelf.rawValue, limit: limit + 1)
            for source in sources where known.insert(source).inserted {
                cascaded += 1
                transaction.followed += 1
                guard cascaded <= limit else { throw .cascadeTooLarge(limit) }
                waiting.append(source)
            }
            next = nil
            while next == nil, let id = waiting.popLast() {
                let child = try records.find(id: id)
                if let child, !child.row.isDeleted, try !staysWithAccount(child) { next = child }
            }
        }
    }

    /// Returns whether a record is the user record of an account. Such a record is deleted only with the account.
    private func staysWithAccount(_ record: StoredRecord) throws(RecordError) -> Bool {
        guard let type = transaction.schema[id: record.row.type] else { return false }
        return try context.isUserRecord(record, type)
    }

    /// Replaces one record by a tombstone, without a cascade.
    ///
    /// - Returns: The record's name.
    func writeTombstoneAlone(_ record: StoredRecord, zone: ZoneID) throws(RecordError) -> String {
        var tombstone = record.row
        tombstone.sequence = try transaction.nextSequence()
        tombstone.revision = transaction.revision(after: tombstone.revision)
        tombstone.modifier = caller.writerID
        tombstone.modified = transaction.now
        return try remove(record, zone: zone, leaving: tombstone)
    }

    /// Deletes a record or a tombstone without leaving a tombstone. For zones without readers.
    func erase(_ record: StoredRecord, zone: ZoneID) throws(RecordError) {
        if record.row.isDeleted {
            try transaction.store.removals.removeRecord(record.row.id)
        } else {
            _ = try remove(record, zone: zone, leaving: nil)
        }
    }

    private func remove(
        _ record: StoredRecord, zone: ZoneID, leaving tombstone: RecordRow?
    ) throws(RecordError) -> String {
        let name = String(decoding: record.name, as: UTF8.self)
        let fields = StoredFields(text: record.fields, layout: record.layout)
        // If the fields are damaged, throw. The doctor repairs such records.
        try fields.withView { _ throws(RecordError) in }
        guard let type = transaction.schema[id: record.row.type] else { throw .recordNotFound }
        let plan = WritePlan(type, zone: zone, name: name, before: WritePlan.State(row: record.row, fields: fields))
        plan.tombstone = tombstone
        try context.noteUsage(of: plan)
        plan.hasEntries = try prepareIndexes(plan)
        try PlanWriter(context: context).write(plan, try plan.references())
        if transaction.usesSharing, address.scope != .publicDatabase {
            try Hierarchies(writer: self).didRemove(record.row, zone: zone, isErased: tombstone == nil)
        }
        return name
    }
}
