internal import CSQLite
package import RecordModel

/// A prepared statement. Parameters and columns go by number: parameters from 1, columns from 0, as in SQLite.
///
/// Bound bytes are copied by SQLite; column bytes are borrowed and valid until the next `step` or `reset`.
package final class Statement {
    private let pointer: OpaquePointer
    let connection: Connection

    init(_ pointer: OpaquePointer, connection: Connection) {
        self.pointer = pointer
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    package var sql: String {
        String(cString: sqlite3_sql(pointer))
    }

    // MARK: Parameters

    package func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(pointer, index, value)
    }

    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { sqlite3_bind_int64(pointer, index, value) } else { sqlite3_bind_null(pointer, index) }
    }

    package func bindNull(_ index: Int32) {
        sqlite3_bind_null(pointer, index)
    }

    package func bind(_ index: Int32, text: String) {
        var copy = text
        copy.withUTF8 { bind(index, text: UnsafeRawBufferPointer($0)) }
    }

    /// Binds UTF-8 that was checked by whoever made it.
    package func bind(_ index: Int32, text bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no address, which SQLite would take for NULL.
        let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        withUnsafePointer(to: CChar(0)) { empty in
            _ = sqlite3_bind_text64(
                pointer, index, base ?? empty, UInt64(bytes.count), Self.transient, UInt8(SQLITE_UTF8))
        }
    }

    /// Binds NULL for `nil`.
    package func bind(_ index: Int32, optionalText text: String?) {
        if let text { bind(index, text: text) } else { bindNull(index) }
    }

    package func bind(_ index: Int32, text bytes: [UInt8]) {
        bytes.withUnsafeBytes { bind(index, text: $0) }
    }

    package func bind(_ index: Int32, blob bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            sqlite3_bind_zeroblob(pointer, index, 0)
            return
        }
        sqlite3_bind_blob64(pointer, index, base, UInt64(bytes.count), Self.transient)
    }

    package func bind(_ index: Int32, blob bytes: [UInt8]) {
        bytes.withUnsafeBytes { bind(index, blob: $0) }
    }

    /// SQLITE_TRANSIENT: a macro with a cast that Swift cannot import.
    private static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    // MARK: Running

    /// Goes to the next row.
    ///
    /// - Returns: Whether there is one. After an error the statement is reset.
    package func step() throws(RecordError) -> Bool {
        if let faults = connection.faults {
            do throws(StoreFailure) { try faults.check() } catch {
                sqlite3_reset(pointer)
                if faults.losesTransaction { sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil) }
                throw connection.failed(error)
            }
        }
        let code = sqlite3_step(pointer)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = connection.failed(code, sql)
            sqlite3_reset(pointer)
            throw error
        }
    }

    /// Runs a statement without rows and makes it ready for the next use.
    package func run() throws(RecordError) {
        _ = try step()
        sqlite3_reset(pointer)
    }

    /// Runs an INSERT or UPDATE that returns one number (`RETURNING id`).
    package func returnedNumber() throws(RecordError) -> Int64 {
        defer { reset() }
        guard try step() else { throw connection.failed(StoreFailure(.other, "No number was returned in \(sql)")) }
        let number = integer(0)
        // RETURNING gives its rows before the statement is done.
        while try step() {}
        return number
    }

    /// Ends the run: column bytes become invalid, bound values stay.
    package func reset() {
        sqlite3_reset(pointer)
    }

    // MARK: Columns

    package func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(pointer, column)
    }

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(pointer, column) == SQLITE_NULL
    }

    /// The bytes of a text or blob column, borrowed until the next `step` or `reset`; empty for NULL.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        // The blob call first: it converts nothing, and the length then is that of what it returned.
        guard let base = sqlite3_column_blob(pointer, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(pointer, column)))
    }

    /// The number of bytes of a text or blob column; 0 for NULL.
    package func length(_ column: Int32) -> Int {
        Int(sqlite3_column_bytes(pointer, column))
    }

    package func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }

    /// `nil` for NULL.
    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// `nil` for NULL.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    package func blob(_ column: Int32) -> [UInt8] {
        [UInt8](bytes(column))
    }
}
