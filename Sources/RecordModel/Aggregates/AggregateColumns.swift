/// The state of one value of an aggregate, for all groups. `GroupTable` adds a group before it adds values to it.
protocol AggregateColumn: AnyObject {
    /// The approximate number of bytes for each group.
    var bytesPerGroup: Int { get }
    /// Adds a group without values.
    func addGroup()
    /// Adds a record's value `weight` times to a group.
    ///
    /// - Parameter value: `nil` if the records have no value.
    /// - Returns: The approximate number of bytes that the column has grown by.
    func add(_ value: QueryValue?, weight: Int, to group: Int) -> Int
    /// The result for a group; `nil` is null.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE for a sum outside the range of its type.
    func result(of group: Int) throws(RecordError) -> QueryValue?
}

extension AggregateColumn {
    var bytesPerGroup: Int { 16 }
}

/// The number of records.
final class CountColumn: AggregateColumn {
    private var counts: [Int] = []
    /// Whether records without a value count.
    private let countsAll: Bool

    init(countsAll: Bool) { self.countsAll = countsAll }

    func addGroup() { counts.append(0) }

    func add(_ value: QueryValue?, weight: Int, to group: Int) -> Int {
        if countsAll || value != nil { counts[group] += weight }
        return 0
    }

    func result(of group: Int) -> QueryValue? { .integer(Int64(counts[group])) }
}

/// The number of distinct values.
final class DistinctColumn: AggregateColumn {
    private var values: [Set<QueryValue>] = []

    func addGroup() { values.append([]) }

    func add(_ value: QueryValue?, weight: Int, to group: Int) -> Int {
        guard let value, values[group].insert(value).inserted else { return 0 }
        return 48 + value.textBytes
    }

    func result(of group: Int) -> QueryValue? { .integer(Int64(values[group].count)) }
}

/// The sum or the mean of an INT64 field.
final class IntegerSumColumn: AggregateColumn {
    private var sums: [(sum: ExactIntegerSum, count: Int)] = []
    private let isMean: Bool
    private let name: String

    init(isMean: Bool, name: String) {
        self.isMean = isMean
        self.name = name
    }

    var bytesPerGroup: Int { 32 }

    func addGroup() { sums.append((ExactIntegerSum(), 0)) }

    func add(_ value: QueryValue?, weight: Int, to group: Int) -> Int {
        guard case .integer(let integer)? = value else { return 0 }
        sums[group].sum.add(integer, weight: weight)
        sums[group].count += weight
        return 0
    }

    func result(of group: Int) throws(RecordError) -> QueryValue? {
        let (sum, count) = sums[group]
        if count == 0 { return nil }
        if isMean { return .double(sum.double / Double(count)) }
        guard let integer = sum.integer else { throw .sumTooLarge(name, type: .int64) }
        return .integer(integer)
    }
}

/// The sum or the mean of a DOUBLE field.
final class DoubleSumColumn: AggregateColumn {
    private var sums = ExactDoubleSums()
    private var counts: [Int] = []
    private let isMean: Bool
    private let name: String

    init(isMean: Bool, name: String) {
        self.isMean = isMean
        self.name = name
    }

    var bytesPerGroup: Int { 8 + ExactDoubleSums.bytes }

    func addGroup() {
        sums.append()
        counts.append(0)
    }

    func add(_ value: QueryValue?, weight: Int, to group: Int) -> Int {
        guard case .double(let double)? = value else { return 0 }
        sums.add(double, weight: weight, to: group)
        counts[group] += weight
        return 0
    }

    func result(of group: Int) throws(RecordError) -> QueryValue? {
        let count = counts[group]
        if count == 0 { return nil }
        if isMean { return .double(sums.mean(of: group, count: count)) }
        guard let sum = sums.sum(of: group) else { throw .sumTooLarge(name, type: .double) }
        return .double(sum)
    }
}

/// The least or the greatest value.
final class ExtremeColumn: AggregateColumn {
    private var values: [QueryValue?] = []
    private let isLeast: Bool

    init(isLeast: Bool) { self.isLeast = isLeast }

    func addGroup() { values.append(nil) }

    func add(_ value: QueryValue?, weight: Int, to group: Int) -> Int {
        guard let value else { return 0 }
        guard let known = values[group] else {
            values[group] = value
            return value.textBytes
        }
        guard isLeast ? value.precedes(known) : known.precedes(value) else { return 0 }
        values[group] = value
        return max(0, value.textBytes - known.textBytes)
    }

    func result(of group: Int) -> QueryValue? { values[group] }
}

extension RecordError {
    static func sumTooLarge(_ name: String, type: FieldType) -> RecordError {
        .badRequest(
            "The value '\(name)' of a group is outside the range of \(type.schemaName). Narrow the condition, or ask for avg",
            cause: .tooLarge, details: [("value", .text(name.clipped)), ("type", .text(type.schemaName))])
    }
}
