internal import Threads

/// The remaining time and the remaining number of records of one slice.
struct SliceBudget {
    /// Whether a client waits for the work.
    enum Pace {
        /// No client waits. `IndexBuildOptions` sets the durations.
        case background
        /// A client waits. If no other writes wait, a slice takes 8 ms. Otherwise a slice takes three quarters of the
        /// last fsync's duration, but at least 3.5 ms and at most 6 ms. The work then advances on a slow disk too, and no
        /// write waits twice as long.
        case awaited

        fileprivate func nanoseconds(in transaction: WriteTransaction, isBusy: Bool) -> UInt64 {
            switch self {
            case .background:
                isBusy ? transaction.indexBuilding.busyNanoseconds : transaction.indexBuilding.idleNanoseconds
            case .awaited:
                isBusy ? min(max(transaction.lastSync / 4 * 3, 3_500_000), 6_000_000) : 8_000_000
            }
        }
    }

    private let nanoseconds: UInt64
    private let started = MonotonicClock.now
    private var limit: Int
    /// The number of records, entries or pages that the slice may still process.
    var left: Int { limit - done }
    /// The number of records, entries or pages that the slice has processed.
    private(set) var done = 0
    /// The number of records and entries touched since the last clock reading.
    private var untimed = 0
    private(set) var hasMore = true

    /// The number of touches between two clock readings. One reading costs as much as skipping a record.
    private static let untimedTouches = 8

    /// Creates the budget of a slice that starts now.
    ///
    /// - Parameter waiting: The number of writes that wait for the next group.
    init(_ pace: Pace, in transaction: WriteTransaction, waiting: Int) {
        self.init(
            nanoseconds: pace.nanoseconds(in: transaction, isBusy: transaction.groupSize > 1 || waiting > 0),
            limit: transaction.indexBuilding.recordsPerSlice)
    }

    init(nanoseconds: UInt64, limit: Int = .max) {
        self.nanoseconds = nanoseconds
        self.limit = limit
    }

    /// Limits the slice to `count` records, entries or pages.
    mutating func limit(to count: Int) { limit = min(limit, count) }

    /// Charges finished work to the budget.
    ///
    /// - Parameters:
    ///   - count: The number of records, entries or pages completed.
    ///   - touched: The number of records and entries touched, if each took little time. By default the clock is read
    ///     immediately.
    mutating func spend(_ count: Int = 1, touched: Int = untimedTouches) {
        done += count
        untimed += touched
        hasMore = done < limit
        guard hasMore, untimed >= Self.untimedTouches else { return }
        untimed = 0
        hasMore = MonotonicClock.now &- started < nanoseconds
    }
}
