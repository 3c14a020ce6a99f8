internal import RecordModel

/// Timestamps in parameters and bodies: milliseconds since 1970, or an RFC 3339 time or date as text.
enum WireTimestamp {
    /// Parses a timestamp and returns it in milliseconds since 1970.
    ///
    /// - Parameters:
    ///   - text: The timestamp as sent.
    ///   - name: The name of the parameter or member, for the error sentence.
    ///   - takesDates: Whether a date without a time is accepted, as midnight UTC.
    /// - Throws: BAD_REQUEST with the problem and an example.
    static func read(_ text: String, _ name: String, takesDates: Bool) throws(RecordError) -> Int64 {
        if let milliseconds = Int64(text) { return milliseconds }
        do throws(Timestamp.Problem) {
            return try Timestamp.read(text, takesDates: takesDates)
        } catch {
            throw .badRequest(
                "'\(name)' is a moment in milliseconds since 1970 or an RFC 3339 time, and this is a \(error.words). Write it like \(error.example)",
                details: [("parameter", .text(name))])
        }
    }
}
