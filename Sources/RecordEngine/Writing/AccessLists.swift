internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The access lists of records.
struct AccessLists {
    let context: WriteContext

    private var transaction: WriteTransaction { context.transaction }

    /// The list that a record shall have after an operation, in stored form.
    ///
    /// - Parameters:
    ///   - row: The record as it is; for one that is being made, with its creator and no list.
    ///   - type: Says what a record gets of which the operation does not speak, and whether it must have a list.
    ///   - isNew: The record is being made; others keep what they have.
    /// - Throws: BAD_REQUEST for a list in a private database, or one that names who does not exist, and for none where
    ///   there must be one.
    func access(
        _ operation: RecordOperation, of row: RecordRow, _ type: RecordTypeDefinition, isNew: Bool
    ) throws(RecordError) -> [UInt8]? {
        let isPublic = context.address.scope == .publicDatabase
        guard operation.input.hasACL else {
            guard isNew, isPublic else { return row.access }
            if let standard = type.defaultAccess {
                return StoredAccess.encode(try resolve(standard, creator: row.creator, forgivesUnknown: true))
            }
            // The server makes user records, and says no list: without one there would be no accounts.
            if type.requiresAccessLists, type.name != .users { throw .accessListRequired(type) }
            return nil
        }
        switch try operation.input.accessChange() {
        case .none: return row.access
        case .remove:
            // A record from before that has none keeps none.
            if type.requiresAccessLists, isPublic, isNew || row.access != nil { throw .accessListRequired(type) }
            return nil
        case .replace(let template):
            if case .privateDatabase = context.address.scope {
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
                let account = try transaction.store.accounts.find(recordName: name.text)
                guard let account else {
                    if forgivesUnknown { continue }
                    throw .unknownPrincipal(name.text)
                }
                principal = .user(account.id)
            case .role(let name):
                let role = try transaction.store.roles.find(name.text)
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
    ///
    /// - Throws: TOO_LARGE for too many to tell one by one, by somebody who may not let everybody's feed start again.
    func noteFormerReaders(_ row: inout RecordRow, before: [UInt8]?, type: RecordTypeDefinition) throws(RecordError) {
        var former = StoredFormerReaders.losses(
            row.formerReaders, before: before, after: row.access, at: row.sequence)
        if former.count > Limits.formerReaders {
            // Everybody's feed starts again, and there the record is missing: as after a change of the type's rights, and
            // so it takes the same right.
            guard Authorization.authorize(context.caller, .changeRights) == .allowed else { throw .formerReadersFull }
            let sequence = row.sequence
            try transaction.schemaTable.markGranted(type: type.id, sequence: sequence)
            transaction.rightsChanged = true
            former = [:]
        }
        row.formerReaders = former.isEmpty ? nil : StoredFormerReaders.encode(former)
    }

    /// Queries of a type look for access lists from its first one on.
    func note(in type: inout RecordTypeDefinition) throws(RecordError) {
        guard !type.hasAccessLists else { return }
        type.hasAccessLists = true
        let id = type.id
        try transaction.schemaTable.setHasLists(type: id)
        transaction.schema.set(type)
        transaction.rightsChanged = true
    }
}

extension RecordError {
    static func accessListRequired(_ type: RecordTypeDefinition) -> RecordError {
        .badRequest(
            "Every record of \(type.name) has an access list: say in 'acl' who reads and who writes it",
            details: [("path", .text("acl")), ("recordType", .text(type.name.text))])
    }

    fileprivate static let formerReadersFull = RecordError.badRequest(
        "The record has had too many readers whom the change feed must tell that it is gone. Delete it and make it anew, or name a role instead of its members",
        cause: .tooLarge, details: [("path", .text("acl")), ("limit", .number(Int64(Limits.formerReaders)))])
}
