internal import RecordModel

extension SchemaWriter {
    /// Adds fields to a type (just-in-time schema). If the type is missing, creates the type with the standard grants.
    ///
    /// - Throws: BAD_REQUEST for invalid names or too many fields.
    func extend(
        _ typeName: RecordTypeName, with fields: [(name: FieldName, type: FieldType)]
    ) throws(RecordError) {
        let evolution = SchemaEvolution.extending(
            transaction.schema, typeName, .standard, with: fields, justInTimeIn: transaction.environment)
        if evolution.violation == nil { try transaction.ensureSavepoint() }
        try apply(evolution)
    }
}
