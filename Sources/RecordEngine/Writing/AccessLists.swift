internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Resolves and checks the access lists that operations set on records.
struct AccessLists {
    let context: WriteContext
    /// Whether a record may stay without the list that its type requires.
    var isRestoring = false

    private var transaction: WriteTransaction { context.transaction }

    /// Returns the access list that a record has after an operation, in stored form.
    ///
    /// - Parameters:
    ///   - row: The record before the operation. A new record has its creator and no list.
    ///   - type: The record's type, with its default list and whether a list is required.
    ///   - isNew: Whether the operation creates the record. An existing record keeps its list unless the operation sets
    ///     one.
    /// - Throws: BAD_REQUEST for a list in a private database, for a list that names an unknown user or role, and for a
    ///   missing list if the type requires a list.
    func access(
        _ operation: RecordOperation, of row: RecordRow, _ type: RecordTypeDefinition, isNew: Bool
    ) throws(RecordError) -> [UInt8]? {
        let isPublic = context.address.scope == .publicDatabase
        guard operation.input.hasACL else {
            guard isNew, isPublic else { return row.access }
            if let standard = type.defaultAccess {
                return StoredAccess.encode(try resolve(standard, creator: row.creator, skipsUnknown: true))
            }
            // The server creates user records without a list. If they required a list, no account could be
            // created.
            if type.requiresAccessLists, type.name != .users, !isRestoring { throw .accessListRequired(type) }
            return nil
        }
        switch try operation.input.accessChange() {
        case .none: return row.access
        case .remove:
            // The lists of private databases are those of shares.
            if !isPublic { return row.access }
            // A record that never had a list may stay without one.
            if type.requiresAccessLists, !isRestoring, isNew || row.access != nil { throw .accessListRequired(type) }
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

    /// Resolves the names in a list to principals.
    ///
    /// - Parameter skipsUnknown: Whether to skip entries with unknown names instead of rejecting them. Used for the
    ///   schema's default list, which may be older than the deletion of a user or role.
    /// - Throws: BAD_REQUEST with cause UNKNOWN_NAME for an unknown user or role, or for `_creator` of a record without
    ///   a user as its creator.
    private func resolve(
        _ template: AccessTemplate, creator: UserID, skipsUnknown: Bool = false
    ) throws(RecordError) -> AccessList {
        var list = AccessList()
        for entry in template.entries {
            let principal: Principal
            switch entry.name {
            case .everyone: principal = .everyone
            case .creator:
                guard !SystemUser.isSpecial(creator) else {
                    if skipsUnknown { continue }
                    throw .badRequest(
                        "The record's creator is no user, whom _creator could mean. Name the principals",
                        cause: .unknownName, details: [("principal", .text(RoleName.creator.text))])
                }
                principal = .user(creator)
            case .user(let name):
                let account = try transaction.store.accounts.find(recordName: name.text)
                guard let account else {
                    if skipsUnknown { continue }
                    throw .unknownPrincipal(name.text)
                }
                principal = .user(account.id)
            case .role(let name):
                let role = try transaction.store.roles.find(name.text)
                guard let role else {
                    if skipsUnknown { continue }
                    throw .unknownPrincipal("role:" + name.text)
                }
                principal = .role(role)
            }
            list[principal].formUnion(entry.rights)
        }
        return list
    }

    /// Records which principals lose READ on a record. Their change feeds get a tombstone.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE for more than `Limits.formerReaders` principals, unless the caller
    ///   may change rights.
    func noteFormerReaders(_ row: inout RecordRow, before: [UInt8]?, type: RecordTypeDefinition) throws(RecordError) {
        var former = StoredFormerReaders.losses(
            row.formerReaders, before: before, after: row.access, at: row.sequence)
        if former.count > Limits.formerReaders {
            // The change feeds of all callers restart, without the record. A change of the type's grants also restarts
            // the feeds, and needs the same right.
            guard Authorization.authorize(context.caller, .changeRights) == .allowed else { throw .formerReadersFull }
            let sequence = row.sequence
            try transaction.schemaTable.markGranted(type: type.id, sequence: sequence)
            transaction.rightsChanged = true
            former = [:]
        }
        row.formerReaders = former.isEmpty ? nil : StoredFormerReaders.encode(former)
    }

    /// Marks a type when its first record gets an access list. From then on, queries of the type check access lists.
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
    /// The error for a record without an access list where its type requires one.
    static func accessListRequired(_ type: RecordTypeDefinition) -> RecordError {
        .badRequest(
            "Every record of \(type.name) has an access list: say in 'acl' who reads and who writes it",
            details: [("path", .text("acl")), ("recordType", .text(type.name.text))])
    }

    fileprivate static let formerReadersFull = RecordError.badRequest(
        "Too many callers have lost read access to the record, and the change feed must report that to each. Delete the record and create it again, or list a role instead of its members",
        cause: .tooLarge, details: [("path", .text("acl")), ("limit", .number(Int64(Limits.formerReaders)))])
}
