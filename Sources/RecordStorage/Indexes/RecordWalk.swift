package import RecordModel

/// Walks through records for those who fill indexes, on the writer's connection.
package final class RecordWalk {
    private let connection: Connection
    private var statement: Statement?
    private var afterID: Statement?

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Begins at the records and tombstones of all zones and types after an internal number, in its order.
    package func begin(after id: RecordNumber) throws(RecordError) {
        let all: SQL = "SELECT \(RecordRowCursor.columns), zone FROM record WHERE id > ?1 ORDER BY id"
        let statement = if let afterID { afterID } else { connection.prepare(all) }
        afterID = statement
        statement.with(id)
        self.statement = statement
    }

    /// Begins at the live records of one type, zone by zone.
    package func begin(type: TypeID) throws(RecordError) {
        let statement = connection.prepare(Self.ofType("\(RecordRowCursor.joinedColumns), r.zone"))
        statement.with(type, Int64.max)
        self.statement = statement
    }

    /// Goes to the next record; `nil` at the end. What it gives is borrowed until the next call.
    package func next() throws(RecordError) -> (cursor: RecordRowCursor, zone: ZoneID)? {
        guard let statement, try statement.step() else { return nil }
        return (RecordRowCursor(statement: statement), ZoneID(statement, column: RecordRowCursor.behindColumns))
    }

    /// Ends the borrowing; to be called on every path.
    package func finish() {
        statement?.reset()
        statement = nil
    }

    /// Whether a type has at most so many live records, without looking at more than about so many rows.
    package func hasAtMost(_ limit: Int, ofType type: TypeID) throws(RecordError) -> Bool {
        let zones = connection.prepare("SELECT count(*) FROM (SELECT 1 FROM zone LIMIT ?1)")
        guard try zones.with(limit + 1).number() ?? .max <= limit else { return false }
        let records = connection.prepare("SELECT count(*) FROM (\(Self.ofType("1").text))")
        return try records.with(type, limit + 1).number() ?? .max <= limit
    }

    /// The zones first: only within one are the records of a type in order. Then those with access lists.
    private static func ofType(_ columns: String) -> SQL {
        """
        SELECT \(columns) FROM (SELECT id AS known FROM zone) CROSS JOIN record AS r INDEXED BY record_by_type
        WHERE r.zone = known AND r.type = ?1 AND r.deleted = 0 AND r.acl IS NULL
        UNION ALL
        SELECT \(columns) FROM audience AS a CROSS JOIN audience_record AS m ON m.audience = a.id AND m.type = ?1
        CROSS JOIN record AS r ON r.id = m.record WHERE a.principal = \(AudienceKey.everything.column)
        LIMIT ?2
        """
    }
}
