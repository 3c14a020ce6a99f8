package import RecordModel

/// Scans live records in the order of their numbers, and finds records by number or name. Queries use it in addition to
/// index tables.
///
/// Records without an access list are found under their zone. Records with an access list are found under their
/// audiences (`RowHome`).
///
/// Confined to the thread of its connection. Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class RecordIDScanner {
    private let connection: Connection
    /// The statements of scans and counts. Each statement is prepared on first use.
    private var statements: [Shape: Statement] = [:]
    private let byName: Statement
    private let byNameListed: Statement
    private let byID: Statement
    private let creationAt: Statement

    private struct Shape: Hashable {
        enum Verb: Hashable {
            case scan(ScanCursor.Rows, isBackward: Bool)
            case count
        }

        let verb: Verb
        let isOwn: Bool
        let isAudience: Bool
        let lane: Int
    }

    /// Prepares the SQL statements that do not depend on the shape of a scan.
    package init(_ connection: Connection) {
        self.connection = connection
        byName = connection.prepare(
            """
            SELECT id FROM record
            WHERE zone = ?1 AND name = ?2 AND deleted = 0 AND type = ?3 AND id > ?4 AND id < ?5 AND acl IS NULL
            """)
        byNameListed = connection.prepare(
            """
            SELECT r.id FROM audience AS a CROSS JOIN record AS r ON r.zone = a.zone AND r.name = ?2 AND r.deleted = 0
            CROSS JOIN audience_record AS m ON m.audience = a.id AND m.type = r.type AND m.record = r.id
            WHERE a.id = ?1 AND r.type = ?3 AND r.id > ?4 AND r.id < ?5
            """)
        byID = connection.prepare("SELECT \(RecordCursor.columns) FROM record WHERE id = ?1")
        creationAt = connection.prepare(
            "SELECT id, coalesce(received, created) FROM record WHERE id >= ?1 ORDER BY id LIMIT 1")
    }

    /// Returns the SQL of a shape. INDEXED BY makes a missing index an error instead of a slow page.
    private static func sql(_ shape: Shape) -> SQL {
        if shape.isAudience {
            let condition = """
                WHERE a.audience = ?1 AND a.type = ?2 AND a.record > ?3 AND a.record < ?4\
                \(shape.isOwn ? " AND a.creator = ?6" : "")
                """
            let table = "audience_record AS a\(shape.isOwn ? " INDEXED BY audience_record_by_creator" : "")"
            switch shape.verb {
            case .scan(.entries, let isBackward):
                return "SELECT a.record FROM \(table) \(condition) ORDER BY a.record \(direction(isBackward)) LIMIT ?5"
            case .scan(.payloads, _): preconditionFailure("Records have no payloads")
            case .scan(.records, let isBackward):
                return """
                    SELECT \(RecordCursor.joinedColumns) FROM \(table) CROSS JOIN record AS r ON r.id = a.record
                    \(condition) ORDER BY a.record \(direction(isBackward)) LIMIT ?5
                    """
            case .count: return "SELECT count(*) FROM (SELECT 1 FROM \(table) \(condition) LIMIT ?5)"
            }
        }
        let table = "record INDEXED BY record_by_\(shape.isOwn ? "creator" : "type")"
        let condition = """
            WHERE zone = ?1 AND type = ?2 AND deleted = 0 AND acl IS NULL AND id > ?3 AND id < ?4\
            \(shape.isOwn ? " AND creator = ?6" : "")
            """
        switch shape.verb {
        case .scan(let rows, let isBackward):
            let columns = rows == .records ? RecordCursor.columns : "id"
            return "SELECT \(columns) FROM \(table) \(condition) ORDER BY id \(direction(isBackward)) LIMIT ?5"
        case .count: return "SELECT count(*) FROM (SELECT 1 FROM \(table) \(condition) LIMIT ?5)"
        }
    }

    private static func direction(_ isBackward: Bool) -> String { isBackward ? "DESC" : "ASC" }

    /// Returns a cursor at the first record of a type, in the order of numbers. The caller must finish the cursor.
    ///
    /// - Parameters:
    ///   - creator: Only records of this user; `nil` for all.
    ///   - ids: The exclusive bounds of the record numbers.
    ///   - isBackward: Whether numbers descend.
    ///   - lane: Cursors of different lanes can be open at the same time.
    /// - Returns: The cursor; `nil` if there is no record.
    package func scan(
        home: RowHome, type: TypeID, creator: UserID?, within ids: (above: RecordNumber, below: RecordNumber),
        isBackward: Bool, reading rows: ScanCursor.Rows, lane: Int = 0
    ) throws(RecordError) -> ScanCursor? {
        try bound(.scan(rows, isBackward: isBackward), home, type, creator, ids, .max, lane: lane)
            .firstRow().map { ScanCursor($0, rows) }
    }

    /// Returns a cursor at the live record with a name, if the record has the type and its number is within
    /// the bounds. The caller must finish the cursor.
    ///
    /// - Parameter ids: The exclusive bounds of the record number.
    package func scan(
        home: RowHome, type: TypeID, name: [UInt8], within ids: (above: RecordNumber, below: RecordNumber)
    ) throws(RecordError) -> ScanCursor? {
        let statement = home.isAudience ? byNameListed : byName
        statement.with(home.number, TextBytes(name), type, ids.above, ids.below)
        return try statement.firstRow().map { ScanCursor($0, .entries) }
    }

    /// Returns the number of live records of a type, at most `limit`.
    package func count(
        home: RowHome, type: TypeID, creator: UserID?, within ids: (above: RecordNumber, below: RecordNumber),
        limit: Int
    ) throws(RecordError) -> Int {
        try bound(.count, home, type, creator, ids, limit).row { $0.next() } ?? 0
    }

    private func bound(
        _ verb: Shape.Verb, _ home: RowHome, _ type: TypeID, _ creator: UserID?,
        _ ids: (above: RecordNumber, below: RecordNumber), _ limit: Int, lane: Int = 0
    ) throws(RecordError) -> Statement {
        let shape = Shape(verb: verb, isOwn: creator != nil, isAudience: home.isAudience, lane: lane)
        let known = statements[shape]
        let statement = if let known { known } else { connection.prepare(Self.sql(shape)) }
        if known == nil { statements[shape] = statement }
        statement.with(home.number, type, ids.above, ids.below, limit)
        if let creator { statement.with(from: 6, creator) }
        return statement
    }

    /// Returns a cursor at the record with a number; `nil` if there is none. The caller must finish the cursor.
    package func record(_ id: RecordNumber) throws(RecordError) -> RecordCursor? {
        byID.with(id)
        return try byID.firstRow().map(RecordCursor.init)
    }

    /// Calls `body` with each live record of all zones and types after a number, in the order of numbers, and with its
    /// zone, until `body` returns false.
    ///
    /// - Returns: Whether all records were visited.
    package func forEach(
        after id: RecordNumber, _ body: (RecordRowCursor, ZoneID) throws(RecordError) -> Bool
    ) throws(RecordError) -> Bool {
        let statement = connection.prepare(
            "SELECT \(RecordRowCursor.columns), zone FROM record WHERE id > ?1 AND deleted = 0 ORDER BY id"
        ).with(id)
        defer { statement.reset() }
        while try statement.step() {
            let zone = ZoneID(statement, column: RecordRowCursor.behindColumns)
            guard try body(RecordRowCursor(statement: statement), zone) else { return false }
        }
        return true
    }

    /// Returns the first record or tombstone with the number `id` or a larger number, and its creation time by the
    /// server's clock in milliseconds since 1970.
    package func creation(at id: RecordNumber) throws(RecordError) -> (id: RecordNumber, created: Int64)? {
        try creationAt.with(id).row { ($0.next(), $0.next()) }
    }
}
