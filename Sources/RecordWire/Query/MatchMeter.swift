package import RecordModel

/// How much may still be done for the question whether records match.
///
/// One record can be a thousand times the work of another: lists have up to 100,000 members, and conditions up to hundreds
/// of tests. So work is told before it is done, in a unit of about a nanosecond, within a record as well as between records.
package struct MatchMeter {
    /// What was told of the record that is being asked.
    package private(set) var spent = 0
    private var untilLook = Self.betweenLooks
    private let largestStep: Int
    private let recordLimit: Int
    private let mayGoOn: () -> Bool

    private static let betweenLooks = 1 << 16

    /// - Parameters:
    ///   - largestStep: What is more than this in one piece, such as a long list to decode, is not even begun.
    ///   - recordLimit: What one record may cost.
    ///   - mayGoOn: Is asked each time that some 60 microseconds have been spent.
    package init(largestStep: Int = .max, recordLimit: Int = .max, mayGoOn: @escaping () -> Bool = { true }) {
        self.largestStep = largestStep
        self.recordLimit = recordLimit
        self.mayGoOn = mayGoOn
    }

    /// The next record is asked.
    mutating func begin() {
        spent = 0
    }

    /// Tells of work that is about to be done.
    package mutating func spend(_ work: Int) throws(MatchObstacle) {
        if work > largestStep { throw .outOfTime }
        spent += work
        if spent > recordLimit { throw .tooMuch }
        try didSpend(work)
    }

    /// Tells of work that was done between records.
    package mutating func didSpend(_ work: Int) throws(MatchObstacle) {
        untilLook -= work
        guard untilLook < 0 else { return }
        guard mayGoOn() else { throw .outOfTime }
        untilLook = Self.betweenLooks
    }
}

/// Why it was not found out whether a record matches.
package enum MatchObstacle: Error {
    /// The stored fields of the record are damaged.
    case damaged(RecordError)
    /// It takes more time than this thread gives.
    case outOfTime
    /// It is more work than one record may be.
    case tooMuch
}
