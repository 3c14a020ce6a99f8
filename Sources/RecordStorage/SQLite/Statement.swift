internal import CSQLite
package import RecordModel

/// A prepared statement. Parameters are numbered from 1 and columns from 0, as in SQLite.
///
/// SQLite copies bound bytes. Column bytes belong to SQLite and are valid until the next `step` or `reset`.
///
/// Functions throw INTERNAL_ERROR or TRY_AGAIN_LATER for a failure of the store (`RecordError.init(_:)`).
package final class Statement {
    /// The compiled SQLite statement. `nil` before the first use, or if a driver runs the statement.
    private(set) var file: OpaquePointer?
    private let driven: (any StatementDriver)?
    /// The connection that runs the statement.
    package let connection: Connection
    /// The statement's text, with placeholders.
    package let sql: String
    /// The error of compiling the statement. The next `step` throws this error.
    private var defect: RecordError?

    init(_ sql: String, _ connection: Connection, driven: (any StatementDriver)?) {
        self.sql = sql
        self.connection = connection
        self.driven = driven
    }

    deinit {
        sqlite3_finalize(file)
    }

    /// Compiles the statement for SQLite.
    ///
    /// - Returns: The compiled statement; `nil` if a driver runs the statement or if it cannot be compiled.
    @inline(never)
    private func compiled() -> OpaquePointer? {
        guard driven == nil, defect == nil else { return nil }
        do throws(RecordError) { file = try connection.compile(sql) } catch { defect = error }
        return file
    }

    // MARK: Parameters

    /// Binds an integer.
    package func bind(_ index: Int32, _ value: Int64) {
        guard let file = file ?? compiled() else { return drive(index, .integer(value)) }
        sqlite3_bind_int64(file, index, value)
    }

    /// Binds an integer, or NULL for `nil`.
    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    /// Binds NULL.
    package func bindNull(_ index: Int32) {
        guard let file = file ?? compiled() else { return drive(index, .null) }
        sqlite3_bind_null(file, index)
    }

    /// Binds a text.
    package func bind(_ index: Int32, text: String) {
        var copy = text
        copy.withUTF8 { bind(index, text: UnsafeRawBufferPointer($0)) }
    }

    /// Binds a text of UTF-8 that the caller has validated.
    package func bind(_ index: Int32, text bytes: UnsafeRawBufferPointer) {
        guard let file = file ?? compiled() else { return drive(index, .text(bytes)) }
        // An empty buffer may have no address, which SQLite would bind as NULL.
        let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        withUnsafePointer(to: CChar(0)) { empty in
            _ = sqlite3_bind_text64(
                file, index, base ?? empty, UInt64(bytes.count), Self.transient, UInt8(SQLITE_UTF8))
        }
    }

    /// Binds a text, or NULL for `nil`.
    package func bind(_ index: Int32, optionalText text: String?) {
        if let text { bind(index, text: text) } else { bindNull(index) }
    }

    /// Binds a text of UTF-8 that the caller has validated.
    package func bind(_ index: Int32, text bytes: [UInt8]) {
        bytes.withUnsafeBytes { bind(index, text: $0) }
    }

    /// Binds a blob.
    package func bind(_ index: Int32, blob bytes: UnsafeRawBufferPointer) {
        guard let file = file ?? compiled() else { return drive(index, .blob(bytes)) }
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            sqlite3_bind_zeroblob(file, index, 0)
            return
        }
        sqlite3_bind_blob64(file, index, base, UInt64(bytes.count), Self.transient)
    }

    /// Binds a blob.
    package func bind(_ index: Int32, blob bytes: [UInt8]) {
        bytes.withUnsafeBytes { bind(index, blob: $0) }
    }

    @inline(never)
    private func drive(_ index: Int32, _ value: StatementValue) {
        driven?.bind(index, value)
    }

    /// SQLITE_TRANSIENT: a macro with a cast that Swift cannot import.
    private static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    // MARK: Running

    /// Moves to the next row.
    ///
    /// - Returns: Whether there is a next row. After an error the statement is reset.
    package func step() throws(RecordError) -> Bool {
        guard let file = file ?? compiled() else { return try stepElsewhere() }
        let code = sqlite3_step(file)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failed(code)
    }

    @inline(never)
    private func stepElsewhere() throws(RecordError) -> Bool {
        if let defect {
            // The table or index that is missing may exist next time.
            self.defect = nil
            throw defect
        }
        return try driven?.step() ?? false
    }

    @inline(never)
    private func failed(_ code: Int32) -> RecordError {
        let error = connection.failed(code, sql)
        sqlite3_reset(file)
        return error
    }

    /// Runs a statement without rows and resets the statement.
    package func run() throws(RecordError) {
        _ = try step()
        reset()
    }

    /// Runs an INSERT or UPDATE that returns one number (`RETURNING id`), and resets the statement.
    package func returnedNumber() throws(RecordError) -> Int64 {
        defer { reset() }
        guard try step() else { throw connection.failed(StoreFailure(.other, "No number was returned in \(sql)")) }
        let number = integer(0)
        // RETURNING gives its rows before the statement is complete.
        while try step() {}
        return number
    }

    /// Resets the statement: column bytes become invalid, bound values stay.
    package func reset() {
        if let file { sqlite3_reset(file) } else { driven?.reset() }
    }

    // MARK: Columns

    /// Returns an integer column; 0 for NULL.
    package func integer(_ column: Int32) -> Int64 {
        guard let file else { return driven?.integer(column) ?? 0 }
        return sqlite3_column_int64(file, column)
    }

    /// Returns whether a column is NULL.
    package func isNull(_ column: Int32) -> Bool {
        guard let file else { return driven?.isNull(column) ?? true }
        return sqlite3_column_type(file, column) == SQLITE_NULL
    }

    /// Returns the bytes of a text or blob column, valid until the next `step` or `reset`; empty for NULL.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        guard let file else { return driven?.bytes(column) ?? UnsafeRawBufferPointer(start: nil, count: 0) }
        // The blob call comes first: it converts nothing, and the length call then returns the length of this result.
        guard let base = sqlite3_column_blob(file, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(file, column)))
    }

    /// Returns the number of bytes of a text or blob column; 0 for NULL.
    package func length(_ column: Int32) -> Int {
        guard let file else { return driven?.bytes(column).count ?? 0 }
        return Int(sqlite3_column_bytes(file, column))
    }

    /// Returns a text column; empty for NULL.
    package func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }

    /// Returns an integer column; `nil` for NULL.
    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// Returns a text column; `nil` for NULL.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Returns a copy of a blob column; empty for NULL.
    package func blob(_ column: Int32) -> [UInt8] {
        [UInt8](bytes(column))
    }
}
