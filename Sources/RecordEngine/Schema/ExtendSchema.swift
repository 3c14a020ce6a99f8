internal import RecordModel
internal import RecordStorage

extension WriteTransaction {
    /// Adds a type with the standard grants if it is missing, and fields to it: the schema just in time.
    func extendSchema(
        _ typeName: RecordTypeName, with fields: [(name: FieldName, type: FieldType)]
    ) throws(RecordError) {
        guard environment == .development else {
            throw .badRequest(
                "The schema of the production environment changes by PUT /schema only", cause: .unknownName)
        }
        try ensureSavepoint()
        var type: RecordTypeDefinition
        if let known = schema[typeName] {
            type = known
        } else {
            type = try addType(typeName, grants: .standard)
        }
        for field in fields { try addField(field.name, field.type, to: &type) }
        schema.set(type)
        rightsChanged = true
    }

    func addType(_ name: RecordTypeName, grants: Grants) throws(RecordError) -> RecordTypeDefinition {
        guard schema.types.count < Limits.recordTypes else {
            throw .badRequest(
                "The schema has its full number of record types", cause: .tooLarge,
                details: [("limit", .number(Int64(Limits.recordTypes)))])
        }
        let id = try schemaTable.addType(name)
        try schemaTable.setGrants(grants, type: id, sequence: 0)
        return RecordTypeDefinition(id: id, name: name, grants: grants)
    }

    func addField(
        _ name: FieldName, _ kind: FieldType, to type: inout RecordTypeDefinition
    ) throws(RecordError) {
        guard type.fields.count < Limits.fieldsPerType else {
            throw .badRequest(
                "The type \(type.name) has its full number of fields", cause: .tooLarge,
                details: [("limit", .number(Int64(Limits.fieldsPerType)))])
        }
        let field = FieldDefinition(id: type.nextFieldID, name: name, type: kind)
        let number = type.id
        try schemaTable.addField(field, type: number)
        type.add(field)
    }
}
