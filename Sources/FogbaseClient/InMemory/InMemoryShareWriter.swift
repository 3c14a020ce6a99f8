internal import RecordModel
internal import RecordWire

/// Writes the parents and the shares of records.
struct InMemoryShareWriter {
    let call: InMemoryCall
    let input: SharingInput?

    private var caller: Caller { call.caller }

    // MARK: Parents

    /// Puts a record that is being saved under the parent of its operation, and gives it the access list of its place.
    ///
    /// - Throws: BAD_REQUEST; ACCESS_DENIED; VALIDATING_REFERENCE_ERROR if the parent does not exist.
    func place(_ record: inout InMemoryRecord, isNew: Bool, in database: inout InMemoryDatabase) throws(RecordError) {
        let isPossible = call.scope != .publicDatabase && !call.zone.isDefault
        guard input?.isOfShare != true else {
            throw .badRequest(
                "'forRecord', 'publicPermission' and 'participants' belong to records of the type \(RecordTypeName.share)"
            )
        }
        if let parent = input?.parent, parent != .remove || isPossible {
            guard isPossible else {
                throw .badRequest(
                    "Only the records of a custom zone of a private database have parents and shares. Create a zone and save the record there",
                    details: [("zoneName", .text(call.zoneName.text))])
            }
            if caller.participation != nil, !isNew, database.sharing.share(root: record.key) != nil {
                throw RecordError(
                    .accessDenied, "Only the owner of the zone can move or delete the record at the top of a share")
            }
            switch parent {
            case .remove: database.sharing.parents[record.key] = nil
            case .record(let name):
                database.sharing.parents[record.key] = try self.parent(name, of: record, in: database)
            }
        }
        guard isPossible else { return }
        let before = record.access
        record.access = database.sharedAccess(of: record.key, under: database.sharing.parents[record.key])
        record.noteFormerReaders(before: before)
    }

    private func parent(
        _ name: RecordName, of record: InMemoryRecord, in database: InMemoryDatabase
    ) throws(RecordError) -> RecordKey {
        guard let parent = database.find(name, zone: call.zone), let type = database.schema[id: parent.type],
            type.name != .share, call.may(.read, parent, type)
        else { throw .missingTarget(name, field: "parent") }
        if caller.participation != nil, !call.may(.write, parent, type) {
            throw .rejected(caller, .write, .record(type.name))
        }
        var next: RecordKey? = parent.key
        while let key = next {
            guard key != record.key else {
                throw .badRequest(
                    "A record cannot be above itself in its hierarchy. Choose another parent",
                    details: [("key", .text("parent"))])
            }
            next = database.sharing.parents[key]
        }
        return parent.key
    }

    // MARK: Shares

    /// Checks that the caller may save share records in the zone.
    func allow() throws(RecordError) {
        guard call.scope != .publicDatabase, !call.zone.isDefault else {
            throw .badRequest(
                "Shares belong to the custom zones of private databases. Create a zone and save the share there",
                details: [("zoneName", .text(call.zoneName.text))])
        }
        guard caller.participation == nil else { throw .shareIsOwners }
    }

    private func requireNoParent() throws(RecordError) {
        guard input?.parent == nil || input?.parent == .remove else {
            throw .badRequest("A share has no parent", details: [("key", .text("parent"))])
        }
    }

    /// Creates the share of a new share record.
    ///
    /// - Throws: BAD_REQUEST; EXISTS if the record or zone is shared already; ACCESS_DENIED for a participant.
    func create(_ record: inout InMemoryRecord, in database: inout InMemoryDatabase) throws(RecordError) {
        try requireNoParent()
        let others = database.sharing.shares.values.filter { $0.record.zone == call.zone }
        var root: RecordKey?
        if let name = input?.root {
            guard let found = database.find(name, zone: call.zone), found.type != RecordTypeDefinition.shares.id else {
                throw .badRequest(
                    "Cannot share - no such record exists to share. Save the record before its share",
                    details: [("key", .text("forRecord")), ("recordName", .text(name.text))])
            }
            root = found.key
        }
        guard !others.contains(where: { $0.root == root }) else {
            throw RecordError(
                .exists,
                "The \(root == nil ? "zone" : "record") is shared already. Change its share record, or delete it first")
        }
        guard !others.contains(where: { ($0.root == nil) != (root == nil) }) else {
            throw .badRequest(
                "A zone is shared as a whole or in parts. Delete the other shares of the zone first",
                details: [("key", .text("forRecord"))])
        }
        let id = ShareID(rawValue: record.id)
        database.sharing.shares[id] = InMemorySharing.Share(
            id: id, record: record.key, root: root, publicPermission: input?.publicPermission ?? .none)
        if let root {
            record.access = StoredAccess.encode(AccessList([.share(id): .read]))
            database.updateSharedAccess(of: [root])
        }
        try replaceParticipants(of: id, in: &database)
    }

    /// Changes the share of a share record.
    func change(_ record: InMemoryRecord, in database: inout InMemoryDatabase) throws(RecordError) {
        try allow()
        try requireNoParent()
        let id = ShareID(rawValue: record.id)
        guard let share = database.sharing.shares[id] else { return }
        if let permission = input?.publicPermission, permission != share.publicPermission {
            database.sharing.shares[id]?.publicPermission = permission
            for participant in share.participants where participant.kind == .publicUser {
                if permission == .none {
                    database.didLoseRights(participant, of: share)
                } else if let account = participant.account {
                    database.didChangeRights(account, in: call.zone)
                }
            }
        }
        try replaceParticipants(of: id, in: &database)
    }

    private func replaceParticipants(of id: ShareID, in database: inout InMemoryDatabase) throws(RecordError) {
        guard let wanted = input?.participants, let known = database.sharing.shares[id]?.participants else { return }
        var kept: Set<Int64> = []
        for entry in wanted where entry.kind != .owner {
            var account: UserID?
            if let name = entry.user {
                guard let found = database.accounts.id(named: name.text) else { throw .unknownPrincipal(name.text) }
                if found.rawValue == call.zone.owner { continue }
                account = found
            }
            let match = known.firstIndex {
                $0.id == entry.id || account != nil && $0.account == account
                    || account == nil && $0.label != nil && $0.label == entry.label
            }
            guard let match else {
                let isNamed = account != nil || entry.label != nil
                guard entry.kind == .user, isNamed || entry.id == nil else { continue }
                database.sharing.shares[id]?.add(account, label: entry.label, .user, entry.permission, .invited)
                continue
            }
            let participant = known[match]
            kept.insert(participant.id)
            guard participant.kind == .user, participant.permission != entry.permission else { continue }
            database.sharing.shares[id]?.participants[match].permission = entry.permission
            guard let account = participant.account, participant.status == .accepted else { continue }
            if entry.permission == .none, let share = database.sharing.shares[id] {
                database.didLoseRights(participant, of: share)
            } else {
                database.didChangeRights(account, in: call.zone)
            }
        }
        for participant in known where !kept.contains(participant.id) { remove(participant, of: id, in: &database) }
    }

    private func remove(
        _ participant: InMemorySharing.Participant, of id: ShareID, in database: inout InMemoryDatabase
    ) {
        database.sharing.shares[id]?.participants.removeAll { $0.id == participant.id }
        if let share = database.sharing.shares[id] { database.didLoseRights(participant, of: share) }
    }

    /// Ends the participation of a caller that deletes a share record.
    ///
    /// - Returns: False if the caller is not a participant, or the record no share.
    func leave(_ record: InMemoryRecord, in database: inout InMemoryDatabase) throws(RecordError) -> Bool {
        guard record.type == RecordTypeDefinition.shares.id, caller.participation != nil, let user = caller.userID
        else { return false }
        let id = ShareID(rawValue: record.id)
        guard let share = database.sharing.shares[id],
            let participant = share.participants.first(where: { $0.account == user })
        else { throw .shareIsOwners }
        remove(participant, of: id, in: &database)
        database.touch(share, by: user)
        return true
    }
}

extension RecordError {
    fileprivate static let shareIsOwners = RecordError(
        .accessDenied, "Only the owner of the zone can change a share. To leave it, delete the share record")
}
