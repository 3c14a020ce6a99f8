internal import RecordModel

/// A query plan. Plans can be printed, compared and tested without a store.
struct QueryPlan: Hashable, Sendable {
    /// The index scans. The runner merges several scans and returns a record once, even if several scans find it.
    var scans: [IndexScan]
    /// The condition that each record found must still satisfy; `constant(true)` if there is none.
    var residual: Predicate
    /// The whole predicate, for rechecking records whose index keys may be truncated.
    var predicate: Predicate
    var order: QueryOrder
    /// Whether the runner collects and sorts all matches, because the scans do not return the query's order.
    var isSorted: Bool
    /// Whether the scans return records by creation time, the first column of the order. The runner then stops
    /// collecting after the millisecond of a page's last record.
    var isByTime = false
    /// The number of rows that the scans are expected to read for one page.
    var estimatedRows: Int
    /// Whether two scans can return the same record.
    var hasOverlaps: Bool
    /// The search that finds the records by their distance; `nil` for a plan that reads its scans.
    var nearest: NearestSearch?
}

/// A scan of one index in a range of keys or ids.
struct IndexScan: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        /// All records of the type, by id.
        case records
        /// The records of one creator, by id.
        case creator(UserID)
        /// The one record with a name.
        case name([UInt8])
        case index(IndexDefinition)
        /// The records of several ranges of index entries, by id.
        case postings(PostingTree)

        /// The creator, for a scan of one creator's records.
        var creator: UserID? { if case .creator(let id) = self { id } else { nil } }
    }

    var source: Source
    /// The range of keys, from `lower` up to but not including `upper` (`nil`: to the end).
    var lower: [UInt8] = []
    var upper: [UInt8]?
    /// The number of leading key bytes that belong to columns with a fixed value. The columns of the order follow.
    var prefixCount = 0
    /// Whether to scan the index backward, because the order has the opposite directions.
    var isBackward = false
    /// The ids to return, from conditions on `createdTimestamp`.
    var ids = IDRange()
    /// The condition that the range represents, for `explain`.
    var condition: Predicate

    /// Whether all entries in the range have the same key, and so are sorted by id.
    var isOneKey = false
    /// Whether each record that the scan finds must be tested against the whole predicate.
    var isInexact = false

    /// Whether some records that the scan finds must be tested against the whole predicate, besides those with truncated
    /// keys.
    var mayNeedTest: Bool {
        if case .postings(let tree) = source {
            isInexact || tree.leaves.contains(where: \.isInexact)
        } else {
            isInexact
        }
    }
}

/// A range of internal ids. Both bounds are exclusive.
struct IDRange: Hashable, Sendable {
    var above: RecordNumber = .lowest
    var below: RecordNumber = .highest

    var isEverything: Bool { above == .lowest && below == .highest }
}
