internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Resolves the fields of a request into stored fields.
extension RecordWriter {
    /// Resolves the operation's fields against the current schema. In development, unknown fields are added to the
    /// schema.
    ///
    /// - Parameters:
    ///   - known: The type; `nil` if the schema does not have the type yet.
    ///   - record: The record to change; `nil` for a new record.
    /// - Returns: The type including new fields; the resolved fields; the assets whose upload tokens the operation
    ///   uses.
    func resolve(
        _ operation: RecordOperation, _ typeName: RecordTypeName, _ known: RecordTypeDefinition?, record: StoredRecord?
    ) throws(RecordError) -> (RecordTypeDefinition, ResolvedFields, claims: [AssetLinks.Claim]) {
        let (type, resolved): (RecordTypeDefinition, ResolvedFields)
        do throws(RecordError) { (type, resolved) = try resolve(operation, typeName, known) } catch {
            throw withoutHiddenName(error, known)
        }
        var claims: [AssetLinks.Claim] = []
        guard !resolved.assets.isEmpty else { return (type, resolved, claims) }
        // Resolve again, now with the sizes and types of the assets.
        let completion = try AssetLinks(context: context, isRestoring: isRestoring)
            .completion(
                of: resolved.assets, record: record, name: operation.recordName, type: type, claims: &claims)
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
            // Reuse the error found during preparation: for the longest bodies, resolving again takes as long as
            // writing.
            if isCurrent(version), operation.typeName == typeName { throw misfit }
        case .none, .rejected: break
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

    /// Returns an error without the present name of a renamed field that does not exist for the caller.
    private func withoutHiddenName(_ error: RecordError, _ type: RecordTypeDefinition?) -> RecordError {
        guard case .text(let name)? = error.details.first(where: { $0.key == "renamedTo" })?.value,
            case .text(let former)? = error.details.first?.value, let type, let field = type[name],
            let hidden = context.visibility(of: type).fields?.unreadable(isOwn: false), hidden.contains(field.id),
            let former = FieldName(former), case .number(let offset)? = error.details.last?.value
        else { return error }
        return .unknownField(former, of: type.name, offset: Int(offset))
    }

    /// Returns whether an operation was prepared with the current schema.
    private func isCurrent(_ version: Int64) -> Bool {
        version == transaction.schema.version && !transaction.rightsChanged
    }

    /// Denies adding fields if the caller may write the type only in its private database. The type's fields are shared
    /// by all databases.
    ///
    /// - Throws: ACCESS_DENIED.
    func allowExtending(_ typeName: RecordTypeName) throws(RecordError) {
        guard let type = transaction.schema[typeName] else { return }
        for action in [Action.create, .write]
        where Authorization.permitted(of: action, for: caller.account, in: .publicDatabase, type: type) != .none {
            return
        }
        throw RecordError(
            .accessDenied,
            "Only callers with CREATE or WRITE for a type in the public database can add fields to it",
            details: [("recordType", .text(typeName.text))])
    }

    /// Resolves the operation's fields against the current schema, without adding fields to it.
    func resolveNow(
        _ operation: RecordOperation, _ typeName: RecordTypeName,
        completing completion: CanonicalValue.AssetCompletion? = nil
    ) throws(RecordError) -> ResolvedFields {
        try FieldResolver.resolve(
            operation.input, typeName: typeName, type: transaction.schema[typeName],
            allowsNewFields: transaction.environment == .development, recordBytes: transaction.limits.recordBytes,
            completing: completion)
    }

    /// Merges resolved fields into the stored fields of a record.
    ///
    /// - Parameters:
    ///   - replacingAll: Whether to remove fields that the operation does not name.
    ///   - kept: The fields to keep in any case.
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
