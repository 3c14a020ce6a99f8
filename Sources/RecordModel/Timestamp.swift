internal import Calendars

/// Parses points in time in requests: milliseconds since 1970-01-01 UTC, or RFC 3339 text.
package enum Timestamp {
    /// The reason why a text is not a time, with a valid example.
    package struct Problem: Error, Hashable {
        /// A description of the error without an article, such as `time in month 13`, for use in a sentence.
        package let words: String
        /// A valid time, similar to the rejected text if possible.
        package let example: String

        init(_ words: String, example: String = Timestamp.example) {
            self.words = words
            self.example = example
        }
    }

    /// A valid time, for error messages.
    package static let example = "2026-03-01T12:00:00.250Z"

    /// Parses an RFC 3339 `date-time` (section 5.6), such as `2026-03-01T12:00:00.250Z`.
    ///
    /// The function also accepts formats that common libraries print: a space or lowercase `t` instead of `T`, a
    /// lowercase `z`, and the offsets `+0900` and `+09`. A fraction may have any number of digits. Digits after the
    /// third are dropped, which rounds toward negative infinity, also before 1970. `24:00:00` is the start of the next
    /// day. A leap second is the start of the next day too, because milliseconds since 1970 cannot represent it.
    ///
    /// - Parameter takesDates: Whether to accept a date without a time of day, as midnight UTC.
    /// - Throws: `Problem` if the text is not a time.
    package static func read(
        _ text: UnsafeRawBufferPointer, takesDates: Bool = false
    ) throws(Problem) -> Int64 {
        var reader = TimestampReader(text: text)
        return try reader.read(takesDates: takesDates)
    }

    /// Parses a time in a string.
    ///
    /// - Throws: `Problem` if the text is not a time.
    package static func read(_ text: String, takesDates: Bool = false) throws(Problem) -> Int64 {
        try Array(text.utf8).withUnsafeBufferPointer { bytes throws(Problem) in
            try read(UnsafeRawBufferPointer(bytes), takesDates: takesDates)
        }
    }

    /// Returns whether a text is a time with date, time of day and offset from UTC.
    package static func isTime(_ text: UnsafeRawBufferPointer) -> Bool {
        // This check rejects most texts quickly.
        guard text.count >= 20, text[4] == UInt8(ascii: "-") else { return false }
        return (try? read(text)) != nil
    }
}

/// The state of parsing one time.
private struct TimestampReader {
    let text: UnsafeRawBufferPointer
    private var index = 0

    init(text: UnsafeRawBufferPointer) {
        self.text = text
    }

    mutating func read(takesDates: Bool) throws(Timestamp.Problem) -> Int64 {
        guard let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2) else {
            throw Timestamp.Problem("text that is no RFC 3339 time")
        }
        guard (1...12).contains(month) else { throw Timestamp.Problem("time in month \(month)") }
        let length = Int64(CivilDate.length(ofMonth: Int(month), year: Int(year)))
        guard (1...length).contains(day) else {
            throw Timestamp.Problem("time on day \(day) of a month that has \(length)")
        }
        let midnight = Int64(CivilDate(year: Int(year), month: Int(month), day: Int(day)).days) * 86_400
        if index == text.count {
            if takesDates { return midnight * 1_000 }
            throw Timestamp.Problem(
                "date without a time of day", example: String(decoding: text, as: UTF8.self) + "T00:00:00Z")
        }
        guard take("T") || take("t") || take(" "), let hour = digits(2), take(":"), let minute = digits(2) else {
            throw Timestamp.Problem("time without hours and minutes after its date")
        }
        guard take(":"), let second = digits(2) else { throw Timestamp.Problem("time without seconds") }
        let fraction = try self.fraction()
        let isNextMidnight = hour == 24 && minute == 0 && second == 0 && fraction == 0
        guard hour < 24 || isNextMidnight else { throw Timestamp.Problem("time at hour \(hour)") }
        guard minute < 60 else { throw Timestamp.Problem("time at minute \(minute)") }
        guard second <= 60 else { throw Timestamp.Problem("time at second \(second)") }
        let seconds = midnight + hour * 3_600 + minute * 60 + second - (try offset())
        guard index == text.count else { throw Timestamp.Problem("time with more text after it") }
        guard second < 60 || seconds % 86_400 == 0 else {
            throw Timestamp.Problem("time at second 60 of a minute without a leap second")
        }
        return seconds * 1_000 + (second < 60 ? fraction : 0)
    }

    /// Parses the fraction of a second. The result is in milliseconds.
    private mutating func fraction() throws(Timestamp.Problem) -> Int64 {
        guard take(".") else { return 0 }
        var milliseconds: Int64 = 0
        var weight: Int64 = 100
        let first = index
        while let digit = digits(1) {
            milliseconds += digit * weight
            weight /= 10
        }
        if index == first { throw Timestamp.Problem("time with a point and no digits after it") }
        return milliseconds
    }

    /// Parses the offset from UTC. The result is in seconds.
    private mutating func offset() throws(Timestamp.Problem) -> Int64 {
        if take("Z") || take("z") { return 0 }
        let isBehind = take("-")
        guard isBehind || take("+") else {
            if index == text.count {
                throw Timestamp.Problem(
                    "time without its offset from UTC", example: String(decoding: text, as: UTF8.self) + "Z")
            }
            if take(" "), digits(2) != nil {
                throw Timestamp.Problem("time with a blank for the sign of its offset; in an address + is %2B")
            }
            throw Timestamp.Problem("time with something other than Z or an offset such as +09:00 after its seconds")
        }
        guard let hours = digits(2) else { throw Timestamp.Problem("time with an offset without hours") }
        let hasColon = take(":")
        let minutes = digits(2)
        guard hours < 24, (minutes ?? 0) < 60, minutes != nil || !hasColon else {
            throw Timestamp.Problem("time with an offset that is not +00:00 to +23:59")
        }
        return (hours * 60 + (minutes ?? 0)) * (isBehind ? -60 : 60)
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: sign) else { return false }
        index += 1
        return true
    }

    /// Parses a number with exactly `count` digits. If there are fewer digits, nothing is consumed.
    private mutating func digits(_ count: Int) -> Int64? {
        guard index + count <= text.count else { return nil }
        var number: Int64 = 0
        for byte in text[index..<(index + count)] {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int64(digit)
        }
        index += count
        return number
    }
}
