package import RecordModel

/// The parents of records, and the short GUIDs that records have before they are shared.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class HierarchyTable {
    private let connection: Connection
    private let placeOfRecord: Statement
    private let nextChild: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        placeOfRecord = connection.prepare("SELECT parent, guid FROM hierarchy WHERE record = ?1")
        nextChild = connection.prepare(
            "SELECT record FROM hierarchy WHERE parent = ?1 AND record > ?2 ORDER BY record LIMIT 1")
    }

    /// The place of a record in a hierarchy.
    package struct Place: Hashable, Sendable {
        /// The parent; `nil` for none.
        package var parent: RecordNumber?
        /// The short GUID of a share to come; `nil` for none.
        package var guid: String?

        /// Creates the place of a record without a parent.
        package init() {}
    }

    /// Returns the place of a record. A record without a row has neither a parent nor a GUID.
    package func place(of record: RecordNumber) throws(RecordError) -> Place {
        try placeOfRecord.with(record).row {
            var place = Place()
            place.parent = $0.next()
            place.guid = $0.next()
            return place
        } ?? Place()
    }

    /// Stores the place of a record.
    package func set(_ place: Place, of record: RecordNumber) throws(RecordError) {
        guard place != Place() else { return try remove(record) }
        try connection.prepare(
            """
            INSERT INTO hierarchy (record, parent, guid) VALUES (?1, ?2, ?3)
            ON CONFLICT (record) DO UPDATE SET parent = excluded.parent, guid = excluded.guid
            """
        ).with(record, place.parent, place.guid).run()
    }

    /// Deletes the row of a record.
    package func remove(_ record: RecordNumber) throws(RecordError) {
        try connection.prepare("DELETE FROM hierarchy WHERE record = ?1").with(record).run()
    }

    /// Returns the children of a record, at most `limit`.
    package func children(of record: RecordNumber, limit: Int) throws(RecordError) -> [RecordNumber] {
        try connection.prepare("SELECT record FROM hierarchy WHERE parent = ?1 LIMIT ?2").with(record, limit)
            .rows { $0.next() }
    }

    /// Returns the child of a record with the smallest number after another; `nil` if there is none.
    package func child(of record: RecordNumber, after other: RecordNumber) throws(RecordError) -> RecordNumber? {
        try nextChild.with(record, other).row { $0.next() }
    }

    /// Returns whether any record has a parent, a GUID or a share.
    package func isUsed() throws(RecordError) -> Bool {
        try connection.prepare(
            "SELECT EXISTS (SELECT 1 FROM hierarchy) OR EXISTS (SELECT 1 FROM share)"
        ).row { $0.next() } ?? false
    }

    /// Returns the name of a record, and the facts on which read permission depends; `nil` for a record that does not exist.
    package func record(_ id: RecordNumber) throws(RecordError) -> (name: String, facts: RecordFacts)? {
        try connection.prepare("SELECT name, creator, acl FROM record WHERE id = ?1 AND deleted = 0").with(id)
            .row { ($0.next(), RecordFacts(creator: $0.next(UserID.self), access: $0.next())) }
    }

    // MARK: Updates of access lists

    /// An update of access lists that is left to slices: below a record, from one of its children on.
    package struct AccessUpdate: Hashable, Sendable {
        /// The record whose children are left.
        package var parent: RecordNumber
        /// The zone of the hierarchy.
        package var zone: ZoneID
        /// The children up to this number are up to date.
        package var last: RecordNumber

        /// Creates an update of all records below a record.
        package init(below parent: RecordNumber, zone: ZoneID) {
            self.parent = parent
            self.zone = zone
            last = .unassigned
        }
    }

    private static func update(_ columns: inout Columns) -> AccessUpdate {
        var update = AccessUpdate(below: columns.next(), zone: columns.next())
        update.last = columns.next()
        return update
    }

    /// Stores an update, in place of another one below the same record.
    package func set(_ update: AccessUpdate) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO access_update (parent, zone, last) VALUES (?1, ?2, ?3)
            ON CONFLICT (parent) DO UPDATE SET zone = excluded.zone, last = excluded.last
            """
        ).with(update.parent, update.zone, update.last).run()
    }

    /// Deletes an update that is done.
    package func removeUpdate(below parent: RecordNumber) throws(RecordError) {
        try connection.prepare("DELETE FROM access_update WHERE parent = ?1").with(parent).run()
    }

    /// Returns the update below a record; `nil` if its children are up to date.
    package func update(below parent: RecordNumber) throws(RecordError) -> AccessUpdate? {
        try connection.prepare("SELECT parent, zone, last FROM access_update WHERE parent = ?1").with(parent)
            .row { Self.update(&$0) }
    }

    /// Returns an update of any hierarchy; `nil` if all access lists are up to date.
    package func firstUpdate() throws(RecordError) -> AccessUpdate? {
        try connection.prepare("SELECT parent, zone, last FROM access_update LIMIT 1").row { Self.update(&$0) }
    }
}
