package import RecordModel

/// Reads the rows of a table from UTF-8, in chunks of any size. Its memory is a chunk and a row.
///
/// ```swift
/// var reader = TableReader(format)
/// var row = TableRow()
/// reader.append(chunk)
/// while case .row = try reader.next(&row) { … }
/// ```
///
/// - Lines end with `\n`, `\r\n` or `\r`, also mixed. Line breaks in quotes stay as they are.
/// - Blank lines are skipped, and rows of nothing but separators where an empty cell means no value.
/// - Spaces before an opening and after a closing quote do not count. A quote inside of an unquoted cell is a character.
/// - Cells after the last column are ignored if they are empty, as Excel writes them.
/// - A NUL outside of quotes rejects the row: the file is binary, or has another encoding.
package struct TableReader: Sendable {
    /// What ``next(_:)`` has read.
    package enum Outcome: Hashable, Sendable {
        /// The row with the names of the columns.
        case header
        /// A row.
        case row
        /// A row that is no row of the table, with a `BAD_REQUEST` that has its `line`. The next rows can be read.
        case rejected(RecordError)
        /// Nothing: more bytes are needed, or the call of ``finish()``.
        case needsBytes
        /// Nothing: the table is at its end.
        case end
    }

    private var input: [UInt8] = []
    private var next = 0
    private var scanner: TableScanner

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - position: Where the first byte is that will come. At offset 0, a byte order mark, the separator line and the
    ///     header of the format are expected.
    ///   - limits: What rows may have at most.
    package init(_ format: TableFormat, at position: TextPosition = .start, limits: TextLimits = TextLimits()) {
        scanner = TableScanner(format, at: position, limits: limits)
    }

    /// The position behind the last row that ``next(_:)`` returned or rejected.
    package var position: TextPosition { scanner.position }

    /// Adds bytes to read.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if next > 0 {
            input.removeFirst(next)
            scanner.inputOffset += next
            next = 0
        }
        input.append(contentsOf: bytes)
    }

    /// Adds bytes to read.
    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Says that no more bytes will come. ``next(_:)`` then returns the last row without a line break too.
    package mutating func finish() {
        scanner.isFinished = true
    }

    /// Reads the next row.
    ///
    /// - Parameter row: Receives the row, or what can be read of a rejected one.
    /// - Throws: `BAD_REQUEST` with `line` if the rest of the file cannot be read: a quote that never ends, or a row
    ///   over a limit. Further calls throw the same error.
    package mutating func next(_ row: inout TableRow) throws(RecordError) -> Outcome {
        // A second reference to the bytes, so that the scanner can change while it reads them.
        let bytes = input
        return try bytes.withUnsafeBufferPointer { bytes throws(RecordError) in
            try scanner.next(bytes, &next, into: &row)
        }
    }
}
