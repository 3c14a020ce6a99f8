package import RecordModel
internal import RecordStorage

extension Schemas {
    /// Gives one field another type, and leaves the rest of the schema alone: INT64 becomes DOUBLE, at once or in slices; to
    /// any type changes a field of a type without records. The type that a field has takes back a change under way.
    ///
    /// - Throws: `NOT_FOUND` for an unknown type or field; `BAD_REQUEST` for a change that would lose data.
    package func changeField(
        _ name: FieldName, of typeName: RecordTypeName, to wanted: FieldType, by actor: AuditActor = .server
    ) async throws(RecordError) {
        try await change { transaction throws(RecordError) in
            try transaction.callers.require(.changeSchema, of: actor)
            let before = transaction.schema
            guard let type = before[typeName] else { throw .unknownType(typeName) }
            guard let field = type[name.text] else {
                throw RecordError(
                    .notFound, "The type \(typeName) has no field \(name). PUT /schema adds one",
                    cause: .unknownName,
                    details: [("recordType", .text(typeName.text)), ("field", .text(name.text))])
            }
            let hasRecords = try transaction.records.hasRecords(type: type.id)
            transaction.entriesAtOnce = transaction.indexBuilding.entriesAtOnce
            try transaction.schemas.apply(.changing(field, to: wanted, of: type, hasRecords: hasRecords))
            let changes = SchemaChanges(from: before, to: transaction.schema)
            try transaction.auditLog.append(.schemaPut, typeName.text, by: actor, detail: changes.auditDetail)
        }
    }
}
