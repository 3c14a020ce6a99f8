package import RecordModel

/// A stored earlier state of the schema.
package struct SchemaSnapshotRow: Hashable, Sendable {
    /// The number of the snapshot; 0 for a new one.
    package var id: Int64 = 0
    /// When the snapshot was stored, in milliseconds since 1970.
    package var created: Int64
    /// The kind and the name of the caller whose change it precedes, as in the audit log.
    package var actorKind: String
    package var actor: String
    /// The change that it precedes: `promotion`, `rollback` or `reset`.
    package var reason: String
    /// The schema as a text of the schema language; empty in lists.
    package var text: [UInt8]

    /// Creates a snapshot without a number.
    package init(created: Int64, actorKind: String, actor: String, reason: String, text: [UInt8]) {
        self.created = created
        self.actorKind = actorKind
        self.actor = actor
        self.reason = reason
        self.text = text
    }
}

/// Earlier states of the schema.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class SchemaSnapshotTable {
    private let connection: Connection

    /// Uses `connection`.
    package init(_ connection: Connection) { self.connection = connection }

    /// Returns a snapshot; `nil` if there is none.
    package func find(_ id: Int64) throws(RecordError) -> SchemaSnapshotRow? {
        try connection.prepare(
            "SELECT id, created, actor_kind, actor, reason, document FROM schema_snapshot WHERE id = ?1"
        ).with(id).row(read)
    }

    /// Returns all snapshots without their texts, newest first.
    package func list() throws(RecordError) -> [SchemaSnapshotRow] {
        try connection.prepare(
            "SELECT id, created, actor_kind, actor, reason, x'' FROM schema_snapshot ORDER BY id DESC"
        ).rows(read)
    }

    private func read(_ row: inout Columns) -> SchemaSnapshotRow {
        let id: Int64 = row.next()
        var snapshot = SchemaSnapshotRow(
            created: row.next(), actorKind: row.next(), actor: row.next(), reason: row.next(), text: row.next())
        snapshot.id = id
        return snapshot
    }

    /// Adds a snapshot, and deletes the oldest so that at most `most` stay.
    ///
    /// - Returns: The number of the new snapshot. Numbers are not reused.
    package func add(_ row: SchemaSnapshotRow, most: Int) throws(RecordError) -> Int64 {
        let insert = connection.prepare(
            """
            INSERT INTO schema_snapshot (created, actor_kind, actor, reason, document) VALUES (?1, ?2, ?3, ?4, ?5)
            RETURNING id
            """)
        let id = try insert.with(row.created, row.actorKind, row.actor, row.reason, row.text).returnedNumber()
        try connection.prepare(
            """
            DELETE FROM schema_snapshot WHERE id <= (
                SELECT id FROM schema_snapshot ORDER BY id DESC LIMIT 1 OFFSET ?1)
            """
        ).with(most).run()
        return id
    }
}
