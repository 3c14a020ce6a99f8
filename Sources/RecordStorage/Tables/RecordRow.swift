package import RecordModel

/// The stored columns of a record, without its name and fields.
package struct RecordRow: Hashable, Sendable {
    /// The record's number: the sequence number of its creation.
    package var id: RecordNumber
    /// The record type.
    package var type: TypeID
    /// The sequence number of the last change.
    package var sequence: Int64
    /// The revision of the record; its change tag is this number in base 36.
    package var revision: Int64
    /// The user that created the record.
    package var creator: UserID
    /// When the record was created, in milliseconds since 1970.
    package var created: Int64
    /// The user that last changed the record.
    package var modifier: UserID
    /// When the record was last changed, in milliseconds since 1970.
    package var modified: Int64
    /// Whether the row is a tombstone.
    package var isDeleted: Bool
    /// The access list in the form of `StoredAccess`; `nil` if the grants of the type decide.
    package var access: [UInt8]?
    /// The users that could read the record before its access list changed, in the form of `StoredFormerReaders`.
    package var formerReaders: [UInt8]?

    /// Creates a row to store, or a row that was read.
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

    /// The facts about the record that permissions depend on.
    package var facts: RecordFacts { RecordFacts(creator: creator, access: access) }

    /// The columns of the record that responses contain, without name and fields.
    package var systemFields: RecordSystemFields {
        RecordSystemFields(
            id: id, revision: revision, creator: creator, created: created, modifier: modifier, modified: modified,
            access: access)
    }
}

/// The columns of a live record that responses contain, without name and fields. This type has fewer columns than
/// `RecordRow`, because each column costs a call of SQLite and pages have many rows.
package struct RecordSystemFields: Sendable {
    /// The record's number.
    package let id: RecordNumber
    /// The revision of the record; its change tag is this number in base 36.
    package let revision: Int64
    /// The user that created the record.
    package let creator: UserID
    /// When the record was created, in milliseconds since 1970.
    package let created: Int64
    /// The user that last changed the record.
    package let modifier: UserID
    /// When the record was last changed, in milliseconds since 1970.
    package let modified: Int64
    /// The access list, as in `RecordRow`.
    package let access: [UInt8]?
}

/// A position at a live record, with the columns that responses and predicates need. The bytes belong to SQLite. They
/// are valid until the cursor moves or finishes.
package struct RecordCursor {
    let statement: Statement

    /// The columns that a statement must select for this cursor, in this order. No further columns, because SQLite
    /// extracts every selected column of every row.
    static let columns = systemColumns + ", name, layout, fields"
    fileprivate static let systemColumns = "id, revision, creator, created, modifier, modified, acl"

    /// `columns` for a query that gives the record table the alias `r`.
    static let joinedColumns = joined(columns)

    fileprivate static func joined(_ columns: String) -> String {
        columns.split(separator: ",").map { "r." + $0.drop { $0 == " " } }.joined(separator: ", ")
    }

    /// The index of the first column after the columns of this cursor.
    static let behindColumns: Int32 = 10

    /// The columns of the record that responses contain, without name and fields.
    package var systemFields: RecordSystemFields {
        RecordSystemFields(
            id: id, revision: statement.integer(1), creator: UserID(rawValue: statement.integer(2)),
            created: statement.integer(3), modifier: UserID(rawValue: statement.integer(4)),
            modified: statement.integer(5), access: access)
    }

    /// The record's number. Reading it is cheaper than reading `systemFields`.
    package var id: RecordNumber { RecordNumber(rawValue: statement.integer(0)) }

    fileprivate var access: [UInt8]? { statement.isNull(6) ? nil : statement.blob(6) }

    /// The record's name in UTF-8.
    package var name: UnsafeRawBufferPointer { statement.bytes(7) }
    /// The layout of the stored fields; empty for a tombstone.
    package var layout: UnsafeRawBufferPointer { statement.bytes(8) }
    /// The stored fields as JSON text; empty for a tombstone.
    package var fields: UnsafeRawBufferPointer { statement.bytes(9) }

    /// Moves to the next record.
    ///
    /// - Returns: Whether there is a next record.
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func next() throws(RecordError) -> Bool {
        try statement.step()
    }

    /// Finishes the read. The caller must finish the cursor on every path, because an unfinished statement keeps its
    /// snapshot open.
    package func finish() {
        statement.reset()
    }
}

/// A position at a record or a tombstone, with all columns of the row.
package struct RecordRowCursor {
    /// The columns of a live record.
    package let record: RecordCursor

    init(statement: Statement) {
        record = RecordCursor(statement: statement)
    }

    private static let furtherColumns = ", type, sequence, deleted, former"

    /// The columns that a statement must select for this cursor, in this order.
    static let columns = RecordCursor.columns + furtherColumns

    /// The columns that a statement must select if only `row` is read: without name, layout and fields.
    static let rowColumns = RecordCursor.systemColumns + ", NULL, NULL, NULL" + furtherColumns

    /// `columns` for a file without access lists.
    static let columnsWithoutFormerReaders = columns.replacing(", former", with: ", NULL")

    /// `columns` for a query that gives the record table the alias `r`.
    static let joinedColumns = RecordCursor.joined(columns)

    /// The index of the first column after the columns of this cursor.
    static let behindColumns = RecordCursor.behindColumns + 4

    /// The columns of the record, without its name and fields.
    package var row: RecordRow {
        let (system, statement) = (record.systemFields, record.statement)
        let further = RecordCursor.behindColumns
        return RecordRow(
            id: system.id, type: TypeID(statement, column: further), sequence: statement.integer(further + 1),
            revision: system.revision, creator: system.creator, created: system.created, modifier: system.modifier,
            modified: system.modified, isDeleted: statement.integer(further + 2) != 0, access: system.access,
            formerReaders: statement.isNull(further + 3) ? nil : statement.blob(further + 3))
    }

    /// The record's name in UTF-8.
    package var name: UnsafeRawBufferPointer { record.name }
    /// The layout of the stored fields; empty for a tombstone.
    package var layout: UnsafeRawBufferPointer { record.layout }
    /// The stored fields as JSON text; empty for a tombstone.
    package var fields: UnsafeRawBufferPointer { record.fields }

    /// Moves to the next record.
    ///
    /// - Returns: Whether there is a next record.
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func next() throws(RecordError) -> Bool {
        try record.next()
    }

    /// Finishes the read. The caller must finish the cursor on every path, because an unfinished statement keeps its
    /// snapshot open.
    package func finish() {
        record.finish()
    }
}

/// A record that the writer has read, with its own copy of the bytes.
package struct StoredRecord: Sendable {
    /// The columns without name and fields.
    package var row: RecordRow
    /// The name in UTF-8.
    package var name: [UInt8]
    /// The layout of the stored fields.
    package var layout: [UInt8]
    /// The stored fields as JSON text.
    package var fields: [UInt8]
}
