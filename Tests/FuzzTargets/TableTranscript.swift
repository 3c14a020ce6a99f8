import RecordModel
package import TextTables

/// What reading a table yields, as lines for comparison.
package struct TableTranscript: Hashable, CustomStringConvertible {
    /// A line for each row, and one for how the table ends.
    package private(set) var lines: [String] = []
    package var description: String { lines.joined(separator: "\n") }

    /// Reads a table that arrives in pieces, which end before `cuts`.
    package init(
        _ bytes: [UInt8], _ format: TableFormat = .csv, cuts: [Int] = [], limits: TextLimits = TextLimits()
    ) {
        var reader = TableReader(format, limits: limits)
        var row = TableRow()
        var start = 0
        for cut in cuts.filter({ $0 < bytes.count }) + [bytes.count] {
            reader.append(Array(bytes[start..<cut]))
            start = cut
            if cut == bytes.count { reader.finish() }
            reading: while true {
                do {
                    switch try reader.next(&row) {
                    case .header: lines.append("header " + Self.text(row))
                    case .row: lines.append("\(row.line) \(row.endOffset) " + Self.text(row))
                    case .rejected(let error): lines.append("rejected \(row.endOffset) \(error.reason)")
                    case .needsBytes: break reading
                    case .end:
                        lines.append("end")
                        break reading
                    }
                } catch {
                    lines.append("failed \(error.reason)")
                    return
                }
            }
        }
    }

    /// Cells between bars: quoted ones in quotes, and a dash for no value.
    private static func text(_ row: TableRow) -> String {
        row.cells.enumerated().map { index, cell in
            cell.isNoValue ? "-" : cell.wasQuoted ? "\"\(row.string(index))\"" : row.string(index)
        }.joined(separator: "|")
    }
}
