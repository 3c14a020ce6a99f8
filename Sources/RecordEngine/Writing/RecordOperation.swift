package import RecordModel
package import RecordWire

/// One operation on one record. Every route that writes records uses it.
package struct RecordOperation: Sendable {
    /// The kind of operation.
    package typealias Verb = WriteVerb

    /// The kind of operation.
    package var verb: Verb
    /// The precondition of the write.
    package var precondition: WritePrecondition
    /// The record type that the route or the batch item names.
    package var typeName: RecordTypeName?
    /// Whether the path of the route contains the type. A record of another type is then treated as missing.
    package var isTypeInPath: Bool
    /// The name of the record; `nil` lets the server choose a name.
    package var recordName: RecordName?
    /// The fields and metadata that the client sent.
    package var input: RecordInput
    /// The result of resolving the operation's fields in advance.
    var preparation = Preparation.none

    /// The result of resolving an operation's fields before the writer executes it.
    ///
    /// Indirect, because operations are passed on several times. Passing one on then counts a single reference instead
    /// of one per array.
    enum Preparation: Sendable {
        case none
        /// The fields, resolved with the schema of the event loop. If the schema has changed, the writer resolves the
        /// fields again.
        indirect case resolved(ResolvedFields, version: Int64)
        /// The error of resolving the fields with the schema of the event loop. The writer first checks the caller's
        /// permissions, then throws this error.
        indirect case misfit(RecordError, version: Int64)
        /// The error of a malformed batch item, such as an item without a required key. The writer throws this error
        /// before all other checks.
        indirect case rejected(RecordError)
    }

    /// Creates an operation.
    package init(
        _ verb: Verb, precondition: WritePrecondition = .none, typeName: RecordTypeName?, isTypeInPath: Bool,
        recordName: RecordName?, input: consuming RecordInput
    ) {
        self.verb = verb
        self.precondition = precondition
        self.typeName = typeName
        self.isTypeInPath = isTypeInPath
        self.recordName = recordName
        self.input = input
    }

    /// Creates a batch item that fails with an error. The other items of the batch still run.
    package init(rejecting item: OperationInput, with error: RecordError) {
        self.init(
            .delete(ignoresMissing: false), typeName: item.record.recordType, isTypeInPath: false,
            recordName: item.record.recordName, input: item.record)
        preparation = .rejected(error)
    }

    /// Creates the operation of a CloudKit batch item (CloudKit Web Services Reference, "Operation types").
    ///
    /// - Throws: BAD_REQUEST if the item's operation type requires a change tag or a name and the item has none.
    package init(_ item: OperationInput) throws(RecordError) {
        let (verb, precondition) = try item.write()
        let record = item.record
        self.init(
            verb, precondition: precondition, typeName: record.recordType, isTypeInPath: false,
            recordName: record.recordName, input: record)
    }
}

extension RecordOperation {
    /// Resolves the fields with a schema, on any thread. The writer resolves the fields again only if the schema has
    /// changed.
    ///
    /// - Parameter zone: The zone of the record, unless the operation names one.
    /// - Throws: BAD_REQUEST for invalid values.
    package mutating func prepare(
        by schema: Schema, in database: RecordDatabase, zone: ZoneName
    ) throws(RecordError) {
        if input.zone == nil, zone != .defaultZone { input.zone = zone }
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
