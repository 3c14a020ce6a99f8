import HTTP
import RecordModel
import Testing

@testable import RecordAPI

@Suite struct SignInDelaysTests {
    private final class Database {}

    private let clock = TestClock()
    private let delays: SignInThrottle
    private let database = Database()
    private let home = IPAddress(ipv4: 0xC000_0201)
    private let away = IPAddress(ipv4: 0xCB00_7109)

    init() {
        let clock = clock
        delays = SignInThrottle(secret: 1, sets: 64) { clock.now }
    }

    private func begin(_ name: String, from address: IPAddress) throws(RecordError) -> SignInAttempt {
        try delays.begin(name, of: ObjectIdentifier(database), from: address)
    }

    /// Fails the given number of times, with the required waits.
    private func fail(_ times: Int, _ name: String = "ann", from address: IPAddress) throws {
        for _ in 0..<times {
            if let wait = wait(name, from: address) { clock.pass(seconds: UInt64(wait)) }
            try begin(name, from: address).failed(RecordError(.authenticationFailed, "no"))
        }
    }

    /// The seconds that an attempt has to wait; `nil` if it is let through.
    private func wait(_ name: String = "ann", from address: IPAddress) -> Int? {
        do throws(RecordError) {
            try begin(name, from: address).failed(RecordError(.tryAgainLater, "busy"))
            return nil
        } catch {
            #expect(error.code == .throttled)
            return error.retryAfter
        }
    }

    @Test func `after five failures each one doubles the delay up to a minute`() throws {
        try fail(4, from: away)
        #expect(wait(from: away) == nil)
        for expected in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            try fail(1, from: away)
            #expect(wait(from: away) == expected)
            clock.pass(milliseconds: UInt64(expected) * 1_000 - 1)
            #expect(wait(from: away) == 1)
            clock.pass(milliseconds: 1)
            #expect(wait(from: away) == nil)
        }
        #expect(wait("bob", from: away) == nil)
    }

    @Test func `the spellings of one name share one delay`() throws {
        try fail(4, "Jose\u{301}", from: away)
        for name in ["jos\u{E9}", "JOS\u{C9}", "jos\u{200B}\u{E9}"] { try fail(1, name, from: away) }
        #expect(wait("\u{FF2A}os\u{E9}", from: home) == 4)
        #expect(wait("josef", from: away) == nil)
    }

    @Test func `the delay holds for every address, and early attempts do not prolong it`() throws {
        try fail(8, from: away)
        for _ in 0..<100 { #expect(wait(from: home) == 8) }
        clock.pass(seconds: 8)
        #expect(wait(from: home) == nil)
    }

    @Test func `an address that has signed in before is counted separately`() throws {
        try begin("ann", from: home).succeeded()
        try fail(12, from: away)
        #expect(wait(from: away) == 60)
        #expect(wait(from: home) == nil)
        // It has no more guesses than another.
        try fail(5, from: home)
        #expect(wait(from: home) == 1)
        clock.pass(seconds: 1)
        try begin("ann", from: home).succeeded()
        #expect(wait(from: home) == nil)
        // The owner's sign-in does not free the guesser.
        #expect(wait(from: away) != nil)
    }

    @Test func `all is forgotten after fifteen minutes`() throws {
        try fail(12, from: away)
        clock.pass(seconds: 15 * 60 - 1)
        try fail(1, from: away)
        #expect(wait(from: away) == 60)
        clock.pass(seconds: 15 * 60)
        try fail(4, from: away)
        #expect(wait(from: away) == nil)
    }

    @Test func `concurrent attempts give no additional guesses`() throws {
        var open: [SignInAttempt] = []
        while open.count < 100, let attempt = try? begin("ann", from: away) { open.append(attempt) }
        #expect(open.count == SignInThrottle.parallel)
        for attempt in open { attempt.failed(RecordError(.authenticationFailed, "no")) }
        clock.pass(seconds: 60)
        let one = try begin("ann", from: away)
        #expect(wait(from: home) == 1)
        one.succeeded()
    }

    @Test func `a flood of other names does not evict the name under attack`() throws {
        try fail(9, from: away)
        for number in 0..<5_000 {
            try begin("name\(number)", from: away).failed(RecordError(.authenticationFailed, "no"))
        }
        #expect(wait(from: away) == 16)
    }
}
