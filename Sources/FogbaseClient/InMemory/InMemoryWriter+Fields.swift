internal import RecordModel
internal import RecordWire

/// The conversion of an operation's input to stored fields and access lists.
extension InMemoryWriter {
    /// Resolves the fields of an operation against the schema, and extends the schema if necessary.
    func resolve(
        _ operation: InMemoryOperation, _ typeName: RecordTypeName, existing: InMemoryRecord?,
        in database: inout InMemoryDatabase
    ) throws(RecordError) -> (RecordTypeDefinition, ResolvedFields) {
        var changes = try resolve(operation, typeName, in: database)
        if database.schema[typeName] == nil || !changes.newFields.isEmpty {
            try database.extendSchema(typeName, with: changes.newFields, grants: .standard)
            changes = try resolve(operation, typeName, in: database)
        }
        guard let type = database.schema[typeName] else { throw .recordNotFound }
        guard !changes.assets.isEmpty else { return (type, changes) }
        // Resolve the fields again, with the stored properties of the files.
        let known = try database.files.prove(changes.assets, existing: existing, type, call)
        return (type, try resolve(operation, typeName, in: database) { known[$0.fileChecksum] ?? $0 })
    }

    private func resolve(
        _ operation: InMemoryOperation, _ typeName: RecordTypeName, in database: InMemoryDatabase,
        completing complete: CanonicalValue.AssetCompletion? = nil
    ) throws(RecordError) -> ResolvedFields {
        var input = operation.input
        input.zone = call.zoneName
        return try FieldResolver.resolve(
            input, typeName: typeName, type: database.schema[typeName], allowsNewFields: typeName != .share,
            recordBytes: database.limits.recordBytes, completing: complete)
    }

    func merge(
        _ changes: ResolvedFields, into existing: InMemoryRecord?, replacesAll: Bool, in database: InMemoryDatabase
    ) throws(RecordError) -> FieldMerge {
        try (existing?.fields ?? .empty).withView { view throws(RecordError) in
            try FieldMerger.merge(
                changes, into: existing == nil ? nil : view, replacingAll: replacesAll, now: database.now,
                recordBytes: database.limits.recordBytes,
                loadExternal: { field throws(RecordError) in existing?.externals[field] ?? [] })
        }
    }

    /// Returns the access list after an operation, in stored form.
    func access(
        _ operation: InMemoryOperation, of record: InMemoryRecord, in database: InMemoryDatabase
    ) throws(RecordError) -> [UInt8]? {
        switch try operation.input.accessChange() {
        case .none: return record.access
        case .remove: return nil
        case .replace(let template):
            guard call.scope == .publicDatabase else {
                throw .badRequest("The records of a private database are their owner's alone and have no access list")
            }
            var list = AccessList()
            for entry in template.entries {
                list[try principal(entry.name, creator: record.creator, database.accounts)].formUnion(entry.rights)
            }
            return StoredAccess.encode(list)
        }
    }

    private func principal(
        _ name: AccessTemplate.Name, creator: UserID, _ accounts: InMemoryAccounts
    ) throws(RecordError) -> Principal {
        switch name {
        case .everyone: return .everyone
        case .creator where accounts.users[creator] != nil: return .user(creator)
        case .user(let name):
            if let id = accounts.id(named: name.text) { return .user(id) }
        case .creator, .role: break
        }
        throw .badRequest(
            "The access list names a user that does not exist", cause: .unknownName,
            details: [("principal", .text(name.text))])
    }
}
