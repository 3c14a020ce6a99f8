internal import Glibc
internal import RecordModel

/// The total order of a query's answer: key columns, then the internal id.
///
/// The bytes of the columns (`IndexKey`) and the id together are a record's place in the order; a cursor is one such place.
struct QueryOrder: Hashable, Sendable {
    /// Terms that decide before the id does.
    var columns: [SortTerm]
    /// The direction of the id. Descending for `-createdTimestamp`, which is the creation order turned around.
    var isIDAscending: Bool

    /// - Parameters:
    ///   - constants: Fields that have one value in all matches, and so decide nothing.
    ///   - createdFollowsIDs: Whether a later record never has an earlier time of creation.
    init(_ sort: [SortTerm], constants: Set<QueryField> = [], createdFollowsIDs: Bool) {
        columns = []
        isIDAscending = true
        // They are few: to look through them costs less than a set does.
        for (place, term) in sort.enumerated() where !sort[..<place].contains(where: { $0.field == term.field }) {
            let isConstant = constants.contains(term.field)
            if term.field == .system(.createdTimestamp) {
                // Nothing behind it decides: no two records have one place in the creation order, not even those of one
                // millisecond.
                isIDAscending = term.isAscending
                if !createdFollowsIDs, !isConstant { columns.append(term) }
                return
            }
            if !isConstant { columns.append(term) }
        }
    }

    /// Whether the answer comes in the order of ids alone.
    var isByID: Bool { columns.isEmpty }
}

/// A record's place in the order of a query.
struct QueryPlace: Hashable, Sendable {
    /// The columns of the order, as `IndexKey` writes them.
    var key: [UInt8]
    var record: Int64

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
