internal import CSQLite

/// A column of a database that other software wrote, whose storage class is not known.
package enum ForeignColumn {
    case null
    case integer(Int64)
    case real(Double)
    /// The bytes are those of the statement's column.
    case text, blob

    /// Reads a column of the current row.
    package init(_ statement: Statement, _ column: Int32) {
        guard let file = statement.file else {
            self = statement.isNull(column) ? .null : .blob
            return
        }
        self =
            switch sqlite3_column_type(file, column) {
            case SQLITE_INTEGER: .integer(sqlite3_column_int64(file, column))
            case SQLITE_FLOAT: .real(sqlite3_column_double(file, column))
            case SQLITE_TEXT: .text
            case SQLITE_BLOB: .blob
            default: .null
            }
    }
}
