internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The members of record dictionaries that concern hierarchies and shares, in CloudKit's form.
struct ShareMembers {
    let hierarchies: HierarchyTable
    let shares: ShareTable
    let visibility: Visibility
    /// Returns the record name of a user.
    let userName: (UserID) throws(RecordError) -> String

    /// The most participants that a share record shows. A share with a public permission may have many more.
    private static let mostShown = SharingInput.mostParticipants

    /// Adds the members of a record to its dictionary, which is at the end of `text`.
    func add(to text: inout [UInt8], of record: RecordNumber, isShare: Bool) throws(RecordError) {
        guard case .privateDatabase(let owner) = visibility.scope else { return }
        let members = isShare ? try ofShare(record, owner) : try ofRecord(record)
        guard let members, !members.members.isEmpty else { return }
        text.removeLast()
        text.append(UInt8(ascii: ","))
        // The braces of the object are the dictionary's own.
        text += JSONValue.object(members).bytes.dropFirst()
    }

    /// `parent`, `share` and `shortGUID` of a record that is no share.
    private func ofRecord(_ record: RecordNumber) throws(RecordError) -> JSONObject? {
        let place = try hierarchies.place(of: record)
        let share = try shares.find(root: record)
        guard place != HierarchyTable.Place() || share != nil else { return nil }
        var members = JSONObject()
        if let parent = place.parent, let name = try readableName(of: parent) { members["parent"] = Self.link(name) }
        // Participants learn of the shares that they take part in.
        if let share, let record = try hierarchies.record(share.record), visibility.mayRead(record.facts) {
            members["share"] = Self.link(record.name)
            members["shortGUID"] = .string(share.guid)
        } else if let guid = place.guid, visibility.caller.participation == nil {
            members["shortGUID"] = .string(guid)
        }
        return members
    }

    /// Returns the name of a parent; `nil` if the caller may not read it. The parent of a shared record may be outside
    /// the share.
    private func readableName(of record: RecordNumber) throws(RecordError) -> String? {
        guard let found = try hierarchies.record(record), visibility.mayRead(found.facts) else { return nil }
        return found.name
    }

    private func ofShare(_ record: RecordNumber, _ owner: UserID) throws(RecordError) -> JSONObject? {
        guard let share = try shares.find(ShareID(rawValue: record.rawValue)) else { return nil }
        let participants = try shares.participants(of: share.id, limit: Self.mostShown)
        var ownEntry: JSONObject?
        let ownerEntry = try entry(
            ParticipantRow(
                share: share.id, account: owner, kind: .owner, permission: .readWrite, status: .accepted, changed: 0),
            share)
        if visibility.caller.userID == owner { ownEntry = ownerEntry }
        var entries = [JSONValue.object(ownerEntry)]
        for participant in participants {
            let entry = try entry(participant, share)
            if let user = visibility.caller.userID, participant.account == user { ownEntry = entry }
            entries.append(.object(entry))
        }
        if ownEntry == nil, let user = visibility.caller.userID, let own = try shares.participant(user, of: share.id) {
            ownEntry = try entry(own, share)
        }
        var members = JSONObject([
            ("shortGUID", .string(share.guid)), ("publicPermission", .string(share.publicPermission.word)),
            ("owner", .object(ownerEntry)), ("participants", .array(entries)),
        ])
        if let ownEntry { members["currentUserParticipant"] = .object(ownEntry) }
        if let root = share.root, let name = try hierarchies.record(root)?.name {
            members["forRecord"] = Self.link(name)
        }
        return members
    }

    /// Returns the dictionary of a participant. Only the owner learns the links and labels of invitations.
    private func entry(_ participant: ParticipantRow, _ share: ShareRow) throws(RecordError) -> JSONObject {
        var identity = JSONObject()
        if let account = participant.account {
            let name = try userName(account)
            identity["userRecordName"] = .string(name)
            identity["lookupInfo"] = .object(JSONObject([("userRecordName", .string(name))]))
        }
        let permission = participant.kind == .publicUser ? share.publicPermission : participant.permission
        var entry = JSONObject([
            ("type", .string(participant.kind.word)), ("permission", .string(permission.word)),
            ("acceptanceStatus", .string(participant.status.word)), ("userIdentity", .object(identity)),
        ])
        if participant.kind != .owner { entry["participantId"] = .string(String(participant.id)) }
        if visibility.caller.participation == nil {
            if let label = participant.label { entry["label"] = .string(label) }
            if participant.account == nil, let guid = participant.guid { entry["shortGUID"] = .string(guid) }
        }
        return entry
    }

    private static func link(_ name: String) -> JSONValue {
        .object(JSONObject([("recordName", .string(name))]))
    }
}
