package import RecordModel
internal import RecordStorage
package import RecordWire

// Promotion, rollback and reset replace the schema as `put` does, by the same rules. If they change it, they store a
// snapshot of the earlier one.

extension Schemas {
    /// Returns the committed schema for another environment: complete, and with all custom roles.
    ///
    /// - Throws: The errors of the reader pool.
    package func documentToMove() async throws(RecordError) -> SchemaDocument {
        try await database.queries.pool.read(database) { reader throws(RecordError) in
            var document = SchemaDocument(reader.schema).complete
            document.roles.formUnion(try reader.roles.names())
            return document
        }
    }

    /// Replaces the schema of production by that of development.
    ///
    /// All rules of `put` apply. In addition, a promotion removes no type, and no field unless `dropsEmptyFields` is true.
    ///
    /// - Parameter development: The `documentToMove` of the development environment of the same container.
    /// - Throws: BAD_REQUEST if this is not production; the errors of `put`.
    @discardableResult
    package func promote(
        from development: SchemaDocument, _ options: SchemaOptions = SchemaOptions(), by actor: AuditActor = .server
    ) async throws(RecordError) -> SchemaOutcome {
        guard database.environment == .production else {
            throw .badRequest("A promotion changes production. Add environment=production to the request")
        }
        let options = options.with(.promotion)
        let document = development.complete
        return try await performDropping(options) { transaction, options throws(RecordError) in
            let before = try transaction.schemas.begin(options, by: actor)
            let earlier = transaction.schemas.text
            try transaction.schemas.rename(as: document)
            var outcome = try transaction.schemas.put(document, options, since: before, by: actor)
            outcome.snapshot = try transaction.schemas.addSnapshot(of: earlier, options.purpose, by: actor)
            return outcome
        }
    }

    /// Replaces the schema by an earlier one.
    ///
    /// Types and fields with records stay, and the outcome says which and why: only `put` without these records could
    /// remove them. All other rules of `put` apply.
    ///
    /// - Parameter id: The number of the snapshot.
    /// - Throws: NOT_FOUND for an unknown snapshot; the errors of `put`.
    @discardableResult
    package func rollBack(
        to id: Int64, _ options: SchemaOptions = SchemaOptions(), by actor: AuditActor = .server
    ) async throws(RecordError) -> SchemaOutcome {
        let options = options.with(.rollback)
        return try await perform(options) { transaction throws(RecordError) in
            let schemas = transaction.schemas
            let before = try schemas.begin(options, by: actor)
            let earlier = schemas.text
            guard let row = try transaction.store.schemaSnapshots.find(id) else { throw .snapshotNotFound }
            var document = try SchemaDocument.readText(row.text)
            try schemas.rename(as: document, undoes: true)
            var evolution = try schemas.plan(document, options, by: actor)
            var kept: [String] = []
            var losses = evolution.refusals.filter { $0.loss != nil }
            // One pass finds all types and fields; the others are a precaution. What is then left is an error of `put`.
            for _ in 0..<3 where !losses.isEmpty {
                document.keep(losses.compactMap(\.loss), from: SchemaDocument(transaction.schema).complete)
                for reason in losses.map(\.error.reason) where !kept.contains(reason) { kept.append(reason) }
                evolution = try schemas.plan(document, options, by: actor)
                losses = evolution.refusals.filter { $0.loss != nil }
            }
            var outcome = try schemas.put(document, as: evolution, options, since: before, by: actor)
            outcome.snapshot = try schemas.addSnapshot(of: earlier, options.purpose, by: actor)
            outcome.kept = kept
            return outcome
        }
    }

    /// Replaces the schema of development by that of production.
    ///
    /// - Parameters:
    ///   - production: The `documentToMove` of the production environment of the same container.
    ///   - deletesRecords: Whether the records of a type are deleted if the type, or one of its fields, cannot stay as it
    ///     is. Records that refer to them with DELETE_SELF are deleted later, in time slices.
    /// - Throws: BAD_REQUEST if this is not development, if records would be lost and `deletesRecords` is false, or with
    ///   cause TOO_LARGE if there are more than `limits.setRecords` of them; the errors of `put`.
    @discardableResult
    package func reset(
        to production: SchemaDocument, deletesRecords: Bool, _ options: SchemaOptions = SchemaOptions(),
        by actor: AuditActor = .server
    ) async throws(RecordError) -> SchemaOutcome {
        guard database.environment == .development else {
            throw .badRequest("A reset changes development. Add environment=development to the request")
        }
        let options = options.with(.reset)
        let document = production.complete
        let outcome = try await perform(options) { transaction throws(RecordError) in
            let schemas = transaction.schemas
            let before = try schemas.begin(options, by: actor)
            let earlier = schemas.text
            try schemas.rename(as: document, undoes: true)
            var evolution = try schemas.plan(document, options, by: actor)
            var deleted = 0
            let types = schemas.types(of: evolution.refusals.compactMap(\.loss))
            if !types.isEmpty {
                guard deletesRecords else { throw schemas.recordsWouldBeLost(types, by: actor) }
                deleted = try schemas.deleteRecords(of: types)
                evolution = try schemas.plan(document, options, by: actor)
            }
            var outcome = try schemas.put(document, as: evolution, options, since: before, by: actor)
            outcome.snapshot = try schemas.addSnapshot(of: earlier, options.purpose, by: actor)
            outcome.deletedRecords = deleted
            return outcome
        }
        if outcome.deletedRecords > 0, !options.isDryRun { database.accounts.finishRemovals() }
        return outcome
    }
}

extension SchemaWriter {
    /// The most snapshots. Older ones are deleted.
    private static let mostSnapshots = 100

    /// The schema as text.
    fileprivate var text: String { SchemaDocument(transaction.schema).text }

    /// Stores a snapshot of an earlier schema, unless the schema is still the same.
    ///
    /// - Returns: The number of the snapshot; `nil` if the schema is the same.
    fileprivate func addSnapshot(
        of earlier: String, _ purpose: SchemaPurpose, by actor: AuditActor
    ) throws(RecordError) -> Int64? {
        guard earlier != text else { return nil }
        let (kind, name) = try transaction.auditLog.name(of: actor)
        let row = SchemaSnapshotRow(
            created: transaction.now, actorKind: kind, actor: name, reason: purpose.rawValue,
            text: Array(earlier.utf8))
        return try transaction.store.schemaSnapshots.add(row, most: Self.mostSnapshots)
    }

    /// Returns the types that lose something, sorted by name. The records of accounts are not among them: they belong to
    /// the accounts.
    fileprivate func types(of losses: [SchemaRefusal.Loss]) -> [RecordTypeDefinition] {
        let names = losses.map { loss in
            switch loss {
            case .type(let name), .field(let name, _): name
            }
        }
        return Set(names).subtracting([.users]).compactMap { transaction.schema[$0] }
            .sorted { $0.name.text < $1.name.text }
    }

    fileprivate func recordsWouldBeLost(_ types: [RecordTypeDefinition], by actor: AuditActor) -> RecordError {
        var error = RecordError.badRequest(
            "Types with records would lose fields, or are not in production. Delete these records first, or send {\"deleteRecords\":true}, which deletes all records of these types"
        )
        let caller = (try? transaction.callers.current(actor.caller)) ?? .anonymous
        if Authorization.authorize(caller, .readSchema) == .allowed {
            error.details.append(("recordTypes", .list(types.map(\.name.text))))
        }
        return error
    }

    /// Deletes all records of types in all zones.
    ///
    /// - Returns: The number of records.
    /// - Throws: BAD_REQUEST with cause TOO_LARGE for more than `limits.setRecords` records.
    fileprivate func deleteRecords(of types: [RecordTypeDefinition]) throws(RecordError) -> Int {
        let most = transaction.limits.setRecords
        var writers: [ZoneID: RecordWriter] = [:]
        var count = 0
        for type in types {
            let rows = try transaction.records.records(type: type.id, limit: most - count + 1)
            count += rows.count
            guard count <= most else {
                throw .badRequest(
                    "A reset deletes at most \(most) records, and there are more. Delete some first, with DELETE /query/{type}",
                    cause: .tooLarge, details: [("limit", .number(Int64(most)))])
            }
            for row in rows {
                guard let record = try transaction.records.find(id: row.record), !record.row.isDeleted else { continue }
                let writer: RecordWriter
                if let known = writers[row.zone] { writer = known } else { writer = try remover(of: row.zone) }
                writers[row.zone] = writer
                writer.checkedBelow = 0
                let name = try writer.writeTombstoneAlone(record, zone: row.zone)
                let sources = try transaction.records.sources(
                    zone: row.zone, target: name, action: ReferenceAction.deleteSelf.rawValue, limit: 1)
                if !sources.isEmpty { try transaction.store.removals.addCascade(zone: row.zone, target: name) }
            }
        }
        return count
    }

    /// Returns a writer that deletes records of a zone with all rights.
    private func remover(of zone: ZoneID) throws(RecordError) -> RecordWriter {
        var address = DatabaseAddress.publicDefault
        if let stored = try transaction.zones.address(of: zone) {
            address = DatabaseAddress(
                scope: stored.scope == 0 ? .publicDatabase : .privateDatabase(owner: stored.owner),
                zone: ZoneName(stored.name) ?? .defaultZone)
        }
        return RecordWriter(
            transaction,
            WriteRequest(caller: .administrator(.bootstrap), address: address, shape: .single, operations: []))
    }
}

extension SchemaDocument {
    /// Adds definitions that the document must not lose.
    ///
    /// - Parameter present: The document with the definitions.
    fileprivate mutating func keep(_ losses: [SchemaRefusal.Loss], from present: SchemaDocument) {
        for loss in losses {
            switch loss {
            case .type(let name):
                if let entry = present.types.first(where: { $0.name == name }) { types.append(entry) }
            case .field(let typeName, let name):
                guard let position = types.firstIndex(where: { $0.name == typeName }),
                    let entry = present.types.first(where: { $0.name == typeName }),
                    let field = entry.fields.first(where: { $0.name == name })
                else { continue }
                types[position].fields.removeAll { $0.name == name }
                types[position].fields.append(field)
            }
        }
    }
}

extension RecordError {
    /// The error for an unknown snapshot of the schema.
    package static let snapshotNotFound = RecordError(
        .notFound, "There is no such snapshot of the schema. GET /schema/snapshots lists them")
}

/// A stored earlier schema.
package struct SchemaSnapshot: Hashable, Sendable {
    private let row: SchemaSnapshotRow

    fileprivate init(_ row: SchemaSnapshotRow) { self.row = row }

    /// The schema as a text of the schema language; empty in lists.
    package var text: [UInt8] { row.text }

    /// The number of the snapshot.
    package var id: Int64 { row.id }

    /// Returns the snapshot as JSON, without the schema: `{"id","created","before","by":{"kind","name"}}`. Only callers
    /// that may read the audit log get `by`.
    package func json(for caller: Caller) -> JSONValue {
        var object = JSONObject([
            ("id", .integer(row.id)), ("created", .integer(row.created)), ("before", .string(row.reason)),
        ])
        if Authorization.authorize(caller, .readAudit) == .allowed {
            object["by"] = ["kind": .string(row.actorKind), "name": .string(row.actor)]
        }
        return .object(object)
    }
}

/// Reads the snapshots of the schema.
package struct SchemaSnapshotReader {
    let reader: RecordReader

    /// Returns all snapshots without their texts, newest first.
    package func list() throws(RecordError) -> [SchemaSnapshot] {
        try reader.store.schemaSnapshots.list().map(SchemaSnapshot.init)
    }

    /// Returns a snapshot.
    ///
    /// - Throws: NOT_FOUND for an unknown snapshot.
    package func find(_ id: Int64) throws(RecordError) -> SchemaSnapshot {
        guard let row = try reader.store.schemaSnapshots.find(id) else { throw .snapshotNotFound }
        return SchemaSnapshot(row)
    }
}
