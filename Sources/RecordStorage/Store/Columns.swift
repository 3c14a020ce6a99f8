/// A value that a column gives.
package protocol ColumnValue {
    init(_ statement: Statement, column: Int32)
}

/// The columns of the row that a statement stands on, one after the other: whoever reads them need not count them.
///
/// ```swift
/// try connection.prepare("SELECT id, name FROM role").rows { Role(id: $0.next(), name: $0.next()) }
/// ```
package struct Columns {
    private let statement: Statement
    private var column: Int32

    @inline(__always)
    init(_ statement: Statement, from column: Int32 = 0) {
        self.statement = statement
        self.column = column
    }

    /// The next column.
    @inline(__always)
    package mutating func next<Value: ColumnValue>(_ type: Value.Type = Value.self) -> Value {
        defer { column &+= 1 }
        return Value(statement, column: column)
    }

    /// The bytes of the next column, a text or a blob: borrowed until the statement moves on.
    @inline(__always)
    package mutating func nextBytes() -> UnsafeRawBufferPointer {
        defer { column &+= 1 }
        return statement.bytes(column)
    }
}

extension Int64: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self = statement.integer(column) }
}

extension Int: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self = Int(statement.integer(column)) }
}

extension UInt8: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self.init(truncatingIfNeeded: statement.integer(column)) }
}

/// Whether a number is not 0.
extension Bool: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self = statement.integer(column) != 0 }
}

extension String: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self = statement.text(column) }
}

/// A blob, or the bytes of a text.
extension [UInt8]: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self = statement.blob(column) }
}

/// `nil` for NULL.
extension Optional: ColumnValue where Wrapped: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) {
        self = statement.isNull(column) ? nil : Wrapped(statement, column: column)
    }
}
