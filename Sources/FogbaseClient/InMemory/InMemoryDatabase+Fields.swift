internal import Foundation
internal import RecordModel
internal import RecordWire

/// From what a request says of a record to what is kept of it, and from there to an answer.
extension InMemoryDatabase {
    /// An operation's fields against the schema, extended just in time.
    mutating func resolve(
        _ operation: InMemoryOperation, _ typeName: RecordTypeName, existing: KeptRecord?, _ call: InMemoryCall
    ) throws(RecordError) -> (RecordTypeDefinition, ResolvedFields) {
        var changes = try resolve(operation, typeName)
        if schema[typeName] == nil || !changes.newFields.isEmpty {
            try extendSchema(typeName, with: changes.newFields, grants: .standard)
            changes = try resolve(operation, typeName)
        }
        guard let type = schema[typeName] else { throw .recordNotFound }
        guard !changes.assets.isEmpty else { return (type, changes) }
        // Once more, now that it is known what the files are.
        let known = try files.prove(changes.assets, existing: existing, type, call)
        return (type, try resolve(operation, typeName) { known[$0.fileChecksum] ?? $0 })
    }

    private func resolve(
        _ operation: InMemoryOperation, _ typeName: RecordTypeName,
        completing complete: CanonicalValue.AssetCompletion? = nil
    ) throws(RecordError) -> ResolvedFields {
        try FieldResolver.resolve(
            operation.input, typeName: typeName, type: schema[typeName], allowsNewFields: true,
            recordBytes: limits.recordBytes, completing: complete)
    }

    mutating func extendSchema(
        _ name: RecordTypeName, with fields: [(name: FieldName, type: FieldType)], grants: Grants
    ) throws(RecordError) {
        let evolution = SchemaEvolution.extending(schema, name, grants, with: fields)
        if let violation = evolution.violation { throw violation }
        for step in evolution.steps { schema.apply(step, number: Int64(schema.types.count + 1)) }
    }

    func merge(
        _ changes: ResolvedFields, into existing: KeptRecord?, replacesAll: Bool
    ) throws(RecordError) -> FieldMerge {
        try (existing?.fields ?? .empty).withView { view throws(RecordError) in
            try FieldMerger.merge(
                changes, into: existing == nil ? nil : view, replacingAll: replacesAll, now: now,
                recordBytes: limits.recordBytes,
                loadExternal: { field throws(RecordError) in existing?.externals[field] ?? [] })
        }
    }

    mutating func bury(_ record: KeptRecord, by caller: Caller) {
        var record = record
        record.sequence = nextSequence()
        record.revision += 1
        record.modifier = caller.writerID
        record.modified = now
        record.clear()
        keep(record, at: record.key)
    }

    func fieldName(_ field: Int, of record: KeptRecord) -> String {
        schema[id: record.type]?[id: field]?.name.text ?? ""
    }

    // MARK: Answers

    /// Appends a record, or what a writer learns of one that it may not read.
    func append(_ record: KeptRecord, _ call: InMemoryCall, to text: inout [UInt8]) throws(RecordError) {
        guard let type = schema[id: record.type] else { throw .recordNotFound }
        let name = Array(record.key.name.text.utf8)
        try name.withUnsafeBufferPointer { name throws(RecordError) in
            let name = UnsafeRawBufferPointer(name)
            guard call.may(.read, record, type) else {
                RecordComposer.appendStub(name: name, typeName: type.name, revision: record.revision, to: &text)
                return
            }
            let header = RecordHeader(
                name: name, typeName: type.name, revision: record.revision, created: record.created,
                creator: accounts.name(of: record.creator), modified: record.modified,
                modifier: accounts.name(of: record.modifier),
                access: shownAccess(of: record, type, call))
            let selection: FieldSelection =
                call.fields.map { names in .only(names.compactMap { type[$0]?.id }.sorted()) } ?? .all
            try record.fields.withView { view throws(RecordError) in
                RecordComposer.append(
                    header, fields: view, selection: selection,
                    external: { field, output in output += record.externals[field] ?? [] },
                    downloadURL: { _, asset in files.url(of: asset) }, to: &text)
            }
        }
    }

    func appendTombstone(_ record: KeptRecord, to text: inout [UInt8]) {
        guard let type = schema[id: record.type] else { return }
        Array(record.key.name.text.utf8).withUnsafeBytes {
            RecordComposer.appendTombstone(name: $0, typeName: type.name, to: &text)
        }
    }

    /// The text of a record's ETag: another where its access list is shown.
    func entityTag(of record: KeptRecord, _ call: InMemoryCall) -> String {
        guard let type = schema[id: record.type] else { return record.tag }
        return shownAccess(of: record, type, call) == nil ? record.tag : record.tag + "-1"
    }

    // MARK: Access lists

    /// The list that a record shall have after an operation, in stored form.
    func access(
        _ operation: InMemoryOperation, of record: KeptRecord, _ call: InMemoryCall
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
                list[try principal(entry.name, creator: record.creator)].formUnion(entry.rights)
            }
            return StoredAccess.encode(list)
        }
    }

    private func principal(_ name: AccessTemplate.Name, creator: UserID) throws(RecordError) -> Principal {
        switch name {
        case .everyone: return .everyone
        case .creator where accounts.users[creator] != nil: return .user(creator)
        case .user(let name):
            if let id = accounts.id(named: name.text) { return .user(id) }
        case .creator, .role: break
        }
        throw .badRequest(
            "The access list names somebody who is not there", cause: .unknownName,
            details: [("principal", .text(name.text))])
    }

    /// The list as answers show it, to those who may change it.
    private func shownAccess(
        of record: KeptRecord, _ type: RecordTypeDefinition, _ call: InMemoryCall
    ) -> [UInt8]? {
        guard let access = record.access, call.may(.write, record, type) else { return nil }
        let list = StoredAccess.decode(access).rights.sorted { $0.key < $1.key }
        let shown = list.map { principal, rights -> (String, JSONValue) in
            if case .user(let id) = principal { (accounts.name(of: id), rights.json) } else { ("*", rights.json) }
        }
        return JSONValue.object(JSONObject(shown.filter { $0.0 != InMemoryAccounts.deletedUser })).bytes
    }
}

extension KeptRecord {
    /// Notes who could read the record until now and cannot any more, for the feed.
    mutating func noteFormerReaders(before: [UInt8]?) {
        guard access != before else { return }
        let former = StoredFormerReaders.losses(formerReaders, before: before, after: access, at: sequence)
        formerReaders = former.isEmpty ? nil : StoredFormerReaders.encode(former)
    }
}
