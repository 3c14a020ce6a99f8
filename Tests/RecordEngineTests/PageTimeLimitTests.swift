import Synchronization
import Testing

@testable import RecordEngine

@Suite struct PageTimeLimitTests {
    /// The two clocks of a thread, in nanoseconds.
    private final class Clocks: Sendable {
        let wall = Atomic<UInt64>(1_000)
        let processor = Atomic<UInt64>(1_000)

        func work(_ microseconds: UInt64) {
            wait(microseconds)
            processor.add(microseconds * 1_000, ordering: .relaxed)
        }

        func wait(_ microseconds: UInt64) { wall.add(microseconds * 1_000, ordering: .relaxed) }

        func limit(_ time: Duration, endsPage: Bool = false) -> PageTimeLimit {
            PageTimeLimit(
                time, endsPage: endsPage,
                clocks: PageTimeLimit.Clocks(
                    wall: { self.wall.load(ordering: .relaxed) },
                    processor: { self.processor.load(ordering: .relaxed) }))
        }
    }

    /// The bytes of a row after which the clock is read.
    private static let row = 16 << 10

    @Test func `only processor time counts for a page that would be made again`() {
        let clocks = Clocks()
        var limit = clocks.limit(.milliseconds(2))
        #expect(limit.isOver(afterRowOf: Self.row) == false)
        clocks.work(500)
        clocks.wait(5_000)
        #expect(limit.isOver(afterRowOf: Self.row) == false)
        clocks.work(1_400)
        clocks.wait(100)
        #expect(limit.isOver(afterRowOf: Self.row) == false)
        clocks.work(200)
        #expect(limit.isOver(afterRowOf: Self.row) == true)
        #expect(limit.wasLong)
    }

    @Test func `a page that may end early ends after its time, also if the thread waits`() {
        let clocks = Clocks()
        var limit = clocks.limit(.milliseconds(2), endsPage: true)
        #expect(limit.isOver(afterRowOf: Self.row) == false)
        clocks.wait(2_100)
        #expect(limit.isOver(afterRowOf: Self.row) == true)
    }

    @Test func `short rows do not read the clock, and a short limit is not a long page`() {
        let clocks = Clocks()
        var limit = clocks.limit(.microseconds(400))
        clocks.work(10_000)
        for _ in 0..<15 { #expect(limit.isOver(afterRowOf: 0) == false) }
        #expect(limit.isOver(afterRowOf: 0) == false)
        clocks.work(400)
        #expect(limit.isOver(afterRowOf: Self.row) == true)
        #expect(!limit.wasLong)
        var unbounded = PageTimeLimit.unbounded
        #expect(unbounded.isOver(afterRowOf: .max / 2) == false)
    }
}
