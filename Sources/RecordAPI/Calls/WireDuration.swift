internal import RecordModel
internal import RecordWire

/// Durations in bodies: a number of seconds, or a text in the format of the shell commands.
enum WireDuration {
    private static let units: [Character: Int64] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]

    /// Parses a duration and returns it in seconds.
    ///
    /// - Parameter key: The name of the member, for errors.
    /// - Throws: BAD_REQUEST if the value is not a duration in whole seconds.
    static func read(_ value: JSONValue, _ key: String) throws(RecordError) -> Int64 {
        if let seconds = value.integer { return seconds }
        if let seconds = value.string.flatMap(seconds) { return seconds }
        throw .badRequest(
            "'\(key)' is a number of seconds, or a time such as \"90d\", \"12h\" or \"30m\"",
            details: [("key", .text(key))])
    }

    /// Returns the number of seconds in `90d`, `12h`, `30m`, `15s` or `0`; `nil` for any other text.
    private static func seconds(_ text: String) -> Int64? {
        if text == "0" { return 0 }
        guard let unit = text.last.flatMap({ units[$0] }) else { return nil }
        let digits = text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits) else {
            return nil
        }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow ? nil : seconds
    }
}
