package import RecordModel

/// A scan over records to fill new indexes, on the writer's connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class RecordBackfillScan {
    private let connection: Connection
    private var statement: Statement?
    private var afterID: Statement?

    /// Creates a scan on `connection`. Call `begin` before `next`.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Begins a scan of the records and tombstones of all zones and types after the number `id`, in the order of
    /// numbers.
    package func begin(after id: RecordNumber) throws(RecordError) {
        let all: SQL = "SELECT \(RecordRowCursor.columns), zone FROM record WHERE id > ?1 ORDER BY id"
        let statement = if let afterID { afterID } else { connection.prepare(all) }
        afterID = statement
        statement.with(id)
        self.statement = statement
    }

    /// Begins a scan of the live records of one type, zone by zone.
    package func begin(type: TypeID) throws(RecordError) {
        let statement = connection.prepare(Self.ofType("\(RecordRowCursor.joinedColumns), r.zone"))
        statement.with(type, Int64.max)
        self.statement = statement
    }

    /// Moves to the next record; `nil` at the end. The cursor's bytes are valid until the next call.
    package func next() throws(RecordError) -> (cursor: RecordRowCursor, zone: ZoneID)? {
        guard let statement, try statement.step() else { return nil }
        return (RecordRowCursor(statement: statement), ZoneID(statement, column: RecordRowCursor.behindColumns))
    }

    /// Ends the scan. The caller must end the scan on every path.
    package func finish() {
        statement?.reset()
        statement = nil
    }

    /// Returns whether a type has at most `limit` live records. Reads at most about `limit` rows.
    package func hasAtMost(_ limit: Int, ofType type: TypeID) throws(RecordError) -> Bool {
        let zones = connection.prepare("SELECT count(*) FROM (SELECT 1 FROM zone LIMIT ?1)")
        guard try zones.with(limit + 1).number() ?? .max <= limit else { return false }
        let records = connection.prepare("SELECT count(*) FROM (\(Self.ofType("1").text))")
        return try records.with(type, limit + 1).number() ?? .max <= limit
    }

    /// The SQL for the live records of one type: first the records without access lists, zone by zone, then the records
    /// with access lists. Zone by zone, because the SQL index orders the records of a type only within a zone. Parameters:
    /// the type and the maximum number of rows.
    static func ofType(_ columns: String) -> SQL {
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
