internal import RecordModel

/// Computes the range of index keys for the constraints on a field.
enum KeyBounds {
    /// The keys that start with `head`.
    static func all(under head: [UInt8]) -> (lower: [UInt8], upper: [UInt8]?) {
        (head, head.isEmpty ? nil : IndexKey.successor(of: head))
    }

    /// The keys that start with `head` and whose next column is within bounds. Excludes keys of absent values.
    static func within(
        _ range: ValueRange, column: IndexDefinition.Column, under head: [UInt8]
    ) -> (lower: [UInt8], upper: [UInt8]?) {
        // In a descending column the greatest value sorts first.
        let (first, last) = column.isAscending ? (range.lower, range.upper) : (range.upper, range.lower)
        let lower: [UInt8]
        if let first {
            let key = self.key(of: first.value, column, under: head)
            lower = includes(first) ? key : IndexKey.successor(of: key) ?? key
        } else {
            lower = present(column, under: head)
        }
        let upper: [UInt8]?
        if let last {
            let key = self.key(of: last.value, column, under: head)
            upper = includes(last) ? IndexKey.successor(of: key) : key
        } else {
            upper = IndexKey.successor(of: present(column, under: head))
        }
        return (lower, upper)
    }

    /// The keys that start with `head` and whose next column is a text with a given prefix.
    static func beginning(
        with prefix: [UInt8], column: IndexDefinition.Column, under head: [UInt8]
    ) -> (lower: [UInt8], upper: [UInt8]?) {
        var key = head
        IndexKey.append(prefix: prefix, isAscending: column.isAscending, to: &key)
        return (key, IndexKey.successor(of: key))
    }

    /// The intersection of two ranges; `nil` if it is empty.
    static func both(
        _ left: (lower: [UInt8], upper: [UInt8]?), _ right: (lower: [UInt8], upper: [UInt8]?)
    ) -> (lower: [UInt8], upper: [UInt8]?)? {
        let lower = left.lower.lexicographicallyPrecedes(right.lower) ? right.lower : left.lower
        let upper: [UInt8]? =
            switch (left.upper, right.upper) {
            case (nil, let bound), (let bound, nil): bound
            case (let mine?, let other?): mine.lexicographicallyPrecedes(other) ? mine : other
            }
        if let upper, !lower.lexicographicallyPrecedes(upper) { return nil }
        return (lower, upper)
    }

    /// Whether the key range must include the key of a bound. A truncated key must be included even if the bound is
    /// exclusive, because longer texts may share the key. The scan then rechecks the records.
    private static func includes(_ bound: ValueRange.Bound) -> Bool {
        if case .text(let text) = bound.value, text.count >= IndexKey.textBytes { return true }
        return bound.isInclusive
    }

    private static func key(
        of value: QueryValue, _ column: IndexDefinition.Column, under head: [UInt8]
    ) -> [UInt8] {
        var key = head
        IndexKey.append(value, isAscending: column.isAscending, to: &key)
        return key
    }

    private static func present(_ column: IndexDefinition.Column, under head: [UInt8]) -> [UInt8] {
        var key = head
        IndexKey.append(isPresent: true, isAscending: column.isAscending, to: &key)
        return key
    }
}
