import Calendars
import RecordModel
import TextTables

/// Measures how fast tables are read, become records, and are written: a million rows of eight columns by default.
///
///     tablebench [ROWS]
@main enum TableBench {
    private static func milliseconds(_ work: () throws -> Void) rethrows -> Int64 {
        let elapsed = try ContinuousClock().measure(work)
        return elapsed.components.seconds * 1_000 + elapsed.components.attoseconds / 1_000_000_000_000_000
    }

    /// The table, in chunks of about 64 KiB.
    private static func chunks(_ rows: Int) -> [[UInt8]] {
        var text = "id,title,price,count,done,added,tags,note\n"
        var chunks: [[UInt8]] = []
        for row in 0..<rows {
            text +=
                "record-\(row),\"Tea, number \(row)\",\(row % 1_000).25,\(row),\(row % 2 == 0),2026-11-29 14:00:\(10 + row % 50),\"[\"\"a\"\",\"\"b\"\"]\",Größe\n"
            if text.utf8.count > 65_000 {
                chunks.append(Array(text.utf8))
                text = ""
            }
        }
        chunks.append(Array(text.utf8))
        return chunks
    }

    static func main() throws {
        let rows = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 1_000_000 : 1_000_000
        let chunks = chunks(rows)
        guard let name = RecordTypeName("Goods") else { return }
        let preview = try TablePreview(chunks[0], isWhole: false, recordType: name, timeZones: { _ in nil })
        print("\(rows) rows, \(chunks.reduce(0) { $0 + $1.count } / 1_000_000) MB")
        print(String(decoding: preview.records[0], as: UTF8.self))

        var text: [UInt8] = []
        var decoder = try TextDecoder(.utf8)
        let decoding = try milliseconds {
            for chunk in chunks {
                text.removeAll(keepingCapacity: true)
                try decoder.decode(chunk, into: &text)
            }
        }
        print("decode \(decoding) ms")

        var count = 0
        var row = TableRow()
        func read(_ each: (TableRow) throws -> Void) throws {
            var reader = TableReader(preview.format)
            for chunk in chunks {
                reader.append(chunk)
                while true {
                    let outcome = try reader.next(&row)
                    if outcome == .row { try each(row) } else if outcome != .header { break }
                }
            }
        }
        print("read \(try milliseconds { try read { _ in count += 1 } }) ms")

        var composer = try RowComposer(preview.mapping, columns: preview.columns, timeZones: { _ in nil })
        var record: [UInt8] = []
        var bytes = 0
        let composing = try milliseconds {
            try read { row in
                record.removeAll(keepingCapacity: true)
                try composer.compose(row, to: &record)
                bytes += record.count
            }
        }
        print("read and compose \(composing) ms, \(bytes / 1_000_000) MB")

        let columns: [TableWriter.Column] = preview.mapping.columns.compactMap { column in
            switch column.target {
            case .system(let value): .system(value)
            case .field(let name, let type): .field(name, type)
            case .skip: nil
            }
        }
        var writer = TableWriter(columns: columns)
        var table: [UInt8] = []
        let writing = try milliseconds {
            for _ in 0..<rows {
                table.removeAll(keepingCapacity: true)
                try writer.append(record: record, to: &table)
            }
        }
        print("write \(writing) ms")
        if count != rows { print("\(count) rows were read") }
    }
}
