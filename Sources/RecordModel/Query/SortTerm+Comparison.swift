extension [SortTerm] {
    /// Whether one record stands before another in the order of the terms, ties broken by the internal id, ascending.
    ///
    /// Absent values are less than all others. Texts compare by their first `IndexKey.textBytes` bytes. The key
    /// `createdTimestamp` is the order of the ids, and leaves no ties.
    ///
    /// - Parameters:
    ///   - leftID: The internal id of the left record.
    ///   - rightID: That of the right one.
    package func areInIncreasingOrder(
        _ left: some PredicateSubject, id leftID: Int64, _ right: some PredicateSubject, id rightID: Int64
    ) -> Bool {
        for term in self {
            if term.field == .system(.createdTimestamp) {
                return term.isAscending ? leftID < rightID : rightID < leftID
            }
            let (one, other) = (left.value(of: term.field)?.sortKey, right.value(of: term.field)?.sortKey)
            switch (one, other) {
            case (nil, nil): continue
            case (nil, _?): return term.isAscending
            case (_?, nil): return !term.isAscending
            case (let one?, let other?):
                if one == other { continue }
                return one.precedes(other) == term.isAscending
            }
        }
        return leftID < rightID
    }
}

extension QueryValue {
    /// What of a value sorts look at.
    var sortKey: QueryValue {
        if case .text(let bytes) = self, bytes.count > IndexKey.textBytes {
            .text(Array(bytes.prefix(IndexKey.textBytes)))
        } else {
            self
        }
    }
}
