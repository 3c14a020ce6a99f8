package import RecordModel

/// The reading side of records, on a connection of its own: look-up, listing and the change feed.
package final class RecordReading {
    private let findByName: Statement
    private let listAll: Statement
    private let listOwn: Statement
    private let feedAll: Statement
    private let feedReadable: Statement
    private let feedWindow: Statement
    private let lastSequence: Statement
    private let findLarge: Statement

    package init(_ connection: Connection) {
        let (columns, allColumns) = (RecordCursor.columns, RecordRowCursor.columns)
        findByName = connection.prepare(
            "SELECT \(allColumns) FROM record WHERE zone = ?1 AND name = ?2 AND deleted = 0")
        // INDEXED BY: the plan is part of the contract; a lost index is an error, not a slow page.
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

    /// The live record with a name, `nil` if there is none. The caller finishes the cursor.
    package func find(zone: ZoneID, name: String) throws(RecordError) -> RecordRowCursor? {
        findByName.with(zone, name)
        return try findByName.firstRow().map(RecordRowCursor.init)
    }

    /// Live records of a type without access lists in creation order, after an internal id. The caller finishes the cursor.
    ///
    /// - Parameter reach: Whose records; `.none` finds nothing.
    package func list(
        zone: ZoneID, type: TypeID, after id: RecordNumber, limit: Int, reach: Reach
    ) throws(RecordError) -> RecordCursor? {
        let statement: Statement
        switch reach {
        case .none: return nil
        case .all: statement = listAll
        case .own(let user):
            statement = listOwn
            statement.with(from: 5, user)
        }
        return try statement.with(zone, type, id, limit).firstRow().map(RecordCursor.init)
    }

    /// What one look at the feed may see.
    package enum FeedFilter {
        case everything
        /// Records of some types, and of others those that a user created or that have or had an access list (type
        /// numbers). Lists themselves are judged by whoever reads.
        case types(all: [TypeID], own: [TypeID], user: UserID)
    }

    /// Records and tombstones after a sequence number, oldest change first. The caller finishes the cursor.
    ///
    /// - Parameter bound: The last sequence number to look at, with a filter.
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

    /// The sequence number of the row `count` rows after a position: how far one filtered look may go.
    package func window(zone: ZoneID, after sequence: Int64, count: Int) throws(RecordError) -> Int64? {
        try feedWindow.with(zone, sequence, count).number()
    }

    /// The newest sequence number of a zone; 0 without records.
    package func newestSequence(zone: ZoneID) throws(RecordError) -> Int64 {
        try lastSequence.with(zone).number() ?? 0
    }

    /// Appends the JSON text of a large value.
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
