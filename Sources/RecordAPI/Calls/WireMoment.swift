internal import RecordModel

/// Moments in parameters and bodies: milliseconds since 1970, or an RFC 3339 time or date as a text.
enum WireMoment {
    /// - Parameters:
    ///   - text: What stands there.
    ///   - name: The parameter or member that it is of, for errors.
    ///   - takesDates: Whether a date alone is taken, as midnight UTC.
    /// - Throws: BAD_REQUEST with what is wrong and a right value.
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
