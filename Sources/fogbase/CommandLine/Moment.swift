import Glibc

/// Formats timestamps for people.
enum Moment {
    /// Formats milliseconds since 1970 in UTC, such as `2026-11-21 08:15`. Returns an empty text for `nil`.
    static func show(_ milliseconds: Int64?) -> String {
        guard let milliseconds else { return "" }
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) \(two(parts.tm_hour)):\(two(parts.tm_min))"
    }
}
