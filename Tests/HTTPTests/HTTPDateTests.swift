import HTTP
import TestSupport
import Testing

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
            (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (Int64.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)])
    func `a moment has its text of 29 bytes`(_ seconds: Int64, _ text: String) {
        #expect(String(decoding: HTTPDate.text(unixSeconds: seconds), as: UTF8.self) == text)
    }

    @Test func `texts are read back`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<3000 {
            let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
            let text = String(decoding: HTTPDate.text(unixSeconds: seconds), as: UTF8.self)
            #expect(HTTPDate.parse(text) == seconds)
        }
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `the three forms name the same moment`(_ text: String) {
        #expect(HTTPDate.parse(text) == 784_111_777)
    }

    @Test func `a two-digit year is at most fifty years ahead`() {
        let now: Int64 = 1_790_000_000  // 2026
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == 784_111_777)
        #expect(HTTPDate.parse("Thursday, 01-Jan-76 00:00:00 GMT", now: now) == 3_345_062_400)
        #expect(HTTPDate.parse("Thursday, 01-Jan-77 00:00:00 GMT", now: now) == 220_924_800)
    }

    @Test(arguments: [
        "", "Sun", "Sun,", "Sun, 6 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Tue, 29 Feb 1900 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sunday Nov  6 08:49:37 1994", "Sun Nov 06 08:49:37 94", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT", "784111777",
    ])
    func `any other text is no date`(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test func `a leap second is the next second`() {
        #expect(HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_800)
    }
}
