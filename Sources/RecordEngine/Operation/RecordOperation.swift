package import RecordModel
package import RecordWire

/// One operation on one record, whichever route it came by.
package struct RecordOperation: Sendable {
    package typealias Verb = WriteVerb

    /// What is to be done.
    package var verb: Verb
    package var writeGuard: WriteGuard
    /// The type that the route or the batch item names.
    package var typeName: RecordTypeName?
    /// Whether a record of another type counts as missing, as where the type is part of the path.
    package var isTypeInPath: Bool
    package var recordName: RecordName?
    package var input: RecordInput
    /// What was found out before the operation came to the writer.
    var preparation = Preparation.none

    /// What is known of an operation before the writer has it.
    ///
    /// Indirect, since operations are handed on several times: one reference is counted then, not those of all arrays.
    enum Preparation: Sendable {
        case none
        /// The input against the schema of the loop that read it; the writer resolves again if the schema has moved on.
        indirect case resolved(ResolvedFields, version: Int64)
        /// Why the input does not fit that schema. The writer says so, once it has looked at the caller's rights.
        indirect case misfit(RecordError, version: Int64)
        /// Why the operation is refused before it is looked at: an item of a batch that lacks what its type needs.
        indirect case refused(RecordError)
    }

    package init(
        _ verb: Verb, writeGuard: WriteGuard = .none, typeName: RecordTypeName?, isTypeInPath: Bool,
        recordName: RecordName?, input: consuming RecordInput
    ) {
        self.verb = verb
        self.writeGuard = writeGuard
        self.typeName = typeName
        self.isTypeInPath = isTypeInPath
        self.recordName = recordName
        self.input = input
    }

    /// An item of a batch that is refused for a reason of its own; the others are not its business.
    package init(refusing item: OperationInput, with error: RecordError) {
        self.init(
            .delete(forgivesMissing: false), typeName: item.record.recordType, isTypeInPath: false,
            recordName: item.record.recordName, input: item.record)
        preparation = .refused(error)
    }

    /// An item of a batch, in CloudKit's terms (CloudKit reference, "Operation types").
    ///
    /// - Throws: BAD_REQUEST if the type needs a tag or a name that the item lacks.
    package init(_ item: OperationInput) throws(RecordError) {
        let (verb, writeGuard) = try item.write()
        let record = item.record
        self.init(
            verb, writeGuard: writeGuard, typeName: record.recordType, isTypeInPath: false,
            recordName: record.recordName, input: record)
    }
}

extension RecordOperation {
    /// Resolves its fields against a schema, so that the writer need not unless there is a newer one. On any
    /// thread.
    ///
    /// - Throws: What is wrong with the values.
    package mutating func prepare(by schema: Schema, in database: RecordDatabase) throws(RecordError) {
        if case .delete = verb { return }
        guard let typeName, let type = schema[typeName] else { return }
        do throws(RecordError) {
            let resolved = try FieldResolver.resolve(
                input, typeName: typeName, type: type, allowsNewFields: database.environment == .development,
                recordBytes: database.limits.recordBytes)
            preparation = .resolved(resolved, version: schema.version)
        } catch {
            preparation = .misfit(error, version: schema.version)
            throw error
        }
    }
}
