/// Points in time as the wire writes them: milliseconds since 1970-01-01 UTC, or RFC 3339 in requests.
package enum Timestamp {
    /// Reads an RFC 3339 `date-time` (section 5.6), such as `2026-03-01T12:00:00.250Z` or `2026-03-01T13:00:00+01:00`.
    ///
    /// - Returns: `nil` for anything else, for a fraction finer than a millisecond, for a day that its month does not
    ///   have, and for a leap second, which milliseconds since 1970 cannot tell from the second after it.
    package static func milliseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard text.count >= 20 else { return nil }
        guard let year = digits(text, 0, 4), text[4] == UInt8(ascii: "-"), let month = digits(text, 5, 2),
            text[7] == UInt8(ascii: "-"), let day = digits(text, 8, 2), text[10] | 0x20 == UInt8(ascii: "t"),
            let hour = digits(text, 11, 2), text[13] == UInt8(ascii: ":"), let minute = digits(text, 14, 2),
            text[16] == UInt8(ascii: ":"), let second = digits(text, 17, 2)
        else { return nil }
        guard (1...12).contains(month), day >= 1, day <= length(ofMonth: month, year: year), hour < 24, minute < 60,
            second < 60
        else { return nil }

        var index = 19
        var fraction: Int64 = 0
        if text[index] == UInt8(ascii: ".") {
            index += 1
            var weight: Int64 = 100
            let first = index
            while index < text.count, let digit = digits(text, index, 1) {
                if weight == 0, digit != 0 { return nil }
                fraction += digit * weight
                weight /= 10
                index += 1
            }
            if index == first { return nil }
        }
        guard index < text.count else { return nil }
        var offset: Int64 = 0
        switch text[index] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): index += 1
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard text.count == index + 6, let hours = digits(text, index + 1, 2), hours < 24,
                text[index + 3] == UInt8(ascii: ":"), let minutes = digits(text, index + 4, 2), minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (text[index] == UInt8(ascii: "-") ? -60 : 60)
            index += 6
        default: return nil
        }
        guard index == text.count else { return nil }
        let seconds = days(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return seconds * 1_000 + fraction
    }

    private static func digits(_ text: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> Int64? {
        var number: Int64 = 0
        for index in start..<(start + count) {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int64(digit)
        }
        return number
    }

    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar. A year counts from March, so that its leap day is last.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
