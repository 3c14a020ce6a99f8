/// Reads ids of live records in order, and records by id: what queries need besides the tables of indexes.
///
/// Confined to the thread of its connection.
package final class RecordScanning {
    private let forward: Statement
    private let backward: Statement
    private let forwardOwn: Statement
    private let recordsForward: Statement
    private let recordsBackward: Statement
    private let recordsForwardOwn: Statement
    private let recordsBackwardOwn: Statement
    private let backwardOwn: Statement
    private let byName: Statement
    private let byID: Statement
    private let creationAt: Statement
    private let countAll: Statement
    private let countOwn: Statement

    /// Prepares its statements, which fail to prepare where an index that they name is missing.
    package init(_ connection: Connection) throws(StoreError) {
        // INDEXED BY: the plan is part of the contract; a lost index is an error, not a slow page.
        func select(
            _ columns: String, _ index: String, _ condition: String, _ order: String
        ) throws(StoreError) -> Statement {
            try connection.prepare(
                """
                SELECT \(columns) FROM record INDEXED BY \(index)
                WHERE zone = ?1 AND type = ?2 AND deleted = 0 AND id > ?3 AND id < ?4 \(condition)
                ORDER BY id \(order) LIMIT ?5
                """)
        }
        func ids(_ index: String, _ condition: String, _ order: String) throws(StoreError) -> Statement {
            try select("id", index, condition, order)
        }
        recordsForward = try select(RecordCursor.columns, "record_by_type", "", "ASC")
        recordsBackward = try select(RecordCursor.columns, "record_by_type", "", "DESC")
        recordsForwardOwn = try select(RecordCursor.columns, "record_by_creator", "AND creator = ?6", "ASC")
        recordsBackwardOwn = try select(RecordCursor.columns, "record_by_creator", "AND creator = ?6", "DESC")
        forward = try ids("record_by_type", "", "ASC")
        backward = try ids("record_by_type", "", "DESC")
        forwardOwn = try ids("record_by_creator", "AND creator = ?6", "ASC")
        backwardOwn = try ids("record_by_creator", "AND creator = ?6", "DESC")
        byName = try connection.prepare(
            "SELECT id FROM record WHERE zone = ?1 AND name = ?2 AND deleted = 0 AND type = ?3 AND id > ?4 AND id < ?5")
        byID = try connection.prepare("SELECT \(RecordCursor.columns) FROM record WHERE id = ?1")
        creationAt = try connection.prepare("SELECT id, created FROM record WHERE id >= ?1 ORDER BY id LIMIT 1")
        countAll = try connection.prepare(
            """
            SELECT count(*) FROM (SELECT 1 FROM record INDEXED BY record_by_type
            WHERE zone = ?1 AND type = ?2 AND deleted = 0 AND id > ?3 AND id < ?4 LIMIT ?5)
            """)
        countOwn = try connection.prepare(
            """
            SELECT count(*) FROM (SELECT 1 FROM record INDEXED BY record_by_creator
            WHERE zone = ?1 AND type = ?2 AND deleted = 0 AND id > ?3 AND id < ?4 AND creator = ?6 LIMIT ?5)
            """)
    }

    /// Appends ids of a type, each with an empty key.
    ///
    /// - Parameters:
    ///   - creator: Whose records; `nil` for everybody's.
    ///   - ids: Exclusive bounds.
    package func ids(
        zone: Int64, type: Int64, creator: Int64?, within ids: (above: Int64, below: Int64), isBackward: Bool,
        limit: Int, into entries: inout EntryBuffer
    ) throws(StoreError) {
        let statement: Statement
        if let creator {
            statement = isBackward ? backwardOwn : forwardOwn
            statement.bind(6, creator)
        } else {
            statement = isBackward ? backward : forward
        }
        bind(statement, zone, type, ids, limit)
        defer { statement.reset() }
        while try statement.step() {
            entries.append(UnsafeRawBufferPointer(start: nil, count: 0), record: statement.integer(0))
        }
    }

    /// Stands on the first record of a type; further ones follow by id. The caller finishes the cursor.
    package func records(
        zone: Int64, type: Int64, creator: Int64?, within ids: (above: Int64, below: Int64), isBackward: Bool
    ) throws(StoreError) -> RecordCursor? {
        let statement: Statement
        if let creator {
            statement = isBackward ? recordsBackwardOwn : recordsForwardOwn
            statement.bind(6, creator)
        } else {
            statement = isBackward ? recordsBackward : recordsForward
        }
        bind(statement, zone, type, ids, .max)
        guard try statement.step() else {
            statement.reset()
            return nil
        }
        return RecordCursor(statement: statement)
    }

    /// Appends the id of the live record with a name, if it is of the type and within the bounds.
    package func id(
        zone: Int64, type: Int64, name: [UInt8], within ids: (above: Int64, below: Int64),
        into entries: inout EntryBuffer
    ) throws(StoreError) {
        byName.bind(1, zone)
        byName.bind(2, text: name)
        byName.bind(3, type)
        byName.bind(4, ids.above)
        byName.bind(5, ids.below)
        defer { byName.reset() }
        while try byName.step() {
            entries.append(UnsafeRawBufferPointer(start: nil, count: 0), record: byName.integer(0))
        }
    }

    /// Counts live records of a type, up to a limit.
    package func count(
        zone: Int64, type: Int64, creator: Int64?, within ids: (above: Int64, below: Int64), limit: Int
    ) throws(StoreError) -> Int {
        let statement = creator == nil ? countAll : countOwn
        if let creator { statement.bind(6, creator) }
        bind(statement, zone, type, ids, limit)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    private func bind(
        _ statement: Statement, _ zone: Int64, _ type: Int64, _ ids: (above: Int64, below: Int64), _ limit: Int
    ) {
        statement.bind(1, zone)
        statement.bind(2, type)
        statement.bind(3, ids.above)
        statement.bind(4, ids.below)
        statement.bind(5, Int64(limit))
    }

    /// Stands on the record with an id; `nil` if there is none. The caller finishes the cursor.
    package func record(_ id: Int64) throws(StoreError) -> RecordCursor? {
        byID.bind(1, id)
        guard try byID.step() else {
            byID.reset()
            return nil
        }
        return RecordCursor(statement: byID)
    }

    /// The first row at or behind an id, tombstones included, and when it was made.
    package func creation(at id: Int64) throws(StoreError) -> (id: Int64, created: Int64)? {
        creationAt.bind(1, id)
        defer { creationAt.reset() }
        return try creationAt.step() ? (creationAt.integer(0), creationAt.integer(1)) : nil
    }
}
