package import RecordModel

/// Writes error dictionaries (CloudKit Web Services Reference, "Record Fetch Error Dictionary").
package enum ErrorComposer {
    /// Appends `{"uuid"?,"recordName"?,"serverErrorCode","reason","details"?,"retryAfter"?,"serverRecord"?}`.
    ///
    /// - Parameters:
    ///   - uuid: The identifier of a request, for an error about the whole request.
    ///   - recordName: The record name, for an error about one record of a batch.
    package static func append(_ error: RecordError, uuid: String?, recordName: String?, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "{"))
        if let uuid {
            text.appendLiteral("\"uuid\":")
            text.appendString(uuid)
            text.append(UInt8(ascii: ","))
        }
        if let recordName {
            text.appendLiteral("\"recordName\":")
            text.appendString(recordName)
            text.append(UInt8(ascii: ","))
        }
        text.appendLiteral("\"serverErrorCode\":")
        text.appendString(error.code.rawValue)
        text.appendLiteral(",\"reason\":")
        text.appendString(error.reason)
        appendDetails(error, to: &text)
        if let seconds = error.retryAfter {
            text.appendLiteral(",\"retryAfter\":")
            text.appendInteger(Int64(seconds))
        }
        if let record = error.serverRecord {
            text.appendLiteral(",\"serverRecord\":")
            text.append(contentsOf: record)
        }
        text.append(UInt8(ascii: "}"))
    }

    private static func appendDetails(_ error: RecordError, to text: inout [UInt8]) {
        guard error.cause != nil || !error.details.isEmpty else { return }
        text.appendLiteral(",\"details\":{")
        var isFirst = true
        if let cause = error.cause {
            text.appendLiteral("\"cause\":")
            text.appendString(cause.rawValue)
            isFirst = false
        }
        for (key, value) in error.details {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            text.appendString(key)
            text.append(UInt8(ascii: ":"))
            switch value {
            case .text(let word): text.appendString(word)
            case .number(let number): text.appendInteger(number)
            case .list(let words):
                text.append(UInt8(ascii: "["))
                for (index, word) in words.enumerated() {
                    if index > 0 { text.append(UInt8(ascii: ",")) }
                    text.appendString(word)
                }
                text.append(UInt8(ascii: "]"))
            }
        }
        text.append(UInt8(ascii: "}"))
    }
}
