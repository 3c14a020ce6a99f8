package import RecordModel

/// The reason why a document is rejected as JSON.
package struct JSONError: Error, Hashable, Sendable {
    /// A clause for use after a colon. The text never quotes the input.
    package let reason: String
    /// The position in bytes from the start of the document.
    package let offset: Int

    /// Creates an error at a position in bytes.
    package init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension RecordError {
    /// Creates the error for a request with malformed JSON.
    package init(_ error: JSONError) {
        self = .badRequest(
            "The JSON is not well formed: \(error.reason).", cause: .malformedJSON,
            details: [("offset", .number(Int64(error.offset)))])
    }
}
