package import RecordModel

/// Scans live records in the order of their ids, and finds them by id: what queries need besides the tables of indexes.
///
/// The records without an access list are found under their zone, those with one under their audiences (`RowHome`).
///
/// Confined to the thread of its connection.
package final class RecordScanning {
    private let connection: Connection
    /// Prepared when they are first needed.
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

    /// INDEXED BY: the plan is part of the contract; a lost index is an error, not a slow page.
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

    /// Stands on the first record of a type; further ones follow by id. The caller finishes the cursor.
    ///
    /// - Parameters:
    ///   - creator: Whose records; `nil` for everybody's.
    ///   - ids: Exclusive bounds.
    ///   - isBackward: Whether ids descend.
    ///   - lane: Cursors of different lanes may be open at once.
    /// - Returns: `nil` if there is none.
    package func scan(
        home: RowHome, type: TypeID, creator: UserID?, within ids: (above: RecordNumber, below: RecordNumber),
        isBackward: Bool, reading rows: ScanCursor.Rows, lane: Int = 0
    ) throws(RecordError) -> ScanCursor? {
        try bound(.scan(rows, isBackward: isBackward), home, type, creator, ids, .max, lane: lane)
            .firstRow().map { ScanCursor($0, rows) }
    }

    /// Stands on the entry of the live record with a name, if it is of the type and within the bounds. The caller finishes
    /// the cursor.
    ///
    /// - Parameter ids: Exclusive bounds.
    package func scan(
        home: RowHome, type: TypeID, name: [UInt8], within ids: (above: RecordNumber, below: RecordNumber)
    ) throws(RecordError) -> ScanCursor? {
        let statement = home.isAudience ? byNameListed : byName
        statement.with(home.number, TextBytes(name), type, ids.above, ids.below)
        return try statement.firstRow().map { ScanCursor($0, .entries) }
    }

    /// Counts live records of a type, up to a limit.
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

    /// Stands on the record with an id; `nil` if there is none. The caller finishes the cursor.
    package func record(_ id: RecordNumber) throws(RecordError) -> RecordCursor? {
        byID.with(id)
        return try byID.firstRow().map(RecordCursor.init)
    }

    /// The first row at or behind an id, tombstones included, and when it was made by the server's clock.
    package func creation(at id: RecordNumber) throws(RecordError) -> (id: RecordNumber, created: Int64)? {
        try creationAt.with(id).row { ($0.next(), $0.next()) }
    }
}
