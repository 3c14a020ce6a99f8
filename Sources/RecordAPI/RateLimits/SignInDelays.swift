internal import HTTP
internal import RecordModel
internal import Threads
internal import UnicodeText

/// Makes guessing the password of one account slow, from however many addresses it is tried: after five failures 1, 2, 4 … 60
/// seconds pass before the next attempt is looked at, right password or not.
///
/// It knows names, not accounts, so it tells nobody which accounts there are. Attempts that come too early are refused without
/// being counted: the delay ends whatever anybody sends.
///
/// An address from which somebody has signed in to the account is counted by itself, so strangers' failures are not held
/// against it. From new addresses together one attempt gets through every minute, whoever is first: who keeps failing can
/// hold up an owner who comes from a new address, and nobody else. What was counted is forgotten 15 minutes after the last
/// failure.
final class SignInDelays: Sendable {
    /// What is known of the attempts on one name, or on one name from one address.
    struct Entry {
        var key: UInt64 = 0
        var failures: UInt16 = 0
        /// Attempts whose passwords are being checked.
        var pending: UInt16 = 0
        /// When the last failure was, in milliseconds.
        var failed: UInt64 = 0

        /// Empty ones go first, then those that would soon be forgotten: a flood of other names must not wash away the one
        /// that is under attack.
        var worth: (UInt16, UInt64) { (failures &+ pending, failed) }
    }

    private struct State {
        var attempts: BoundedTable<Entry>
        /// Names with addresses that have signed in to them.
        var known: BoundedTable<Known>

        mutating func remember(_ pair: UInt64, at now: UInt64) {
            let place = known.place(of: pair) { $0.seen < $1.seen }
            known[place] = Known(key: pair, seen: now)
        }
    }

    struct Known {
        var key: UInt64 = 0
        var seen: UInt64 = 0
    }

    /// Failures that cost nothing: most people have a few passwords.
    static let free = 5
    /// Attempts on one name whose passwords may be checked at the same time.
    static let parallel = 16
    static let longest = 60
    static let memory: UInt64 = 15 * 60 * 1_000

    private let state: Locked<State>
    private let secret: UInt64
    private let clock: @Sendable () -> UInt64

    /// - Parameters:
    ///   - sets: A power of two; each has four places.
    ///   - clock: Nanoseconds that never go backwards.
    init(secret: UInt64, sets: Int = 2_048, clock: @escaping @Sendable () -> UInt64) {
        self.secret = secret
        self.clock = clock
        state = Locked(
            State(
                attempts: BoundedTable(sets: sets, Entry(), key: \.key),
                known: BoundedTable(sets: sets, Known(), key: \.key)))
    }

    /// Begins an attempt; tell it how it ended.
    ///
    /// - Throws: THROTTLED, with the seconds that are left.
    func begin(
        _ name: String, of database: ObjectIdentifier, from address: IPAddress
    ) throws(RecordError) -> SignInAttempt {
        let pair = key(name, database, address)
        let anywhere = key(name, database, nil)
        let now = clock() / 1_000_000
        let (key, wait): (UInt64, UInt64) = state.withLock { state in
            let key = state.known.index(of: pair) == nil ? anywhere : pair
            let index = state.attempts.place(of: key) { $0.worth < $1.worth }
            var entry = state.attempts[index]
            if entry.key != key { entry = Entry(key: key) }
            if now &- entry.failed >= Self.memory { entry.failures = 0 }
            let wait = Self.wait(entry, at: now)
            if wait == 0 {
                entry.pending += 1
                state.attempts[index] = entry
            }
            return (key, wait)
        }
        guard wait == 0 else {
            throw RecordError(
                .throttled, "Too many sign-ins with this name have failed. Wait as many seconds as 'retryAfter' says",
                details: [("class", .text(RateClass.auth.rawValue))], retryAfter: Int((wait + 999) / 1_000))
        }
        return SignInAttempt(delays: self, key: key, pair: pair)
    }

    /// Whether somebody has signed in with the name from the address before.
    func knows(_ name: String, of database: ObjectIdentifier, from address: IPAddress) -> Bool {
        let pair = key(name, database, address)
        return state.withLock { $0.known.index(of: pair) != nil }
    }

    /// Has an address known as one from which somebody has proven the name.
    func remember(_ name: String, of database: ObjectIdentifier, from address: IPAddress) {
        let pair = key(name, database, address)
        let now = clock() / 1_000_000
        state.withLock { $0.remember(pair, at: now) }
    }

    /// Milliseconds until an attempt is looked at.
    private static func wait(_ entry: Entry, at now: UInt64) -> UInt64 {
        guard entry.failures >= free else { return Int(entry.failures + entry.pending) < parallel ? 0 : 1_000 }
        // One at a time from here on: many at once would be as many guesses for one delay.
        guard entry.pending == 0 else { return 1_000 }
        let seconds = min(longest, 1 << min(Int(entry.failures) - free, 6))
        let ready = entry.failed + UInt64(seconds) * 1_000
        return ready > now ? ready - now : 0
    }

    fileprivate func end(_ attempt: SignInAttempt, _ ending: SignInAttempt.Ending) {
        let now = clock() / 1_000_000
        state.withLock { state in
            let index = state.attempts.place(of: attempt.key) { $0.worth < $1.worth }
            var entry = state.attempts[index]
            // It may have had to make room meanwhile.
            if entry.key != attempt.key { entry = Entry(key: attempt.key) }
            if entry.pending > 0 { entry.pending -= 1 }
            switch ending {
            case .succeeded:
                // What failed under the name from elsewhere stays: the owner's sign-in must not free a guesser.
                if attempt.key == attempt.pair { entry.failures = 0 }
                state.remember(attempt.pair, at: now)
            case .failed:
                if entry.failures < .max { entry.failures += 1 }
                entry.failed = now
            case .abandoned: break
            }
            state.attempts[index] = entry.failures == 0 && entry.pending == 0 ? Entry() : entry
        }
    }

    private func key(_ name: String, _ database: ObjectIdentifier, _ address: IPAddress?) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(secret)
        // In any spelling it is one account's.
        for byte in name.nfkcCasefold.utf8 { hasher.combine(byte) }
        hasher.combine(UInt(bitPattern: database))
        hasher.combine(address)
        return UInt64(truncatingIfNeeded: hasher.finalize()) | 1
    }
}

/// One attempt to sign in, from when it was let through.
struct SignInAttempt {
    fileprivate enum Ending {
        case succeeded, failed, abandoned
    }

    fileprivate let delays: SignInDelays
    fileprivate let key: UInt64
    /// The name with the address.
    let pair: UInt64

    /// The password was not looked at.
    func abandon() { delays.end(self, .abandoned) }

    func succeeded() { delays.end(self, .succeeded) }

    /// - Parameter error: Only a wrong name or password counts, not a server that had no time to look.
    func failed(_ error: RecordError) {
        let isWrong = error.code == .authenticationFailed || error.cause == .wrongPassword
        delays.end(self, isWrong ? .failed : .abandoned)
    }

    /// Does what proves a password, and counts how it went.
    static func judging<Value>(
        _ attempt: SignInAttempt?, _ body: () async throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        do throws(RecordError) {
            let value = try await body()
            attempt?.succeeded()
            return value
        } catch {
            attempt?.failed(error)
            throw error
        }
    }
}

/// A table that never grows: in sets of four, the one of least worth makes room.
struct BoundedTable<Element: Sendable>: Sendable {
    private static var ways: Int { 4 }

    private var elements: [Element]
    private let key: @Sendable (Element) -> UInt64

    /// - Parameters:
    ///   - sets: A power of two.
    ///   - empty: An element with the key 0, which no other has.
    init(sets: Int, _ empty: Element, key: @escaping @Sendable (Element) -> UInt64) {
        precondition(sets > 0 && sets & (sets - 1) == 0, "The number of sets is a power of two")
        elements = Array(repeating: empty, count: sets * Self.ways)
        self.key = key
    }

    subscript(index: Int) -> Element {
        get { elements[index] }
        set { elements[index] = newValue }
    }

    func index(of wanted: UInt64) -> Int? {
        set(of: wanted).first { key(elements[$0]) == wanted }
    }

    /// Where an element is, or where it can go.
    func place(of wanted: UInt64, _ isWorthLess: (Element, Element) -> Bool) -> Int {
        let set = set(of: wanted)
        if let index = set.first(where: { key(elements[$0]) == wanted }) { return index }
        return set.min { isWorthLess(elements[$0], elements[$1]) } ?? set.lowerBound
    }

    private func set(of key: UInt64) -> Range<Int> {
        let sets = UInt64(elements.count / Self.ways)
        let start = Int(truncatingIfNeeded: (key >> 1) & (sets - 1)) * Self.ways
        return start..<start + Self.ways
    }
}
