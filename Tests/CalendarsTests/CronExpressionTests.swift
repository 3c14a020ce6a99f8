import Calendars
import Testing

struct CronExpressionTests {
    private func next(_ text: String, after time: String, zone: TimeZoneRules = .utc) throws -> String? {
        let expression = try CronExpression(text)
        return expression.next(after: CalendarSupport.seconds(time), in: zone).map(CalendarSupport.text)
    }

    @Test(arguments: [
        ("* * * * *", "2026-03-01 12:00:00", "2026-03-01 12:01:00"),
        ("* * * * *", "2026-03-01 12:00:59", "2026-03-01 12:01:00"),
        ("0 3 * * *", "2026-03-01 02:59:59", "2026-03-01 03:00:00"),
        ("0 3 * * *", "2026-03-01 03:00:00", "2026-03-02 03:00:00"),
        ("*/15 * * * *", "2026-03-01 12:16:00", "2026-03-01 12:30:00"),
        ("5/20 8 * * *", "2026-03-01 08:26:00", "2026-03-01 08:45:00"),
        ("0 0 29 2 *", "2026-03-01 00:00:00", "2028-02-29 00:00:00"),
        ("0 0 29 2 *", "2096-03-01 00:00:00", "2104-02-29 00:00:00"),
        ("0 0 31 * *", "2026-01-31 00:00:00", "2026-03-31 00:00:00"),
        ("30 6 * * mon-fri", "2026-11-27 06:30:00", "2026-11-30 06:30:00"),
        ("0 0 * * 7", "2026-11-26 00:00:00", "2026-11-29 00:00:00"),
        ("0 0 * * 5-7", "2026-11-28 00:00:00", "2026-11-29 00:00:00"),
        // One of the two days is enough, unless one of them begins with a star.
        ("0 0 13 * 5", "2026-11-26 00:00:00", "2026-11-27 00:00:00"),
        ("0 0 13 * 5", "2026-12-12 00:00:00", "2026-12-13 00:00:00"),
        ("0 0 */2 * 5", "2026-11-26 00:00:00", "2026-11-27 00:00:00"),
        ("0 0 */2 * 5", "2026-11-27 00:00:00", "2026-12-11 00:00:00"),
        ("0 12 1 JAN,Jul *", "2026-01-01 12:00:00", "2026-07-01 12:00:00"),
        ("0,30 8-9 * * *", "2026-03-01 09:30:00", "2026-03-02 08:00:00"),
        ("@hourly", "2026-03-01 09:30:00", "2026-03-01 10:00:00"),
        ("@daily", "2026-12-31 09:30:00", "2027-01-01 00:00:00"),
        ("@weekly", "2026-11-26 00:00:00", "2026-11-29 00:00:00"),
        ("@Monthly", "2026-11-26 00:00:00", "2026-12-01 00:00:00"),
        ("@yearly", "2026-11-26 00:00:00", "2027-01-01 00:00:00"),
        ("  0\t3 * * *  ", "1969-12-31 23:00:00", "1970-01-01 03:00:00"),
    ])
    func `an expression names the next time`(text: String, time: String, expected: String) throws {
        #expect(try next(text, after: time) == expected)
    }

    @Test(arguments: [
        ("", "five fields"), ("* * * *", "This has 4"), ("0 0 3 * * *", "This has 6"), ("60 * * * *", "minute"),
        ("* 24 * * *", "'24' is not in it"), ("* * 0 * *", "day of the month"), ("* * * 13 *", "month"),
        ("* * * foo *", "or a name such as feb"), ("* * * * 8", "day of the week"),
        ("5-3 * * * *", "begins after its end"),
        ("*/0 * * * *", "no positive number"), ("*/ * * * *", "no positive number"), ("1, * * * *", "'' is not in it"),
        ("-1 * * * *", "'' is not in it"), ("* * L * *", "'L' is not in it. There is no last day of the month"),
        ("0 0 * * fri-sun", "begins after its end. Write fri,sat,sun or 5-7"),
        ("0 0 * * 6-2", "Write sat,sun,mon,tue"), ("0 0 * * 7-1", "Write sun,mon"),
        ("0 0 1 nov-feb *", "Write nov,dec,jan,feb"),
        ("0 22-4 * * *", "Write 22-23,0-4"), ("0 9 ? * MON-FRI", "Write * for ?"),
        ("0 0 15W * *", "no nearest weekday"),
        ("0 0 * * 5L", "no last weekday of the month. Limit"), ("0 0 * * FRIL", "no last weekday"),
        ("0 0 * * L", "Write sat for L"), ("0 0 L-3 * *", "no last day of the month"), ("0 0 LW * *", "no nearest"),
        ("? * * * *", "Write * for ?"), ("0 ? * * *", "Write * for ?"), ("0 0 1 ? *", "Write * for ?"),
        ("H 3 * * *", "Write a number for H"), ("0 0 * * sunday", "'sunday' is not in it. Write sun"),
        ("0 0 * * Wednesday", "Write wed"), ("0 0 * * monday-friday", "Write mon"), ("0 0 * * thurs", "Write thu"),
        ("0 0 1 January *", "Write jan"), ("0 0 1 sept *", "Write sep"), ("0 0 1 jan,december *", "Write dec"),
        ("0 0 0 * * ?", "no seconds and no year"), ("* * * * 5#2", "no nth weekday"),
        ("@reboot", "no short form"), ("@daily @daily", "no short form"), ("0 0 30 2 *", "No date matches"),
        ("0 0 31 4,6,9,11 *", "No date matches"), (String(repeating: "1,", count: 200) + "1 * * * *", "256 bytes"),
        ("٣ * * * *", "is not in it"),
    ])
    func `other text is rejected with a reason`(text: String, reason: String) {
        do throws(CronExpression.Problem) {
            _ = try CronExpression(text)
            Issue.record("\(text) was accepted")
        } catch {
            #expect(error.reason.contains(reason), "\(text): \(error.reason)")
        }
    }

    @Test(arguments: [
        // 02:30 does not exist on this day: the clock goes from 01:59:59 to 03:00:00 at 01:00 UTC.
        ("30 2 * * *", "2026-03-28 12:00:00", "2026-03-29 01:00:00"),
        ("30 2 * * *", "2026-03-29 01:00:00", "2026-03-30 00:30:00"),
        ("0 3 * * *", "2026-03-28 12:00:00", "2026-03-29 01:00:00"),
        ("30 * * * *", "2026-03-29 00:30:00", "2026-03-29 01:30:00"),
        // 02:30 occurs twice on this day, at 00:30 and at 01:30 UTC.
        ("30 2 * * *", "2026-10-24 12:00:00", "2026-10-25 00:30:00"),
        ("30 2 * * *", "2026-10-25 00:30:00", "2026-10-26 01:30:00"),
        ("30 * * * *", "2026-10-25 00:30:00", "2026-10-25 01:30:00"),
        ("0 3 * * *", "2026-10-24 12:00:00", "2026-10-25 02:00:00"),
        ("0 3 * * *", "2040-06-01 12:00:00", "2040-06-02 01:00:00"),
        ("0 3 * * *", "2040-12-01 12:00:00", "2040-12-02 02:00:00"),
    ])
    func `a day with a change of the clock has each time once`(text: String, time: String, expected: String) throws {
        #expect(try next(text, after: time, zone: try CalendarSupport.zone("Europe/Berlin")) == expected)
    }

    @Test func `an expression never goes back, and finds every matching minute`() throws {
        let zone = try CalendarSupport.zone("America/Los_Angeles")
        let expression = try CronExpression("*/30 * * * *")
        var time = CalendarSupport.seconds("2026-03-01 00:00:00")
        let end = CalendarSupport.seconds("2026-12-01 00:00:00")
        while time < end {
            let next = try #require(expression.next(after: time, in: zone))
            #expect(next == time + 1_800)
            if next <= time { break }
            time = next
        }
        let daily = try CronExpression("15 1,2,3 * * *")
        time = CalendarSupport.seconds("2026-03-01 08:00:00")
        var count = 0
        while let next = daily.next(after: time, in: zone), next < end {
            #expect(next > time)
            time = next
            count += 1
        }
        // 275 days; 02:15 and 03:15 of March 8 are two runs, and no time of November 1 is repeated.
        #expect(count == 275 * 3)
    }
}
