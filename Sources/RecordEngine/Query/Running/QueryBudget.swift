internal import RecordModel
internal import Threads

/// How much one query may take of the thread that it runs on.
///
/// On an event loop that is a few milliseconds, since others wait for it; what takes longer runs again on a thread of the
/// pool, where the budget is the query's time limit.
struct QueryBudget {
    private let started = MonotonicClock.now
    private let nanoseconds: UInt64
    private let maxRows: Int
    /// Index entries and records that were looked at.
    private(set) var examined = 0
    private var untilLook = 16

    init(time: Duration, rows: Int = .max) {
        nanoseconds =
            UInt64(max(0, time.components.seconds)) * 1_000_000_000
            + UInt64(max(0, time.components.attoseconds)) / 1_000_000_000
        maxRows = rows
    }

    /// Whether the thread serves others too.
    var isShort: Bool { nanoseconds < 10_000_000 }

    var elapsed: UInt64 { MonotonicClock.now &- started }

    /// When it ends, by the monotonic clock.
    var deadline: UInt64 { started &+ nanoseconds }

    /// Counts rows that were looked at.
    ///
    /// - Throws: `QueryObstacle.overBudget`; `.refused` once nobody waits for the answer any more.
    mutating func take(_ rows: Int) throws(QueryObstacle) {
        examined += rows
        // A walk that meets nothing costs a search all the same.
        untilLook -= max(1, rows)
        guard untilLook <= 0 else { return }
        // Looking at the clock costs as much as looking at a row.
        untilLook = 16
        if Task.isCancelled { throw .refused(.requestAbandoned) }
        if examined > maxRows || elapsed > nanoseconds { throw .overBudget(examined: examined) }
    }
}

/// Why a query was not answered where it ran.
enum QueryObstacle: Error {
    /// It takes more than this thread can give.
    case overBudget(examined: Int)
    /// An index is missing that the caller may cause.
    case needsIndex(IndexWish)
    /// It is refused.
    case refused(RecordError)
}
