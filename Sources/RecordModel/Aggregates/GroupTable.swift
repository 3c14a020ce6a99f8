internal import Geography

/// The groups of an aggregate, and the state of their values. Rows may be added in any order.
package final class GroupTable {
    private let aggregation: Aggregation
    /// The columns of a row that form the key.
    private let keyColumns: [Int]
    /// The column of a row for each value; `nil` for the number of records.
    private let valueColumns: [Int?]
    private var buckets: [TimeBucket?]
    private let columns: [any AggregateColumn]
    private let bytesPerGroup: Int

    private var keys: [[QueryValue?]] = []
    private var groups: [[QueryValue?]: Int] = [:]
    private var key: [QueryValue?]
    /// The group of the last row. Rows of one group often follow each other.
    private var last: Int?
    /// The approximate memory in bytes.
    private var bytes = 0

    /// Creates a table. Without keys it has one group, even if no row is added.
    package init(_ aggregation: Aggregation, in zone: AggregateTimeZone) {
        self.aggregation = aggregation
        let fields = aggregation.fields
        keyColumns = aggregation.keys.map { key in fields.firstIndex(of: key.field) ?? 0 }
        valueColumns = aggregation.values.map { value in value.field.flatMap { fields.firstIndex(of: $0) } }
        buckets = aggregation.keys.map { $0.bucket.map { TimeBucket($0, in: zone) } }
        columns = aggregation.values.map(Self.column)
        bytesPerGroup = columns.reduce(64 + 32 * aggregation.keys.count) { $0 + $1.bytesPerGroup }
        key = Array(repeating: nil, count: keyColumns.count)
        if keyColumns.isEmpty {
            keys.append([])
            for column in columns { column.addGroup() }
            last = 0
        }
    }

    private static func column(_ value: Aggregation.Value) -> any AggregateColumn {
        let isDouble = value.field?.type == .double
        switch value.function {
        case .count: return CountColumn(countsAll: value.field == nil)
        case .countDistinct: return DistinctColumn()
        case .sum, .avg:
            let isMean = value.function == .avg
            return isDouble
                ? DoubleSumColumn(isMean: isMean, name: value.name)
                : IntegerSumColumn(isMean: isMean, name: value.name)
        case .min, .max: return ExtremeColumn(isLeast: value.function == .min)
        }
    }

    /// The number of groups.
    package var count: Int { keys.count }

    /// The approximate memory of keys and values in bytes.
    package var size: Int { bytes }

    /// Adds `weight` records with the same values.
    ///
    /// - Parameter row: The values of `Aggregation.fields`; `nil` for an absent value.
    /// - Throws: BAD_REQUEST with cause TOO_LARGE for too many groups, or too many bytes of distinct values.
    package func add(_ row: [QueryValue?], weight: Int = 1) throws(RecordError) {
        let group = try group(of: row)
        for (number, column) in columns.enumerated() {
            bytes += column.add(valueColumns[number].flatMap { row[$0] }, weight: weight, to: group)
        }
        if bytes > Aggregation.maxBytes { throw .groupsTooLarge }
    }

    private func group(of row: [QueryValue?]) throws(RecordError) -> Int {
        if keyColumns.isEmpty { return 0 }
        for (number, column) in keyColumns.enumerated() {
            var value = row[column]
            if buckets[number] != nil, case .integer(let time)? = value, let start = buckets[number]?.start(of: time) {
                value = .integer(start)
            }
            key[number] = value
        }
        if let last, keys[last] == key { return last }
        if let known = groups[key] {
            last = known
            return known
        }
        guard keys.count < Aggregation.maxGroups else { throw .tooManyGroups }
        groups[key] = keys.count
        last = keys.count
        keys.append(key)
        for column in columns { column.addGroup() }
        bytes += key.reduce(bytesPerGroup) { $0 + 2 * ($1?.textBytes ?? 0) }
        return keys.count - 1
    }

    /// Returns the groups that meet `having`, sorted, at most `limit` of them.
    ///
    /// - Parameter charge: Takes the work of evaluating `having`, as in `Predicate.evaluate`.
    /// - Returns: The groups, and whether the limit left out others.
    /// - Throws: BAD_REQUEST with cause TOO_LARGE for a sum outside the range of its type; the errors of `charge`.
    package func finish(
        _ charge: (_ work: Int) throws(RecordError) -> Void = { _ in }
    ) throws(RecordError) -> (groups: [AggregateGroup], hasMore: Bool) {
        var found: [AggregateGroup] = []
        let isTrivial = aggregation.having == .constant(true)
        for (number, key) in keys.enumerated() {
            var values: [QueryValue?] = []
            for column in columns { values.append(try column.result(of: number)) }
            let group = AggregateGroup(keys: key, values: values)
            let subject = GroupSubject(group: group, keys: aggregation.keys)
            if isTrivial ? true : try aggregation.having.evaluate(subject, charge) { found.append(group) }
        }
        found.sort { aggregation.areInIncreasingOrder($0, $1) }
        let hasMore = found.count > aggregation.limit
        if hasMore { found.removeSubrange(aggregation.limit...) }
        return (found, hasMore)
    }
}

extension Aggregation {
    /// Returns whether a group sorts before another: by `order`, then by the keys. Null comes first in keys.
    func areInIncreasingOrder(_ left: AggregateGroup, _ right: AggregateGroup) -> Bool {
        for term in order {
            let (one, other) = (left[term.column], right[term.column])
            if one == other { continue }
            guard one != nil, other != nil else { return (one == nil) == (term.nulls == .first) }
            return Self.precedes(one, other) == term.isAscending
        }
        for (one, other) in zip(left.keys, right.keys) where one != other { return Self.precedes(one, other) }
        return false
    }

    private static func precedes(_ left: QueryValue?, _ right: QueryValue?) -> Bool {
        guard let left else { return true }
        guard let right else { return false }
        return left.precedes(right)
    }
}

extension AggregateGroup {
    /// The value of a column: the keys come first, then the values.
    subscript(column: Int) -> QueryValue? { column < keys.count ? keys[column] : values[column - keys.count] }
}

/// A group as the subject of `having`.
private struct GroupSubject: PredicateSubject {
    let group: AggregateGroup
    let keys: [Aggregation.Key]

    func value(of field: QueryField) -> QueryValue? {
        switch field {
        case .field(let column): group[column.id]
        case .rank: nil
        case .system: keys.firstIndex { $0.field == field && $0.bucket == nil }.flatMap { group.keys[$0] }
        case .distance: nil
        }
    }

    func members(of field: QueryField) -> [QueryValue] { [] }
    func places(of field: QueryField) -> [Place] { [] }

    func memberCount(of field: QueryField) -> Int { 0 }

    func isPresent(_ field: QueryField) -> Bool { value(of: field) != nil }
}

extension RecordError {
    static let tooManyGroups = RecordError.badRequest(
        "The aggregate has too many groups. Narrow the condition, or group by fewer or coarser keys", cause: .tooLarge,
        details: [("limit", .number(Int64(Aggregation.maxGroups)))])

    static let groupsTooLarge = RecordError.badRequest(
        "The groups of the aggregate have too many distinct values or too long texts. Narrow the condition, or group by fewer keys",
        cause: .tooLarge, details: [("limitBytes", .number(Int64(Aggregation.maxBytes)))])
}
