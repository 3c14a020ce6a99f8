internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Imports: records whose writer says when they were made or changed, and by whom.
///
/// The id of such a record does not tell when it was made, so that its type has queries and sorts by `createdTimestamp`
/// answered from an index from then on. What the server's clock said is kept besides (`RecordTable.setReceived`): times of
/// creation of other types are still found by halves.
extension RecordDatabase {
    /// Notes that a request's types have preserved dates, in a commit before the request's own: no view has such a record and a
    /// schema that does not know of it.
    nonisolated func admitPreservedDates(of request: WriteRequest) async throws(RecordError) {
        let names = Set(request.operations.compactMap(\.typeName))
        let current = schema
        guard names.contains(where: { current[$0].map { !$0.hasPreservedDates } ?? false }) else { return }
        let caller = request.caller
        let hasWork = try await write(isAlone: true) { transaction throws(RecordError) in
            try transaction.requirePreserving(caller)
            for name in names.sorted(by: { $0.text < $1.text }) {
                guard let type = transaction.schema[name] else { continue }
                try transaction.notePreservedDates(of: type)
            }
            return try transaction.hasIndexWork()
        }
        if hasWork { buildIndexes() }
    }
}

extension WriteTransaction {
    /// Refuses callers without the right to say who made a record: grants give its creator rights in it.
    func requirePreserving(_ caller: Caller) throws(RecordError) {
        let caller = try current(caller)
        guard Authorization.authorize(caller, .changeRights) == .allowed else {
            throw RecordError(
                Authorization.refusal(of: caller) == .denied ? .accessDenied : .authenticationRequired,
                "'preserve' takes the right changeRights: who made a record may have rights in it",
                details: [("right", .text(AdministratorOperation.changeRights.rawValue))])
        }
    }

    /// Notes that ids of a type do not tell when its records were made, and gives it an index that does.
    func notePreservedDates(of known: RecordTypeDefinition) throws(RecordError) {
        guard !known.hasPreservedDates else { return }
        var type = known
        type.hasPreservedDates = true
        let id = type.id
        try schemaTable.setHasPreservedDates(type: id)
        schema.set(type)
        rightsChanged = true
        guard type.indexes.count < IndexDefinition.maxPerType else { return }
        let column = IndexDefinition.Column(.system(.createdTimestamp))
        _ = try addIndexes(IndexWish(indexes: [IndexWish.Shape(kind: .ordered, columns: [column])]), to: type.name)
    }

    /// Tells the audit log of records that were made with dates and users that the request has said.
    func auditPreserved(_ count: Int, _ request: WriteRequest) throws(RecordError) {
        guard count > 0 else { return }
        let types = Set(request.operations.compactMap(\.typeName?.text)).sorted()
        let actor = request.actor ?? AuditActor(caller: request.caller)
        try audit(
            .recordsPreserve, types.count == 1 ? types[0] : "", by: actor,
            detail: JSONObject(
                [("records", .integer(Int64(count)))] + AuditText.names(types, of: "types")))
    }
}

extension RecordWriter {
    /// Gives a new record the dates and users that its writer says.
    ///
    /// - Returns: Whether its time of creation is not the server's.
    /// - Throws: READ_ONLY_KEY where the request does not say that they shall be preserved.
    func takeStamps(of operation: RecordOperation, into row: inout RecordRow) throws(RecordError) -> Bool {
        let input = operation.input
        if let token = input.created {
            guard preserves.contains(.created) else { throw .stampRefused("created") }
            let stamp = try input.stamp(token, "created")
            if let time = stamp.timestamp { row.created = time }
            if let user = stamp.userRecordName { row.creator = try writer(user, "created") }
        }
        if let token = input.modified {
            guard preserves.contains(.modified) else { throw .stampRefused("modified") }
            let stamp = try input.stamp(token, "modified")
            if let time = stamp.timestamp { row.modified = time }
            if let user = stamp.userRecordName { row.modifier = try writer(user, "modified") }
        }
        preserved += 1
        return row.created != transaction.now
    }

    /// Refuses other dates and users than a record has. Clients send back what they have read, so the same ones are passed
    /// over; and a `modified` without a tag beside it may be that of a version before.
    func checkStamps(
        of operation: RecordOperation, on row: RecordRow, _ visibility: Visibility
    ) throws(RecordError) {
        let input = operation.input
        // A caller that cannot read the record has nothing of it to send back, and must learn nothing by trying.
        guard visibility.mayRead(row.facts) else { throw .stampRefused(input.created == nil ? "modified" : "created") }
        if let token = input.created {
            let stamp = try input.stamp(token, "created")
            try compare(stamp, row.created, row.creator, "created")
        }
        if let token = input.modified, case .tags = operation.writeGuard {
            let stamp = try input.stamp(token, "modified")
            try compare(stamp, row.modified, row.modifier, "modified")
        }
    }

    private func compare(
        _ stamp: RecordStamp, _ time: Int64, _ user: UserID, _ key: String
    ) throws(RecordError) {
        let name = try transaction.userName(user)
        guard stamp.timestamp ?? time == time, stamp.userRecordName ?? name == name else { throw .stampDiffers(key) }
    }

    /// The number of the account that a stamp names.
    private func writer(_ name: String, _ key: String) throws(RecordError) -> UserID {
        for special in [SystemUser.nobody, SystemUser.administrator] where SystemUser.name(special) == name {
            return special
        }
        if let name = UserRecordName(name),
            let account = try transaction.accounts.find(recordName: name.text)
        {
            return account.id
        }
        throw .badRequest(
            "'\(key)' names a user that does not exist. Make the account first and take its record name, or leave userRecordName out",
            cause: .unknownName, details: [("path", .text("\(key).userRecordName"))])
    }
}

extension RecordError {
    fileprivate static func stampRefused(_ key: String) -> RecordError {
        .badRequest(
            "'\(key)' of a new record is the server's to say. Leave it out; an import by administrators keeps it with \"preserve\":[\"created\",\"modified\"] in the batch",
            cause: .readOnlyKey, details: [("key", .text(key))])
    }

    fileprivate static func stampDiffers(_ key: String) -> RecordError {
        .badRequest(
            "'\(key)' is not what the record has, and does not change once a record is made. Leave it out, or send what was read",
            cause: .readOnlyKey, details: [("key", .text(key))])
    }
}
