/// How a file writes a table: comma-separated values (RFC 4180) and kin.
package struct TableFormat: Hashable, Sendable {
    /// How a cell contains characters that have a meaning.
    package enum Escape: String, Hashable, Sendable, CaseIterable {
        /// In quotes, with a quote written twice (RFC 4180).
        case doubled
        /// After a backslash, with `\t`, `\n`, `\r`, `\b`, `\f`, `\v`, `\0` to `\377` and `\x0` to `\xFF`: the text format
        /// of PostgreSQL's COPY and of MySQL's SELECT INTO OUTFILE.
        case backslash
    }

    /// What a row means that has fewer cells than the header.
    package enum ShortRows: String, Hashable, Sendable, CaseIterable {
        /// The missing cells have no value. Excel leaves out empty cells at the end of rows.
        case fill
        /// The row is rejected.
        case reject
    }

    /// The byte between cells: ASCII, and none of quote, backslash, line break and NUL.
    package var separator = UInt8(ascii: ",")
    /// The byte around cells; `nil` if the file has no quotes.
    package var quote: UInt8? = UInt8(ascii: "\"")
    /// How cells contain quotes, separators and line breaks.
    package var escape = Escape.doubled
    /// The cell, without quotes, that means "no value".
    package var noValue = ""
    /// Whether the first row has the names of the columns.
    package var hasHeader = true
    /// Whether the first line is Excel's `sep=;`, which is skipped.
    package var hasSeparatorLine = false
    /// What a row means that has fewer cells than the header.
    package var shortRows = ShortRows.fill

    /// Creates the format of RFC 4180 with a header.
    package init() {}

    /// RFC 4180 with a header.
    package static let csv = TableFormat()

    /// The text format of PostgreSQL's COPY: tabs, backslashes, `\N` for no value, and no header.
    package static let copyText: TableFormat = {
        var format = TableFormat()
        format.separator = UInt8(ascii: "\t")
        format.quote = nil
        format.escape = .backslash
        format.noValue = "\\N"
        format.hasHeader = false
        format.shortRows = .reject
        return format
    }()
}
