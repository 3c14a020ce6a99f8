/// An aggregate query bound to a record type: how records form groups, and what the response shows of each group.
package struct Aggregation: Hashable, Sendable {
    /// A part of a group's key: the value of a field, or the time bucket that contains it. Records without a value form
    /// a group of their own, whose key is null.
    package struct Key: Hashable, Sendable {
        /// The name in the response.
        package var name: String
        /// The field whose value is the key.
        package var field: QueryField
        /// The unit to which a TIMESTAMP is rounded down; `nil` for the value itself.
        package var bucket: TimeBucket.Unit?
    }

    /// A function over the records of a group.
    package struct Value: Hashable, Sendable {
        /// The name in the response.
        package var name: String
        package var function: AggregateFunction
        /// The argument; `nil` for the number of records.
        package var field: QueryField?
    }

    /// One term of the sort of groups.
    package struct Order: Hashable, Sendable {
        /// The column: the keys come first, then the values.
        package var column: Int
        package var isAscending: Bool
    }

    package var keys: [Key]
    package var values: [Value]
    /// The condition on groups. Its fields have the number of their column as id; system fields are keys.
    package var having: Predicate
    /// The sort of groups. Groups that are equal in all terms are sorted by their keys.
    package var order: [Order]
    /// The most groups of the response.
    package var limit: Int
    /// The name of the time zone of the buckets; `nil` for UTC.
    package var timeZone: String?

    /// The fields that the aggregate reads, without duplicates. The rows that `GroupTable.add` receives have these
    /// columns.
    package var fields: [QueryField] {
        var found: [QueryField] = []
        for field in keys.map(\.field) + values.compactMap(\.field) where !found.contains(field) { found.append(field) }
        return found
    }

    /// Whether the aggregate is the number of all matches alone.
    package var isPlainCount: Bool {
        keys.isEmpty && values.allSatisfy { $0.function == .count && $0.field == nil }
    }

    /// The most terms of `groupBy`, and the most of `values`.
    package static let maxTerms = 16
    /// The most groups that one query may form, including groups that the response does not contain.
    package static let maxGroups = 100_000
    /// The most bytes of keys, distinct values, texts and sums that one query may keep, approximately.
    package static let maxBytes = 32 << 20
    /// The most groups of one response.
    package static let maxLimit = 10_000
    /// The number of groups of a response if the query sets no limit.
    package static let defaultLimit = 1_000
}

/// A group of the response.
package struct AggregateGroup: Hashable, Sendable {
    /// The values of the keys, in the order of `Aggregation.keys`; `nil` is null.
    package var keys: [QueryValue?]
    /// The values, in the order of `Aggregation.values`; `nil` is null.
    package var values: [QueryValue?]
}
