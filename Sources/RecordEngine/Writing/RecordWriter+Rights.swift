internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// What a caller may do with a record, and what it may know of it.
extension RecordWriter {
    /// Refuses a change of the access list of a record that the caller may not read: whoever writes a list could let
    /// itself in.
    func allowChangingAccess(
        _ operation: RecordOperation, of row: RecordRow, _ visibility: Visibility
    ) throws(RecordError) {
        guard operation.input.hasACL, !visibility.mayRead(row.facts) else { return }
        throw RecordError(
            .accessDenied, "Only who may read the record changes its access list. Leave 'acl' out",
            details: [("path", .text("acl"))])
    }

    /// The refusal to give a record the name of another one, with its type for callers that can read it.
    func exists(_ row: RecordRow) -> RecordError {
        guard let type = transaction.schema[id: row.type], context.visibility(of: type).mayRead(row.facts) else {
            return .recordExists
        }
        return .recordExists(as: type.name)
    }

    /// What a caller learns who names a record that is not there: the same as of one that it may not see.
    func missing(_ operation: RecordOperation) throws(RecordError) -> RecordError {
        try requireSomeWriteRight(operation)
        if case .tags = operation.writeGuard, operation.isTypeInPath { return .conditionOnMissing }
        if case .exists = operation.writeGuard { return .conditionOnMissing }
        return .recordNotFound
    }

    /// Refuses callers who could not write the record whoever had created it, so that they cannot tell which names exist.
    func requireSomeWriteRight(_ operation: RecordOperation) throws(RecordError) {
        guard let typeName = operation.typeName, let type = transaction.schema[typeName] else { return }
        if Authorization.reach(of: .write, for: caller, in: address.scope, type: type) == .none,
            caller == .anonymous
        {
            throw .refused(caller, .write, .record(typeName))
        }
    }

    func check(
        _ writeGuard: WriteGuard, _ record: StoredRecord, type: RecordTypeDefinition
    ) throws(RecordError) {
        let holds: Bool
        switch writeGuard {
        case .none, .exists: holds = true
        case .absent: holds = false
        case .tags(let tags): holds = tags.contains(RecordTag.text(record.row.revision))
        }
        if holds { return }
        throw .preconditionFailed(try dictionary(of: record, type), wantsNone: writeGuard == .absent)
    }

    /// A record as the transaction has it now; `nil` if there is none that the caller may read.
    func readableRecord(_ name: RecordName) throws(RecordError) -> [UInt8]? {
        guard let zone = try existingZone(), let record = try find(name, zone: zone),
            let type = transaction.schema[id: record.row.type]
        else { return nil }
        return try dictionary(of: record, type)
    }

    func dictionary(of record: StoredRecord, _ type: RecordTypeDefinition) throws(RecordError) -> [UInt8]? {
        let visibility = context.visibility(of: type)
        guard visibility.mayRead(record.row.facts) else { return nil }
        var json: [UInt8] = []
        try answers.append(
            record.row, type: type, visibility, name: record.name,
            fields: StoredFields(text: record.fields, layout: record.layout), to: &json)
        return json
    }
}
