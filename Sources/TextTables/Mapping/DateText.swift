internal import Calendars

/// How a column writes times.
package enum DateStyle: String, Hashable, Sendable, CaseIterable {
    /// Year, month, day: ISO 8601, RFC 3339, PostgreSQL's and SQLite's form, `2026/11/29`; with or without time of day and
    /// offset.
    case iso
    /// Day, month, year: `29.11.2026 14:00`, `29/11/26`.
    case dayFirst = "day-first"
    /// Month, day, year: `11/29/2026 2:00 PM`.
    case monthFirst = "month-first"
    /// Seconds since 1970-01-01 UTC, with or without a fraction.
    case unixSeconds = "unix-seconds"
    /// Milliseconds since 1970-01-01 UTC.
    case unixMilliseconds = "unix-milliseconds"
}

/// The offset from UTC of local times in a time zone.
struct LocalClock: Sendable {
    private let rules: TimeZoneRules
    /// The last period, since most rows are in the same one.
    private var last: TimeZoneRules.Period

    init(_ rules: TimeZoneRules) {
        self.rules = rules
        last = rules.period(at: 0)
    }

    /// Returns the time in seconds since 1970-01-01 UTC of a local one. A local time that occurs twice is the first one; one
    /// that does not occur is as long after the change as it is behind it on the clock.
    mutating func universal(_ local: Int) -> Int {
        let day = 86_400
        let near = local - last.offset
        if near - day >= last.start, near + day < last.end { return near }
        let before = rules.period(at: local - last.offset - day)
        if rules.period(at: local - before.offset).offset == before.offset {
            last = before
            return local - before.offset
        }
        let after = rules.period(at: local - before.offset)
        last = after
        let time = local - after.offset
        return rules.period(at: time).offset == after.offset ? time : local - before.offset
    }
}

/// Reads times as people and programs write them. Two digits of a year are 1969 to 2068, as in POSIX.
struct DateText {
    /// Spaces without a line break.
    private static let noBreak: StaticString = "\u{A0}"
    private static let narrow: StaticString = "\u{202F}"

    private let text: UnsafeRawBufferPointer
    private var index: Int
    private let end: Int

    /// Returns the time in milliseconds since 1970-01-01 UTC; `nil` if the text has another form.
    ///
    /// - Parameter clock: Gives the offset of a time without one.
    static func read(
        _ text: UnsafeRawBufferPointer, as style: DateStyle, clock: inout LocalClock
    ) -> Int64? {
        var reader = DateText(text)
        switch style {
        case .unixSeconds: return reader.seconds()
        case .unixMilliseconds: return reader.wholeNumber()
        case .iso, .dayFirst, .monthFirst: return reader.time(style, &clock)
        }
    }

    private init(_ text: UnsafeRawBufferPointer) {
        self.text = text
        (index, end) = (0, text.count)
    }

    private mutating func time(_ style: DateStyle, _ clock: inout LocalClock) -> Int64? {
        guard let (year, month, day) = date(style), (1...12).contains(month),
            (1...CivilDate.length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        var seconds = CivilDate(year: year, month: month, day: day).days * 86_400
        var milliseconds = 0
        if index < end {
            _ = take(",")
            let hasSpace = skipSpaces()
            if !hasSpace {
                guard take("T") || take("t") else { return nil }
            }
            guard let (time, fraction) = timeOfDay() else { return nil }
            seconds += time
            milliseconds = fraction
            _ = skipSpaces()
        }
        if index == end {
            seconds = clock.universal(seconds)
        } else {
            guard let offset = offset(), index == end else { return nil }
            seconds -= offset
        }
        // An expanded year can be beyond 64 bits of milliseconds.
        return Int64(exactly: Int128(seconds) * 1_000 + Int128(milliseconds))
    }

    private mutating func date(_ style: DateStyle) -> (year: Int, month: Int, day: Int)? {
        if style == .iso {
            guard let year = isoYear(), let sign = dateSign(), let month = number(1...2), take(sign),
                let day = number(1...2)
            else { return nil }
            return (year, month, day)
        }
        guard let first = number(1...2), let sign = dateSign(), let second = number(1...2), take(sign) else {
            return nil
        }
        let start = index
        guard var year = number(2...4), index - start != 3 else { return nil }
        if index - start == 2 { year += year < 69 ? 2_000 : 1_900 }
        return style == .dayFirst ? (year, second, first) : (year, first, second)
    }

    /// Four digits, or a sign and five to nine (ISO 8601's expanded form).
    private mutating func isoYear() -> Int? {
        let isNegative = take("-")
        if isNegative || take("+") { return number(5...9).map { isNegative ? -$0 : $0 } }
        return number(4...4)
    }

    private mutating func dateSign() -> Unicode.Scalar? {
        for sign: Unicode.Scalar in ["-", ".", "/"] where take(sign) { return sign }
        return nil
    }

    /// Seconds since midnight, and milliseconds. Further digits are dropped.
    private mutating func timeOfDay() -> (Int, Int)? {
        guard var hour = number(1...2), take(":"), let minute = number(2...2), minute < 60 else { return nil }
        var (second, milliseconds) = (0, 0)
        if take(":") {
            guard let found = number(2...2), found < 60 else { return nil }
            second = found
            if take(".") || take(",") {
                let start = index
                var weight = 100
                while let digit = number(1...1) {
                    milliseconds += digit * weight
                    weight /= 10
                }
                if index == start { return nil }
            }
        }
        let mark = index
        _ = skipSpaces()
        if let isAfternoon = half() {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        } else {
            index = mark
        }
        guard hour < 24 || (hour == 24 && minute == 0 && second == 0 && milliseconds == 0) else { return nil }
        return (hour * 3_600 + minute * 60 + second, milliseconds)
    }

    /// `AM` or `PM`, also `a.m.`: whether it is the afternoon.
    private mutating func half() -> Bool? {
        let isAfternoon: Bool
        if take("A") || take("a") {
            isAfternoon = false
        } else if take("P") || take("p") {
            isAfternoon = true
        } else {
            return nil
        }
        let hasDots = take(".")
        guard take("M") || take("m") else { return nil }
        if hasDots { _ = take(".") }
        return isAfternoon
    }

    /// `Z`, `UTC`, `GMT`, or `+hh`, `+hhmm`, `+hh:mm`, in seconds.
    private mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        for word: StaticString in ["UTC", "GMT"] where take(word: word) { return 0 }
        let isBehind = take("-")
        guard isBehind || take("+"), let hours = number(2...2) else { return nil }
        let hasColon = take(":")
        let minutes = number(2...2)
        guard hours < 24, (minutes ?? 0) < 60, minutes != nil || !hasColon else { return nil }
        return (hours * 60 + (minutes ?? 0)) * (isBehind ? -60 : 60)
    }

    private mutating func wholeNumber() -> Int64? {
        let isNegative = take("-")
        guard let number = number(1...18), index == end else { return nil }
        return Int64(isNegative ? -number : number)
    }

    private mutating func seconds() -> Int64? {
        let isNegative = take("-")
        guard let whole = number(1...15) else { return nil }
        var milliseconds = 0
        if take(".") {
            var weight = 100
            let start = index
            while let digit = number(1...1) {
                milliseconds += digit * weight
                weight /= 10
            }
            if index == start { return nil }
        }
        guard index == end else { return nil }
        let time = Int64(whole * 1_000 + milliseconds)
        return isNegative ? -time : time
    }

    // MARK: Parts

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard index < end, text[index] == UInt8(ascii: sign) else { return false }
        index += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let bytes = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end - index >= bytes.count, text[index..<(index + bytes.count)].elementsEqual(bytes) else { return false }
        index += bytes.count
        return true
    }

    /// Skips spaces, also the ones without a line break that newer systems write before AM and PM.
    private mutating func skipSpaces() -> Bool {
        let start = index
        while true {
            if take(" ") || take(word: Self.noBreak) || take(word: Self.narrow) { continue }
            return index > start
        }
    }

    /// A number with so many digits; with nothing consumed, `nil` if there are fewer.
    private mutating func number(_ digits: ClosedRange<Int>) -> Int? {
        var (number, next) = (0, index)
        while next < end, next - index < digits.upperBound, text[next] &- 0x30 < 10 {
            number = number * 10 + Int(text[next] &- 0x30)
            next += 1
        }
        guard next - index >= digits.lowerBound else { return nil }
        index = next
        return number
    }
}

/// Writes times for tables.
enum DateWriter {
    /// Appends a time as ISO 8601 in UTC with milliseconds: `2026-11-29T14:00:00.250Z`. Years beyond four digits have a
    /// sign and at least six digits.
    static func append(_ milliseconds: Int64, to text: inout [UInt8]) {
        var (day, rest) = Int(milliseconds).quotientAndRemainder(dividingBy: 86_400_000)
        if rest < 0 { (day, rest) = (day - 1, rest + 86_400_000) }
        let date = CivilDate(days: day)
        if (0...9_999).contains(date.year) {
            append(date.year, digits: 4, to: &text)
        } else {
            text.append(UInt8(ascii: date.year < 0 ? "-" : "+"))
            append(abs(date.year), digits: 6, to: &text)
        }
        let parts: [(Unicode.Scalar, Int, Int)] = [
            ("-", date.month, 2), ("-", date.day, 2), ("T", rest / 3_600_000, 2), (":", rest / 60_000 % 60, 2),
            (":", rest / 1_000 % 60, 2), (".", rest % 1_000, 3),
        ]
        for (sign, number, digits) in parts {
            text.append(UInt8(ascii: sign))
            append(number, digits: digits, to: &text)
        }
        text.append(UInt8(ascii: "Z"))
    }

    private static func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
        let decimal = String(number)
        text.append(contentsOf: repeatElement(0x30, count: max(0, digits - decimal.utf8.count)))
        text.append(contentsOf: decimal.utf8)
    }
}
