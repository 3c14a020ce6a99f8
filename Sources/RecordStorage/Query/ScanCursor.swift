package import RecordModel

/// A position in a scan: an index entry, or a record in the order of numbers.
///
/// The bytes belong to SQLite and are valid until the cursor moves or finishes.
package struct ScanCursor {
    /// The data that a scan reads of each row.
    package enum Rows: Hashable, Sendable {
        /// The record's number and the key.
        case entries
        /// The record's number, the key and the record. One statement with a join costs less than a lookup per record.
        case records
        /// The record's number and the payload of the entry. Only indexes with payloads have them.
        case payloads
    }

    private let statement: Statement
    private let rows: Rows

    init(_ statement: Statement, _ rows: Rows) {
        self.statement = statement
        self.rows = rows
    }

    private var keyColumn: Int32 { rows == .records ? RecordCursor.behindColumns : 1 }

    /// The record's number.
    package var id: RecordNumber { RecordNumber(rawValue: statement.integer(0)) }

    /// The index key. Only scans of an index have a key.
    package var key: UnsafeRawBufferPointer { statement.bytes(keyColumn) }

    /// The payload of the entry. Use it only if the scan reads `.payloads`.
    package var payload: Int64 { statement.integer(1) }

    /// The length of `key` in bytes.
    package var keyLength: Int { statement.length(keyColumn) }

    /// A cursor at the record. Use it only if the scan reads `.records`.
    package var record: RecordCursor { RecordCursor(statement: statement) }

    /// Moves to the next row.
    ///
    /// - Returns: Whether there is a next row.
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func next() throws(RecordError) -> Bool {
        try statement.step()
    }

    /// Finishes the scan. The caller must finish the cursor on every path, because an unfinished statement keeps its
    /// snapshot open.
    package func finish() {
        statement.reset()
    }
}
