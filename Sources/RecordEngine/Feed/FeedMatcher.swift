package import RecordModel
internal import RecordStorage
internal import RecordWire

/// The condition of a feed, bound to its type and to one caller's rights.
struct FeedMatcher {
    let matcher: RecordMatcher
    private let reader: RecordReader
    private let budget: QueryBudget

    /// The maximum work of matching one record, in the unit of `MatchCostMeter`: about 5 ms. A stream matches each
    /// changed record as long as it is open, so its condition must be cheaper than that of a query.
    private static let workPerRecord = 1 << 23

    /// - Parameter isOnPool: Whether the thread serves no other connections.
    init(_ matcher: RecordMatcher, _ reader: RecordReader, isOnPool: Bool) {
        self.matcher = matcher
        self.reader = reader
        budget = QueryBudget(
            time: isOnPool ? .milliseconds(reader.database.limits.queryMilliseconds) : .milliseconds(2),
            workPerRecord: Self.workPerRecord)
    }

    /// Returns whether a record matches; `nil` if finding out takes longer than this thread can spare.
    ///
    /// - Throws: QUERY_TOO_EXPENSIVE; an error for damaged fields.
    func matches(_ record: RecordCursor, endsPage: Bool) throws(RecordError) -> Bool? {
        var indexed = try IndexedRecord(record)
        try indexed.hideDeletedAccounts(reader.userNames.name)
        do throws(RecordError) {
            return try budget.match(indexed, matcher)
        } catch {
            if budget.stoppedAfter != nil, !endsPage { return nil }
            throw error
        }
    }
}

extension FeedReader {
    /// Checks that a stream with a selection can be opened.
    ///
    /// - Throws: The errors of a query with the selection's condition.
    package func check(
        _ selection: FeedSelection, in address: DatabaseAddress, for caller: Caller
    ) throws(RecordError) {
        _ = try matcher(of: selection, in: address, for: caller)
    }

    /// Binds the condition of a selection for a caller.
    ///
    /// - Returns: The matcher. `nil` without a condition, or if the schema does not have the type yet.
    /// - Throws: The errors of a query with the condition.
    func matcher(
        of selection: FeedSelection, in address: DatabaseAddress, for caller: Caller
    ) throws(RecordError) -> RecordMatcher? {
        guard let input = selection.condition, let type = selection.types?.first else { return nil }
        let request = QueryRequest(caller: caller, address: address, typeName: type, input: input)
        return try reader.queries.bind(request).map { query throws(RecordError) in
            if let target = query.targets.first { throw .targetInFeed(target) }
            return RecordMatcher(query.condition)
        }
    }
}
