internal import Calendars

/// Dates in the format of HTTP (RFC 9110 §5.6.7). All times are in seconds since 1970-01-01 00:00:00 UTC.
public enum HTTPDate {
    /// Returns the IMF-fixdate of a time, such as `Sun, 06 Nov 1994 08:49:37 GMT`; always 29 bytes.
    ///
    /// - Parameter unixSeconds: Clamped to the years 0 to 9999.
    public static func text(unixSeconds: Int64) -> [UInt8] {
        // 0000-01-01 00:00:00 to 9999-12-31 23:59:59.
        let seconds = min(max(unixSeconds, -62_167_219_200), 253_402_300_799)
        let days = (seconds - floorModulo(seconds, 86_400)) / 86_400
        let time = Int(floorModulo(seconds, 86_400))
        let date = CivilDate(days: Int(days))
        var text: [UInt8] = []
        text.reserveCapacity(29)
        let weekday = CivilDate.weekday(days: Int(days))
        text.append(contentsOf: weekdayNames.utf8.dropFirst(weekday * 3).prefix(3))
        text.append(literal: ", ")
        text.append(digits: date.day, width: 2)
        text.append(literal: " ")
        text.append(contentsOf: monthNames.utf8.dropFirst((date.month - 1) * 3).prefix(3))
        text.append(literal: " ")
        text.append(digits: date.year, width: 4)
        text.append(literal: " ")
        text.append(digits: time / 3600, width: 2)
        text.append(literal: ":")
        text.append(digits: time / 60 % 60, width: 2)
        text.append(literal: ":")
        text.append(digits: time % 60, width: 2)
        text.append(literal: " GMT")
        return text
    }

    static let weekdayNames = "SunMonTueWedThuFriSat"
    static let monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec"

    private static func floorModulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }
}

extension [UInt8] {
    fileprivate mutating func append(digits value: Int, width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(truncatingIfNeeded: value / divisor % 10) &+ 0x30)
            divisor /= 10
        }
    }
}
