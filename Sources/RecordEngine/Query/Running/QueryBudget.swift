internal import RecordModel
internal import RecordWire
internal import Threads

/// How much one attempt at a query may take of the thread that it runs on.
///
/// On an event loop that is a few milliseconds, since others wait for it; what takes longer runs again on a thread of the
/// pool, where the budget is the query's time limit. An attempt that runs out of time throws QUERY_TOO_EXPENSIVE, and
/// `stoppedAfter` tells this from a query that failed for another reason.
final class QueryBudget {
    private let started: UInt64
    private let nanoseconds: UInt64
    /// Index entries and records that were looked at.
    private(set) var examined = 0
    /// Rows that count in the advice for an attempt that ran out of time; `nil` if it did not.
    private(set) var stoppedAfter: Int?
    private var untilLook = 16
    private var meter: MatchMeter

    /// What is decoded in one piece where others wait for the thread: a list of some 20 KB, a text of 256 KB.
    private static let shortStep = 1 << 18

    /// - Parameter workPerRecord: What the condition may ask of one record, in the unit of `MatchMeter`.
    init(time: Duration, workPerRecord: Int = .max) {
        let started = MonotonicClock.now
        let nanoseconds =
            UInt64(max(0, time.components.seconds)) * 1_000_000_000
            + UInt64(max(0, time.components.attoseconds)) / 1_000_000_000
        self.started = started
        self.nanoseconds = nanoseconds
        let largestStep = nanoseconds < Self.shortTime ? Self.shortStep : .max
        meter = MatchMeter(largestStep: largestStep, recordLimit: workPerRecord) {
            !Task.isCancelled && MonotonicClock.now &- started <= nanoseconds
        }
    }

    private static let shortTime: UInt64 = 10_000_000

    /// Whether the thread serves others too.
    var isShort: Bool { nanoseconds < Self.shortTime }

    var elapsed: UInt64 { MonotonicClock.now &- started }

    /// When it ends, by the monotonic clock.
    var deadline: UInt64 { started &+ nanoseconds }

    /// Counts rows that were looked at.
    ///
    /// - Throws: QUERY_TOO_EXPENSIVE once the time is up; REQUEST_ABANDONED once nobody waits for the answer any more.
    func take(_ rows: Int) throws(RecordError) {
        examined += rows
        // A walk that meets nothing costs a search all the same.
        untilLook -= max(1, rows)
        guard untilLook <= 0 else { return }
        // Looking at the clock costs as much as looking at a row.
        untilLook = 16
        if elapsed > nanoseconds || Task.isCancelled { throw end() }
    }

    /// Asks a record whether it matches.
    ///
    /// - Throws: As `take`; QUERY_TOO_EXPENSIVE, too, if it is more work than one record may be.
    func match(_ record: IndexedRecord, _ matcher: RecordMatcher) throws(RecordError) -> Bool {
        do throws(MatchObstacle) {
            // It was read as a whole, and its layout was walked.
            try meter.didSpend(record.fields.text.count / 4 + record.fields.count * 32)
            return try matcher.matches(record, &meter)
        } catch {
            throw obstacle(error)
        }
    }

    /// Counts what is about to be done besides, in the unit of `MatchMeter`.
    func spend(_ work: Int) throws(RecordError) {
        do throws(MatchObstacle) { try meter.spend(work) } catch { throw obstacle(error) }
    }

    /// Asks whether there is time to sort some keys.
    func sort(_ count: Int, bytes: Int) throws(RecordError) {
        guard count > 1 else { return }
        // Each key takes part in so many comparisons.
        let rounds = Int.bitWidth - (count - 1).leadingZeroBitCount
        let work = rounds * (count * 20 + bytes * 2)
        if isShort, work > Self.shortSort { throw end() }
        do throws(MatchObstacle) { try meter.didSpend(work) } catch { throw obstacle(error) }
    }

    /// What is sorted in one piece where others wait for the thread: a millisecond.
    private static let shortSort = 1_000_000

    /// Counts bytes that were read and put into an answer.
    func didCopy(_ bytes: Int) throws(RecordError) {
        do throws(MatchObstacle) { try meter.didSpend(2 * bytes) } catch { throw obstacle(error) }
    }

    private func obstacle(_ obstacle: MatchObstacle) -> RecordError {
        switch obstacle {
        case .damaged(let damage): damage
        case .outOfTime: end()
        case .tooMuch: .conditionTooExpensive
        }
    }

    private func end() -> RecordError {
        Task.isCancelled ? .requestAbandoned : stop(examined: examined)
    }

    /// Ends the attempt, since its time is up.
    ///
    /// - Parameter examined: Rows that count in the advice.
    /// - Returns: The error to throw.
    func stop(examined: Int) -> RecordError {
        stoppedAfter = examined
        return .queryTooExpensive
    }
}
