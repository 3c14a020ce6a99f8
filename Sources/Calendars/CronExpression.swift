/// The times of a schedule in the format of cron: minute, hour, day of the month, month and day of the week.
///
/// A field is `*`, a number, a range `1-5`, or a list of them with commas; `/n` takes every nth value. Months and weekdays
/// may have English names of three letters. Sunday is 0 or 7. If both the day of the month and the day of the week are
/// limited, a day matches if one of them does, as in other crons. `@hourly`, `@daily`, `@weekly`, `@monthly` and
/// `@yearly` are short forms.
package struct CronExpression: Hashable, Sendable {
    /// The reason why a text is no cron expression: a sentence without a period.
    package struct Problem: Error, Hashable {
        package let reason: String
    }

    /// The expression as it was written.
    package let text: String
    private let minutes: CronField
    private let hours: CronField
    private let days: CronField
    private let months: CronField
    private let weekdays: CronField

    private static let shortForms = [
        "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
    ]
    private static let longest = 256

    /// Parses an expression.
    ///
    /// - Throws: `Problem`, also for an expression that matches no day.
    package init(_ text: String) throws(Problem) {
        guard text.utf8.count <= Self.longest else {
            throw Problem(reason: "A cron expression has at most \(Self.longest) bytes")
        }
        self.text = text
        var fields = text.split(whereSeparator: \.isWhitespace)
        if let first = fields.first, first.hasPrefix("@") {
            guard fields.count == 1, let long = Self.shortForms[first.lowercased()] else {
                throw Problem(
                    reason:
                        "'\(text.prefix(32))' is no short form; these are: @hourly, @daily, @weekly, @monthly and @yearly"
                )
            }
            fields = long.split(separator: " ")
        }
        guard fields.count == 5 else {
            throw Problem(
                reason:
                    "A cron expression has five fields: minute, hour, day of the month, month and day of the week; no seconds and no year. This has \(fields.count)"
            )
        }
        minutes = try CronField(fields[0], .minute)
        hours = try CronField(fields[1], .hour)
        days = try CronField(fields[2], .day)
        months = try CronField(fields[3], .month)
        weekdays = try CronField(fields[4], .weekday)
        // 2000 is a leap year.
        guard next(after: Self.year2000, in: .utc) != nil else {
            throw Problem(reason: "No date matches this cron expression")
        }
    }

    private static let year2000 = 946_684_800
    /// Each combination of date and weekday occurs within 40 years, also if a year without a leap day lies between.
    private static let longestWait = 41 * 366 * 86_400

    /// Returns the first matching time after another time.
    ///
    /// Where daylight saving time starts, a time that is skipped runs at the change. Where it ends, a time that occurs
    /// twice runs the first time only. Expressions whose hour begins with `*` run at regular intervals instead: they
    /// leave out what is skipped, and run in both of two hours that have the same time.
    ///
    /// - Parameter seconds: Seconds since 1970-01-01 UTC.
    /// - Returns: Seconds since 1970-01-01 UTC; `nil` if there is none.
    package func next(after seconds: Int, in zone: TimeZoneRules) -> Int? {
        let limit = seconds + Self.longestWait
        var first = seconds + 1
        while first < limit {
            let period = zone.period(at: first)
            let end = min(period.end, limit)
            var start = first + period.offset
            if period.start != .min, !hours.isEvery {
                let changed = period.start + zone.period(at: period.start - 1).offset
                let newTime = period.start + period.offset
                if changed < newTime, first == period.start, nextLocal(from: changed, before: newTime) != nil {
                    return period.start
                }
                // Local times up to here have occurred before the change.
                start = max(start, changed)
            }
            if let local = nextLocal(from: start, before: end + period.offset) { return local - period.offset }
            first = end
        }
        return nil
    }

    /// Returns the first matching local time at or after `start` and before `end`, in seconds since 1970-01-01 in local
    /// time.
    private func nextLocal(from start: Int, before end: Int) -> Int? {
        let minute = floorDivide(start + 59, by: 60).quotient
        var (day, minuteOfDay) = floorDivide(minute, by: 1_440)
        while day * 86_400 < end {
            if matches(day: day), let minute = nextMinute(from: minuteOfDay) {
                let time = day * 86_400 + minute * 60
                return time < end ? time : nil
            }
            day += 1
            minuteOfDay = 0
        }
        return nil
    }

    private func matches(day: Int) -> Bool {
        let date = CivilDate(days: day)
        guard months.contains(date.month) else { return false }
        let (isDay, isWeekday) = (days.contains(date.day), weekdays.contains(CivilDate.weekday(days: day)))
        return days.isEvery || weekdays.isEvery ? isDay && isWeekday : isDay || isWeekday
    }

    /// Returns the first matching minute of a day at or after `first`.
    private func nextMinute(from first: Int) -> Int? {
        for hour in (first / 60)..<24 where hours.contains(hour) {
            for minute in (hour == first / 60 ? first % 60 : 0)..<60 where minutes.contains(minute) {
                return hour * 60 + minute
            }
        }
        return nil
    }
}

/// One field of a cron expression.
private struct CronField: Hashable, Sendable {
    enum Kind {
        case minute, hour, day, month, weekday

        var name: String {
            switch self {
            case .minute: "minute"
            case .hour: "hour"
            case .day: "day of the month"
            case .month: "month"
            case .weekday: "day of the week"
            }
        }

        var range: ClosedRange<Int> {
            switch self {
            case .minute: 0...59
            case .hour: 0...23
            case .day: 1...31
            case .month: 1...12
            case .weekday: 0...7
            }
        }

        var words: [String] {
            switch self {
            case .minute, .hour, .day: []
            case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
            case .weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
            }
        }

        /// The whole words, for hints.
        var longWords: [String] {
            switch self {
            case .minute, .hour, .day: []
            case .month:
                [
                    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
                    "november", "december",
                ]
            case .weekday: ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
            }
        }
    }

    /// Whether the field begins with `*`.
    let isEvery: Bool
    private var bits: UInt64 = 0

    init(_ text: Substring, _ kind: Kind) throws(CronExpression.Problem) {
        isEvery = text.hasPrefix("*")
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            var step = 1
            if parts.count == 2 {
                guard let number = Self.digits(parts[1]), number > 0 else {
                    throw Self.problem("'\(item.prefix(32))' has no positive number after the slash", kind)
                }
                step = number
            }
            let range = try Self.range(parts[0], kind, hasStep: parts.count == 2)
            for value in stride(from: range.lowerBound, through: range.upperBound, by: step) { bits |= 1 << value }
        }
        // Sunday is 0 or 7.
        if kind == .weekday, contains(7) { bits |= 1 }
    }

    func contains(_ value: Int) -> Bool { bits & 1 << value != 0 }

    private static func range(
        _ text: Substring, _ kind: Kind, hasStep: Bool
    ) throws(CronExpression.Problem) -> ClosedRange<Int> {
        if text == "*" { return kind == .weekday ? 0...6 : kind.range }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try value(ends[0], kind)
        guard ends.count == 2 else { return hasStep ? first...max(first, kind.range.upperBound) : first...first }
        let last = try value(ends[1], kind)
        guard first <= last else {
            throw problem("'\(text.prefix(32))' begins after its end. Write \(split(first, last, kind))", kind)
        }
        return first...last
    }

    private static func value(_ text: Substring, _ kind: Kind) throws(CronExpression.Problem) -> Int {
        if let index = kind.words.firstIndex(of: text.lowercased()) { return index + kind.range.lowerBound }
        guard let number = digits(text), kind.range.contains(number) else {
            throw problem(
                "'\(text.prefix(32))' is not in it" + (otherDialect(text, kind).map { ". \($0)" } ?? ""), kind)
        }
        return number
    }

    /// Returns how to write a range that goes past the end of the field, such as `fri-sun`.
    private static func split(_ first: Int, _ last: Int, _ kind: Kind) -> String {
        let parts = "\(first)-\(kind.range.upperBound),\(kind.range.lowerBound)-\(last)"
        guard kind == .weekday || kind == .month else { return parts }
        let start = kind.range.lowerBound
        let count = kind.words.count
        let length = (last - first + count) % count
        let names = (0...length).map { kind.words[(first - start + $0) % count] }.joined(separator: ",")
        return kind == .weekday && last == 0 ? "\(names) or \(first)-7" : names
    }

    /// Returns what to write instead of a text that only other crons know; `nil` for any other text.
    private static func otherDialect(_ text: Substring, _ kind: Kind) -> String? {
        guard text.utf8.count <= 12 else { return nil }
        let text = text.lowercased()
        if text == "?" { return "Write * for ?" }
        if text == "h" { return "Write a number for H: the server chooses no times" }
        if text.utf8.count > 3, let index = kind.longWords.firstIndex(where: { $0.hasPrefix(text) }) {
            return "Write \(kind.words[index])"
        }
        guard kind == .day || kind == .weekday else { return nil }
        if text.contains("#") {
            return "There is no nth weekday of the month. Limit the day of the month with 1-7, 8-14 and so on instead"
        }
        if kind == .weekday, text == "l" { return "Write sat for L, which is Saturday" }
        if kind == .weekday, text.hasSuffix("l"), (try? value(text.dropLast(), kind)) != nil {
            return "There is no last weekday of the month. Limit the day of the month with 22-28 instead"
        }
        guard text.utf8.allSatisfy({ "0123456789lw".utf8.contains($0) }) else { return nil }
        if text.contains("w") { return "There is no nearest weekday" }
        return text.contains("l")
            ? "There is no last day of the month. Take a day up to 28, or day 1 of the next month" : nil
    }

    /// Reads at most four digits.
    private static func digits(_ text: Substring) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
            return nil
        }
        return Int(text)
    }

    private static func problem(_ reason: String, _ kind: Kind) -> CronExpression.Problem {
        let names = kind.words.isEmpty ? "" : ", or a name such as \(kind.words[1])"
        return CronExpression.Problem(
            reason:
                "The field \(kind.name) of the cron expression is *, \(kind.range.lowerBound) to \(kind.range.upperBound)\(names), a range or a list: \(reason)"
        )
    }
}
