/// A value that can be read from a column.
package protocol ColumnValue {
    /// Reads the column with number `column`.
    init(_ statement: Statement, column: Int32)
}

/// The columns of a statement's current row, read from left to right without column numbers.
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

    /// Reads the next column.
    @inline(__always)
    package mutating func next<Value: ColumnValue>(_ type: Value.Type = Value.self) -> Value {
        defer { column &+= 1 }
        return Value(statement, column: column)
    }

    /// Returns the bytes of the next column, a text or a blob; valid until the statement's next step.
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

/// Reads a number as true if it is not 0.
extension Bool: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self = statement.integer(column) != 0 }
}

extension String: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self = statement.text(column) }
}

/// Reads a blob, or the bytes of a text.
extension [UInt8]: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self = statement.blob(column) }
}

/// Reads NULL as `nil`.
extension Optional: ColumnValue where Wrapped: ColumnValue {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) {
        self = statement.isNull(column) ? nil : Wrapped(statement, column: column)
    }
}
