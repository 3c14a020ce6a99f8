import RecordModel

/// The state of a ``TableReader`` between two bytes. The result does not depend on how the input is split.
struct TableScanner: Sendable {
    enum State {
        /// Before the first byte of a row.
        case rowStart
        /// Before the first byte of a cell, or after spaces that may precede a quote.
        case cellStart
        case unquoted
        case quoted
        /// After a quote in quotes: it ends them, or is the first of two.
        case quoteInQuotes
        /// After the closing quote, and spaces.
        case afterQuotes
        /// After a backslash, and after the digits that follow it.
        case escape, octal, hex
        /// After `\r` at the end of a row: `\n` still belongs to it.
        case afterReturn
    }

    let format: TableFormat
    private let noValue: [UInt8]
    let limits: TextLimits
    /// Whether no more input will come.
    var isFinished = false
    /// The offset of the first byte of the input in the stream.
    var inputOffset: Int
    /// The position behind the last row.
    private(set) var position: TextPosition

    var state = State.rowStart
    /// The line of the next byte.
    private var line: Int
    private var lastWasReturn = false
    var row = TableRow()
    private var rowStart: Int
    private var rowHasQuotes = false
    var rowHasByteEscapes = false
    /// The first problem of the row, and the number of its cell.
    var problem: (text: String, cell: Int)?
    /// The start of the cell in the row's text.
    var cellStart = 0
    var isQuoted = false
    var quoteLine = 1
    var cellHasEscapes = false
    var isNullEscape = false
    var isEndMark = false
    var escapedByte: UInt8 = 0
    var escapeDigits = 0

    var failure: RecordError?
    private var isAtEnd = false
    private var awaitsMark: Bool
    private var awaitsSeparatorLine: Bool
    private var awaitsHeader: Bool

    init(_ format: TableFormat, at position: TextPosition, limits: TextLimits) {
        self.format = format
        noValue = Array(format.noValue.utf8)
        self.limits = limits
        self.position = position
        inputOffset = position.offset
        rowStart = position.offset
        line = position.line
        awaitsMark = position.offset == 0
        awaitsSeparatorLine = position.offset == 0 && format.hasSeparatorLine
        awaitsHeader = position.offset == 0 && format.hasHeader
    }

    /// Reads up to the end of a row.
    ///
    /// - Parameter index: The first byte to read; afterward the first one that was not read.
    mutating func next(
        _ input: UnsafeBufferPointer<UInt8>, _ index: inout Int, into result: inout TableRow
    ) throws(RecordError) -> TableReader.Outcome {
        if let failure { throw failure }
        guard skipMark(input, &index) else { return .needsBytes }
        while !isAtEnd {
            if try !scanRow(input, &index) {
                guard isFinished else { return .needsBytes }
                if case .rowStart = state { break }
                try finishInput()
            }
            if let outcome = try finishRow(endingAt: inputOffset + index, into: &result) { return outcome }
        }
        isAtEnd = true
        return .end
    }

    /// Skips a byte order mark. Returns false if more bytes must come to see whether it is one.
    private mutating func skipMark(_ input: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Bool {
        guard awaitsMark else { return true }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let first = input.dropFirst(index).prefix(3)
        if first.count < 3, !isFinished, mark.starts(with: first) { return false }
        awaitsMark = false
        if first.elementsEqual(mark) {
            index += 3
            rowStart += 3
        }
        return true
    }

    /// Reads bytes up to the end of a row. Returns false if the input ends before.
    private mutating func scanRow(
        _ input: UnsafeBufferPointer<UInt8>, _ index: inout Int
    ) throws(RecordError) -> Bool {
        while index < input.count {
            // The byte at which the row is too long.
            let limit = min(input.count, rowStart &+ limits.rowBytes &- inputOffset)
            let byte = input[index]
            switch state {
            case .rowStart:
                guard byte != 0x0A && byte != 0x0D || format.quote == nil && position.columns == 1 else {
                    countBreak(byte)
                    index &+= 1
                    rowStart = inputOffset &+ index
                    continue
                }
                lastWasReturn = false
                row.line = line
                beginCell()
                continue
            case .afterReturn:
                state = .rowStart
                lastWasReturn = false
                if byte == 0x0A { index &+= 1 }
                return true
            default: break
            }
            if index >= limit, isInside || (byte != 0x0A && byte != 0x0D) { throw fail(tooLong) }
            switch state {
            case .cellStart, .unquoted:
                if try scanUnquoted(input, &index, limit) { return true }
            case .quoted: scanQuoted(input, &index, limit)
            case .quoteInQuotes, .afterQuotes:
                if try scanAfterQuote(byte, &index) { return true }
            default: scanEscape(byte, &index)
            }
        }
        return false
    }

    /// Whether a line break would be part of a cell.
    private var isInside: Bool {
        switch state {
        case .quoted, .escape: true
        case .octal, .hex: isQuoted
        default: false
        }
    }

    // MARK: Cells

    private mutating func beginCell() {
        cellStart = row.text.count
        isQuoted = false
        cellHasEscapes = false
        isNullEscape = false
        state = .cellStart
    }

    private mutating func endCell() throws(RecordError) {
        let isNoValue =
            if isQuoted {
                false
            } else if cellHasEscapes {
                isNullEscape && row.text.count - cellStart == 1 && noValue == [0x5C, 0x4E]
            } else {
                row.text.count - cellStart == noValue.count && row.text[cellStart...].elementsEqual(noValue)
            }
        row.cells.append(
            TableRow.Cell(
                start: UInt32(cellStart), end: UInt32(row.text.count), wasQuoted: isQuoted, isNoValue: isNoValue))
        if row.cells.count > limits.cells {
            throw fail(
                .badRequest(
                    "The row in line \(row.line) has more than \(limits.cells) cells. Check the separator of the format",
                    cause: .tooLarge,
                    details: [("line", .number(Int64(row.line))), ("limit", .number(Int64(limits.cells)))]))
        }
    }

    /// Ends the cell at a separator or line break. Returns whether the row ends with `\n`.
    private mutating func endCell(at byte: UInt8, _ index: inout Int) throws(RecordError) -> Bool {
        try endCell()
        index &+= 1
        if byte == format.separator {
            beginCell()
            return false
        }
        countBreak(byte)
        state = byte == 0x0D ? .afterReturn : .rowStart
        return byte == 0x0A
    }

    private mutating func scanUnquoted(
        _ input: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ limit: Int
    ) throws(RecordError) -> Bool {
        let separator = format.separator
        if case .cellStart = state {
            let byte = input[index]
            if byte == format.quote {
                row.text.removeLast(row.text.count &- cellStart)
                isQuoted = true
                rowHasQuotes = true
                quoteLine = line
                state = .quoted
                index &+= 1
                return false
            }
            if byte != separator, byte == 0x20 || byte == 0x09 {
                row.text.append(byte)
                index &+= 1
                return false
            }
            state = .unquoted
        }
        let escape = format.escape == .backslash ? UInt8(ascii: "\\") : separator
        var end = index
        while end < limit {
            let byte = input[end]
            if byte == separator || byte == 0x0A || byte == 0x0D || byte == 0 || byte == escape { break }
            end &+= 1
        }
        if end > index {
            row.text.append(contentsOf: UnsafeBufferPointer(rebasing: input[index..<end]))
            lastWasReturn = false
            index = end
        }
        guard index < input.count, index < limit || input[index] == 0x0A || input[index] == 0x0D else { return false }
        switch input[index] {
        case separator, 0x0A, 0x0D: return try endCell(at: input[index], &index)
        case 0:
            note("has a NUL byte. The file is binary, or has another encoding, such as utf-16")
            index &+= 1
        default:
            state = .escape
            index &+= 1
        }
        return false
    }

    private mutating func scanQuoted(_ input: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ limit: Int) {
        let quote = format.quote ?? 0
        let escape = format.escape == .backslash ? UInt8(ascii: "\\") : quote
        var end = index
        while end < limit {
            let byte = input[end]
            if byte == quote || byte == escape { break }
            if byte == 0x0A || byte == 0x0D { countBreak(byte) } else { lastWasReturn = false }
            end &+= 1
        }
        row.text.append(contentsOf: UnsafeBufferPointer(rebasing: input[index..<end]))
        index = end
        guard index < limit else { return }
        lastWasReturn = false
        state = input[index] == quote ? .quoteInQuotes : .escape
        index &+= 1
    }

    private mutating func scanAfterQuote(_ byte: UInt8, _ index: inout Int) throws(RecordError) -> Bool {
        if case .quoteInQuotes = state {
            if byte == format.quote {
                row.text.append(byte)
                state = .quoted
                index &+= 1
                return false
            }
            state = .afterQuotes
        }
        if byte == format.separator || byte == 0x0A || byte == 0x0D { return try endCell(at: byte, &index) }
        if byte == 0x20 || byte == 0x09 {
            index &+= 1
            return false
        }
        note("has text after its closing quote. Quotes in a cell are written twice")
        state = .unquoted
        return false
    }

    // MARK: Lines

    mutating func countBreak(_ byte: UInt8) {
        if byte == 0x0D || !lastWasReturn { line &+= 1 }
        lastWasReturn = byte == 0x0D
    }

    // MARK: Rows

    /// Ends the last row of a file without a line break at its end.
    private mutating func finishInput() throws(RecordError) {
        switch state {
        case .escape: endEscape(UInt8(ascii: "\\"))
        case .octal, .hex: endByteEscape()
        default: break
        }
        switch state {
        case .quoted: throw fail(endlessQuote("before the end of the file"))
        case .afterReturn: break
        default: try endCell()
        }
        state = .rowStart
    }

    /// Returns the row, or `nil` if it is to be skipped.
    private mutating func finishRow(
        endingAt offset: Int, into result: inout TableRow
    ) throws(RecordError) -> TableReader.Outcome? {
        defer {
            row.removeAll()
            rowHasQuotes = false
            rowHasByteEscapes = false
            isEndMark = false
            problem = nil
            rowStart = offset
        }
        position.offset = offset
        position.line = line
        if isEndMark, row.cells.count == 1, row.text == [UInt8(ascii: ".")] {
            isAtEnd = true
            return nil
        }
        if awaitsSeparatorLine {
            awaitsSeparatorLine = false
            return nil
        }
        if row.text.isEmpty, row.cells.count > 1, !rowHasQuotes, noValue.isEmpty, problem == nil { return nil }
        row.endOffset = offset
        let error = fit()
        if awaitsHeader {
            awaitsHeader = false
            if let error { throw fail(error) }
            position.columns = row.cells.count
            swap(&row, &result)
            return .header
        }
        swap(&row, &result)
        return error.map { .rejected($0) } ?? .row
    }

    /// Compares the number of cells with the other rows'. Returns the error of a row that is rejected.
    private mutating func fit() -> RecordError? {
        if rowHasByteEscapes, String(validating: row.text, as: UTF8.self) == nil {
            return rejection(
                "The row in line \(row.line) has escapes of bytes that are not UTF-8. Write the file in UTF-8")
        }
        if let problem {
            return rejection("Cell \(problem.cell) of the row in line \(row.line) \(problem.text)")
        }
        guard let columns = position.columns else {
            if !awaitsHeader { position.columns = row.cells.count }
            return nil
        }
        let count = row.cells.count
        if count > columns {
            guard row.cells[columns...].allSatisfy({ $0.range.isEmpty && !$0.wasQuoted }) else {
                return rejection(
                    "The row in line \(row.line) has \(count) cells, and the table \(columns) columns. Cells that contain the separator need quotes"
                )
            }
            row.cells.removeLast(count - columns)
        } else if count < columns, format.shortRows == .reject {
            return rejection("The row in line \(row.line) has \(count) cells, and the table \(columns) columns")
        }
        return nil
    }
}
