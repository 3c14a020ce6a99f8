package import RecordModel

/// A statement that stands on one row of a scan: an entry of an index, or a record in the order of internal numbers.
///
/// The bytes are borrowed from SQLite until it moves on or finishes.
package struct ScanCursor {
    /// What a scan reads of each row.
    package enum Rows: Hashable, Sendable {
        /// The number of the record, and its key.
        case entries
        /// The record too: one statement that joins it costs less than asking for each record by its number.
        case records
    }

    private let statement: Statement
    private let rows: Rows

    init(_ statement: Statement, _ rows: Rows) {
        self.statement = statement
        self.rows = rows
    }

    private var keyColumn: Int32 { rows == .records ? RecordCursor.behindColumns : 1 }

    /// The internal number of the record.
    package var id: RecordNumber { RecordNumber(rawValue: statement.integer(0)) }

    /// The key by which an index has the record; a scan in the order of numbers has none.
    package var key: UnsafeRawBufferPointer { statement.bytes(keyColumn) }

    /// The length of `key`.
    package var keyLength: Int { statement.length(keyColumn) }

    /// The record itself, if the scan reads records.
    package var record: RecordCursor { RecordCursor(statement: statement) }

    /// Goes to the next row, if there is one.
    package func next() throws(RecordError) -> Bool {
        try statement.step()
    }

    /// Ends the borrowing; to be called on every path, since an unfinished statement holds its snapshot open.
    package func finish() {
        statement.reset()
    }
}
