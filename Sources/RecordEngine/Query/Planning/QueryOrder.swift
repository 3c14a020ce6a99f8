internal import Glibc
internal import RecordModel

/// The total order of a query's answer: key columns, then the internal id.
///
/// The bytes of the columns (`IndexKey`) and the id together are a record's place in the order; a cursor is one such place.
struct QueryOrder: Hashable, Sendable {
    /// Terms that decide before the id does.
    var columns: [SortTerm]
    /// The direction of the id: that of `createdTimestamp`, if the sort has it.
    var isIDAscending: Bool

    /// - Parameters:
    ///   - constants: Fields that have one value in all matches, and so decide nothing.
    ///   - createdFollowsIDs: Whether a later record never has an earlier time of creation.
    init(_ sort: [SortTerm], constants: Set<QueryField> = [], createdFollowsIDs: Bool) {
        // They are few: to look through them costs less than a set does.
        let terms = sort.enumerated().filter { place, term in
            !constants.contains(term.field) && !sort[..<place].contains { $0.field == term.field }
        }.map(\.element)
        isIDAscending = sort.areIDsAscending
        // Where ids follow the time of creation and nothing stands behind it, it is the order of ids.
        let isByID = createdFollowsIDs && terms.last?.field == .system(.createdTimestamp)
        columns = isByID ? Array(terms.dropLast()) : terms
    }

    /// Whether the time of creation comes first and other columns behind it. Where ids follow the time, records that come by
    /// id are in this order but for those of one millisecond.
    var isByTimeFirst: Bool { columns.first?.field == .system(.createdTimestamp) }

    /// Whether the answer comes in the order of ids alone.
    var isByID: Bool { columns.isEmpty }
}

/// A record's place in the order of a query.
struct QueryPlace: Hashable, Sendable {
    /// The columns of the order, as `IndexKey` writes them.
    var key: [UInt8]
    var record: RecordNumber

    func precedes(_ other: QueryPlace, in order: QueryOrder) -> Bool {
        let difference = key.withUnsafeBytes { mine in
            other.key.withUnsafeBytes { theirs in
                let count = min(mine.count, theirs.count)
                guard count > 0, let left = mine.baseAddress, let right = theirs.baseAddress else { return Int32(0) }
                return memcmp(left, right, count)
            }
        }
        if difference != 0 { return difference < 0 }
        if key.count != other.key.count { return key.count < other.key.count }
        return order.isIDAscending ? record < other.record : record > other.record
    }
}
