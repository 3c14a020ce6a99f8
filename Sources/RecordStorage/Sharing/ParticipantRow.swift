package import RecordModel

/// A stored participant of a share.
package struct ParticipantRow: Hashable, Sendable {
    /// The share.
    package var share: ShareID
    /// The participant's number within its share, from 1.
    package var id: Int64
    /// The account; `nil` for an invitation that no account has accepted yet.
    package var account: UserID?
    /// The secret part of the invitation's link; `nil` for an account that the owner has named.
    package var guid: String?
    /// How the owner names the invited person.
    package var label: String?
    /// How the account became a participant.
    package var kind: ParticipantKind
    /// The participant's own permission. A public user has that of its share.
    package var permission: SharePermission
    /// Whether the participant has accepted.
    package var status: ParticipantStatus
    /// The sequence number of the last change of the participant's rights.
    package var changed: Int64

    /// Creates a participant.
    package init(
        share: ShareID, id: Int64 = 0, account: UserID?, guid: String? = nil, label: String? = nil,
        kind: ParticipantKind, permission: SharePermission, status: ParticipantStatus, changed: Int64
    ) {
        self.share = share
        self.id = id
        self.account = account
        self.guid = guid
        self.label = label
        self.kind = kind
        self.permission = permission
        self.status = status
        self.changed = changed
    }

    static let columns = "share, id, account, guid, label, kind, permission, status, changed"

    init(_ columns: inout Columns) {
        share = columns.next()
        id = columns.next()
        account = columns.next()
        guid = columns.next()
        label = columns.next()
        kind = ParticipantKind(rawValue: columns.next()) ?? .user
        permission = SharePermission(rawValue: columns.next()) ?? .none
        status = ParticipantStatus(rawValue: columns.next()) ?? .invited
        changed = columns.next()
    }
}

/// The participants of shares.
extension ShareTable {
    /// Returns the participants of a share: those that the owner named, then the others, each in the order in which they
    /// were added.
    ///
    /// - Parameter limit: The maximum number of participants.
    package func participants(of share: ShareID, limit: Int = .max) throws(RecordError) -> [ParticipantRow] {
        try connection.prepare(
            "SELECT \(ParticipantRow.columns) FROM participant WHERE share = ?1 ORDER BY kind, id LIMIT ?2"
        ).with(share, limit).rows { ParticipantRow(&$0) }
    }

    /// Returns the participant of a share that is an account; `nil` if there is none.
    package func participant(_ account: UserID, of share: ShareID) throws(RecordError) -> ParticipantRow? {
        try connection.prepare(
            "SELECT \(ParticipantRow.columns) FROM participant WHERE account = ?1 AND share = ?2"
        ).with(account, share).row { ParticipantRow(&$0) }
    }

    /// Adds a participant with the next number of its share.
    package func add(_ participant: ParticipantRow) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO participant (share, id, account, guid, label, kind, permission, status, changed)
            SELECT ?1, coalesce((SELECT max(id) FROM participant WHERE share = ?1), 0) + 1,
                ?2, ?3, ?4, ?5, ?6, ?7, ?8
            """
        ).with(participant.share, participant.account, participant.guid, participant.label)
            .with(
                from: 5, participant.kind.rawValue, participant.permission.rawValue, participant.status.rawValue,
                participant.changed
            ).run()
    }

    /// Replaces a participant.
    package func update(_ participant: ParticipantRow) throws(RecordError) {
        try connection.prepare(
            """
            UPDATE participant SET account = ?3, guid = ?4, label = ?5, permission = ?6, status = ?7, changed = ?8
            WHERE share = ?1 AND id = ?2
            """
        ).with(participant.share, participant.id, participant.account, participant.guid, participant.label)
            .with(from: 6, participant.permission.rawValue, participant.status.rawValue, participant.changed).run()
    }

    /// Deletes a participant.
    package func remove(_ participant: ParticipantRow) throws(RecordError) {
        try connection.prepare("DELETE FROM participant WHERE share = ?1 AND id = ?2")
            .with(participant.share, participant.id).run()
    }

    /// Stores that the rights of the public users of a share have changed.
    package func notePublicChange(of share: ShareID, at sequence: Int64) throws(RecordError) {
        try connection.prepare("UPDATE participant SET changed = ?2 WHERE share = ?1 AND kind = ?3")
            .with(share, sequence, ParticipantKind.publicUser.rawValue).run()
    }

    /// The shares that an account has accepted and that give it a right.
    private static let accepted = """
        participant JOIN share ON share.record = participant.share
        WHERE participant.account = ?1 AND participant.status = 2
        AND (CASE participant.kind WHEN 2 THEN share.public_permission ELSE participant.permission END) > 0
        """

    /// Returns the rights of an account in a zone, and the sequence number of their last change; `nil` without rights.
    package func participation(
        of account: UserID, in zone: ZoneID, owner: UserID
    ) throws(RecordError) -> (participation: Participation, changed: Int64)? {
        let rows = try connection.prepare(
            """
            SELECT share.record, share.root,
                CASE participant.kind WHEN 2 THEN share.public_permission ELSE participant.permission END,
                participant.changed
            FROM \(Self.accepted) AND share.zone = ?2
            """
        ).with(account, zone).rows {
            (
                share: $0.next(ShareID.self), root: $0.next(RecordNumber.self), permission: $0.next(Int64.self),
                changed: $0.next(Int64.self)
            )
        }
        guard !rows.isEmpty else { return nil }
        var participation = Participation(zone: zone, owner: owner)
        for row in rows {
            let rights = SharePermission(rawValue: row.permission)?.rights ?? []
            participation.add(row.share, isWhole: row.root == .unassigned, rights)
        }
        return (participation, rows.map(\.changed).max() ?? 0)
    }

    /// Returns the zones that others share with an account, oldest change first. The change of a zone is that of its
    /// records or of the account's rights, whichever is newer.
    ///
    /// - Parameter limit: The maximum number of zones.
    package func zones(
        of account: UserID, after sequence: Int64, through last: Int64, limit: Int
    ) throws(RecordError) -> [ZoneEntry] {
        try connection.prepare(
            """
            SELECT id, owner, name, created, newest FROM (
                SELECT zone.id, zone.owner, zone.name, zone.created,
                    max(zone.changed, max(participant.changed)) AS newest
                FROM participant JOIN share ON share.record = participant.share JOIN zone ON zone.id = share.zone
                WHERE participant.account = ?1 AND participant.status = 2 AND zone.scope = 1
                AND (CASE participant.kind WHEN 2 THEN share.public_permission ELSE participant.permission END) > 0
                GROUP BY zone.id)
            WHERE newest > ?2 AND newest <= ?3 ORDER BY newest, id LIMIT ?4
            """
        ).with(account, sequence, last, limit).rows {
            ZoneEntry(
                id: $0.next(), owner: $0.next(), name: $0.next(), created: $0.next(), changed: $0.next())
        }
    }

    /// Stores that the rights of an account in a zone have changed.
    package func noteChange(of account: UserID, in zone: ZoneID, at sequence: Int64) throws(RecordError) {
        try connection.prepare(
            """
            UPDATE participant SET changed = ?3
            WHERE account = ?1 AND share IN (SELECT record FROM share WHERE zone = ?2)
            """
        ).with(account, zone, sequence).run()
    }

    /// Returns the accounts that use a zone through shares.
    package func accounts(in zone: ZoneID) throws(RecordError) -> [UserID] {
        try connection.prepare(
            """
            SELECT DISTINCT participant.account FROM participant JOIN share ON share.record = participant.share
            WHERE share.zone = ?1 AND participant.account IS NOT NULL AND participant.status = 2
            """
        ).with(zone).rows { $0.next() }
    }

    /// Returns the zones of an account that have shares.
    package func sharedZones(of owner: UserID) throws(RecordError) -> [(id: ZoneID, name: String)] {
        try connection.prepare(
            """
            SELECT DISTINCT zone.id, zone.name FROM zone JOIN share ON share.zone = zone.id
            WHERE zone.scope = 1 AND zone.owner = ?1
            """
        ).with(owner).rows { (id: $0.next(), name: $0.next()) }
    }

    /// Deletes the participations of a deleted account.
    package func removeParticipations(of account: UserID) throws(RecordError) {
        try connection.prepare(
            "DELETE FROM participant WHERE account = ?1"
        ).with(account).run()
    }

    /// Deletes the shares of a zone and their participants.
    package func removeAll(in zone: ZoneID) throws(RecordError) {
        try connection.prepare("DELETE FROM participant WHERE share IN (SELECT record FROM share WHERE zone = ?1)")
            .with(zone).run()
        try connection.prepare("DELETE FROM share WHERE zone = ?1").with(zone).run()
    }
}
