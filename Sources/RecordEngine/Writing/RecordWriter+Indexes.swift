internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Prepares the index changes of a write.
extension RecordWriter {
    /// Prepares the index entries that a plan adds and removes, and checks UNIQUE indexes.
    ///
    /// - Returns: Whether any entry changes.
    /// - Throws: EXISTS with cause UNIQUE_VIOLATION; BAD_REQUEST for too many list entries in one request.
    func prepareIndexes(_ plan: WritePlan) throws(RecordError) -> Bool {
        guard !plan.type.indexes.isEmpty || !plan.type.replacements.isEmpty else { return false }
        do throws(RecordError) {
            let hasEntries = try prepare(plan)
            for duplicate in transaction.indexes.duplicates {
                checks.append(.isUnique(duplicate, zone: plan.zone, record: plan.record, position: position))
            }
            return hasEntries
        } catch {
            guard error.cause == .uniqueViolation, let row = plan.after?.row else { throw error }
            throw context.withoutHiddenFields(error, of: row, plan.type)
        }
    }

    private func prepare(_ plan: WritePlan) throws(RecordError) -> Bool {
        let transaction = transaction
        let oldHomes = try plan.before.map { old throws(RecordError) in
            try transaction.indexes.homes(of: old.row, zone: plan.zone)
        }
        let newHomes = try plan.after.map { new throws(RecordError) in
            if let oldHomes, !plan.changesAccess { return oldHomes }
            return try transaction.indexes.homes(of: new.row, zone: plan.zone)
        }
        return try Self.withIndexed(plan.before, at: oldHomes) { old throws(RecordError) in
            try Self.withIndexed(plan.after, at: newHomes) { new throws(RecordError) in
                try transaction.indexes.prepare(
                    plan.type, zone: plan.zone, record: plan.record, old: old, new: new, unread: plan.unread,
                    memberEntries: &memberEntries, defersUnique: checksUniqueLast)
            }
        }
    }

    private static func withIndexed<Value>(
        _ state: WritePlan.State?, at homes: RecordHomes?,
        _ body: ((record: IndexedRecord, homes: RecordHomes)?) throws(RecordError) -> Value
    ) throws(RecordError) -> Value {
        guard let state, let homes else { return try body(nil) }
        return try state.fields.withView { view throws(RecordError) in
            // The name may be empty, since no index has the record name as a column.
            let record = IndexedRecord(view, name: UnsafeRawBufferPointer(start: nil, count: 0), state.row)
            return try body((record, homes))
        }
    }
}
