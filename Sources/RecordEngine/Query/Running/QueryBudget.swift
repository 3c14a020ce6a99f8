internal import RecordModel
internal import RecordWire
internal import Threads

/// The time and work that one attempt at a query may use on its thread.
///
/// On an event loop the budget is at most 2 ms, because other connections wait. A query that takes longer runs again on
/// the pool with the query's full time limit. An attempt that exceeds its budget throws QUERY_TOO_EXPENSIVE;
/// `stoppedAfter` distinguishes this failure from others.
final class QueryBudget {
    private let started: UInt64
    private let nanoseconds: UInt64
    /// The number of index entries and records read.
    private(set) var examined = 0
    /// The number of rows to report in the advice, for an attempt that exceeded its budget; `nil` for other attempts.
    private(set) var stoppedAfter: Int?
    private var rowsUntilClockRead = 16
    private var meter: MatchCostMeter
    /// The number of rows at which the attempt stops, give or take the rows between two readings of the clock.
    private let rowLimit: Int

    /// The maximum work of one decoding step on a shared thread: a list of about 20 KB, or a text of 256 KB.
    private static let shortStep = 1 << 18

    /// - Parameter workPerRecord: The maximum work of matching one record, in the unit of `MatchCostMeter`.
    init(time: Duration, workPerRecord: Int = .max, rowLimit: Int = .max) {
        self.rowLimit = rowLimit
        let started = MonotonicClock.now
        let nanoseconds =
            UInt64(max(0, time.components.seconds)) * 1_000_000_000
            + UInt64(max(0, time.components.attoseconds)) / 1_000_000_000
        self.started = started
        self.nanoseconds = nanoseconds
        let largestStep = nanoseconds < Self.shortTime ? Self.shortStep : .max
        meter = MatchCostMeter(largestStep: largestStep, recordLimit: workPerRecord) {
            !Task.isCancelled && MonotonicClock.now &- started <= nanoseconds
        }
    }

    private static let shortTime: UInt64 = 10_000_000

    /// Whether the thread also serves other connections. If true, single steps must be short.
    var isShort: Bool { nanoseconds < Self.shortTime }

    var elapsed: UInt64 { MonotonicClock.now &- started }

    /// The end of the budget, in nanoseconds of the monotonic clock.
    var deadline: UInt64 { started &+ nanoseconds }

    /// Charges rows that were read to the budget.
    ///
    /// - Throws: QUERY_TOO_EXPENSIVE when the time is up; REQUEST_ABANDONED when the task is cancelled.
    func take(_ rows: Int) throws(RecordError) {
        examined += rows
        // A scan that returns no rows still costs an index lookup.
        rowsUntilClockRead -= max(1, rows)
        guard rowsUntilClockRead <= 0 else { return }
        // Read the clock only every 16 rows, because reading the clock costs as much as reading a row.
        rowsUntilClockRead = 16
        if elapsed > nanoseconds || examined > rowLimit || Task.isCancelled { throw end() }
    }

    /// Tests whether a record matches.
    ///
    /// - Throws: As `take`; QUERY_TOO_EXPENSIVE also if matching this record needs more work than allowed; an error for
    ///   damaged fields.
    func match(_ record: IndexedRecord, _ matcher: RecordMatcher) throws(RecordError) -> Bool {
        do throws(MatchFailure) {
            // The charge covers the whole record with its layout, because reading the record read all of it.
            try meter.didSpend(record.fields.text.count / 4 + record.fields.count * 32)
            return try matcher.matches(record, &meter)
        } catch {
            throw blocker(error)
        }
    }

    /// Charges other work before it is done, in the unit of `MatchCostMeter`.
    ///
    /// - Throws: As `match`.
    func spend(_ work: Int) throws(RecordError) {
        do throws(MatchFailure) { try meter.spend(work) } catch { throw blocker(error) }
    }

    /// Charges the work of sorting `count` keys with `bytes` bytes in total.
    ///
    /// - Throws: As `take`; also if sorting would take too long on an event loop.
    func sort(_ count: Int, bytes: Int) throws(RecordError) {
        guard count > 1 else { return }
        // The number of comparisons for each key.
        let rounds = Int.bitWidth - (count - 1).leadingZeroBitCount
        let work = rounds * (count * 20 + bytes * 2)
        if isShort, work > Self.shortSort { throw end() }
        do throws(MatchFailure) { try meter.didSpend(work) } catch { throw blocker(error) }
    }

    /// The maximum work of one sort on a shared thread: about 1 ms.
    private static let shortSort = 1_000_000

    /// Charges bytes that were read and copied into a response.
    ///
    /// - Throws: As `take`.
    func didCopy(_ bytes: Int) throws(RecordError) {
        do throws(MatchFailure) { try meter.didSpend(2 * bytes) } catch { throw blocker(error) }
    }

    private func blocker(_ blocker: MatchFailure) -> RecordError {
        switch blocker {
        case .damaged(let damage): damage
        case .outOfTime: end()
        case .tooMuch: .conditionTooExpensive
        }
    }

    private func end() -> RecordError {
        Task.isCancelled ? .requestAbandoned : stop(examined: examined)
    }

    /// Ends the attempt because the budget is spent.
    ///
    /// - Parameter examined: The number of rows to report in the advice.
    /// - Returns: The error to throw.
    func stop(examined: Int) -> RecordError {
        stoppedAfter = examined
        return .queryTooExpensive
    }
}
