package import RecordModel
internal import RecordStorage
internal import RecordWire

extension RecordDatabase {
    /// Gives one field another type, and leaves the rest of the schema alone: INT64 becomes DOUBLE, at once or in slices; to
    /// any type changes a field of a type without records. The type that a field has takes back a change under way.
    ///
    /// - Throws: `NOT_FOUND` for an unknown type or field; `BAD_REQUEST` for a change that would lose data.
    package nonisolated func changeField(
        _ name: FieldName, of typeName: RecordTypeName, to wanted: FieldType, by actor: AuditActor = .server
    ) async throws(RecordError) {
        let hasWork = try await write(isAlone: true) { transaction throws(RecordError) in
            try transaction.require(.changeSchema, of: actor)
            guard var type = transaction.schema[typeName] else { throw .unknownType(typeName) }
            guard let field = type[name.text] else {
                throw RecordError(
                    .notFound, "The type \(typeName) has no field \(name). PUT /schema adds one",
                    cause: .unknownName,
                    details: [("recordType", .text(typeName.text)), ("field", .text(name.text))])
            }
            let before = transaction.schema
            transaction.entriesAtOnce = transaction.indexBuilding.entriesAtOnce
            var widening = type.wideningFields
            if field.type.widened == wanted {
                widening.insert(field.id)
            } else {
                widening.remove(field.id)
                if field.type != wanted {
                    try transaction.allowRetyping(field, to: wanted, of: type)
                    try transaction.remove([field], from: &type)
                    try transaction.addField(name, wanted, to: &type)
                }
            }
            let declared = type.declaredShapes.filter { $0.columns.allSatisfy { type.has($0.source) } }
            try transaction.setIndexes(of: type, declared: declared, retriesFailed: false, widening: widening)
            try transaction.refuseFailedWidening(of: widening, in: typeName)
            let changes = SchemaChanges(from: before, to: transaction.schema)
            try transaction.audit(.schemaPut, typeName.text, by: actor, detail: changes.auditDetail)
            return try transaction.hasIndexWork()
        }
        if hasWork { buildIndexes() }
    }
}

extension WriteTransaction {
    /// Refuses to give a field another type while there are records that may have it.
    func allowRetyping(
        _ field: FieldDefinition, to wanted: FieldType, of type: RecordTypeDefinition
    ) throws(RecordError) {
        guard try records.hasRecords(type: type.id) else { return }
        throw .wouldLoseData(
            "The field \(field.name) of type \(type.name) is \(field.type.schemaName) and cannot become \(wanted.schemaName) while there are records. Delete them first, or add a field with another name",
            type: type.name, field: field.name)
    }

    /// Takes fields out of a type without records.
    func remove(_ gone: [FieldDefinition], from type: inout RecordTypeDefinition) throws(RecordError) {
        let number = type.id
        for field in gone { try schemaTable.removeField(field.id, type: number) }
        type = type.replacing(
            fields: type.fields.filter { field in !gone.contains { $0.id == field.id } },
            indexes: type.indexes + type.replacements)
    }

    /// Refuses a change that a record's value has made impossible, if that was found out at once.
    func refuseFailedWidening(of fields: Set<Int>, in typeName: RecordTypeName) throws(RecordError) {
        guard let type = schema[typeName] else { return }
        for id in fields {
            guard case .failed(let reason)? = type.check(ofField: id)?.state, let field = type[id: id] else { continue }
            throw .wouldLoseData(
                "The field \(field.name) of type \(typeName) cannot become \(field.type.widened?.schemaName ?? ""): \(reason)",
                type: typeName, field: field.name)
        }
    }
}
