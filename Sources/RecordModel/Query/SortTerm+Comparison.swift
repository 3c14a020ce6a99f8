extension [SortTerm] {
    /// Returns whether one record sorts before another.
    ///
    /// Absent values sort first or last, as each term says. Strings compare by their first `IndexKey.textBytes` bytes. Records that
    /// are equal in all terms are sorted by record number. This order is descending if `createdTimestamp` is a
    /// descending term, and ascending otherwise.
    ///
    /// - Parameters:
    ///   - leftID: The record number of the left record.
    ///   - rightID: The record number of the right record.
    package func areInIncreasingOrder(
        _ left: some PredicateSubject, id leftID: Int64, _ right: some PredicateSubject, id rightID: Int64
    ) -> Bool {
        for term in self {
            let one = left.comparedValue(of: term.field).map { term.form.of($0).sortKey }
            let other = right.comparedValue(of: term.field).map { term.form.of($0).sortKey }
            switch (one, other) {
            case (nil, nil): continue
            case (nil, _?): return term.nulls == .first
            case (_?, nil): return term.nulls == .last
            case (let one?, let other?):
                if one == other { continue }
                return one.precedes(other) == term.isAscending
            }
        }
        return areIDsAscending ? leftID < rightID : rightID < leftID
    }
}

extension [SortTerm] {
    /// Whether records that are equal in all terms are sorted by ascending record number, which is the order of
    /// creation. A descending `createdTimestamp` term at any position reverses this order.
    package var areIDsAscending: Bool {
        first { $0.field == .system(.createdTimestamp) }?.isAscending ?? true
    }
}

extension QueryValue {
    /// The part of a value that sorts compare. A long text is truncated to `IndexKey.textBytes` bytes.
    var sortKey: QueryValue {
        if case .text(let bytes) = self, bytes.count > IndexKey.textBytes {
            .text(Array(bytes.prefix(IndexKey.textBytes)))
        } else {
            self
        }
    }
}
