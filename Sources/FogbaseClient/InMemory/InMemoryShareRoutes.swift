internal import RecordModel
internal import RecordWire

/// The routes for the links of shares.
struct InMemoryShareRoutes {
    let request: InMemoryRequest
    let caller: Caller

    /// Shows a share, or lets the caller join it.
    func respond(in database: inout InMemoryDatabase) throws(RecordError) -> TransportResponse {
        switch (request.method, request.path.count) {
        case ("GET", 2): return TransportResponse(json: try resolve(in: database).json)
        case ("POST", 3) where request.path[2] == "accept": return TransportResponse(json: try accept(in: &database))
        default: throw RecordError(.notFound, "No route of the double has this path", cause: .unknownRoute)
        }
    }

    /// A share that the caller may join, and the index of its participant.
    private struct Link {
        let share: InMemorySharing.Share
        let participant: Int?
        let json: JSONValue
    }

    private func resolve(in database: InMemoryDatabase) throws(RecordError) -> Link {
        let missing = RecordError(
            .notFound, "There is no share with this link for you. Ask its owner to name you or to make it public")
        guard let found = database.sharing.find(guid: request.path[1]) else { throw missing }
        let share = found.share
        let owner = UserID(rawValue: share.record.zone.owner)
        let zone = database.zones.all(of: owner.rawValue).first { $0.id == share.record.zone }
        let own = caller.userID.flatMap { user in share.participants.firstIndex { $0.account == user } }
        let index = own ?? found.participant
        var (kind, permission) = (ParticipantKind.publicUser, share.publicPermission)
        var status: ParticipantStatus?
        if caller.userID == owner {
            (kind, permission, status) = (.owner, .readWrite, .accepted)
        } else if let participant = index.map({ share.participants[$0] }) {
            (kind, permission, status) = (participant.kind, share.permission(of: participant), participant.status)
        }
        guard permission != .none, let zone else { throw missing }
        var json = JSONObject([
            ("shortGUID", .string(request.path[1])), ("zoneName", .string(zone.name.text)),
            ("ownerRecordName", .string(database.accounts.name(of: owner))),
            ("shareRecordName", .string(share.record.name.text)), ("participantType", .string(kind.word)),
            ("permission", .string(permission.word)),
        ])
        if let root = share.root { json["rootRecordName"] = .string(root.name.text) }
        if let status { json["acceptanceStatus"] = .string(status.word) }
        return Link(share: share, participant: caller.userID == owner ? nil : index, json: .object(json))
    }

    private func accept(in database: inout InMemoryDatabase) throws(RecordError) -> JSONValue {
        guard let user = caller.userID else {
            throw RecordError(
                caller == .anonymous ? .authenticationRequired : .accessDenied,
                "Only users join shares. Sign in as one")
        }
        let link = try resolve(in: database)
        let (id, zone) = (link.share.id, link.share.record.zone)
        guard user.rawValue != zone.owner else { return link.json }
        if let index = link.participant {
            let participant = link.share.participants[index]
            guard participant.status != .accepted || participant.account != user else { return link.json }
            database.sharing.shares[id]?.participants[index].account = user
            database.sharing.shares[id]?.participants[index].guid = nil
            database.sharing.shares[id]?.participants[index].status = .accepted
        } else {
            database.sharing.shares[id]?.add(
                user, label: nil, .publicUser, link.share.publicPermission, .accepted)
        }
        database.didChangeRights(user, in: zone)
        database.touch(link.share, by: user)
        var json = link.json.object ?? JSONObject()
        json["acceptanceStatus"] = .string(ParticipantStatus.accepted.word)
        return .object(json)
    }
}

// MARK: - Records in responses

extension InMemoryCall {
    /// Adds the members that concern hierarchies and shares to the dictionary of a record, which is at the end of `text`.
    func appendSharing(_ record: InMemoryRecord, of database: InMemoryDatabase, to text: inout [UInt8]) {
        guard scope != .publicDatabase else { return }
        let members =
            record.type == RecordTypeDefinition.shares.id
            ? shareMembers(of: record, in: database) : hierarchyMembers(of: record, in: database)
        guard members.count > 0 else { return }
        text.removeLast()
        text.append(UInt8(ascii: ","))
        // The braces of the object are the dictionary's own.
        text += JSONValue.object(members).bytes.dropFirst()
    }

    private func hierarchyMembers(of record: InMemoryRecord, in database: InMemoryDatabase) -> JSONObject {
        var members = JSONObject()
        func mayRead(_ key: RecordKey) -> Bool {
            guard let found = database.find(key.name, zone: key.zone), let type = database.schema[id: found.type] else {
                return false
            }
            return may(.read, found, type)
        }
        if let parent = database.sharing.parents[record.key], mayRead(parent) {
            members["parent"] = Batch.link(parent.name.text)
        }
        if let share = database.sharing.share(root: record.key), mayRead(share.record) {
            members["share"] = Batch.link(share.record.name.text)
            members["shortGUID"] = .string(share.guid)
        }
        return members
    }

    private func shareMembers(of record: InMemoryRecord, in database: InMemoryDatabase) -> JSONObject {
        guard let share = database.sharing.shares[ShareID(rawValue: record.id)] else { return JSONObject() }
        let owner = UserID(rawValue: zone.owner)
        let ownerEntry = entry(
            InMemorySharing.Participant(
                id: 0, account: owner, guid: nil, label: nil, kind: .owner, permission: .readWrite, status: .accepted),
            share, database)
        let named = share.participants.filter { $0.kind == .user } + share.participants.filter { $0.kind != .user }
        var members = JSONObject([
            ("shortGUID", .string(share.guid)), ("publicPermission", .string(share.publicPermission.word)),
            ("owner", ownerEntry),
            (
                "participants",
                .array(
                    [ownerEntry]
                        + named.prefix(SharingInput.mostParticipants).map { entry($0, share, database) })
            ),
        ])
        if caller.userID == owner {
            members["currentUserParticipant"] = ownerEntry
        } else if let user = caller.userID, let own = share.participants.first(where: { $0.account == user }) {
            members["currentUserParticipant"] = entry(own, share, database)
        }
        if let root = share.root { members["forRecord"] = Batch.link(root.name.text) }
        return members
    }

    private func entry(
        _ participant: InMemorySharing.Participant, _ share: InMemorySharing.Share, _ database: InMemoryDatabase
    ) -> JSONValue {
        var identity = JSONObject()
        if let account = participant.account {
            let name = JSONValue.string(database.accounts.name(of: account))
            identity["userRecordName"] = name
            identity["lookupInfo"] = ["userRecordName": name]
        }
        var entry = JSONObject([
            ("type", .string(participant.kind.word)),
            ("permission", .string(share.permission(of: participant).word)),
            ("acceptanceStatus", .string(participant.status.word)), ("userIdentity", .object(identity)),
        ])
        if participant.kind != .owner { entry["participantId"] = .string(String(participant.id)) }
        if caller.participation == nil {
            if let label = participant.label { entry["label"] = .string(label) }
            if let guid = participant.guid { entry["shortGUID"] = .string(guid) }
        }
        return .object(entry)
    }
}
