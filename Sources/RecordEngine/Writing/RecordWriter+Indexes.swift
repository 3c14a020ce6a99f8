internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// What a write means for the indexes of its record's type.
extension RecordWriter {
    /// Makes the index entries ready that a plan brings and takes, and refuses what a UNIQUE index does not allow.
    ///
    /// - Returns: Whether there are any.
    /// - Throws: Also for too many entries of lists in one request.
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
        let oldPlaces = try plan.before.map { old throws(RecordError) in
            try transaction.indexes.places(of: old.row, zone: plan.zone)
        }
        let newPlaces = try plan.after.map { new throws(RecordError) in
            if let oldPlaces, !plan.changesAccess { return oldPlaces }
            return try transaction.indexes.places(of: new.row, zone: plan.zone)
        }
        return try Self.withIndexed(plan.before, at: oldPlaces) { old throws(RecordError) in
            try Self.withIndexed(plan.after, at: newPlaces) { new throws(RecordError) in
                try transaction.indexes.prepare(
                    plan.type, zone: plan.zone, record: plan.record, old: old, new: new, unread: plan.unread,
                    memberEntries: &memberEntries, defersUnique: checksUniqueLast)
            }
        }
    }

    private static func withIndexed<Value>(
        _ state: WritePlan.State?, at places: RecordPlaces?,
        _ body: ((record: IndexedRecord, places: RecordPlaces)?) throws(RecordError) -> Value
    ) throws(RecordError) -> Value {
        guard let state, let places else { return try body(nil) }
        return try state.fields.withView { view throws(RecordError) in
            // The name is no column of any index.
            let record = IndexedRecord(view, name: UnsafeRawBufferPointer(start: nil, count: 0), state.row)
            return try body((record, places))
        }
    }
}
