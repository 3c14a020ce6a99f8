package import RecordModel
internal import RecordStorage
internal import RecordWire

// A rename takes effect with its commit, for all callers. Records and indexes contain numbers of types and fields, so no
// index is built again. The stored text of a record also contains the names of its fields, which `RenameWork` rewrites.

extension Schemas {
    /// Gives a field another name. The earlier name is rejected from then on, with the new one in the error.
    ///
    /// - Throws: NOT_FOUND for an unknown type or field; BAD_REQUEST for a name that another field has; CONFLICT if a job
    ///   works on the type, or a stored condition cannot be changed; ACCESS_DENIED or AUTHENTICATION_REQUIRED.
    package func rename(
        _ name: FieldName, of typeName: RecordTypeName, to new: FieldName, by actor: AuditActor = .server
    ) async throws(RecordError) {
        try await change { transaction throws(RecordError) in
            try transaction.callers.require(.changeSchema, of: actor)
            let before = transaction.schema
            let type = try before.requireType(typeName)
            let field = try type.requireField(name)
            try transaction.schemas.apply(.renaming(field, to: new, of: type))
            try transaction.schemas.auditRename(since: before, typeName.text, by: actor)
        }
    }

    /// Gives a record type another name. The earlier name is rejected from then on, with the new one in the error.
    ///
    /// - Throws: NOT_FOUND for an unknown type; BAD_REQUEST for a name that another type has, and for `Users`; CONFLICT if
    ///   a job works on the type; ACCESS_DENIED or AUTHENTICATION_REQUIRED.
    package func rename(
        _ name: RecordTypeName, to new: RecordTypeName, by actor: AuditActor = .server
    ) async throws(RecordError) {
        try await change { transaction throws(RecordError) in
            try transaction.callers.require(.changeSchema, of: actor)
            let before = transaction.schema
            let type = try before.requireType(name)
            try transaction.schemas.apply(.renaming(type, to: new, in: before))
            try transaction.schemas.auditRename(since: before, name.text, by: actor)
        }
    }

    /// Waits until all records have the present names of their fields. Also returns if the work fails or the database is
    /// closed.
    package func renamesAreDone() async {
        await database.slices.wait(for: database.renameWork)
    }
}

extension Schema {
    /// Returns a type for a change of it.
    ///
    /// - Throws: NOT_FOUND for an unknown type; BAD_REQUEST for an earlier name.
    func requireType(_ name: RecordTypeName) throws(RecordError) -> RecordTypeDefinition {
        if let type = types[name.text] { return type }
        try rejectFormerName(name)
        throw .unknownType(name)
    }
}

extension RecordTypeDefinition {
    /// Returns a field for a change of it.
    ///
    /// - Throws: NOT_FOUND for an unknown field; BAD_REQUEST for an earlier name.
    func requireField(_ name: FieldName) throws(RecordError) -> FieldDefinition {
        if let field = self[name.text] { return field }
        if let field = field(formerly: name.text) { throw .renamedField(name.text, to: field.name, of: self.name) }
        throw RecordError(
            .notFound, "The type \(self.name) has no field \(name). PUT /schema adds one", cause: .unknownName,
            details: [("recordType", .text(self.name.text)), ("field", .text(name.text))])
    }
}

extension SchemaWriter {
    fileprivate func auditRename(since before: Schema, _ subject: String, by actor: AuditActor) throws(RecordError) {
        let changes = SchemaChanges(from: before, to: transaction.schema)
        try transaction.auditLog.append(.schemaPut, subject, by: actor, detail: changes.auditDetail)
    }

    /// Stores the new names of fields.
    ///
    /// - Returns: The sequence number of the rename; 0 if only earlier names change.
    func rename(_ fields: [SchemaStep.FieldRename], of typeName: RecordTypeName) throws(RecordError) -> Int64 {
        guard let type = transaction.schema[typeName] else { return 0 }
        try transaction.schemaTable.rename(fields, type: type.id)
        let moved = fields.filter { $0.from != $0.to }
        guard !moved.isEmpty else { return 0 }
        try renameStored(
            StoredNames(
                typeOfFields: typeName.text,
                fields: Dictionary(uniqueKeysWithValues: moved.map { ($0.from.text, $0.to.text) })), of: [typeName])
        let sequence = try transaction.nextSequence()
        try transaction.schemaTable.beginRenaming(type: type.id, sequence: sequence)
        return sequence
    }

    /// Stores the new names of types.
    ///
    /// - Returns: The sequence number of the rename; 0 if only earlier names change.
    func rename(_ types: [SchemaStep.TypeRename]) throws(RecordError) -> Int64 {
        let moved = types.filter { $0.from != $0.to }
        var sequence: Int64 = 0
        if !moved.isEmpty {
            try renameStored(
                StoredNames(types: Dictionary(uniqueKeysWithValues: moved.map { ($0.from.text, $0.to.text) })),
                of: Set(moved.map(\.from)))
            sequence = try transaction.nextSequence()
        }
        try transaction.schemaTable.rename(
            types.compactMap { rename in transaction.schema[rename.from].map { ($0.id, rename) } }, sequence: sequence)
        return sequence
    }

    /// The most rows of a kind that are read at once.
    private static let rowsAtOnce = 200

    /// Renames types and fields in stored conditions, scopes and tasks.
    ///
    /// - Parameter types: The types that are renamed, or whose fields are.
    /// - Throws: CONFLICT, with what stands in the way.
    private func renameStored(_ names: StoredNames, of types: Set<RecordTypeName>) throws(RecordError) {
        let store = transaction.store
        for kind in JobKind.allCases where kind.isOfCallers {
            // A running job has its condition and its changes in memory.
            for job in try store.jobs.unfinished(kind) {
                let task = try JobTask(stored: job.task)
                guard let type = task.type, !types.contains(type) else {
                    let what = task.type.map { "records of \($0)" } ?? "records of all types"
                    throw StoredNames.blocked("job", job.name, by: "It works on \(what)")
                }
                _ = try names.changing("job", job.name) { () throws(RecordError) in
                    try names.task(JSONObject(stored: job.task))
                }
            }
        }
        for var row in try store.schedules.list(limit: Schedules.most) {
            let known = try JSONObject(stored: row.task)
            let renamed = try names.changing("schedule", row.name) { () throws(RecordError) in try names.task(known) }
            guard renamed != known else { continue }
            row.task = JSONValue.object(renamed).bytes
            _ = try store.schedules.put(row)
        }
        var last: Int64 = 0
        while case let rows = try store.webhooks.list(after: last, limit: Self.rowsAtOnce), !rows.isEmpty {
            for var row in rows {
                last = row.id
                let known = try JSONObject(stored: Array(row.selection.utf8))
                let renamed = try names.changing("webhook", row.publicID) { () throws(RecordError) in
                    try names.selection(known)
                }
                guard renamed != known else { continue }
                row.selection = JSONValue.object(renamed).text
                try store.webhooks.update(row)
            }
        }
        last = 0
        while case let rows = try store.subscriptions.list(isPublic: false, after: last, limit: Self.rowsAtOnce),
            !rows.isEmpty
        {
            for var row in rows {
                last = row.id
                // A damaged definition notifies nothing, and neither does one whose condition does not fit.
                guard let known = try? JSONObject(stored: Array(row.definition.utf8)),
                    let renamed = try? names.definition(known), renamed != known
                else { continue }
                row.definition = JSONValue.object(renamed).text
                row.changed = try transaction.nextSequence()
                try store.subscriptions.update(row)
            }
        }
        guard !names.types.isEmpty else { return }
        last = 0
        while case let rows = try store.keys.list(after: last, limit: Self.rowsAtOnce), !rows.isEmpty {
            for var row in rows {
                last = row.id
                let scope = names.scope(KeyScope(stored: row.scope)).stored
                guard row.revoked == nil, scope != row.scope else { continue }
                row.scope = scope
                try store.keys.update(row)
            }
        }
    }
}

extension StoredNames {
    /// Runs a change of something stored, and says in an error what it was.
    fileprivate func changing<Value>(
        _ kind: String, _ name: String, _ change: () throws(RecordError) -> Value
    ) throws(RecordError) -> Value {
        do throws(RecordError) { return try change() } catch {
            throw Self.blocked(kind, name, by: error.reason)
        }
    }

    /// A CONFLICT error for a rename that something stored does not allow.
    fileprivate static func blocked(_ kind: String, _ name: String, by reason: String) -> RecordError {
        RecordError(
            .conflict,
            kind == "job"
                ? "The job \(name) does not allow the rename: \(reason). Wait for its end, or cancel it"
                : "The \(kind) \(name) does not allow the rename: \(reason). Change or delete it first",
            details: [(kind, .text(name))])
    }
}

extension JSONObject {
    /// Reads a stored object.
    ///
    /// - Throws: INTERNAL_ERROR if it is damaged.
    fileprivate init(stored bytes: [UInt8]) throws(RecordError) {
        guard let object = (try? JSONValue.parse(bytes))?.object else {
            throw RecordError(.internalError, "A stored JSON object is damaged")
        }
        self = object
    }
}

extension JSONValue {
    /// The value as JSON text.
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
