internal import HTTP
internal import RecordModel
internal import Threads
internal import UnicodeText

/// Slows down guessing the password of one account, from any number of addresses. After five failures, 1, 2, 4 … 60
/// seconds must pass before the next attempt is checked, even if its password is right.
///
/// The throttle counts by name, not by account, so it does not reveal which accounts exist. Attempts that come too
/// early are rejected without being counted, so the delay always ends.
///
/// An address that has signed in to the account before is counted separately, so it is not affected by the failures of
/// other addresses. All new addresses together get one attempt per minute, in order of arrival. So an attacker can only
/// delay an owner who signs in from a new address. Counts expire 15 minutes after the last failure.
final class SignInThrottle: Sendable {
    /// The state of the attempts for one name, or for one name from one address.
    struct Entry {
        var key: UInt64 = 0
        var failures: UInt16 = 0
        /// The number of attempts whose passwords are being checked.
        var pending: UInt16 = 0
        /// The time of the last failure in milliseconds of the throttle's clock.
        var failed: UInt64 = 0

        /// The order of eviction: first empty entries, then entries with the fewest and oldest failures. So attempts
        /// with many other names do not evict the entry of the name under attack.
        var worth: (UInt16, UInt64) { (failures &+ pending, failed) }
    }

    private struct State {
        var attempts: BoundedTable<Entry>
        /// The pairs of a name and an address that has signed in with the name.
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

    /// The number of failures without a delay. Most people have a few passwords to try.
    static let free = 5
    /// The maximum number of attempts for one name whose passwords are checked at the same time.
    static let parallel = 16
    static let longest = 60
    static let memory: UInt64 = 15 * 60 * 1_000

    private let state: Locked<State>
    private let secret: UInt64
    private let clock: @Sendable () -> UInt64

    /// Creates a throttle.
    ///
    /// - Parameters:
    ///   - sets: A power of two; each set has four entries.
    ///   - clock: A monotonic clock in nanoseconds.
    init(secret: UInt64, sets: Int = 2_048, clock: @escaping @Sendable () -> UInt64) {
        self.secret = secret
        self.clock = clock
        state = Locked(
            State(
                attempts: BoundedTable(sets: sets, Entry(), key: \.key),
                known: BoundedTable(sets: sets, Known(), key: \.key)))
    }

    /// Begins an attempt. The caller must report the result of the attempt.
    ///
    /// - Throws: THROTTLED, with the remaining time in seconds.
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

    /// Whether the name has successfully signed in from the address.
    func knows(_ name: String, of database: ObjectIdentifier, from address: IPAddress) -> Bool {
        let pair = key(name, database, address)
        return state.withLock { $0.known.index(of: pair) != nil }
    }

    /// Remembers that the owner of the name has authenticated from the address.
    func remember(_ name: String, of database: ObjectIdentifier, from address: IPAddress) {
        let pair = key(name, database, address)
        let now = clock() / 1_000_000
        state.withLock { $0.remember(pair, at: now) }
    }

    /// Returns the time in milliseconds until an attempt may be checked.
    private static func wait(_ entry: Entry, at now: UInt64) -> UInt64 {
        guard entry.failures >= free else { return Int(entry.failures + entry.pending) < parallel ? 0 : 1_000 }
        // From here on, only one attempt at a time: parallel attempts would allow several guesses per delay.
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
            // The entry may have been evicted in the meantime.
            if entry.key != attempt.key { entry = Entry(key: attempt.key) }
            if entry.pending > 0 { entry.pending -= 1 }
            switch ending {
            case .succeeded:
                // The failures of the name at other addresses stay counted: the owner's sign-in must not help an
                // attacker.
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
        // All spellings of a name belong to the same account, so they get the same key.
        for byte in name.nfkcCasefold.utf8 { hasher.combine(byte) }
        hasher.combine(UInt(bitPattern: database))
        hasher.combine(address)
        return UInt64(truncatingIfNeeded: hasher.finalize()) | 1
    }
}

/// One admitted attempt to sign in.
struct SignInAttempt {
    fileprivate enum Ending {
        case succeeded, failed, abandoned
    }

    fileprivate let delays: SignInThrottle
    fileprivate let key: UInt64
    /// The key of the pair of name and address.
    let pair: UInt64

    /// Ends the attempt without the result of a password check.
    func abandon() { delays.end(self, .abandoned) }

    func succeeded() { delays.end(self, .succeeded) }

    /// - Parameter error: The error of the check. Only a wrong name or password counts as a failure, not an overloaded
    ///   server.
    func failed(_ error: RecordError) {
        let isWrong = error.code == .authenticationFailed || error.cause == .wrongPassword
        delays.end(self, isWrong ? .failed : .abandoned)
    }

    /// Runs a password check and ends the attempt with its result.
    ///
    /// - Throws: The error of `body`.
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

/// A table of fixed size, in sets of four entries. A new entry evicts the entry of least worth in its set.
struct BoundedTable<Element: Sendable>: Sendable {
    private static var ways: Int { 4 }

    private var elements: [Element]
    private let key: @Sendable (Element) -> UInt64

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - sets: The number of sets, a power of two.
    ///   - empty: An element with the key 0. No other element has this key.
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

    /// Returns the index of an element, or of the entry that it may replace.
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
