internal import Calendars

/// Times as text.
enum TimeText {
    /// Returns a time as ISO 8601 in UTC with whole seconds, such as `2026-03-01T12:00:00Z`.
    ///
    /// - Parameter milliseconds: Milliseconds since 1970, not negative.
    static func seconds(_ milliseconds: Int64) -> String {
        let seconds = Int(milliseconds / 1_000)
        let day = CivilDate(days: seconds / 86_400)
        let time = seconds % 86_400
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(day.year)-\(two(day.month))-\(two(day.day))"
            + "T\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
    }
}
