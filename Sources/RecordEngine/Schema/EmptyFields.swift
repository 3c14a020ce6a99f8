internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Fields of types with records that no record has.
///
/// Looking at all records takes too long for a write. Readers look at them first, some at a time. The write that drops
/// the fields then looks at the records that have changed since.
struct EmptyFields: Sendable {
    /// The numbers of the fields.
    var fields: [TypeID: Set<Int>] = [:]
    /// The sequence number before the first record that the readers may have missed.
    var through: Int64 = 0
}

extension Schemas {
    /// The number of records that a reader looks at in one turn.
    private static let recordsAtOnce = 10_000

    /// Runs a schema change as `perform` does. If the change would lose fields, looks for records that have them, and
    /// runs the change again if there are none.
    func performDropping(
        _ options: SchemaOptions,
        _ body: @escaping @Sendable (WriteTransaction, SchemaOptions) throws(RecordError) -> SchemaOutcome
    ) async throws(RecordError) -> SchemaOutcome {
        var options = options
        let losses = Locked<[TypeID: Set<Int>]>([:])
        options.losses = losses
        do throws(RecordError) {
            return try await perform(options) { [options] transaction throws(RecordError) in
                try body(transaction, options)
            }
        } catch {
            let lost = losses.withLock { $0 }
            guard !lost.isEmpty, options.purpose != .promotion || options.dropsEmptyFields else { throw error }
            options.emptyFields = try await empty(of: lost)
            guard !options.emptyFields.fields.isEmpty else { throw error }
            return try await perform(options) { [options] transaction throws(RecordError) in
                try body(transaction, options)
            }
        }
    }

    /// Returns those of some fields that no record has.
    private func empty(of fields: [TypeID: Set<Int>]) async throws(RecordError) -> EmptyFields {
        let pool = database.queries.pool
        var empty = EmptyFields(fields: fields)
        empty.through = try await pool.read(database) { reader throws(RecordError) in reader.knownSequence }
        var position: RecordNumber? = .unassigned
        while let start = position, !empty.fields.isEmpty {
            (empty.fields, position) = try await pool.read(database) {
                [fields = empty.fields] reader throws(RecordError) in
                var fields = fields
                let end = try reader.store.records.scan(after: start, limit: Self.recordsAtOnce) {
                    cursor throws(RecordError) in try fields.removeFields(of: cursor)
                }
                return (fields, end)
            }
        }
        return empty
    }
}

extension [TypeID: Set<Int>] {
    /// Removes the fields that a record has.
    fileprivate mutating func removeFields(of cursor: RecordRowCursor) throws(RecordError) {
        let row = cursor.row
        guard !row.isDeleted, var known = self[row.type] else { return }
        for entry in try StoredFieldsView(text: cursor.fields, layout: cursor.layout).entries {
            known.remove(entry.fieldID)
        }
        self[row.type] = known.isEmpty ? nil : known
    }
}

extension SchemaWriter {
    /// Returns the numbers of fields that a change would lose.
    func fields(of losses: [SchemaRefusal.Loss]) -> [TypeID: Set<Int>] {
        var fields: [TypeID: Set<Int>] = [:]
        for case .field(let typeName, let name) in losses {
            guard let type = transaction.schema[typeName], let field = type[name.text] else { continue }
            fields[type.id, default: []].insert(field.id)
        }
        return fields
    }

    /// Returns the fields that no record has now either.
    func stillEmpty(_ empty: EmptyFields) throws(RecordError) -> [RecordTypeName: Set<Int>] {
        guard !empty.fields.isEmpty else { return [:] }
        var fields = empty.fields
        try transaction.store.scanChanges(after: empty.through) { cursor throws(RecordError) in
            try fields.removeFields(of: cursor)
        }
        var named: [RecordTypeName: Set<Int>] = [:]
        for (id, numbers) in fields {
            if let type = transaction.schema[id: id] { named[type.name] = numbers }
        }
        return named
    }
}
