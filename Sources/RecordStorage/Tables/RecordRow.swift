package import RecordModel

/// The columns of a record besides its name and its fields, as stored.
package struct RecordRow: Hashable, Sendable {
    /// The internal number: the sequence number of the record's creation.
    package var id: RecordNumber
    package var type: TypeID
    package var sequence: Int64
    package var revision: Int64
    package var creator: UserID
    /// Milliseconds since 1970.
    package var created: Int64
    package var modifier: UserID
    /// Milliseconds since 1970.
    package var modified: Int64
    package var isDeleted: Bool
    /// The access list, as `StoredAccess` has it; `nil` where the grants of the type decide.
    package var access: [UInt8]?
    /// Who could read the record before its access list changed (`StoredFormerReaders`).
    package var formerReaders: [UInt8]?

    package init(
        id: RecordNumber, type: TypeID, sequence: Int64, revision: Int64, creator: UserID, created: Int64,
        modifier: UserID, modified: Int64, isDeleted: Bool = false, access: [UInt8]? = nil,
        formerReaders: [UInt8]? = nil
    ) {
        self.id = id
        self.type = type
        self.sequence = sequence
        self.revision = revision
        self.creator = creator
        self.created = created
        self.modifier = modifier
        self.modified = modified
        self.isDeleted = isDeleted
        self.access = access
        self.formerReaders = formerReaders
    }

    /// What is judged of the record.
    package var facts: RecordFacts { RecordFacts(creator: creator, access: access) }

    /// What answers say of the record.
    package var systemFields: RecordSystemFields {
        RecordSystemFields(
            id: id, revision: revision, creator: creator, created: created, modifier: modifier, modified: modified,
            access: access)
    }
}

/// What answers say of a live record besides its name and its fields: less than its row, since pages are read by the
/// thousand and each column costs a call.
package struct RecordSystemFields: Sendable {
    /// The internal number.
    package let id: RecordNumber
    package let revision: Int64
    package let creator: UserID
    /// Milliseconds since 1970.
    package let created: Int64
    package let modifier: UserID
    /// Milliseconds since 1970.
    package let modified: Int64
    /// As in `RecordRow`.
    package let access: [UInt8]?
}

/// A statement that stands on a live record, with what answers and conditions see of it. The bytes are borrowed from SQLite
/// until it moves on or finishes.
package struct RecordCursor {
    let statement: Statement

    /// What a statement selects for this cursor, in this order. No more than that: pages are read by the thousand, and
    /// SQLite takes out every column of every row.
    static let columns = systemColumns + ", name, layout, fields"
    fileprivate static let systemColumns = "id, revision, creator, created, modifier, modified, acl"

    /// The same of a table that the statement calls `r`.
    static let joinedColumns = joined(columns)

    fileprivate static func joined(_ columns: String) -> String {
        columns.split(separator: ",").map { "r." + $0.drop { $0 == " " } }.joined(separator: ", ")
    }

    /// Where the first column stands that a statement selects behind those of the cursor.
    static let behindColumns: Int32 = 10

    package var systemFields: RecordSystemFields {
        RecordSystemFields(
            id: id, revision: statement.integer(1), creator: UserID(rawValue: statement.integer(2)),
            created: statement.integer(3), modifier: UserID(rawValue: statement.integer(4)),
            modified: statement.integer(5), access: access)
    }

    /// The internal number, without the rest of the row.
    package var id: RecordNumber { RecordNumber(rawValue: statement.integer(0)) }

    fileprivate var access: [UInt8]? { statement.isNull(6) ? nil : statement.blob(6) }

    package var name: UnsafeRawBufferPointer { statement.bytes(7) }
    /// Empty for a tombstone.
    package var layout: UnsafeRawBufferPointer { statement.bytes(8) }
    /// Empty for a tombstone.
    package var fields: UnsafeRawBufferPointer { statement.bytes(9) }

    /// Goes to the next record, if there is one.
    package func next() throws(RecordError) -> Bool {
        try statement.step()
    }

    /// Ends the borrowing; to be called on every path, since an unfinished statement holds its snapshot open.
    package func finish() {
        statement.reset()
    }
}

/// A statement that stands on a record or a tombstone, with all that is stored of it.
package struct RecordRowCursor {
    package let record: RecordCursor

    init(statement: Statement) {
        record = RecordCursor(statement: statement)
    }

    private static let furtherColumns = ", type, sequence, deleted, former"

    /// What a statement selects for this cursor, in this order.
    static let columns = RecordCursor.columns + furtherColumns

    /// What a statement selects for `row` alone.
    static let rowColumns = RecordCursor.systemColumns + ", NULL, NULL, NULL" + furtherColumns

    /// `columns` of a file from before there were access lists.
    static let columnsWithoutFormerReaders = columns.replacing(", former", with: ", NULL")

    /// `columns` of a table that the statement calls `r`.
    static let joinedColumns = RecordCursor.joined(columns)

    /// Where the first column stands that a statement selects behind those of the cursor.
    static let behindColumns = RecordCursor.behindColumns + 4

    package var row: RecordRow {
        let (system, statement) = (record.systemFields, record.statement)
        let further = RecordCursor.behindColumns
        return RecordRow(
            id: system.id, type: TypeID(statement, column: further), sequence: statement.integer(further + 1),
            revision: system.revision, creator: system.creator, created: system.created, modifier: system.modifier,
            modified: system.modified, isDeleted: statement.integer(further + 2) != 0, access: system.access,
            formerReaders: statement.isNull(further + 3) ? nil : statement.blob(further + 3))
    }

    package var name: UnsafeRawBufferPointer { record.name }
    /// Empty for a tombstone.
    package var layout: UnsafeRawBufferPointer { record.layout }
    /// Empty for a tombstone.
    package var fields: UnsafeRawBufferPointer { record.fields }

    /// As `RecordCursor.next`.
    package func next() throws(RecordError) -> Bool {
        try record.next()
    }

    /// As `RecordCursor.finish`.
    package func finish() {
        record.finish()
    }
}

/// A record read by the writer, with bytes of its own.
package struct StoredRecord: Sendable {
    package var row: RecordRow
    package var name: [UInt8]
    package var layout: [UInt8]
    package var fields: [UInt8]
}
