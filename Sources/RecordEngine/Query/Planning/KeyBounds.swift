internal import RecordModel

/// From what is known of a field to the range of keys that an index holds for it.
enum KeyBounds {
    /// The keys that begin with a head.
    static func all(under head: [UInt8]) -> (lower: [UInt8], upper: [UInt8]?) {
        (head, head.isEmpty ? nil : IndexKey.successor(of: head))
    }

    /// The keys under a head whose next column is within bounds; absent values are not.
    static func within(
        _ range: ValueRange, column: IndexDefinition.Column, under head: [UInt8]
    ) -> (lower: [UInt8], upper: [UInt8]?) {
        // In a descending column the greatest value comes first.
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

    /// The keys under a head whose next column is a text with a prefix.
    static func beginning(
        with prefix: [UInt8], column: IndexDefinition.Column, under head: [UInt8]
    ) -> (lower: [UInt8], upper: [UInt8]?) {
        var key = head
        IndexKey.append(prefix: prefix, isAscending: column.isAscending, to: &key)
        return (key, IndexKey.successor(of: key))
    }

    /// What both ranges hold; `nil` if that is nothing.
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

    /// A bound on a text that fills a key includes what it excludes, since longer texts may have that key: the records
    /// tell.
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
