internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// What a write means for the indexes of its record's type.
extension RecordWriter {
    /// A state of a record: the columns of its row and its fields.
    typealias State = (row: RecordRow, fields: StoredFields)

    /// Makes the index entries that a write brings and takes ready for `writeIndexes`, and refuses what a UNIQUE index
    /// does not allow.
    ///
    /// - Parameters:
    ///   - old: `nil` for a record that is being made.
    ///   - new: `nil` for one that goes.
    ///   - unread: The fields that the operation writes and its caller does not read.
    /// - Returns: Whether there are any.
    /// - Throws: Also for too many entries of lists in one request.
    func prepareIndexes(
        _ type: RecordTypeDefinition, zone: ZoneID, old: State?, new: State?, unread: Set<Int> = []
    ) throws(RecordError) -> Bool {
        guard !type.indexes.isEmpty || !type.replacements.isEmpty, let row = (new ?? old)?.row else { return false }
        do throws(RecordError) {
            let hasEntries = try prepare(type, zone: zone, record: row.id, old: old, new: new, unread: unread)
            for duplicate in transaction.indexes.duplicates {
                checks.append(.isUnique(duplicate, zone: zone, record: row.id, position: position))
            }
            return hasEntries
        } catch {
            throw error.cause == .uniqueViolation ? withoutHiddenFields(error, of: row, type) : error
        }
    }

    /// What a caller is told whose value another record has: in which fields, only of those that it reads.
    private func withoutHiddenFields(
        _ error: RecordError, of row: RecordRow, _ type: RecordTypeDefinition
    ) -> RecordError {
        guard case .list(let names)? = error.details.first(where: { $0.key == "fields" })?.value else { return error }
        let hidden = visibility(of: type).unreadable(creator: row.creator)
        let shown = names.filter { name in type[name].map { !hidden.contains($0.id) } ?? true }
        return shown.count == names.count ? error : .uniqueViolation(shown, type: type.name, isWhole: false)
    }

    /// Refuses a key that an atomic batch has given to a record, if at its end the record still has it, and another one, too.
    func checkUnique(
        _ duplicate: IndexMaintainer.Duplicate, zone: ZoneID, record: RecordNumber
    ) throws(RecordError) {
        let index = duplicate.index
        let found = try transaction.records.find(id: record)
        guard let found, !found.row.isDeleted, let type = transaction.schema[id: found.row.type] else { return }
        var key: [UInt8] = []
        try StoredFields(text: found.fields, layout: found.layout).withView { view throws(RecordError) in
            _ = try IndexedRecord(view, name: UnsafeRawBufferPointer(start: nil, count: 0), found.row)
                .appendKey(of: index, to: &key)
        }
        guard key == duplicate.key else { return }
        let other = try key.withUnsafeBufferPointer { key throws(RecordError) in
            try transaction.otherRecord(
                zone: zone, key: UnsafeRawBufferPointer(key), than: record, in: index.id, of: type)
        }
        guard other != nil else { return }
        throw withoutHiddenFields(
            .uniqueViolation(type.columnNames(of: index), type: type.name), of: found.row, type)
    }

    private func prepare(
        _ type: RecordTypeDefinition, zone: ZoneID, record: RecordNumber, old: State?, new: State?, unread: Set<Int>
    ) throws(RecordError) -> Bool {
        let transaction = transaction
        let oldPlaces = try old.map { old throws(RecordError) in try transaction.places(of: old.row, zone: zone) }
        let newPlaces = try new.map { new throws(RecordError) in
            if let old, let oldPlaces, old.row.access == new.row.access { return oldPlaces }
            return try transaction.places(of: new.row, zone: zone)
        }
        return try Self.withIndexed(old, at: oldPlaces) { old throws(RecordError) in
            try Self.withIndexed(new, at: newPlaces) { new throws(RecordError) in
                try transaction.indexes.prepare(
                    type, zone: zone, record: record, old: old, new: new, unread: unread,
                    memberEntries: &memberEntries, defersUnique: checksUniqueLast, in: transaction)
            }
        }
    }

    func writeIndexes() throws(RecordError) {
        try transaction.indexes.write()
    }

    private static func withIndexed<Value>(
        _ state: State?, at places: RecordPlaces?,
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
