internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// From what a request says of fields to what is stored of them.
extension RecordWriter {
    /// The operation's fields against the schema as it is now, extended just in time where that is allowed.
    ///
    /// - Parameters:
    ///   - known: The type, if the schema has it.
    ///   - record: The record that is changed; `nil` for a new one.
    func resolve(
        _ operation: RecordOperation, _ typeName: RecordTypeName, _ known: RecordTypeDefinition?, record: StoredRecord?
    ) throws(RecordError) -> (RecordTypeDefinition, ResolvedFields, claims: [AssetLinks.Claim]) {
        let (type, resolved) = try resolve(operation, typeName, known)
        var claims: [AssetLinks.Claim] = []
        guard !resolved.assets.isEmpty else { return (type, resolved, claims) }
        // Once more, now that it is known what the assets are.
        let completion = try AssetLinks(context: context)
            .completion(of: resolved.assets, record: record, type: type, claims: &claims)
        var completed = try resolveNow(operation, typeName, completing: completion)
        completed.notices = resolved.notices
        return (type, completed, claims)
    }

    private func resolve(
        _ operation: RecordOperation, _ typeName: RecordTypeName, _ known: RecordTypeDefinition?
    ) throws(RecordError) -> (RecordTypeDefinition, ResolvedFields) {
        switch operation.preparation {
        case .resolved(let resolved, let version):
            if isCurrent(version), resolved.newFields.isEmpty, let known { return (known, resolved) }
        case .misfit(let misfit, let version):
            // Not found out again: for the longest bodies that takes as long as writing them does.
            if isCurrent(version), operation.typeName == typeName { throw misfit }
        case .none, .refused: break
        }
        let resolved = try resolveNow(operation, typeName)
        if let known, resolved.newFields.isEmpty { return (known, resolved) }
        try allowExtending(typeName)
        try transaction.schemas.extend(typeName, with: resolved.newFields)
        guard let type = transaction.schema[typeName] else { throw .recordNotFound }
        var extended = try resolveNow(operation, typeName)
        extended.notices = resolved.notices + extended.notices
        return (type, extended)
    }

    /// Whether the schema is still the one by which an operation was prepared.
    private func isCurrent(_ version: Int64) -> Bool {
        version == transaction.schema.version && !transaction.rightsChanged
    }

    /// Refuses those who may write a type nowhere but in a private database of their own: its fields are everybody's.
    func allowExtending(_ typeName: RecordTypeName) throws(RecordError) {
        guard let type = transaction.schema[typeName] else { return }
        for action in [Action.create, .write]
        where Authorization.reach(of: action, for: caller, in: .publicDatabase, type: type) != .none {
            return
        }
        throw RecordError(
            .accessDenied,
            "Only those who may create or write records of a type in the public database add fields to it",
            details: [("recordType", .text(typeName.text))])
    }

    func resolveNow(
        _ operation: RecordOperation, _ typeName: RecordTypeName,
        completing completion: CanonicalValue.AssetCompletion? = nil
    ) throws(RecordError) -> ResolvedFields {
        try FieldResolver.resolve(
            operation.input, typeName: typeName, type: transaction.schema[typeName],
            allowsNewFields: transaction.environment == .development, recordBytes: transaction.limits.recordBytes,
            completing: completion)
    }

    func merged(
        _ changes: ResolvedFields, into existing: StoredFieldsView?, replacingAll: Bool, keeping kept: [Int] = [],
        record: RecordNumber
    ) throws(RecordError) -> FieldMerge {
        let records = transaction.records
        return try FieldMerger.merge(
            changes, into: existing, replacingAll: replacingAll, keeping: kept, now: transaction.now,
            recordBytes: transaction.limits.recordBytes,
            loadExternal: { field throws(RecordError) in
                try records.largeValue(record: record, field: field)
            })
    }
}
