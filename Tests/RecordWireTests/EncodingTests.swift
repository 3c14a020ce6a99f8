import Foundation
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Points in time, against Foundation.
struct EncodingTests {
    static func milliseconds(_ text: String) -> Int64? {
        try? Timestamp.read(text)
    }

    @Test func `times agree with Foundation over five centuries`() throws {
        let formatter = ISO8601DateFormatter()
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let seconds = Int64.random(in: -8_000_000_000...8_000_000_000, using: &generator)
            let written = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(Self.milliseconds(written) == seconds * 1_000, "\(written)")
        }
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1), ("1970-01-01t00:00:00.5z", 500),
            ("1970-01-01T00:00:00.001000Z", 1), ("1970-01-01T00:00:00+00:01", -60_000),
            ("1970-01-01T00:00:00-23:59", 86_340_000), ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
            // As Python's isoformat(), PostgreSQL, Go and others print times.
            ("1970-01-01T00:00:00.123456+00:00", 123), ("1970-01-01T00:00:00.999999999Z", 999),
            ("1970-01-01T00:00:00.0001Z", 0), ("1969-12-31T23:59:59.9999Z", -1), ("1969-12-31T23:59:59.0001Z", -1_000),
            ("1970-01-01 00:00:00.5+00", 500), ("1970-01-01 09:00:00+09", 0), ("1970-01-01T05:30:00+0530", 0),
            ("1970-01-01 00:00:00Z", 0), ("1970-01-01T00:00:00-00:00", 0), ("1970-01-01T00:00:00-0100", 3_600_000),
            // The end of a day, and leap seconds.
            ("1970-01-01T24:00:00Z", 86_400_000), ("1970-01-01T24:00:00.000+01:00", 82_800_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("2017-01-01T08:59:60.9+09:00", 1_483_228_800_000),
        ] as [(String, Int64)])
    func `a time of RFC 3339 is read`(written: String, expected: Int64) {
        #expect(Self.milliseconds(written) == expected)
    }

    @Test(
        arguments: [
            ("", "text that is no RFC 3339 time", nil), ("yesterday", "text that is no RFC 3339 time", nil),
            ("+970-01-01T00:00:00Z", "text that is no RFC 3339 time", nil),
            ("2026-3-1", "text that is no RFC 3339 time", nil),
            ("1970-01-01", "date without a time of day", "1970-01-01T00:00:00Z"),
            ("1970-13-01T00:00:00Z", "time in month 13", nil), ("1970-00-01", "time in month 0", nil),
            ("1970-02-29T00:00:00Z", "time on day 29 of a month that has 28", nil),
            ("1900-02-29T00:00:00Z", "time on day 29 of a month that has 28", nil),
            ("1970-04-31T00:00:00Z", "time on day 31 of a month that has 30", nil),
            ("1970-01-00T00:00:00Z", "time on day 0 of a month that has 31", nil),
            ("1970-01-01T", "time without hours and minutes after its date", nil),
            ("1970-01-01T24:00:01Z", "time at hour 24", nil), ("1970-01-01T24:00:00.5Z", "time at hour 24", nil),
            ("1970-01-01T25:00:00Z", "time at hour 25", nil), ("1970-01-01T00:60:00Z", "time at minute 60", nil),
            ("1970-01-01T00:00:61Z", "time at second 61", nil), ("1970-01-01T12:00Z", "time without seconds", nil),
            ("1970-01-01T00:00:60Z", "time at second 60 of a minute without a leap second", nil),
            ("1970-01-01T00:00:00.Z", "time with a point and no digits after it", nil),
            ("1970-01-01T00:00:00", "time without its offset from UTC", "1970-01-01T00:00:00Z"),
            ("1970-01-01T00:00:00.5", "time without its offset from UTC", "1970-01-01T00:00:00.5Z"),
            ("1970-01-01T00:00:00 09:00", "time with a blank for the sign of its offset; in an address + is %2B", nil),
            (
                "1970-01-01T00:00:00,5Z",
                "time with something other than Z or an offset such as +09:00 after its seconds", nil
            ),
            ("1970-01-01T00:00:00+24:00", "time with an offset that is not +00:00 to +23:59", nil),
            ("1970-01-01T00:00:00+09:", "time with an offset that is not +00:00 to +23:59", nil),
            ("1970-01-01T00:00:00+9", "time with an offset without hours", nil),
            ("1970-01-01T00:00:00ZZ", "time with more text after it", nil),
            ("1970-01-01T00:00:00Z ", "time with more text after it", nil),
        ] as [(String, String, String?)])
    func `any other text is rejected as a time, with the reason and a valid example`(
        written: String, words: String, example: String?
    ) throws {
        let problem = try #require(throws: Timestamp.Problem.self) { try Timestamp.read(written) }
        #expect(problem.words == words)
        #expect(problem.example == example ?? Timestamp.example)
        #expect(throws: Never.self) { try Timestamp.read(problem.example) }
    }

    @Test func `a date without a time is midnight UTC where it is accepted`() throws {
        #expect(try Timestamp.read("1970-01-02", takesDates: true) == 86_400_000)
        #expect(throws: Timestamp.Problem.self) { try Timestamp.read("1970-02-30", takesDates: true) }
    }
}
