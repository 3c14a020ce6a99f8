internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Checks the caller's permissions on a record, and hides details that the caller may not read in errors.
extension RecordWriter {
    /// Denies a change of a record's access list if the caller may not read the record. Such a caller could otherwise
    /// grant itself READ.
    ///
    /// - Throws: ACCESS_DENIED.
    func allowChangingAccess(
        _ operation: RecordOperation, of row: RecordRow, _ visibility: Visibility
    ) throws(RecordError) {
        guard operation.input.hasACL, !visibility.mayRead(row.facts) else { return }
        throw RecordError(
            .accessDenied, "Only callers with READ for the record can change its access list. Leave 'acl' out",
            details: [("path", .text("acl"))])
    }

    /// Returns the error for a record name that is taken. The error contains the type of the existing record if the
    /// caller may read the record.
    func exists(_ row: RecordRow) -> RecordError {
        guard let type = transaction.schema[id: row.type], context.visibility(of: type).mayRead(row.facts) else {
            return .recordExists
        }
        return .recordExists(as: type.name)
    }

    /// Returns the error for a missing record, or for a record whose existence the caller may not know.
    ///
    /// - Throws: The error of `requireSomeWriteRight`.
    func missing(_ operation: RecordOperation) throws(RecordError) -> RecordError {
        try requireSomeWriteRight(operation)
        if case .tags = operation.precondition, operation.isTypeInPath { return .preconditionOnMissing }
        if case .exists = operation.precondition { return .preconditionOnMissing }
        return .recordNotFound
    }

    /// Denies anonymous callers that could not write the record even if the record existed. Otherwise they could find
    /// out which names exist.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    func requireSomeWriteRight(_ operation: RecordOperation) throws(RecordError) {
        guard let typeName = operation.typeName, let type = transaction.schema[typeName] else { return }
        if Authorization.permitted(of: .write, for: caller, in: address.scope, type: type) == .none,
            caller == .anonymous
        {
            throw .rejected(caller, .write, .record(typeName))
        }
    }

    /// Checks the precondition of an operation against the stored record.
    ///
    /// - Throws: CONFLICT with cause PRECONDITION_FAILED. The error contains the record if the caller may read it.
    func check(
        _ precondition: WritePrecondition, _ record: StoredRecord, type: RecordTypeDefinition
    ) throws(RecordError) {
        let holds: Bool
        switch precondition {
        case .none, .exists: holds = true
        case .absent: holds = false
        case .tags(let tags): holds = tags.contains(RecordTag.text(record.row.revision))
        }
        if holds { return }
        throw .preconditionFailed(try dictionary(of: record, type), wantsNone: precondition == .absent)
    }

    /// Returns a record's current state in the transaction as JSON; `nil` if the record does not exist or the caller
    /// may not read it.
    func readableRecord(_ name: RecordName) throws(RecordError) -> [UInt8]? {
        guard let zone = try existingZone(), let record = try find(name, zone: zone),
            let type = transaction.schema[id: record.row.type]
        else { return nil }
        return try dictionary(of: record, type)
    }

    /// Returns a record as JSON; `nil` if the caller may not read it.
    func dictionary(of record: StoredRecord, _ type: RecordTypeDefinition) throws(RecordError) -> [UInt8]? {
        let visibility = context.visibility(of: type)
        guard visibility.mayRead(record.row.facts) else { return nil }
        var json: [UInt8] = []
        try responses.append(
            record.row, type: type, visibility, name: record.name,
            fields: StoredFields(text: record.fields, layout: record.layout), to: &json)
        return json
    }
}
