package import RecordModel
internal import RecordStorage

extension Schemas {
    /// Changes the type of one field and leaves the rest of the schema unchanged.
    ///
    /// INT64 can become DOUBLE, at once or in time slices. If the record type has no records, a field can get any type.
    /// Passing the field's current type cancels a change in progress.
    ///
    /// - Throws: NOT_FOUND for an unknown type or field; BAD_REQUEST for a change that would lose data; ACCESS_DENIED
    ///   or AUTHENTICATION_REQUIRED.
    package func changeField(
        _ name: FieldName, of typeName: RecordTypeName, to wanted: FieldType, by actor: AuditActor = .server
    ) async throws(RecordError) {
        try await change { transaction throws(RecordError) in
            try transaction.callers.require(.changeSchema, of: actor)
            let before = transaction.schema
            let type = try before.requireType(typeName)
            let field = try type.requireField(name)
            let hasRecords = try transaction.records.hasRecords(type: type.id)
            transaction.inlineEntries = transaction.indexBuilding.inlineEntries
            try transaction.schemas.apply(.changing(field, to: wanted, of: type, hasRecords: hasRecords))
            let changes = SchemaChanges(from: before, to: transaction.schema)
            try transaction.auditLog.append(.schemaPut, typeName.text, by: actor, detail: changes.auditDetail)
        }
    }
}
