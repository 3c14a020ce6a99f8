internal import Calendars

/// Rounds times down to the start of an hour, day, week, month or year in a time zone.
///
/// A day starts at the first moment whose local date is that day. Weeks start on Monday. Hours of daylight saving
/// changes are separate: if clocks go back from 3 to 2, two buckets have the local time 2.
///
/// The calculation is remembered for up to `mostPeriods` periods, because records usually have times in few of them.
package struct TimeBucket {
    /// The length of a bucket.
    package enum Unit: String, Hashable, Sendable, CaseIterable {
        case hour, day, week, month, year
    }

    /// A range of times with the same bucket, in milliseconds.
    private struct Period {
        let first: Int64
        let last: Int64
        let start: Int64
    }

    private let unit: Unit
    private let rules: TimeZoneRules
    /// By ascending time, without overlaps.
    private var periods: [Period] = []
    private var recent: Period?

    private static let mostPeriods = 4_096

    init(_ unit: Unit, in zone: AggregateTimeZone) {
        self.unit = unit
        rules = zone.rules
    }

    /// Returns the start of the bucket that contains a time. Both are milliseconds since 1970-01-01 UTC.
    mutating func start(of time: Int64) -> Int64 {
        if let recent, recent.first <= time, time <= recent.last { return recent.start }
        var low = 0
        var high = periods.count
        while low < high {
            let middle = (low + high) / 2
            if periods[middle].last < time { low = middle + 1 } else { high = middle }
        }
        if low < periods.count, periods[low].first <= time {
            recent = periods[low]
            return periods[low].start
        }
        let period = period(of: time)
        if periods.count >= Self.mostPeriods {
            periods.removeAll(keepingCapacity: true)
            low = 0
        }
        periods.insert(period, at: low)
        recent = period
        return period.start
    }

    private func period(of time: Int64) -> Period {
        // Round down for times before 1970 too.
        let seconds = Int(time / 1_000) - (time % 1_000 < 0 ? 1 : 0)
        let offset = rules.period(at: seconds)
        var (start, end): (Int, Int)
        if unit == .hour {
            let local = seconds + offset.offset
            start = max(seconds - (local % 3_600 + 3_600) % 3_600, offset.start)
            end = min(start + 3_600 - ((start + offset.offset) % 3_600 + 3_600) % 3_600, offset.end)
        } else {
            let local = seconds + offset.offset
            let day = local / 86_400 - (local % 86_400 < 0 ? 1 : 0)
            let (first, next) = days(around: day)
            (start, end) = (moment(ofDay: first), moment(ofDay: next))
        }
        // Near a change of the offset, times of two buckets can alternate. So a period never crosses a change.
        let first = max(start, offset.start)
        let last = min(end, offset.end)
        return Period(
            first: Self.milliseconds(min(first, seconds)), last: Self.milliseconds(max(last, seconds + 1), minus: 1),
            start: Self.milliseconds(start))
    }

    /// The first day of the bucket with a day, and the first day after the bucket.
    private func days(around day: Int) -> (first: Int, next: Int) {
        switch unit {
        case .hour, .day: return (day, day + 1)
        case .week:
            // Day 0 was a Thursday.
            let monday = day - ((day + 3) % 7 + 7) % 7
            return (monday, monday + 7)
        case .month:
            let date = CivilDate(days: day)
            let next =
                date.month == 12
                ? CivilDate(year: date.year + 1, month: 1, day: 1)
                : CivilDate(year: date.year, month: date.month + 1, day: 1)
            return (CivilDate(year: date.year, month: date.month, day: 1).days, next.days)
        case .year:
            let year = CivilDate(days: day).year
            return (CivilDate(year: year, month: 1, day: 1).days, CivilDate(year: year + 1, month: 1, day: 1).days)
        }
    }

    /// The first moment of a local day, in seconds since 1970-01-01 UTC.
    private func moment(ofDay day: Int) -> Int {
        let midnight = day * 86_400
        let before = rules.period(at: midnight - 86_400)
        let after = rules.period(at: midnight + 86_400)
        var found: Int?
        for offset in [before.offset, after.offset] {
            let moment = midnight - offset
            if rules.period(at: moment).offset == offset { found = min(found ?? moment, moment) }
        }
        // Where clocks skip midnight, the day starts with the change.
        return found ?? rules.period(at: midnight - before.offset).start
    }

    private static func milliseconds(_ seconds: Int, minus one: Int64 = 0) -> Int64 {
        if seconds == .max { return .max }
        let (product, isLarge) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
        guard !isLarge else { return seconds < 0 ? .min : .max }
        let (result, isSmall) = product.subtractingReportingOverflow(one)
        return isSmall ? .min : result
    }
}

/// A time zone for the buckets of an aggregate.
package struct AggregateTimeZone: Sendable {
    let rules: TimeZoneRules

    /// Universal time.
    package static let utc = AggregateTimeZone(rules: .utc)

    private init(rules: TimeZoneRules) { self.rules = rules }

    /// Reads a time zone from the bytes of its TZif file; `nil` if the file is damaged.
    package init?(file: [UInt8]) {
        guard let rules = try? TimeZoneRules(file: file) else { return nil }
        self.rules = rules
    }
}
