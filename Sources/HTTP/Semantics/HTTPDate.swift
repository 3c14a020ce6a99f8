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
        let (year, month, day) = civil(days: Int(days))
        var text: [UInt8] = []
        text.reserveCapacity(29)
        // 1970-01-01 was a Thursday.
        let weekday = Int(floorModulo(days + 4, 7))
        text.append(contentsOf: weekdayNames.utf8.dropFirst(weekday * 3).prefix(3))
        text.append(literal: ", ")
        text.append(digits: day, width: 2)
        text.append(literal: " ")
        text.append(contentsOf: monthNames.utf8.dropFirst((month - 1) * 3).prefix(3))
        text.append(literal: " ")
        text.append(digits: year, width: 4)
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

    /// Returns the proleptic Gregorian date of a day since 1970-01-01. Uses eras of 400 years that begin in March
    /// (Howard Hinnant's algorithm).
    private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Returns the number of days since 1970-01-01; the inverse of `civil`.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
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
