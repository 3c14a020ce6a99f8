package import RecordModel

/// Reads records on a reader's connection: lookup, listing and change feed.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class RecordFinder {
    private let connection: Connection
    private let findByName: Statement
    private let listAll: Statement
    private let listOwn: Statement
    private let feedAll: Statement
    private let feedReadable: Statement
    private let feedWindow: Statement
    private let lastSequence: Statement
    private let findLarge: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        let (columns, allColumns) = (RecordCursor.columns, RecordRowCursor.columns)
        findByName = connection.prepare(
            "SELECT \(allColumns) FROM record WHERE zone = ?1 AND name = ?2 AND deleted = 0")
        // INDEXED BY makes a missing index an error instead of a slow page.
        listAll = connection.prepare(
            """
            SELECT \(columns) FROM record INDEXED BY record_by_type
            WHERE zone = ?1 AND type = ?2 AND deleted = 0 AND acl IS NULL AND id > ?3 ORDER BY id LIMIT ?4
            """)
        listOwn = connection.prepare(
            """
            SELECT \(columns) FROM record INDEXED BY record_by_creator
            WHERE zone = ?1 AND type = ?2 AND creator = ?5 AND deleted = 0 AND acl IS NULL AND id > ?3
            ORDER BY id LIMIT ?4
            """)
        feedAll = connection.prepare(
            """
            SELECT \(allColumns) FROM record INDEXED BY record_by_sequence
            WHERE zone = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3
            """)
        feedReadable = connection.prepare(
            """
            SELECT \(allColumns) FROM record INDEXED BY record_by_sequence
            WHERE zone = ?1 AND sequence > ?2 AND sequence <= ?4
            AND (type IN (SELECT value FROM json_each(?5)) OR (
                type IN (SELECT value FROM json_each(?6))
                AND (creator = ?7 OR acl IS NOT NULL OR former IS NOT NULL)))
            ORDER BY sequence LIMIT ?3
            """)
        feedWindow = connection.prepare(
            """
            SELECT sequence FROM record INDEXED BY record_by_sequence
            WHERE zone = ?1 AND sequence > ?2 ORDER BY sequence LIMIT 1 OFFSET ?3
            """)
        lastSequence = connection.prepare(
            "SELECT max(sequence) FROM record INDEXED BY record_by_sequence WHERE zone = ?1")
        findLarge = connection.prepare("SELECT value FROM large_value WHERE record = ?1 AND field = ?2")
    }

    /// Calls `body` with records and tombstones of all zones and types, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - id: The number before the first record.
    ///   - limit: The most rows.
    /// - Returns: The number of the last row; `nil` if no row is left.
    package func scan(
        after id: RecordNumber, limit: Int, _ body: (RecordRowCursor) throws(RecordError) -> Void
    ) throws(RecordError) -> RecordNumber? {
        let statement = connection.prepare(
            "SELECT \(RecordRowCursor.columns) FROM record WHERE id > ?1 ORDER BY id LIMIT ?2")
        defer { statement.reset() }
        statement.with(id, limit)
        var last: RecordNumber?
        while try statement.step() {
            let cursor = RecordRowCursor(statement: statement)
            last = cursor.record.id
            try body(cursor)
        }
        return last
    }

    /// Returns a cursor at the live record with a name; `nil` if there is none. The caller must finish the cursor.
    package func find(zone: ZoneID, name: String) throws(RecordError) -> RecordRowCursor? {
        findByName.with(zone, name)
        return try findByName.firstRow().map(RecordRowCursor.init)
    }

    /// Returns a cursor over the live records of a type without access lists, in creation order, starting after the
    /// number `id`. The caller must finish the cursor.
    ///
    /// - Parameter permitted: The records that the caller can read. With `.none` the cursor finds no records.
    package func list(
        zone: ZoneID, type: TypeID, after id: RecordNumber, limit: Int, permitted: PermittedRecords
    ) throws(RecordError) -> RecordCursor? {
        let statement: Statement
        switch permitted {
        case .none: return nil
        case .all: statement = listAll
        case .own(let user):
            statement = listOwn
            statement.with(from: 5, user)
        }
        return try statement.with(zone, type, id, limit).firstRow().map(RecordCursor.init)
    }

    /// The rows that a read of the change feed can return.
    package enum FeedFilter {
        /// All rows.
        case everything
        /// All records of the types `all`. Of the types `own`, only the records that `user` created and the records
        /// that have or had an access list. The reader checks the access lists.
        case types(all: [TypeID], own: [TypeID], user: UserID)
    }

    /// Returns a cursor over records and tombstones after a sequence number, oldest change first. The caller must
    /// finish the cursor.
    ///
    /// - Parameter bound: The last sequence number to read. Has an effect only with a filter.
    package func changes(
        zone: ZoneID, after sequence: Int64, through bound: Int64, limit: Int, filter: FeedFilter
    ) throws(RecordError) -> RecordRowCursor? {
        let statement: Statement
        switch filter {
        case .everything: statement = feedAll
        case .types(let all, let own, let user):
            statement = feedReadable
            statement.with(from: 4, bound, IDList(all), IDList(own), user)
        }
        return try statement.with(zone, sequence, limit).firstRow().map(RecordRowCursor.init)
    }

    /// Returns the sequence number of the last row that one filtered read may examine, `count` rows after `sequence`;
    /// `nil` if there are fewer rows.
    package func window(zone: ZoneID, after sequence: Int64, count: Int) throws(RecordError) -> Int64? {
        try feedWindow.with(zone, sequence, count).number()
    }

    /// Returns the sequence number of the zone's last change; 0 if the zone has no records or tombstones.
    package func newestSequence(zone: ZoneID) throws(RecordError) -> Int64 {
        try lastSequence.with(zone).number() ?? 0
    }

    /// Appends the JSON text of a large value.
    ///
    /// - Throws: INTERNAL_ERROR if the large value is missing.
    package func appendLargeValue(record: RecordNumber, field: Int, to output: inout [UInt8]) throws(RecordError) {
        findLarge.with(record, field)
        defer { findLarge.reset() }
        guard try findLarge.step() else {
            throw findLarge.connection.failed(
                StoreFailure(code: 11, message: "A large value is missing. Run `fogbase doctor`."))
        }
        output.append(contentsOf: findLarge.bytes(0))
    }
}
