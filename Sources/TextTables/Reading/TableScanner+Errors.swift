import RecordModel

/// What is wrong with rows, and with what follows them.
extension TableScanner {
    mutating func note(_ text: String) {
        if problem == nil { problem = (text, row.cells.count + 1) }
    }

    func rejection(_ reason: String) -> RecordError {
        .badRequest(reason, details: [("line", .number(Int64(row.line)))])
    }

    mutating func fail(_ error: RecordError) -> RecordError {
        failure = error
        return error
    }

    var tooLong: RecordError {
        let limit = "within \(limits.rowBytes) bytes, the limit of a row"
        if case .quoted = state { return endlessQuote(limit) }
        return .badRequest(
            "The row in line \(row.line) does not end \(limit)", cause: .tooLarge,
            details: [("line", .number(Int64(row.line))), ("limit", .number(Int64(limits.rowBytes)))])
    }

    func endlessQuote(_ where: String) -> RecordError {
        .badRequest(
            "The quote that begins in line \(quoteLine) does not end \(`where`). Quotes in a cell are written twice",
            details: [("line", .number(Int64(quoteLine))), ("limit", .number(Int64(limits.rowBytes)))])
    }
}
