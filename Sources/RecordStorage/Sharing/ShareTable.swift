package import RecordModel

/// A stored share.
package struct ShareRow: Hashable, Sendable {
    /// The number of the share and of its record.
    package var id: ShareID
    /// The zone that contains the shared records.
    package var zone: ZoneID
    /// The record at the top of the shared hierarchy; `nil` for the whole zone.
    package var root: RecordNumber?
    /// The secret part of the share's link.
    package var guid: String
    /// The permission of everyone who has the link.
    package var publicPermission: SharePermission

    /// Creates a share.
    package init(id: ShareID, zone: ZoneID, root: RecordNumber?, guid: String, publicPermission: SharePermission) {
        self.id = id
        self.zone = zone
        self.root = root
        self.guid = guid
        self.publicPermission = publicPermission
    }

    /// The share record.
    package var record: RecordNumber { RecordNumber(rawValue: id.rawValue) }
}

/// Shares and their participants.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class ShareTable {
    let connection: Connection
    private let findByID: Statement
    private let findByRoot: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        findByID = connection.prepare("SELECT \(Self.columns) FROM share WHERE record = ?1")
        findByRoot = connection.prepare("SELECT \(Self.columns) FROM share WHERE root = ?1 AND root > 0")
    }

    private static let columns = "record, zone, root, guid, public_permission"

    private static func row(_ columns: inout Columns) -> ShareRow {
        let (id, zone) = (columns.next(ShareID.self), columns.next(ZoneID.self))
        let root = columns.next(RecordNumber.self)
        return ShareRow(
            id: id, zone: zone, root: root == .unassigned ? nil : root, guid: columns.next(),
            publicPermission: SharePermission(rawValue: columns.next()) ?? .none)
    }

    /// Returns the share of a share record; `nil` if there is none.
    package func find(_ id: ShareID) throws(RecordError) -> ShareRow? {
        try findByID.with(id).row { Self.row(&$0) }
    }

    /// Returns the share whose root is a record; `nil` if there is none.
    package func find(root: RecordNumber) throws(RecordError) -> ShareRow? {
        try findByRoot.with(root).row { Self.row(&$0) }
    }

    /// Returns the share of a whole zone; `nil` if there is none.
    package func find(zone: ZoneID) throws(RecordError) -> ShareRow? {
        try connection.prepare("SELECT \(Self.columns) FROM share WHERE zone = ?1 AND root = 0").with(zone)
            .row { Self.row(&$0) }
    }

    /// Returns the share whose link, or whose invitation, has a GUID. For an invitation, also its participant.
    package func find(guid: String) throws(RecordError) -> (share: ShareRow, participant: ParticipantRow?)? {
        let byLink = connection.prepare("SELECT \(Self.columns) FROM share WHERE guid = ?1").with(guid)
        if let share = try byLink.row({ Self.row(&$0) }) { return (share, nil) }
        let invitation = connection.prepare(
            "SELECT \(ParticipantRow.columns) FROM participant WHERE guid = ?1"
        ).with(guid)
        guard let participant = try invitation.row({ ParticipantRow(&$0) }),
            let share = try find(participant.share)
        else { return nil }
        return (share, participant)
    }

    /// Returns whether a zone has a share of the given form.
    ///
    /// - Parameter whole: Whether to look for the share of the whole zone, or for shares of hierarchies.
    package func hasShares(in zone: ZoneID, whole: Bool) throws(RecordError) -> Bool {
        try connection.prepare("SELECT 1 FROM share WHERE zone = ?1 AND (root = 0) = ?2 LIMIT 1").with(zone, whole)
            .exists()
    }

    /// Returns the shares of a zone.
    package func list(zone: ZoneID) throws(RecordError) -> [ShareRow] {
        try connection.prepare("SELECT \(Self.columns) FROM share WHERE zone = ?1 ORDER BY record").with(zone)
            .rows { Self.row(&$0) }
    }

    /// Adds a share.
    package func add(_ share: ShareRow) throws(RecordError) {
        try connection.prepare(
            "INSERT INTO share (record, zone, root, guid, public_permission) VALUES (?1, ?2, ?3, ?4, ?5)"
        ).with(
            share.id, share.zone, share.root ?? .unassigned, share.guid, share.publicPermission.rawValue
        ).run()
    }

    /// Changes the public permission of a share.
    package func set(_ permission: SharePermission, of id: ShareID) throws(RecordError) {
        try connection.prepare("UPDATE share SET public_permission = ?2 WHERE record = ?1")
            .with(id, permission.rawValue).run()
    }

    /// Deletes a share and its participants.
    package func remove(_ id: ShareID) throws(RecordError) {
        try connection.prepare("DELETE FROM participant WHERE share = ?1").with(id).run()
        try connection.prepare("DELETE FROM share WHERE record = ?1").with(id).run()
    }
}
