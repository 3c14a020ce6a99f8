internal import RecordModel

/// How a query is answered: a value that can be printed, compared and tested, and that knows no store.
struct QueryPlan: Hashable, Sendable {
    /// What is walked. Several walks are merged; a record that more than one of them meets comes once.
    var walks: [IndexWalk]
    /// What is still asked of each record that a walk meets; `constant(true)` if nothing.
    var residual: Predicate
    /// The whole condition, for entries whose key may be cut.
    var predicate: Predicate
    var order: QueryOrder
    /// Whether all matches are gathered and sorted, since the walks do not come in the query's order.
    var isSorted: Bool
    /// Whether the walks come by time of creation, the first column of the order, so that sorting ends with the time of
    /// the last record that is wanted.
    var isByTime = false
    /// Rows that the walks are expected to meet, before they find a page.
    var estimatedRows: Int
    /// Whether the walks can meet a record twice.
    var hasOverlaps: Bool
}

/// One walk through one index: a range of its keys, or of ids.
struct IndexWalk: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        /// All records of the type, by id.
        case records
        /// The records of one creator, by id.
        case creator(UserID)
        /// The one record with a name.
        case name([UInt8])
        case index(IndexDefinition)

        /// Whose records they are alone, of those that are walked by id.
        var creator: UserID? { if case .creator(let id) = self { id } else { nil } }
    }

    var source: Source
    /// The keys of an index: from `lower` on, below `upper` (`nil`: to the end).
    var lower: [UInt8] = []
    var upper: [UInt8]?
    /// The bytes in front of the columns of the order: those of columns with one value.
    var prefixCount = 0
    /// Whether the index is walked from its end, since its directions are the inverse of the order's.
    var isBackward = false
    /// Ids outside these are not wanted (exclusive bounds), from conditions on `createdTimestamp`.
    var ids = IDRange()
    /// What the range stands for, for the reader of a plan.
    var condition: Predicate

    /// Whether all entries have one key, so that they come by id.
    var isOneKey = false
}

/// Internal ids between two that do not belong to it.
struct IDRange: Hashable, Sendable {
    var above: RecordNumber = .lowest
    var below: RecordNumber = .highest

    var isEverything: Bool { above == .lowest && below == .highest }
}
