internal import Calendars
import RecordModel

extension TableFormat {
    /// Returns the format in which a sample makes the best table. What a sample does not show is as in ``csv``.
    ///
    /// - The separator with which most rows have the same number of cells, if they have more than one.
    /// - Backslashes are escapes if a cell is `\N`, or if that makes rows readable.
    /// - The first row is a header if it has no numbers, times and empty cells, and no two equal cells. A file with
    ///   backslashes has one only if a column shows it: a text above numbers or times.
    ///
    /// - Parameters:
    ///   - sample: The first bytes of the file as UTF-8; 64 KiB are enough.
    ///   - isWhole: Whether the sample is the whole file, so that its last row is complete.
    package static func guess(_ sample: UnsafeRawBufferPointer, isWhole: Bool) -> TableFormat {
        var sample = sample
        var format = TableFormat()
        format.hasHeader = false
        if sample.starts(with: [0xEF, 0xBB, 0xBF]) { sample = UnsafeRawBufferPointer(rebasing: sample.dropFirst(3)) }
        if let separator = separatorLine(sample) {
            format.separator = separator
            format.hasSeparatorLine = true
            format.hasHeader = looksLikeHeader(rows(sample, format, isWhole).rows, format)
            return format
        }
        var best = (format: format, score: -1.0)
        for candidate in candidates(sample) {
            let score = candidate.score(rows(sample, candidate, isWhole))
            if score > best.score { best = (candidate, score) }
        }
        format = best.format
        format.hasHeader = looksLikeHeader(rows(sample, format, isWhole).rows, format)
        return format
    }

    /// The separator of Excel's first line `sep=;`; `nil` if the sample does not begin with one.
    private static func separatorLine(_ sample: UnsafeRawBufferPointer) -> UInt8? {
        guard sample.count >= 5, sample.prefix(4).lazy.map({ $0 | 0x20 }).elementsEqual([0x73, 0x65, 0x70, 0x3D]),
            sample[4] < 0x80, sample[4] != 0x0A, sample[4] != 0x0D, sample[4] != 0x22, sample[4] != 0,
            sample.count == 5 || sample[5] == 0x0A || sample[5] == 0x0D
        else { return nil }
        return sample[4]
    }

    private static func candidates(_ sample: UnsafeRawBufferPointer) -> [TableFormat] {
        var all: [TableFormat] = []
        // SQLite's mode quote writes literals of SQL.
        let isSQL = sample.first == UInt8(ascii: "'")
        for separator in ",;\t|".utf8 {
            var format = TableFormat()
            format.hasHeader = false
            format.separator = separator
            if isSQL {
                format.quote = UInt8(ascii: "'")
                format.noValue = "NULL"
            }
            all.append(format)
            format.escape = .backslash
            format.noValue = "\\N"
            if !isSQL { all.append(format) }
            if separator == UInt8(ascii: "\t") { all.append(.copyText) }
        }
        return all
    }

    /// The first rows of a sample. Reading stops at the first error.
    static func rows(
        _ sample: UnsafeRawBufferPointer, _ format: TableFormat, _ isWhole: Bool, most: Int = 500
    ) -> (rows: [TableRow], rejected: Int, isBroken: Bool) {
        var reader = TableReader(format)
        reader.append(sample)
        if isWhole { reader.finish() }
        var rows: [TableRow] = []
        var rejected = 0
        while rows.count + rejected < most {
            var row = TableRow()
            guard let outcome = try? reader.next(&row) else { return (rows, rejected, true) }
            switch outcome {
            case .header, .row: rows.append(row)
            case .rejected: rejected += 1
            case .needsBytes, .end: return (rows, rejected, false)
            }
        }
        return (rows, rejected, false)
    }

    /// How well the format fits: the share of rows with the most frequent number of cells; 0 for a single column.
    private func score(_ sample: (rows: [TableRow], rejected: Int, isBroken: Bool)) -> Double {
        let total = sample.rows.count + sample.rejected
        guard total > 0 else { return 0 }
        var counts: [Int: Int] = [:]
        var hasNull = false
        for row in sample.rows {
            counts[row.cells.count, default: 0] += 1
            hasNull = hasNull || (escape == .backslash && row.cells.contains(where: \.isNoValue))
        }
        guard let usual = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return 0 }
        guard usual.key > 1 else { return escape == .backslash && !hasNull ? 0 : 0.01 }
        var score = Double(usual.value) / Double(total)
        // More cells are less likely to be equal by chance.
        score += min(Double(usual.key), 50) / 1_000
        if sample.isBroken { score *= 0.25 }
        // Backslashes are characters unless something shows that they are not.
        if escape == .backslash { score += hasNull ? 0.1 : -0.1 }
        if quote == nil { score -= hasNull && !sample.rows.contains(where: \.hasQuoteSigns) ? -0.01 : 0.05 }
        return score
    }

    private static func looksLikeHeader(_ rows: [TableRow], _ format: TableFormat) -> Bool {
        guard let first = rows.first else { return true }
        let names = first.cells.indices.map { first.string($0).trimmingSpaces }
        guard Set(names).count == names.count, !first.cells.contains(where: \.isNoValue) else { return false }
        guard names.allSatisfy({ !$0.isEmpty && ValueKind.of($0) == .text }) else { return false }
        let below = rows.dropFirst()
        guard format.escape == .backslash && format.quote == nil else { return true }
        return first.cells.indices.contains { column in
            let values = below.compactMap { row in
                column < row.cells.count && !row.cells[column].isNoValue ? row.string(column) : nil
            }
            return !values.isEmpty && values.allSatisfy { ValueKind.of($0) != .text }
        }
    }
}

extension TableRow {
    /// Whether the text has a double quote.
    fileprivate var hasQuoteSigns: Bool { text.contains(UInt8(ascii: "\"")) }
}

/// What a cell can be besides text.
enum ValueKind {
    case text, number, time

    static func of(_ text: String) -> ValueKind {
        var output: [UInt8] = []
        var copy = text
        return copy.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            if NumberText().append(bytes, to: &output) != nil { return .number }
            if NumberText(decimal: 0x2C, thousands: 0x2E).append(bytes, to: &output) != nil { return .number }
            var clock = LocalClock(.utc)
            for style in [DateStyle.iso, .dayFirst, .monthFirst] {
                if DateText.read(bytes, as: style, clock: &clock) != nil { return .time }
            }
            return .text
        }
    }
}
