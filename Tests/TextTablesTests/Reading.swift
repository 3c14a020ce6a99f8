import RecordModel
import TextTables

/// What reading a text yields, as lines for comparison.
struct Transcript: Equatable, CustomStringConvertible {
    var lines: [String] = []
    var description: String { lines.joined(separator: "\n") }

    /// Reads a table that arrives in pieces that end before `cuts`.
    init(_ bytes: [UInt8], _ format: TableFormat = .csv, cuts: [Int] = [], limits: TextLimits = TextLimits()) {
        var reader = TableReader(format, limits: limits)
        var row = TableRow()
        var start = 0
        for cut in cuts + [bytes.count] {
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

    init(_ text: String, _ format: TableFormat = .csv) {
        self.init(Array(text.utf8), format)
    }

    /// Cells between bars: quoted ones in quotes, and a dash for no value.
    private static func text(_ row: TableRow) -> String {
        row.cells.enumerated().map { index, cell in
            cell.isNoValue ? "-" : cell.wasQuoted ? "\"\(row.string(index))\"" : row.string(index)
        }.joined(separator: "|")
    }
}

extension TableFormat {
    /// A format with some properties changed.
    static func with(_ change: (inout TableFormat) -> Void) -> TableFormat {
        var format = TableFormat.csv
        change(&format)
        return format
    }

    static let bare = with { $0.hasHeader = false }
}
