internal import Calendars

extension HTTPDate {
    /// Parses a date in any of the three formats that a recipient must accept (RFC 9110 §5.6.7).
    ///
    /// - `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate)
    /// - `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850; a year that appears to be more than 50 years after `now` is the
    ///   last past year with the same two digits)
    /// - `Sun Nov  6 08:49:37 1994` (asctime)
    ///
    /// The name of the weekday must be valid but is not compared with the date. A leap second counts as the next
    /// second.
    ///
    /// - Parameters:
    ///   - text: The value of the date field; case-sensitive.
    ///   - now: The current time in seconds since 1970, for two-digit years. If `nil`, 00–69 are 2000–2069.
    /// - Returns: Seconds since 1970, or `nil` if `text` has none of the three formats.
    public static func parse(_ text: String, now: Int64? = nil) -> Int64? {
        var scanner = DateScanner(Array(text.utf8))
        guard let weekdayLength = scanner.weekday() else { return nil }
        if scanner.take(" ") {
            guard weekdayLength == .short else { return nil }
            return asctime(&scanner)
        }
        guard scanner.take(", ") else { return nil }
        guard let day = scanner.number(2) else { return nil }
        let year: Int
        let month: Int
        switch weekdayLength {
        case .short:
            guard scanner.take(" "), let name = scanner.month(), scanner.take(" "), let number = scanner.number(4)
            else { return nil }
            (month, year) = (name, number)
        case .long:
            guard scanner.take("-"), let name = scanner.month(), scanner.take("-"), let number = scanner.number(2)
            else { return nil }
            (month, year) = (name, fullYear(number, now: now))
        }
        guard scanner.take(" "), let time = scanner.time(), scanner.take(" GMT"), scanner.isAtEnd else { return nil }
        return seconds(year: year, month: month, day: day, time: time)
    }

    private static func asctime(_ scanner: inout DateScanner) -> Int64? {
        guard let month = scanner.month(), scanner.take(" ") else { return nil }
        let day = scanner.take(" ") ? scanner.number(1) : scanner.number(2)
        guard let day, scanner.take(" "), let time = scanner.time(), scanner.take(" "),
            let year = scanner.number(4), scanner.isAtEnd
        else { return nil }
        return seconds(year: year, month: month, day: day, time: time)
    }

    private static func fullYear(_ twoDigits: Int, now: Int64?) -> Int {
        guard let now else { return twoDigits < 70 ? 2000 + twoDigits : 1900 + twoDigits }
        // The mean Gregorian year has 31,556,952 seconds.
        let current = 1970 + Int(min(max(now, 0), 253_402_300_799) / 31_556_952)
        let candidate = current - current % 100 + twoDigits
        return candidate > current + 50 ? candidate - 100 : candidate
    }

    private static func seconds(year: Int, month: Int, day: Int, time: Int) -> Int64? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length =
            switch month {
            case 2: isLeap ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        guard day >= 1, day <= length else { return nil }
        return Int64(CivilDate(year: year, month: month, day: day).days) * 86_400 + Int64(time)
    }
}

/// A cursor over the bytes of a date.
private struct DateScanner {
    enum WeekdayLength { case short, long }

    let bytes: [UInt8]
    var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    mutating func weekday() -> WeekdayLength? {
        for name in ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] {
            if take(name) { return .long }
            if take(String(name.prefix(3))) { return .short }
        }
        return nil
    }

    mutating func month() -> Int? {
        for month in 0..<12 where take(String(HTTPDate.monthNames.dropFirst(month * 3).prefix(3))) {
            return month + 1
        }
        return nil
    }

    mutating func number(_ digits: Int) -> Int? {
        guard bytes.count - index >= digits else { return nil }
        var value = 0
        for byte in bytes[index..<(index + digits)] {
            guard byte.isDigit else { return nil }
            value = value * 10 + Int(byte &- 0x30)
        }
        index += digits
        return value
    }

    /// Reads a time and returns the seconds since midnight; `23:59:60` is a leap second.
    mutating func time() -> Int? {
        guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}
