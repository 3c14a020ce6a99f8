import Testing
import Threads

@Suite struct DeadlineTests {
    @Test func `a deadline passes at its moment, not before`() {
        let deadline = Deadline.after(.seconds(1), from: 5)
        #expect(deadline.nanoseconds == 1_000_000_005)
        #expect(!deadline.hasPassed(at: 1_000_000_004))
        #expect(deadline.hasPassed(at: 1_000_000_005))
        #expect(deadline.remaining(at: 1_000_000_000) == .nanoseconds(5))
        #expect(deadline.remaining(at: 2_000_000_000) == .zero)
    }

    @Test func `extreme durations neither trap nor wrap`() {
        #expect(Deadline.after(.seconds(-1), from: 7).nanoseconds == 7)
        #expect(Deadline.after(.seconds(Int64.max), from: 7) == .never)
        #expect(Deadline.after(.zero, from: .max) == .never)
        #expect(!Deadline.never.hasPassed())
    }

    @Test func `clocks move forward and the wall clock is in this century`() {
        let first = MonotonicClock.now
        #expect(MonotonicClock.now >= first)
        #expect(MonotonicClock.coarse > 0)
        #expect(WallClock.milliseconds > 1_700_000_000_000)
        #expect(abs(WallClock.milliseconds / 1000 - WallClock.seconds) <= 1)
    }
}
