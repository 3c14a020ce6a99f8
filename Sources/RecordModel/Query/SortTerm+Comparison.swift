extension [SortTerm] {
    /// Whether one record stands before another in the order of the terms.
    ///
    /// Absent values are less than all others. Strings compare by their first `IndexKey.textBytes` bytes. Ties follow the
    /// internal id: descending if `createdTimestamp` is among the terms and descends, else ascending.
    ///
    /// - Parameters:
    ///   - leftID: The internal id of the left record.
    ///   - rightID: That of the right one.
    package func areInIncreasingOrder(
        _ left: some PredicateSubject, id leftID: Int64, _ right: some PredicateSubject, id rightID: Int64
    ) -> Bool {
        for term in self {
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
        return areIDsAscending ? leftID < rightID : rightID < leftID
    }
}

extension [SortTerm] {
    /// Whether records that are equal under all terms follow the internal id upward. They follow the creation order, which
    /// `createdTimestamp` turns around wherever it stands.
    package var areIDsAscending: Bool {
        first { $0.field == .system(.createdTimestamp) }?.isAscending ?? true
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
