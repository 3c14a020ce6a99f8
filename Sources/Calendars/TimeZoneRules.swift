/// The offsets of a time zone from UTC.
package struct TimeZoneRules: Hashable, Sendable {
    /// A period with one offset.
    package struct Period: Hashable, Sendable {
        /// The first second of the period, since 1970-01-01 UTC; `Int.min` for the first period.
        package let start: Int
        /// The first second after the period; `Int.max` for the last one.
        package let end: Int
        /// What to add to UTC to get local time, in seconds.
        package let offset: Int
    }

    /// When the offset changes, in seconds since 1970-01-01 UTC, in ascending order.
    private let changes: [Int]
    /// The offset before the first change and after each change, in seconds.
    private let offsets: [Int]
    /// The rule for times after the last change; `nil` if the last offset stays.
    private let rule: DaylightRule?

    /// - Parameters:
    ///   - changes: In ascending order.
    ///   - offsets: One more than there are changes.
    init(changes: [Int], offsets: [Int], rule: DaylightRule?) {
        self.changes = changes
        self.offsets = offsets
        self.rule = rule
    }

    /// Universal time.
    package static let utc = TimeZoneRules(changes: [], offsets: [0], rule: nil)

    /// Returns the period with a point in time.
    ///
    /// - Parameter seconds: Seconds since 1970-01-01 UTC.
    package func period(at seconds: Int) -> Period {
        if let rule, seconds >= changes.last ?? .min { return period(at: seconds, by: rule) }
        let index = changes.partitioningIndex { $0 > seconds }
        // The rule's first period may have the same offset as the one before.
        let end = index < changes.count ? changes[index] : .max
        return Period(start: index == 0 ? .min : changes[index - 1], end: end, offset: offsets[index])
    }

    private func period(at seconds: Int, by rule: DaylightRule) -> Period {
        let first = changes.last ?? .min
        // One year of margin on each side, because the changes are in local time.
        let year = CivilDate(days: floorDivide(seconds, by: 86_400).quotient).year
        let all = ((year - 1)...(year + 1)).flatMap(rule.changes).filter { $0.time > first }.sorted {
            $0.time < $1.time
        }
        let next = all.partitioningIndex { $0.time > seconds }
        let end = next < all.count ? all[next].time : .max
        if next > 0 { return Period(start: all[next - 1].time, end: end, offset: all[next - 1].offset) }
        return Period(start: first, end: end, offset: offsets[offsets.count - 1])
    }
}

/// A rule for daylight saving time that repeats each year: the footer of a time zone file, in the format of the POSIX
/// variable TZ, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct DaylightRule: Hashable, Sendable {
    /// A day of each year.
    enum Day: Hashable, Sendable {
        /// The day of a year, where 1 is January 1, and February 29 is not counted.
        case withoutLeapDay(Int)
        /// The day of a year, where 0 is January 1.
        case ofYear(Int)
        /// The weekday in a week of a month; week 5 is the last one.
        case weekday(Int, week: Int, month: Int)

        /// Returns the number of days since 1970-01-01.
        func days(in year: Int) -> Int {
            let newYear = CivilDate(year: year, month: 1, day: 1).days
            switch self {
            case .withoutLeapDay(let day): return newYear + day - 1 + (CivilDate.isLeap(year) && day >= 60 ? 1 : 0)
            case .ofYear(let day): return newYear + day
            case .weekday(let weekday, let week, let month):
                let first = CivilDate(year: year, month: month, day: 1).days
                let day = first + (weekday - CivilDate.weekday(days: first) + 7) % 7 + (week - 1) * 7
                return day < first + CivilDate.length(ofMonth: month, year: year) ? day : day - 7
            }
        }
    }

    /// A moment of each year.
    struct Moment: Hashable, Sendable {
        let day: Day
        /// The local time before the change, in seconds since midnight. It can be negative, or longer than a day.
        let time: Int
    }

    /// The offset from UTC in seconds.
    let standard: Int
    let daylight: Int
    /// When daylight saving time starts and ends.
    let start: Moment
    let end: Moment

    /// Returns the changes of a year.
    func changes(in year: Int) -> [(time: Int, offset: Int)] {
        [
            (start.day.days(in: year) * 86_400 + start.time - standard, daylight),
            (end.day.days(in: year) * 86_400 + end.time - daylight, standard),
        ]
    }
}

extension Array {
    /// Returns the first index whose element fulfills a condition, if all elements after it do too.
    func partitioningIndex(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
