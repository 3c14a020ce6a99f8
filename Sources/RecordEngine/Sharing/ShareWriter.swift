internal import Cryptography
internal import Encodings
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Shares and their participants in a write transaction.
struct ShareWriter {
    let writer: RecordWriter

    private var transaction: WriteTransaction { writer.transaction }
    private var shares: ShareTable { transaction.store.shares }
    private var hierarchies: Hierarchies { Hierarchies(writer: writer) }

    /// Returns a new secret part of a link.
    static func makeGUID() -> String { Base64URL.encode(RandomBytes.make(18)) }

    // MARK: Shares

    /// Returns the share of a new share record.
    ///
    /// - Throws: BAD_REQUEST if the record to share does not exist, or if the zone has shares of the other kind; EXISTS
    ///   if it is shared already; CONFLICT if it has another change tag than the request names.
    func draft(_ input: SharingInput?, for record: RecordNumber, zone: ZoneID) throws(RecordError) -> ShareRow {
        var share = ShareRow(
            id: ShareID(rawValue: record.rawValue), zone: zone, root: nil, guid: "",
            publicPermission: input?.publicPermission ?? .none)
        guard let name = input?.root else {
            guard try shares.find(zone: zone) == nil else { throw .zoneIsShared }
            guard try !shares.hasShares(in: zone, whole: false) else { throw .sharesOfBothKinds }
            share.guid = try guid(input)
            return share
        }
        guard let root = try transaction.records.row(zone: zone, name: name.text),
            root.type != RecordTypeDefinition.shares.id
        else {
            throw .badRequest(
                "Cannot share - no such record exists to share. Save the record before its share",
                details: [("key", .text("forRecord")), ("recordName", .text(name.text))])
        }
        if let tag = input?.rootTag, tag != RecordTag.text(root.revision) {
            throw RecordError(
                .conflict, "The record to share has changed. Read it again and share it with its new change tag",
                cause: .preconditionFailed, details: [("recordName", .text(name.text))])
        }
        guard try shares.find(root: root.id) == nil else { throw .recordIsShared }
        guard try !shares.hasShares(in: zone, whole: true) else { throw .sharesOfBothKinds }
        share.root = root.id
        if let known = try transaction.store.hierarchies.place(of: root.id).guid {
            share.guid = known
        } else {
            share.guid = try guid(input)
        }
        return share
    }

    /// Returns the secret part of a share's link: a restored share keeps its own, if it is free.
    private func guid(_ input: SharingInput?) throws(RecordError) -> String {
        guard let guid = input?.guid, try shares.find(guid: guid) == nil else { return Self.makeGUID() }
        return guid
    }

    /// Stores a new share, whose record was just written.
    func add(_ share: ShareRow, _ input: SharingInput?) throws(RecordError) {
        transaction.noteSharing()
        try shares.add(share)
        if let root = share.root {
            var place = try transaction.store.hierarchies.place(of: root)
            place.guid = nil
            try transaction.store.hierarchies.set(place, of: root)
            try hierarchies.updateAccess(of: root, zone: share.zone)
        }
        try replace(input?.participants, of: share)
    }

    /// Changes the public permission and the participants of a share.
    func change(_ share: ShareRow, _ input: SharingInput) throws(RecordError) {
        var share = share
        if let permission = input.publicPermission, permission != share.publicPermission {
            share.publicPermission = permission
            try shares.set(permission, of: share.id)
            try shares.notePublicChange(of: share.id, at: try transaction.nextSequence())
            transaction.rightsChanged = true
            if permission == .none {
                for participant in try shares.participants(of: share.id) where participant.kind == .publicUser {
                    try didLoseRights(participant, of: share)
                }
            }
        }
        try replace(input.participants, of: share)
    }

    /// Ends a share whose record is deleted.
    func end(_ id: ShareID) throws(RecordError) {
        guard let share = try shares.find(id) else { return }
        let participants = try shares.participants(of: id)
        try shares.remove(id)
        transaction.rightsChanged = true
        if let root = share.root { try hierarchies.updateAccess(of: root, zone: share.zone) }
        for participant in participants { try didLoseRights(participant, of: share) }
    }

    // MARK: Participants

    /// Replaces the participants of a share by those that its owner names.
    ///
    /// - Parameter wanted: The participants; `nil` leaves them as they are.
    /// - Throws: BAD_REQUEST for an unknown user.
    private func replace(
        _ wanted: [SharingInput.Participant]?, of share: ShareRow
    ) throws(RecordError) {
        guard let wanted else { return }
        let known = try shares.participants(of: share.id)
        var kept: Set<Int64> = []
        for entry in wanted where entry.kind != .owner {
            var account: UserID?
            if let name = entry.user {
                guard let found = try transaction.store.accounts.find(recordName: name.text)?.id else {
                    throw .unknownPrincipal(name.text)
                }
                if case .privateDatabase(found) = writer.address.scope { continue }
                account = found
            }
            let match = known.first {
                $0.id == entry.id || account != nil && $0.account == account
                    || account == nil && $0.label != nil && $0.label == entry.label
            }
            guard var participant = match else {
                guard entry.kind == .user || entry.status == .accepted,
                    entry.id == nil || account != nil || entry.label != nil
                else { continue }
                try add(entry, account, to: share)
                continue
            }
            kept.insert(participant.id)
            guard participant.kind == .user, participant.permission != entry.permission else { continue }
            participant.permission = entry.permission
            participant.changed = try transaction.nextSequence()
            try shares.update(participant)
            transaction.rightsChanged = true
            if participant.permission == .none { try didLoseRights(participant, of: share) }
        }
        for (position, participant) in known.enumerated() where !kept.contains(participant.id) {
            // The request cannot name participants that no response has shown.
            if position >= SharingInput.mostParticipants, participant.kind == .publicUser { continue }
            try remove(participant, of: share)
        }
    }

    private func add(
        _ entry: SharingInput.Participant, _ account: UserID?, to share: ShareRow
    ) throws(RecordError) {
        if let account, try shares.participant(account, of: share.id) != nil { return }
        var guid = entry.guid
        if let known = guid, try shares.find(guid: known) != nil { guid = nil }
        if account == nil, guid == nil { guid = Self.makeGUID() }
        try shares.add(
            ParticipantRow(
                share: share.id, account: account, guid: guid, label: entry.label, kind: entry.kind,
                permission: entry.permission, status: entry.status, changed: try transaction.nextSequence()))
        if entry.status == .accepted { transaction.rightsChanged = true }
    }

    /// Removes a participant.
    func remove(_ participant: ParticipantRow, of share: ShareRow) throws(RecordError) {
        try shares.remove(participant)
        transaction.rightsChanged = true
        try didLoseRights(participant, of: share)
    }

    /// Tells the shared database of a participant that it has lost rights of a share.
    private func didLoseRights(_ participant: ParticipantRow, of share: ShareRow) throws(RecordError) {
        guard let account = participant.account, participant.status == .accepted,
            case .privateDatabase(let owner) = writer.address.scope
        else { return }
        let sequence = try transaction.nextSequence()
        if try shares.participation(of: account, in: share.zone, owner: owner) == nil {
            let zone = LostZone(
                sequence: sequence, owner: owner, name: writer.address.zone.text,
                ownerName: try transaction.userNames.name(of: owner))
            try transaction.store.lostZones.add(zone, of: account, isShared: true, now: transaction.now)
        } else {
            try shares.noteChange(of: account, in: share.zone, at: sequence)
        }
        transaction.noteChange(ofZonesIn: .privateDatabase(owner: account))
    }

    /// Gives a share record a new change tag, because its participants have changed.
    func touch(_ share: ShareRow) throws(RecordError) {
        guard let record = try transaction.records.find(id: share.record), !record.row.isDeleted else { return }
        var row = record.row
        row.revision = transaction.revision(after: row.revision)
        row.modifier = writer.caller.writerID
        row.modified = transaction.now
        try hierarchies.rewrite(record, as: &row, zone: share.zone)
    }

    // MARK: Zones

    /// Ends all shares of a zone that is deleted.
    static func removeAll(
        in zone: ZoneID, _ address: DatabaseAddress, _ transaction: WriteTransaction
    ) throws(RecordError) {
        guard case .privateDatabase(let owner) = address.scope else { return }
        let shares = transaction.store.shares
        for account in try shares.accounts(in: zone) {
            let lost = LostZone(
                sequence: try transaction.nextSequence(), owner: owner, name: address.zone.text,
                ownerName: try transaction.userNames.name(of: owner))
            try transaction.store.lostZones.add(lost, of: account, isShared: true, now: transaction.now)
            transaction.noteChange(ofZonesIn: .privateDatabase(owner: account))
        }
        try shares.removeAll(in: zone)
    }
}

extension WriteContext {
    /// Checks that the caller may save share records in the zone of the request.
    ///
    /// - Throws: BAD_REQUEST outside custom zones; ACCESS_DENIED for a participant.
    func allowSharing() throws(RecordError) {
        guard address.scope != .publicDatabase, address.zone != .defaultZone else {
            throw .badRequest(
                "Shares belong to the custom zones of private databases. Create a zone and save the share there",
                details: [("zoneName", .text(address.zone.text))])
        }
        if caller.participation != nil { throw .sharesAreOwners }
    }
}

extension RecordError {
    static let sharesAreOwners = RecordError(
        .accessDenied, "Only the owner of the zone can change a share. To leave it, delete the share record")

    static let rootsAreOwners = RecordError(
        .accessDenied, "Only the owner of the zone can move or delete the record at the top of a share")

    fileprivate static let zoneIsShared = RecordError(
        .exists, "The zone is shared already. Change its share record, or delete it first")
    fileprivate static let recordIsShared = RecordError(
        .exists, "The record is shared already. Change its share record, or delete it first")

    fileprivate static let sharesOfBothKinds = RecordError.badRequest(
        "A zone is shared as a whole or in parts. Delete the other shares of the zone first",
        details: [("key", .text("forRecord"))])
}
