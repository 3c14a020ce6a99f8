import Testing

@testable import fogbase

@Suite struct ClockWatchTests {
    private static let start: Int64 = 1_800_000_000_000

    @Test func `a clock that is set leads to one sentence, and small corrections to none`() {
        var watch = ClockWatch()
        var monotonic: UInt64 = 7
        func check(_ wall: Int64) -> String? {
            monotonic += 5_000_000_000
            return watch.check(wall: wall, monotonic: monotonic)
        }
        #expect(check(Self.start) == nil)
        #expect(check(Self.start + 5_000) == nil)
        // Corrections of a time service.
        #expect(check(Self.start + 14_000) == nil)
        #expect(check(Self.start + 15_000) == nil)
        #expect(!watch.hasGoneBack)
        let day: Int64 = 86_400_000
        #expect(check(Self.start + 20_000 + day)?.hasPrefix("The system clock went 86400 s forward") == true)
        #expect(check(Self.start + 25_000 + day) == nil && !watch.hasGoneBack)
        #expect(check(Self.start + 30_000)?.hasPrefix("The system clock was set 86400 s back.") == true)
        #expect(check(Self.start + 35_000) == nil && watch.hasGoneBack)
    }
}
