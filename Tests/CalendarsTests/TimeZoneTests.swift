import Calendars
import Foundation
import TestSupport
import Testing

struct TimeZoneTests {
    private static let names = [
        "UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Sao_Paulo", "America/St_Johns",
        "Asia/Kathmandu", "Asia/Tokyo", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia", "Asia/Gaza",
        "America/Nuuk", "Africa/Monrovia", "Antarctica/Troll", "Etc/GMT+12", "Pacific/Kiritimati", "Asia/Tehran",
    ]

    @Test(arguments: names)
    func `offsets are those of Foundation`(name: String) throws {
        let zone = try CalendarSupport.zone(name)
        let found = Foundation.TimeZone(identifier: name)
        let expected = try #require(found)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<3_000 {
            let time = Int.random(in: -1_500_000_000...2_100_000_000, using: &random)
            let offset = expected.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time)))
            #expect(zone.period(at: time).offset == offset, "\(name) at \(time)")
        }
    }

    @Test(arguments: names)
    func `periods follow each other without a gap`(name: String) throws {
        let zone = try CalendarSupport.zone(name)
        var period = zone.period(at: 0)
        var count = 0
        while period.end < 5_000_000_000 {
            let next = zone.period(at: period.end)
            #expect(next.start == period.end)
            #expect(zone.period(at: period.end - 1) == period)
            #expect(next.end > next.start)
            if next.end <= next.start { return }
            period = next
            count += 1
        }
        #expect(count < 1_000)
    }

    @Test func `damaged files are rejected or read, and never crash`() throws {
        let file = try CalendarSupport.file("Europe/Berlin")
        for length in stride(from: 0, to: file.count - 1, by: 7) {
            let part = Array(file[..<length])
            #expect(throws: TimeZoneRules.FileProblem.self) { try TimeZoneRules(file: part) }
        }
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            var bytes = file
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let zone = try? TimeZoneRules(file: bytes) else { continue }
            for time in [0, 1_800_000_000, 4_000_000_000] {
                #expect(zone.period(at: time).start <= time)
                #expect(zone.period(at: time).end > time)
            }
        }
    }

    @Test func `dates and days are inverse`() {
        for day in -800_000...800_000 {
            let date = CivilDate(days: day)
            if date.days != day { Issue.record("day \(day)") }
        }
        #expect(CivilDate(days: 20_783) == CivilDate(year: 2026, month: 11, day: 26))
        #expect(CivilDate.weekday(days: 20_783) == 4)
        #expect(CivilDate.weekday(days: -1) == 3)
    }
}

/// Helpers for tests with dates.
enum CalendarSupport {
    /// Returns the content of a time zone file of the system.
    static func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)")))
    }

    static func zone(_ name: String) throws -> TimeZoneRules { try TimeZoneRules(file: file(name)) }

    /// Reads `2026-03-01 12:00:00` as UTC.
    static func seconds(_ text: String) -> Int {
        let numbers = text.split { "- :".contains($0) }.compactMap { Int($0) }
        let date = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2])
        return date.days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]
    }

    static func text(_ seconds: Int) -> String {
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let (date, time) = (CivilDate(days: day), seconds - day * 86_400)
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(padded(date.month))-\(padded(date.day)) "
            + "\(padded(time / 3_600)):\(padded(time / 60 % 60)):\(padded(time % 60))"
    }
}
