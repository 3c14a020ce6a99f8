import TextTables

/// A slow reader of RFC 4180 with the house's leniencies, to compare with: it has the whole text, and takes it apart from
/// line to line and cell to cell.
enum NaiveReader {
    /// Rows as `Transcript` writes them, for the format `bare`.
    static func lines(_ text: [UInt8]) -> [String] {
        var rest = text[...]
        var line = 1
        var columns: Int?
        var lines: [String] = []
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while !rest.isEmpty {
            if takeBreak(&rest) {
                line += 1
                continue
            }
            let first = line
            var cells: [(text: [UInt8], quoted: Bool)] = []
            var problem: String?
            while true {
                switch cell(&rest, &line) {
                case nil:
                    return lines + [
                        "failed The quote that begins in line \(line) does not end before the end of the file. Quotes in a cell are written twice"
                    ]
                case let found?:
                    if problem == nil, let what = found.problem {
                        problem = "Cell \(cells.count + 1) of the row in line \(first) \(what)"
                    }
                    cells.append((found.text, found.quoted))
                }
                if rest.first == 0x2C { rest.removeFirst() } else { break }
            }
            if takeBreak(&rest) { line += 1 }
            if problem == nil, cells.count > 1, cells.allSatisfy({ $0.text.isEmpty && !$0.quoted }) { continue }
            if columns == nil, problem == nil { columns = cells.count }
            if problem == nil, let columns, cells.count > columns {
                if cells[columns...].allSatisfy({ $0.text.isEmpty && !$0.quoted }) {
                    cells = Array(cells[..<columns])
                } else {
                    problem =
                        "The row in line \(first) has \(cells.count) cells, and the table \(columns) columns. Cells that contain the separator need quotes"
                }
            }
            if let problem {
                lines.append("rejected \(rest.startIndex) \(problem)")
            } else {
                let shown = cells.map { cell in
                    let text = String(decoding: cell.text, as: UTF8.self)
                    return cell.quoted ? "\"\(text)\"" : text.isEmpty ? "-" : text
                }
                lines.append("\(first) \(rest.startIndex) " + shown.joined(separator: "|"))
            }
        }
        return lines + ["end"]
    }

    private static func takeBreak(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if rest.starts(with: [0x0D, 0x0A]) {
            rest = rest.dropFirst(2)
        } else if rest.first == 0x0A || rest.first == 0x0D {
            rest = rest.dropFirst()
        } else {
            return false
        }
        return true
    }

    private static func cell(
        _ rest: inout ArraySlice<UInt8>, _ line: inout Int
    ) -> (text: [UInt8], quoted: Bool, problem: String?)? {
        let plainEnd = rest.firstIndex { [0x2C, 0x0A, 0x0D].contains($0) } ?? rest.endIndex
        let spaces = rest.prefix { $0 == 0x20 || $0 == 0x09 }
        guard rest[spaces.endIndex...].first == 0x22 else {
            defer { rest = rest[plainEnd...] }
            let text = rest[..<plainEnd]
            return (text.filter { $0 != 0 }, false, text.contains(0) ? nul : nil)
        }
        rest = rest[(spaces.endIndex + 1)...]
        var text: [UInt8] = []
        let quoteLine = line
        while true {
            guard let byte = rest.first else {
                line = quoteLine
                return nil
            }
            if rest.starts(with: [0x22, 0x22]) {
                text.append(0x22)
                rest = rest.dropFirst(2)
            } else if byte == 0x22 {
                rest = rest.dropFirst()
                break
            } else if rest.starts(with: [0x0D, 0x0A]) {
                text += [0x0D, 0x0A]
                line += 1
                rest = rest.dropFirst(2)
            } else {
                if byte == 0x0A || byte == 0x0D { line += 1 }
                text.append(byte)
                rest = rest.dropFirst()
            }
        }
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        guard let byte = rest.first, ![0x2C, 0x0A, 0x0D].contains(byte) else { return (text, true, nil) }
        let end = rest.firstIndex { [0x2C, 0x0A, 0x0D].contains($0) } ?? rest.endIndex
        text += rest[..<end].filter { $0 != 0 }
        rest = rest[end...]
        return (text, true, "has text after its closing quote. Quotes in a cell are written twice")
    }

    private static let nul = "has a NUL byte. The file is binary, or has another encoding, such as utf-16"
}
