package import RecordModel

/// Why bytes are not the JSON that this server takes.
package struct JSONError: Error, Hashable, Sendable {
    /// A short clause that can stand after a colon; never quotes the input.
    package let reason: String
    /// Where, in bytes from the start of the document.
    package let offset: Int

    package init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension RecordError {
    /// The refusal of a request whose JSON is not well formed.
    package init(_ error: JSONError) {
        self = .badRequest(
            "The JSON is not well formed: \(error.reason).", cause: .malformedJSON,
            details: [("offset", .number(Int64(error.offset)))])
    }
}
