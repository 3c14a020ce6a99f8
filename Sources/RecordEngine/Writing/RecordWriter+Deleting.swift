internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Deleting records, and what goes with them.
extension RecordWriter {
    func delete(
        _ operation: RecordOperation, forgivesMissing: Bool, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        guard let name = operation.recordName else { throw .badRequest("The operation needs a recordName") }
        guard let zone = try existingZone(), let existing = try find(name, zone: zone),
            let type = transaction.schema[id: existing.row.type],
            operation.typeName == nil || operation.typeName == type.name,
            case let visibility = context.visibility(of: type), visibility.knows(existing.row.facts)
        else {
            guard forgivesMissing else { throw try missing(operation) }
            try requireSomeWriteRight(operation)
            answers.appendDeletion(name.text, to: &answer)
            return .deleted(name: name.text)
        }
        try visibility.requireWriting(existing.row.facts, of: type.name)
        try check(operation.writeGuard, existing, type: type)
        if try context.isUserRecord(existing, type) { throw .userRecordStays }
        try bury(existing, zone: zone)
        answers.appendDeletion(name.text, to: &answer)
        return .deleted(name: name.text)
    }

    /// Turns a record and those that go with it (DELETE_SELF) into tombstones.
    func bury(_ first: StoredRecord, zone: ZoneID) throws(RecordError) {
        try transaction.ensureSavepoint()
        // Numbers, not records: ten thousand that wait would be as many megabytes.
        var waiting: [RecordNumber] = []
        var known: Set<RecordNumber> = [first.row.id]
        var next: StoredRecord? = first
        let records = transaction.records
        while let record = next {
            let name = try buryAlone(record, zone: zone)
            checks.append(.nobodyValidates(zone: zone, target: name, position: position))
            // One more than may be taken along: so many are either new, or known and counted.
            let limit = transaction.limits.cascadeRecords
            let sources = try records.sources(
                zone: zone, target: name, action: ReferenceAction.deleteSelf.rawValue, limit: limit + 1)
            for source in sources where known.insert(source).inserted {
                cascaded += 1
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

    /// Whether a record that would go with another is a user record, which goes with its account alone.
    private func staysWithAccount(_ record: StoredRecord) throws(RecordError) -> Bool {
        guard let type = transaction.schema[id: record.row.type] else { return false }
        return try context.isUserRecord(record, type)
    }

    /// Turns one record into a tombstone, whatever refers to it.
    ///
    /// - Returns: Its name.
    func buryAlone(_ record: StoredRecord, zone: ZoneID) throws(RecordError) -> String {
        var tombstone = record.row
        tombstone.sequence = try transaction.nextSequence()
        tombstone.revision = transaction.revision(after: tombstone.revision)
        tombstone.modifier = caller.writerID
        tombstone.modified = transaction.now
        return try remove(record, zone: zone, leaving: tombstone)
    }

    /// Takes a record, or a tombstone, out of the file without a trace: for zones that nobody reads any more.
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
        // What is damaged is the doctor's to repair.
        try fields.withView { _ throws(RecordError) in }
        guard let type = transaction.schema[id: record.row.type] else { throw .recordNotFound }
        let plan = WritePlan(type, zone: zone, name: name, before: WritePlan.State(row: record.row, fields: fields))
        plan.tombstone = tombstone
        try context.noteUsage(of: plan)
        plan.hasEntries = try prepareIndexes(plan)
        try PlanWriter(context: context).write(plan, try plan.references())
        return name
    }
}
