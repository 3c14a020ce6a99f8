package import RecordModel

/// The first problem in a text of the schema language.
package struct SchemaTextError: Error, Hashable, Sendable {
    /// What is wrong, and what to do, without a period at the end.
    package let reason: String
    /// The line of the problem, from 1.
    package let line: Int
    /// The column of the problem in Unicode scalars, from 1.
    package let column: Int

    /// Creates an error at a byte of a text.
    ///
    /// - Complexity: O(n) in the offset.
    init(_ reason: String, in text: [UInt8], at offset: Int) {
        self.reason = reason
        var (line, column) = (1, 1)
        for byte in text.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                // Continuation bytes of UTF-8 belong to the scalar before them.
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}

extension RecordError {
    /// Creates the error for a request with a malformed schema text. The details have the line and the column.
    package init(_ error: SchemaTextError) {
        self = .badRequest(
            "Line \(error.line), column \(error.column): \(error.reason)",
            details: [("line", .number(Int64(error.line))), ("column", .number(Int64(error.column)))])
    }
}
