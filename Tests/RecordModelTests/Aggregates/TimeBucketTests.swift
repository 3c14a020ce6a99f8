import Foundation
import RecordModel
import Testing

@testable import RecordModel

/// The oracle is Foundation's calendar.
@Suite struct TimeBucketTests {
    private static func zone(_ name: String) throws -> AggregateTimeZone {
        let file = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
        return try #require(AggregateTimeZone(file: Array(file)))
    }

    private static func component(_ unit: TimeBucket.Unit) -> Calendar.Component {
        switch unit {
        case .hour: .hour
        case .day: .day
        case .week: .weekOfYear
        case .month: .month
        case .year: .year
        }
    }

    @Test(arguments: ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Sydney"])
    func `buckets start where Foundation's calendar says`(name: String) throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        var random = SystemRandomNumberGenerator()
        for unit in TimeBucket.Unit.allCases {
            var bucket = TimeBucket(unit, in: try Self.zone(name))
            for _ in 0..<400 {
                // From 1972 to 2060: rules of the file and those after its last change.
                let time =
                    Int64.random(in: 63_072_000...2_840_140_800, using: &random) * 1_000
                    + Int64.random(in: 0...999, using: &random)
                let date = Date(timeIntervalSince1970: Double(time) / 1_000)
                let start = try #require(calendar.dateInterval(of: Self.component(unit), for: date)?.start)
                let expected = Int64((start.timeIntervalSince1970 * 1_000).rounded())
                #expect(bucket.start(of: time) == expected, "\(unit) of \(time)")
                // From memory too, and at the edges.
                #expect(bucket.start(of: time) == expected)
                #expect(bucket.start(of: expected) == expected, "\(unit) of \(expected)")
                #expect(bucket.start(of: expected - 1) < expected, "\(unit) of \(expected - 1)")
            }
        }
    }

    @Test func `the hours of both sides of a change are separate`() throws {
        var bucket = TimeBucket(.hour, in: try Self.zone("Europe/Berlin"))
        // 2025-10-26 00:30 UTC is 02:30 in summer time; an hour later it is 02:30 again.
        let first: Int64 = 1_761_438_600_000
        #expect(bucket.start(of: first) == first - 1_800_000)
        #expect(bucket.start(of: first + 3_600_000) == first + 1_800_000)
    }

    @Test func `a day whose midnight was skipped starts with the change`() throws {
        // In Santiago the clocks went from 2024-09-08 00:00 to 01:00, at 04:00 UTC.
        var bucket = TimeBucket(.day, in: try Self.zone("America/Santiago"))
        let change: Int64 = 1_725_768_000_000
        #expect(bucket.start(of: change + 7_200_000) == change)
        #expect(bucket.start(of: change - 1) == change - 86_400_000)
    }

    @Test func `the least and greatest times have buckets`() {
        for unit in TimeBucket.Unit.allCases {
            var bucket = TimeBucket(unit, in: .utc)
            for time: Int64 in [.min, .min + 1, -1, 0, .max - 1, .max] {
                #expect(bucket.start(of: time) <= time)
            }
        }
        var day = TimeBucket(.day, in: .utc)
        #expect(day.start(of: -1) == -86_400_000)
        #expect(day.start(of: 0) == 0)
    }
}
