internal import RecordModel

extension SchemaWriter {
    /// Adds a type with the standard grants if it is missing, and fields to it: the schema just in time.
    func extend(
        _ typeName: RecordTypeName, with fields: [(name: FieldName, type: FieldType)]
    ) throws(RecordError) {
        let evolution = SchemaEvolution.extending(
            transaction.schema, typeName, .standard, with: fields, justInTimeIn: transaction.environment)
        if evolution.violation == nil { try transaction.ensureSavepoint() }
        try apply(evolution)
    }
}
