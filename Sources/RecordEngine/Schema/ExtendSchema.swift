internal import RecordModel

extension WriteTransaction {
    /// Adds a type with the standard grants if it is missing, and fields to it: the schema just in time.
    func extendSchema(
        _ typeName: RecordTypeName, with fields: [(name: FieldName, type: FieldType)]
    ) throws(RecordError) {
        let evolution = SchemaEvolution.extending(
            schema, typeName, .standard, with: fields, justInTimeIn: environment)
        if evolution.violation == nil { try ensureSavepoint() }
        try apply(evolution)
    }
}
