internal import Threads

/// What one slice of long work may still do.
struct SliceBudget {
    /// Who waits for the work.
    enum Pace {
        /// Nobody: it takes as long as the database's `IndexBuilding` says.
        case background
        /// A client. While other writes wait, a slice takes three quarters of what they wait for the disk anyway, so that the
        /// work goes on as well on a slow disk, and nobody waits twice as long for it.
        case awaited

        fileprivate func nanoseconds(in transaction: WriteTransaction, isBusy: Bool) -> UInt64 {
            switch self {
            case .background:
                isBusy ? transaction.indexBuilding.busyNanoseconds : transaction.indexBuilding.idleNanoseconds
            case .awaited:
                isBusy ? min(max(transaction.lastSync / 4 * 3, 2_000_000), 6_000_000) : 8_000_000
            }
        }
    }

    private let nanoseconds: UInt64
    private let started = MonotonicClock.now
    private var limit: Int
    /// The records, entries or pages that the slice has done.
    private(set) var done = 0
    /// What was touched since the clock was read.
    private var untimed = 0
    private(set) var hasMore = true

    /// After so much the clock is read, which costs as much as to pass over a record.
    private static let untimedTouches = 8

    /// The budget of a slice that begins now.
    ///
    /// - Parameter waiting: How many writes wait for the next group.
    init(_ pace: Pace, in transaction: WriteTransaction, waiting: Int) {
        self.init(
            nanoseconds: pace.nanoseconds(in: transaction, isBusy: transaction.groupSize > 1 || waiting > 0),
            limit: transaction.indexBuilding.recordsPerSlice)
    }

    init(nanoseconds: UInt64, limit: Int = .max) {
        self.nanoseconds = nanoseconds
        self.limit = limit
    }

    /// Lets the slice do at most so many records, entries or pages.
    mutating func limit(to count: Int) { limit = min(limit, count) }

    /// Notes that something was done.
    ///
    /// - Parameters:
    ///   - count: Records, entries or pages.
    ///   - touched: The records and entries that were touched for it, if they were cheap; else the clock is read at once.
    mutating func spend(_ count: Int = 1, touched: Int = untimedTouches) {
        done += count
        untimed += touched
        hasMore = done < limit
        guard hasMore, untimed >= Self.untimedTouches else { return }
        untimed = 0
        hasMore = MonotonicClock.now &- started < nanoseconds
    }
}
