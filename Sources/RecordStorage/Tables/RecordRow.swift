package import RecordModel

/// The columns of a record besides its name and its fields, as stored.
package struct RecordRow: Hashable, Sendable {
    /// The internal number: the sequence number of the record's creation.
    package var id: Int64
    package var type: Int64
    package var sequence: Int64
    package var revision: Int64
    package var creator: Int64
    /// Milliseconds since 1970.
    package var created: Int64
    package var modifier: Int64
    /// Milliseconds since 1970.
    package var modified: Int64
    package var isDeleted: Bool
    /// The access list, as `StoredAccess` has it; `nil` where the grants of the type decide.
    package var access: [UInt8]?
    /// Who could read the record before its access list changed (`StoredFormerReaders`).
    package var formerReaders: [UInt8]?

    package init(
        id: Int64, type: Int64, sequence: Int64, revision: Int64, creator: Int64, created: Int64, modifier: Int64,
        modified: Int64, isDeleted: Bool = false, access: [UInt8]? = nil, formerReaders: [UInt8]? = nil
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
    package let id: Int64
    package let revision: Int64
    package let creator: Int64
    /// Milliseconds since 1970.
    package let created: Int64
    package let modifier: Int64
    /// Milliseconds since 1970.
    package let modified: Int64
    /// As in `RecordRow`.
    package let access: [UInt8]?
}

/// A statement that stands on a record. The bytes are borrowed from SQLite until it moves on or finishes.
package struct RecordCursor {
    let statement: Statement

    /// What a statement selects for `row`, in this order.
    static let rowColumns = "id, type, sequence, revision, creator, created, modifier, modified, deleted, acl, former"

    /// What a statement selects for this cursor, in this order.
    static let columns = rowColumns + ", name, layout, fields"

    /// The same of a file from before there were access lists.
    static let columnsWithoutFormerReaders = columns.replacing(", former", with: ", NULL")

    /// The same of a table that the statement calls `r`.
    static let joinedColumns = columns.split(separator: ",")
        .map { "r." + $0.drop { $0 == " " } }.joined(separator: ", ")

    /// The column behind those, where a statement selects the key of an index too.
    package var key: UnsafeRawBufferPointer { statement.bytes(Self.behindColumns) }

    /// Where the first column stands that a statement selects behind those of the cursor.
    static let behindColumns: Int32 = 14

    package var row: RecordRow {
        RecordRow(
            id: statement.integer(0), type: statement.integer(1), sequence: statement.integer(2),
            revision: statement.integer(3), creator: statement.integer(4), created: statement.integer(5),
            modifier: statement.integer(6), modified: statement.integer(7), isDeleted: statement.integer(8) != 0,
            access: statement.isNull(9) ? nil : statement.blob(9),
            formerReaders: statement.isNull(10) ? nil : statement.blob(10))
    }

    /// A part of the row.
    package var systemFields: RecordSystemFields {
        RecordSystemFields(
            id: statement.integer(0), revision: statement.integer(3), creator: statement.integer(4),
            created: statement.integer(5), modifier: statement.integer(6), modified: statement.integer(7),
            access: statement.isNull(9) ? nil : statement.blob(9))
    }

    /// The internal number, without the rest of the row.
    package var id: Int64 { statement.integer(0) }

    package var name: UnsafeRawBufferPointer { statement.bytes(11) }
    /// Empty for a tombstone.
    package var layout: UnsafeRawBufferPointer { statement.bytes(12) }
    /// Empty for a tombstone.
    package var fields: UnsafeRawBufferPointer { statement.bytes(13) }

    /// Goes to the next record, if there is one.
    package func next() throws(StoreError) -> Bool {
        try statement.step()
    }

    /// Ends the borrowing; to be called on every path, since an unfinished statement holds its snapshot open.
    package func finish() {
        statement.reset()
    }
}

/// A record read by the writer, with bytes of its own.
package struct StoredRecord: Sendable {
    package var row: RecordRow
    package var name: [UInt8]
    package var layout: [UInt8]
    package var fields: [UInt8]
}
