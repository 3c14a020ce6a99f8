package import RecordModel

/// A limit on the work of matching records against a predicate.
///
/// The work per record can differ by a factor of a thousand: lists have up to 100,000 members and predicates up to
/// hundreds of conditions. So the meter charges work before it is done, within a record as well as between records. One
/// unit of work is about 1 ns.
package struct MatchCostMeter {
    /// The work charged for the current record, in units of about 1 ns.
    package private(set) var spent = 0
    private var rowsUntilClockRead = Self.checkInterval
    private let largestStep: Int
    private let recordLimit: Int
    private let mayGoOn: () -> Bool

    private static let checkInterval = 1 << 16

    /// Creates a meter with limits on the work.
    ///
    /// - Parameters:
    ///   - largestStep: The largest step of work that may start, such as decoding a long list.
    ///   - recordLimit: The most work for one record.
    ///   - mayGoOn: Returns whether to continue. The meter calls it after about each 60 µs of work.
    package init(largestStep: Int = .max, recordLimit: Int = .max, mayGoOn: @escaping () -> Bool = { true }) {
        self.largestStep = largestStep
        self.recordLimit = recordLimit
        self.mayGoOn = mayGoOn
    }

    /// Starts the next record.
    mutating func begin() {
        spent = 0
    }

    /// Charges work on the current record. The caller does the work afterward.
    ///
    /// - Throws: `outOfTime` if the step is too large or `mayGoOn` returns false; `tooMuch` if the record exceeds its
    ///   limit.
    package mutating func spend(_ work: Int) throws(MatchFailure) {
        if work > largestStep { throw .outOfTime }
        spent += work
        if spent > recordLimit { throw .tooMuch }
        try didSpend(work)
    }

    /// Charges work between records. The caller has already done the work.
    ///
    /// - Throws: `outOfTime` if `mayGoOn` returns false.
    package mutating func didSpend(_ work: Int) throws(MatchFailure) {
        rowsUntilClockRead -= work
        guard rowsUntilClockRead < 0 else { return }
        guard mayGoOn() else { throw .outOfTime }
        rowsUntilClockRead = Self.checkInterval
    }
}

/// The reason why the matcher could not decide whether a record matches.
package enum MatchFailure: Error {
    /// The stored fields of the record are damaged.
    case damaged(RecordError)
    /// The work takes more time than this thread may spend.
    case outOfTime
    /// The work for one record exceeds its limit.
    case tooMuch
}
