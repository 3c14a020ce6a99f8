/// A row of a table. Readers reuse its memory for the next row.
package struct TableRow: Sendable {
    /// A cell: a range of the row's text.
    package struct Cell: Hashable, Sendable {
        let start: UInt32
        let end: UInt32
        /// Whether the cell has quotes around it.
        package let wasQuoted: Bool
        /// Whether the cell has no value.
        package let isNoValue: Bool

        /// The range of the cell in the row's text.
        package var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// The number of the row's first line, from 1.
    package var line = 1
    /// The offset of the byte after the row in the UTF-8 stream.
    package var endOffset = 0
    /// The cells' text without quotes and escapes, one after the other.
    package var text: [UInt8] = []
    /// The cells, from left to right.
    package var cells: [Cell] = []

    /// Creates a row without cells, for a reader to fill.
    package init() {}

    /// The text of a cell; an empty one behind the last cell.
    package func string(_ index: Int) -> String {
        index < cells.count ? String(decoding: text[cells[index].range], as: UTF8.self) : ""
    }

    /// The texts of all cells; `nil` for cells without a value.
    package var strings: [String?] {
        cells.map { $0.isNoValue ? nil : String(decoding: text[$0.range], as: UTF8.self) }
    }

    mutating func removeAll() {
        text.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
    }
}

/// Where a reader of a file is: behind a row or line, so that another reader can continue there.
package struct TextPosition: Hashable, Sendable {
    /// The offset in the UTF-8 stream, in bytes.
    package var offset: Int
    /// The number of the line that begins there, from 1.
    package var line: Int
    /// The number of cells of each row; `nil` until the first row. Readers of lines ignore it.
    package var columns: Int?

    /// Creates a position.
    package init(offset: Int = 0, line: Int = 1, columns: Int? = nil) {
        self.offset = offset
        self.line = line
        self.columns = columns
    }

    /// The beginning of a file.
    package static let start = TextPosition()
}

/// The limits that end the reading of a file with an error.
package struct TextLimits: Hashable, Sendable {
    /// The longest row or line, in bytes of UTF-8 without its line break.
    package var rowBytes: Int
    /// The most cells of a row.
    package var cells: Int

    /// Creates limits. The defaults are those of tables: 8 MiB and 10,000 cells.
    package init(rowBytes: Int = 8 * 1_048_576, cells: Int = 10_000) {
        self.rowBytes = rowBytes
        self.cells = cells
    }

    /// The limits of JSON Lines: 16 MiB.
    package static let lines = TextLimits(rowBytes: 16 * 1_048_576)
}
