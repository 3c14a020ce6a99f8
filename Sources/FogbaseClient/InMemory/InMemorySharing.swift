internal import Foundation
internal import RecordModel
internal import RecordWire

/// The parents of records, the shares and their participants, in all private databases.
struct InMemorySharing {
    /// A participant of a share.
    struct Participant {
        /// The number within the share.
        let id: Int64
        /// The user; `nil` for an invitation that nobody has accepted.
        var account: UserID?
        /// The link of the invitation.
        var guid: String?
        let label: String?
        let kind: ParticipantKind
        var permission: SharePermission
        var status: ParticipantStatus
    }

    /// A share.
    struct Share {
        let id: ShareID
        /// The share record.
        let record: RecordKey
        /// The record at the top of the shared hierarchy; `nil` for the whole zone.
        let root: RecordKey?
        let guid: String
        var publicPermission: SharePermission
        var participants: [Participant] = []
        private var lastParticipant: Int64 = 0

        init(id: ShareID, record: RecordKey, root: RecordKey?, publicPermission: SharePermission) {
            (self.id, self.record, self.root) = (id, record, root)
            self.publicPermission = publicPermission
            guid = InMemorySharing.makeGUID()
        }

        mutating func add(
            _ account: UserID?, label: String?, _ kind: ParticipantKind, _ permission: SharePermission,
            _ status: ParticipantStatus
        ) {
            lastParticipant += 1
            participants.append(
                Participant(
                    id: lastParticipant, account: account, guid: account == nil ? InMemorySharing.makeGUID() : nil,
                    label: label, kind: kind, permission: permission, status: status))
        }

        /// Returns the permission of a participant.
        func permission(of participant: Participant) -> SharePermission {
            participant.kind == .publicUser ? publicPermission : participant.permission
        }
    }

    /// A zone that a shared database no longer has.
    struct Lost {
        let sequence: Int64
        let account: UserID
        let owner: Int64
        let name: ZoneName
    }

    /// The rights of an account in a zone.
    struct Membership: Hashable {
        let account: UserID
        let zone: InMemoryZoneID
    }

    /// The parents of records.
    var parents: [RecordKey: RecordKey] = [:]
    var shares: [ShareID: Share] = [:]
    var lost: [Lost] = []
    /// The sequence number of the last change of an account's rights in a zone.
    var rightsChanges: [Membership: Int64] = [:]

    static func makeGUID() -> String { UUID().uuidString.lowercased() }

    /// Returns the share whose hierarchy begins with a record.
    func share(root: RecordKey) -> Share? { shares.values.first { $0.root == root } }

    /// Returns the share of a link. For the link of an invitation, also the index of its participant.
    func find(guid: String) -> (share: Share, participant: Int?)? {
        for share in shares.values {
            if share.guid == guid { return (share, nil) }
            if let index = share.participants.firstIndex(where: { $0.guid == guid }) { return (share, index) }
        }
        return nil
    }

    /// Returns the rights of an account in a zone; `nil` without any.
    func participation(of account: UserID, in zone: InMemoryZoneID) -> Participation? {
        var participation = Participation(zone: ZoneID(rawValue: zone.number), owner: UserID(rawValue: zone.owner))
        var isEmpty = true
        for share in shares.values where share.record.zone == zone {
            for participant in share.participants
            where participant.account == account && participant.status == .accepted {
                let rights = share.permission(of: participant).rights
                guard !rights.isEmpty else { continue }
                participation.add(share.id, isWhole: share.root == nil, rights)
                isEmpty = false
            }
        }
        return isEmpty ? nil : participation
    }

    /// Returns the zones that others share with an account.
    func zones(of account: UserID) -> [InMemoryZoneID] {
        Set(shares.values.map(\.record.zone)).filter { participation(of: account, in: $0) != nil }
    }

    /// Removes the participations and the lost zones of a deleted account.
    mutating func remove(account: UserID) {
        for id in shares.keys { shares[id]?.participants.removeAll { $0.account == account } }
        lost.removeAll { $0.account == account }
    }
}

// MARK: - Changes

extension InMemoryDatabase {
    /// The children of a record, in the order of their creation.
    private func children(of key: RecordKey) -> [RecordKey] {
        sharing.parents.filter { $0.value == key }.keys.compactMap { records[$0] }.sorted { $0.id < $1.id }.map(\.key)
    }

    /// Returns the access list of a record, in stored form: that of its parent, and the share of the record itself.
    func sharedAccess(of key: RecordKey, under parent: RecordKey?) -> [UInt8]? {
        var list = AccessList()
        if let access = parent.flatMap({ records[$0]?.access }) { list = StoredAccess.decode(access) }
        if let share = sharing.share(root: key) { list[.share(share.id)] = .readWrite }
        return list.rights.isEmpty ? nil : StoredAccess.encode(list)
    }

    /// Brings the access lists of records and of everything below them up to date.
    mutating func updateSharedAccess(of tops: [RecordKey]) {
        var waiting = tops
        while let key = waiting.popLast() {
            guard var record = find(key.name, zone: key.zone) else { continue }
            let access = sharedAccess(of: key, under: sharing.parents[key])
            guard access != record.access else { continue }
            let before = record.access
            record.sequence = nextSequence()
            record.access = access
            record.noteFormerReaders(before: before)
            keep(record, at: key)
            waiting += children(of: key)
        }
    }

    /// Brings the access lists below a record up to date.
    mutating func updateSharedAccess(below key: RecordKey) {
        updateSharedAccess(of: children(of: key))
    }

    /// Removes a deleted record from its hierarchy. Its share ends, and its children have no parent any more.
    mutating func didRemoveFromHierarchy(_ key: RecordKey, by account: UserID) {
        sharing.parents[key] = nil
        if let share = sharing.shares.values.first(where: { $0.record == key }) { end(share) }
        if let share = sharing.share(root: key), var record = find(share.record.name, zone: key.zone) {
            record.change(sequence: nextSequence(), by: account, at: now)
            record.clear()
            keep(record, at: record.key)
            end(share)
        }
        for child in children(of: key) {
            sharing.parents[child] = nil
            guard var record = find(child.name, zone: child.zone) else { continue }
            let before = record.access
            record.sequence = nextSequence()
            record.revision += 1
            record.access = sharedAccess(of: child, under: nil)
            record.noteFormerReaders(before: before)
            keep(record, at: child)
            updateSharedAccess(below: child)
        }
    }

    /// Ends a share whose record was deleted.
    private mutating func end(_ share: InMemorySharing.Share) {
        sharing.shares[share.id] = nil
        if let root = share.root { updateSharedAccess(of: [root]) }
        for participant in share.participants { didLoseRights(participant, of: share) }
    }

    /// Ends all shares of a zone that was deleted.
    mutating func endShares(in zone: InMemoryZone) {
        let shares = sharing.shares.values.filter { $0.record.zone == zone.id }
        let accounts = Set(shares.flatMap(\.participants).filter { $0.status == .accepted }.compactMap(\.account))
        for share in shares { sharing.shares[share.id] = nil }
        sharing.parents = sharing.parents.filter { $0.key.zone != zone.id }
        for account in accounts.sorted(by: { $0.rawValue < $1.rawValue }) {
            sharing.lost.append(
                InMemorySharing.Lost(
                    sequence: nextSequence(), account: account, owner: zone.id.owner, name: zone.name))
        }
    }

    /// Notes that a participant has other rights now.
    mutating func didChangeRights(_ account: UserID, in zone: InMemoryZoneID) {
        sharing.rightsChanges[InMemorySharing.Membership(account: account, zone: zone)] = nextSequence()
    }

    /// Notes that a participant has lost rights of a share.
    mutating func didLoseRights(_ participant: InMemorySharing.Participant, of share: InMemorySharing.Share) {
        guard let account = participant.account, participant.status == .accepted else { return }
        let zone = share.record.zone
        guard sharing.participation(of: account, in: zone) == nil else { return didChangeRights(account, in: zone) }
        guard let name = zones.all(of: zone.owner).first(where: { $0.id == zone })?.name else { return }
        sharing.lost.append(
            InMemorySharing.Lost(sequence: nextSequence(), account: account, owner: zone.owner, name: name))
    }

    /// Gives a share record a new change tag, because its participants have changed.
    mutating func touch(_ share: InMemorySharing.Share, by account: UserID) {
        guard var record = find(share.record.name, zone: share.record.zone) else { return }
        record.change(sequence: nextSequence(), by: account, at: now)
        keep(record, at: record.key)
    }
}
