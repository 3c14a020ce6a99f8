package import RecordModel

/// Asks a stored record whether a predicate holds, without decoding more of it than the predicate looks at.
///
/// It must agree with `Predicate.evaluate`, which is slow and obvious; the oracle tests compare the two.
package struct RecordMatcher: Sendable {
    private let root: Node
    /// How many values are asked by more than one condition.
    private let sharedValues: Int

    /// Whether every record matches.
    package let isTrivial: Bool

    /// - Parameter predicate: Bound to the type of the records that are asked.
    package init(_ predicate: Predicate) {
        isTrivial = predicate == .constant(true)
        var preparation = Preparation(predicate)
        root = preparation.node(predicate)
        sharedValues = preparation.slots.count
    }

    /// - Parameter meter: Is told of the work before it is done.
    package func matches(_ record: IndexedRecord, _ meter: inout MatchMeter) throws(MatchObstacle) -> Bool {
        if isTrivial { return true }
        meter.begin()
        var asked = AskedRecord(record, sharedValues: sharedValues)
        return try holds(root, &asked, &meter)
    }

    private func holds(
        _ node: Node, _ record: inout AskedRecord, _ meter: inout MatchMeter
    ) throws(MatchObstacle) -> Bool {
        switch node {
        case .constant(let value): return value
        case .not(let inner): return try !holds(inner, &record, &meter)
        case .and(let list):
            for part in list where try !holds(part, &record, &meter) { return false }
            return true
        case .or(let list):
            for part in list where try holds(part, &record, &meter) { return true }
            return false
        case .isAbsent(let field): return try !record.has(field, &meter)
        case .value(let source, let asDouble, let slot, let test):
            guard let (value, bytes) = try record.value(of: source, asDouble: asDouble, slot: slot, &meter) else {
                return false
            }
            try meter.spend(test.work(values: 1, bytes: bytes))
            return test.holds(value)
        case .anyMember(let field, let asDouble, let slot, let test):
            let (members, bytes) = try record.members(of: field, asDouble: asDouble, slot: slot, &meter)
            try meter.spend(test.work(values: members.count, bytes: bytes))
            return members.contains(where: test.holds)
        }
    }

    // MARK: Preparing

    /// A predicate as it is asked.
    private indirect enum Node: Sendable {
        case constant(Bool)
        case not(Node)
        case and([Node])
        case or([Node])
        case isAbsent(field: Int)
        /// The slot is where a value is kept that others ask for, too. Integers are read as DOUBLE where the field is one.
        case value(IndexDefinition.Source, asDouble: Bool, slot: Int?, MatcherTest)
        case anyMember(field: Int, asDouble: Bool, slot: Int?, MatcherTest)
    }

    private struct Preparation {
        /// Where the values are kept that more than one condition asks for.
        private(set) var slots: [IndexDefinition.Source: Int] = [:]

        init(_ predicate: Predicate) {
            if case .condition = predicate { return }
            var known: Set<IndexDefinition.Source> = []
            findShared(in: predicate, &known)
        }

        private mutating func findShared(in predicate: Predicate, _ known: inout Set<IndexDefinition.Source>) {
            switch predicate {
            case .constant: return
            case .not(let inner): findShared(in: inner, &known)
            case .and(let list), .or(let list): for part in list { findShared(in: part, &known) }
            case .condition(let condition):
                if case .isNull = condition.test { return }
                let source = condition.field.anySource
                if !known.insert(source).inserted, slots[source] == nil { slots[source] = slots.count }
            }
        }

        mutating func node(_ predicate: Predicate) -> Node {
            switch predicate {
            case .constant(let value): return .constant(value)
            case .not(let inner): return .not(node(inner))
            case .and(let list): return .and(list.map { node($0) })
            case .or(let list): return .or(list.map { node($0) })
            case .condition(let condition): return node(condition)
            }
        }

        private func node(_ condition: Condition) -> Node {
            let source = condition.field.anySource
            if case .isNull = condition.test {
                guard case .field(let field) = source else { return .constant(false) }
                return .isAbsent(field: field)
            }
            let asDouble = condition.field.type.element == .double
            guard condition.subject == .anyMember else {
                return .value(source, asDouble: asDouble, slot: slots[source], MatcherTest(condition.test))
            }
            guard case .field(let field) = source else { return .constant(false) }
            return .anyMember(field: field, asDouble: asDouble, slot: slots[source], MatcherTest(condition.test))
        }
    }
}

/// A test of a matcher: many values are found by their hash.
private struct MatcherTest: Sendable {
    private let test: ValueTest
    private let values: Set<QueryValue>?
    /// The values that each is compared with, one by one.
    private let comparisons: Int
    /// The bytes of the texts among them.
    private let textBytes: Int

    /// To compare with fewer costs less than to hash.
    private static let fewValues = 16

    init(_ test: ValueTest) {
        self.test = test
        switch test {
        case .isIn(let list) where list.count > Self.fewValues:
            values = Set(list)
            comparisons = 0
            textBytes = 0
        case .isIn(let list):
            values = nil
            comparisons = list.count
            textBytes = list.reduce(0) { $0 + $1.textBytes }
        case .isNull:
            (values, comparisons, textBytes) = (nil, 1, 0)
        case .equals(let value):
            (values, comparisons, textBytes) = (nil, 1, value.textBytes)
        case .isWithin(let range):
            values = nil
            comparisons = 2
            textBytes = (range.lower?.value.textBytes ?? 0) + (range.upper?.value.textBytes ?? 0)
        case .hasPrefix(let prefix):
            (values, comparisons, textBytes) = (nil, 1, prefix.count)
        }
    }

    func holds(_ value: QueryValue) -> Bool {
        if let values { values.contains(value) } else { test.holds(value) }
    }

    /// The work of testing some values, whose texts have `bytes` together.
    func work(values count: Int, bytes: Int) -> Int {
        // A hash is of the whole text, a comparison of no more than the shorter one.
        values == nil ? count * comparisons * 8 + min(count * textBytes, bytes * comparisons) : count * 32 + bytes * 4
    }
}

extension QueryValue {
    fileprivate var textBytes: Int { if case .text(let text) = self { text.count } else { 0 } }
}

/// A record while a predicate is asked: what several conditions look at is decoded once.
private struct AskedRecord {
    private let record: IndexedRecord
    private var values: [(value: QueryValue, bytes: Int)??]
    private var members: [(members: [QueryValue], bytes: Int)?]

    init(_ record: IndexedRecord, sharedValues: Int) {
        self.record = record
        values = Array(repeating: nil, count: sharedValues)
        members = Array(repeating: nil, count: sharedValues)
    }

    func has(_ field: Int, _ meter: inout MatchMeter) throws(MatchObstacle) -> Bool {
        try meter.spend(record.searchWork)
        return record.fields.entry(field) != nil
    }

    mutating func value(
        of source: IndexDefinition.Source, asDouble: Bool, slot: Int?, _ meter: inout MatchMeter
    ) throws(MatchObstacle) -> (value: QueryValue, bytes: Int)? {
        if let slot, let known = values[slot] { return known }
        try meter.spend(record.searchWork)
        let bytes = record.bytes(of: source)
        try meter.spend(bytes)
        let found: QueryValue?
        do throws(RecordError) { found = try record.value(of: source, asDouble: asDouble) } catch {
            throw .damaged(error)
        }
        let answer = found.map { (value: $0, bytes: bytes) }
        if let slot { values[slot] = .some(answer) }
        return answer
    }

    mutating func members(
        of field: Int, asDouble: Bool, slot: Int?, _ meter: inout MatchMeter
    ) throws(MatchObstacle) -> (members: [QueryValue], bytes: Int) {
        if let slot, let known = members[slot] { return known }
        try meter.spend(record.searchWork)
        let bytes = record.bytes(of: .field(field))
        // Each member is a value of its own, whose length is not known before.
        try meter.spend(bytes * 4 + min(bytes / 8, Limits.listMembers) * 100)
        let found: [QueryValue]
        do throws(RecordError) {
            found = try record.members(of: field, asDouble: asDouble)
        } catch { throw .damaged(error) }
        if let slot { members[slot] = (found, bytes) }
        return (found, bytes)
    }
}

extension IndexedRecord {
    /// What it costs to find a field, once for its length and once for its value.
    fileprivate var searchWork: Int { 16 + fields.count * 32 }
}
