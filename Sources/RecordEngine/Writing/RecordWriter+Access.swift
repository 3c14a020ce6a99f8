internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The access lists of records.
extension RecordWriter {
    /// The list that a record shall have after an operation, in stored form.
    ///
    /// - Parameters:
    ///   - row: The record as it is; for one that is being made, with its creator and no list.
    ///   - standard: What it gets if the operation does not speak of it; `nil` to keep what it has.
    /// - Throws: BAD_REQUEST for a list in a private database, or one that names who does not exist.
    func access(
        _ operation: RecordOperation, of row: RecordRow, standard: AccessTemplate? = nil
    ) throws(RecordError) -> [UInt8]? {
        guard operation.input.hasACL else {
            guard let standard, address.scope == .publicDatabase else { return row.access }
            return StoredAccess.encode(try resolve(standard, creator: row.creator, forgivesUnknown: true))
        }
        switch try operation.input.accessChange() {
        case .none: return row.access
        case .remove: return nil
        case .replace(let template):
            if case .privateDatabase = address.scope {
                throw .badRequest(
                    "The records of a private database are their owner's alone and have no access list. Leave 'acl' out, or save to the public database",
                    details: [("path", .text("acl"))])
            }
            return StoredAccess.encode(try resolve(template, creator: row.creator))
        }
    }

    /// - Parameter forgivesUnknown: Entries for who does not exist give nobody a right, instead of being refused: the
    ///   schema was written before.
    private func resolve(
        _ template: AccessTemplate, creator: UserID, forgivesUnknown: Bool = false
    ) throws(RecordError) -> AccessList {
        var list = AccessList()
        for entry in template.entries {
            let principal: Principal
            switch entry.name {
            case .everyone: principal = .everyone
            case .creator:
                guard !SystemUser.isSpecial(creator) else {
                    if forgivesUnknown { continue }
                    throw .badRequest(
                        "The record's creator is no user, whom _creator could mean. Name the principals",
                        cause: .unknownName, details: [("principal", .text(RoleName.creator.text))])
                }
                principal = .user(creator)
            case .user(let name):
                let account = try store { () throws(StoreError) in
                    try transaction.accounts.find(recordName: name.text)
                }
                guard let account else {
                    if forgivesUnknown { continue }
                    throw .unknownPrincipal(name.text)
                }
                principal = .user(account.id)
            case .role(let name):
                let role = try store { () throws(StoreError) in try transaction.roles.find(name.text) }
                guard let role else {
                    if forgivesUnknown { continue }
                    throw .unknownPrincipal("role:" + name.text)
                }
                principal = .role(role)
            }
            list[principal].formUnion(entry.rights)
        }
        return list
    }

    /// Notes who could read a record until now and cannot any more, for the feed.
    func noteFormerReaders(_ row: inout RecordRow, before: [UInt8]?, type: RecordTypeDefinition) throws(RecordError) {
        let after = Set(row.access.map(StoredAccess.readers) ?? [Principal.byGrants])
        var former = Set(before.map(StoredAccess.readers) ?? [Principal.byGrants])
        former.formUnion(row.formerReaders.map(StoredFormerReaders.decode) ?? [])
        former.subtract(after)
        if former.count > Limits.formerReaders {
            // Too many to tell one by one: everybody's feed starts again, and there the record is missing.
            let sequence = row.sequence
            try store { () throws(StoreError) in
                try transaction.schemaTable.markGranted(type: type.id, sequence: sequence)
            }
            transaction.rightsChanged = true
            former = []
        }
        row.formerReaders = former.isEmpty ? nil : StoredFormerReaders.encode(former)
    }

    /// Puts a record where it is found by those who may read it, and takes it away where it was.
    func setAudiences(from old: RecordRow?, to new: RecordRow?, zone: Int64) throws(RecordError) {
        let before =
            try old.map { row throws(RecordError) in try transaction.places(of: row, zone: zone).audiences } ?? []
        let after =
            try new.map { row throws(RecordError) in try transaction.places(of: row, zone: zone).audiences } ?? []
        try store { () throws(StoreError) in
            if let old {
                for place in before where !after.contains(place) { try transaction.audiences.remove(old, from: place) }
            }
            if let new {
                for place in after where !before.contains(place) { try transaction.audiences.add(new, to: place) }
            }
        }
    }

    /// Queries of a type look for access lists from its first one on.
    func noteAccessLists(of type: inout RecordTypeDefinition) throws(RecordError) {
        guard !type.hasAccessLists else { return }
        type.hasAccessLists = true
        let id = type.id
        try store { () throws(StoreError) in try transaction.schemaTable.setHasLists(type: id) }
        transaction.schema.set(type)
        transaction.rightsChanged = true
    }
}

extension RecordError {
    static func unknownPrincipal(_ name: String) -> RecordError {
        .badRequest(
            "The access list names a user or a role that does not exist", cause: .unknownName,
            details: [("principal", .text(name))])
    }
}
