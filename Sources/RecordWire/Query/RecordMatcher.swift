internal import Geography
package import RecordModel
internal import TextSearch

/// Evaluates a predicate on stored records. The matcher decodes only the fields that the predicate uses.
///
/// The result must agree with `Predicate.evaluate`, the simple reference implementation. The oracle tests compare both.
package struct RecordMatcher: Sendable {
    private let root: Node
    /// The number of values that more than one condition uses.
    private let sharedValues: Int

    /// Whether every record matches.
    package let isTrivial: Bool

    /// Creates a matcher for a predicate.
    ///
    /// - Parameter predicate: A predicate that is bound to the type of the records.
    package init(_ predicate: Predicate) {
        isTrivial = predicate == .constant(true)
        var preparation = Preparation(predicate)
        root = preparation.node(predicate)
        sharedValues = preparation.slots.count
    }

    /// Returns whether a record matches.
    ///
    /// - Parameter meter: The meter that is charged before each piece of work.
    /// - Throws: `damaged` for damaged fields, and any error that the meter throws.
    package func matches(_ record: IndexedRecord, _ meter: inout MatchCostMeter) throws(MatchFailure) -> Bool {
        if isTrivial { return true }
        meter.begin()
        var asked = RecordUnderTest(record, sharedValues: sharedValues)
        return try holds(root, &asked, &meter)
    }

    private func holds(
        _ node: Node, _ record: inout RecordUnderTest, _ meter: inout MatchCostMeter
    ) throws(MatchFailure) -> Bool {
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
            return try test.holds(value, &meter)
        case .members(let field, let isEvery, let asDouble, let slot, let test):
            let (members, bytes) = try record.members(of: field, asDouble: asDouble, slot: slot, &meter)
            try meter.spend(test.work(values: members.count, bytes: bytes))
            for member in members where try test.holds(member, &meter) != isEvery { return !isEvery }
            return isEvery
        case .search(let fields, let words):
            var texts: [[UInt8]] = []
            for field in fields { texts += try record.texts(of: field, &meter) }
            return words.matches(texts)
        case .distance(let field, let origin, let test):
            let places = try record.places(of: field, &meter)
            guard let distance = QueryValue(distanceFrom: origin, to: places) else { return false }
            return try test.holds(distance, &meter)
        case .places(let field, let isEvery, let area):
            let places = try record.places(of: field, &meter)
            for place in places {
                try meter.spend(64 + area.prepared.edgeCount)
                if area.prepared.contains(place) != isEvery { return !isEvery }
            }
            return isEvery
        case .memberCount(let field, let test):
            return try test.holds(.integer(Int64(try record.memberCount(of: field, &meter))), &meter)
        }
    }

    // MARK: Preparing

    /// The predicate, prepared for evaluation.
    private indirect enum Node: Sendable {
        case constant(Bool)
        case not(Node)
        case and([Node])
        case or([Node])
        case isAbsent(field: Int)
        /// A test of a value. The slot stores a value that several conditions use. If the field is a DOUBLE, integers
        /// are converted to DOUBLE.
        case value(IndexDefinition.Source, asDouble: Bool, slot: Int?, MatcherTest)
        /// A test of at least one member, or of every member.
        case members(field: Int, isEvery: Bool, asDouble: Bool, slot: Int?, MatcherTest)
        case memberCount(field: Int, MatcherTest)
        case search(fields: [Int], SearchText)
        /// A test of the distance of the nearest place.
        case distance(field: Int, from: Place, MatcherTest)
        /// A test whether at least one place, or every place, lies in a region.
        case places(field: Int, isEvery: Bool, PlaceArea)
    }

    private struct Preparation {
        /// The slots of the values that more than one condition uses.
        private(set) var slots: [IndexDefinition.Source: Int] = [:]

        init(_ predicate: Predicate) {
            if case .condition = predicate { return }
            var known: Set<IndexDefinition.Source> = []
            findShared(in: predicate, &known)
        }

        private mutating func findShared(in predicate: Predicate, _ known: inout Set<IndexDefinition.Source>) {
            switch predicate {
            case .constant, .search: return
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
            case .search(let search): return .search(fields: search.fields.map(\.id), search.words)
            }
        }

        private func node(_ condition: Condition) -> Node {
            let source = condition.field.anySource
            if case .distance(let field, let origin) = condition.field {
                let isNull = condition.test == .isNull
                let test = MatcherTest(isNull ? .isWithin(ValueRange()) : condition.test, .exact)
                let node = Node.distance(field: field.id, from: origin, test)
                return isNull ? .not(node) : node
            }
            if case .isInside(let area) = condition.test {
                guard case .field(let field) = source else { return .constant(false) }
                return .places(field: field, isEvery: condition.subject == .everyMember, area)
            }
            if case .isNull = condition.test {
                guard case .field(let field) = source else { return .constant(false) }
                return .isAbsent(field: field)
            }
            let asDouble = condition.field.type.element == .double
            let test = MatcherTest(condition.test, condition.form)
            if condition.subject == .value {
                return .value(source, asDouble: asDouble, slot: slots[source], test)
            }
            guard case .field(let field) = source else { return .constant(false) }
            if condition.subject == .memberCount { return .memberCount(field: field, test) }
            return .members(
                field: field, isEvery: condition.subject == .everyMember, asDouble: asDouble, slot: slots[source], test)
        }
    }
}

/// A test, prepared for evaluation. A long list of values becomes a hash set.
private struct MatcherTest: Sendable {
    private let test: ValueTest
    private let form: TextForm
    private let values: Set<QueryValue>?
    /// Searches for the text that a value must contain.
    private let finder: TextFinder?
    /// A pattern that a value must match. Its work depends on the text, and is charged as it is done.
    private let pattern: TextPattern?
    /// The number of values with which each tested value is compared.
    private let comparisons: Int
    /// The number of bytes of all texts that tested values are compared with.
    private let textBytes: Int
    /// The work for each byte of a tested value, in units of about 1 ns, besides its form and comparing it.
    private let workPerByte: Int
    /// How many bytes of a value's form decide the test.
    private let decidingBytes: Int

    /// The number of values below which comparing costs less than hashing.
    private static let fewValues = 16

    init(_ test: ValueTest, _ form: TextForm) {
        self.test = test
        self.form = form
        if case .contains(let part) = test { finder = TextFinder(part) } else { finder = nil }
        decidingBytes = test.decidingBytes
        if case .matches(let pattern) = test {
            self.pattern = pattern
            workPerByte = TextPattern.workPerByte
        } else {
            pattern = nil
            workPerByte = finder == nil ? 0 : 2
        }
        switch test {
        case .isIn(let list) where list.count > Self.fewValues:
            values = Set(list)
            comparisons = 0
            textBytes = 0
        case .isIn(let list):
            values = nil
            comparisons = list.count
            textBytes = list.reduce(0) { $0 + $1.textBytes }
        case .isNull, .isInside:
            (values, comparisons, textBytes) = (nil, 1, 0)
        case .equals(let value):
            (values, comparisons, textBytes) = (nil, 1, value.textBytes)
        case .isWithin(let range):
            values = nil
            comparisons = 2
            textBytes = (range.lower?.value.textBytes ?? 0) + (range.upper?.value.textBytes ?? 0)
        case .hasPrefix(let prefix):
            (values, comparisons, textBytes) = (nil, 1, prefix.count)
        case .contains, .matches, .leadsTo:
            (values, comparisons, textBytes) = (nil, 0, 0)
        }
    }

    /// Returns whether the test holds. The caller has charged `work`.
    func holds(_ value: QueryValue, _ meter: inout MatchCostMeter) throws(MatchFailure) -> Bool {
        let value = try form.of(value, first: decidingBytes) { work throws(MatchFailure) in try meter.spend(work) }
        if let pattern {
            guard case .text(let text) = value else { return false }
            return try pattern.matches(text) { work throws(MatchFailure) in try meter.spend(work) }
        }
        if let finder { return finder.isContained(in: value) }
        return if let values { values.contains(value) } else { test.holds(value) }
    }

    /// Returns the work of testing `count` values whose texts have `bytes` bytes in total, without the work of their forms
    /// and of a pattern's states.
    func work(values count: Int, bytes: Int) -> Int {
        // Hashing reads the whole text. A comparison reads at most the length of the shorter text.
        let work =
            values == nil
            ? count * comparisons * 8 + min(count * textBytes, bytes * comparisons) : count * 32 + bytes * 4
        return work + bytes * workPerByte
    }
}

/// A record during the evaluation of a predicate. Values that several conditions use are decoded once.
private struct RecordUnderTest {
    private let record: IndexedRecord
    private var values: [(value: QueryValue, bytes: Int)??]
    private var members: [(members: [QueryValue], bytes: Int)?]

    init(_ record: IndexedRecord, sharedValues: Int) {
        self.record = record
        values = Array(repeating: nil, count: sharedValues)
        members = Array(repeating: nil, count: sharedValues)
    }

    func has(_ field: Int, _ meter: inout MatchCostMeter) throws(MatchFailure) -> Bool {
        try meter.spend(record.searchWork)
        return record.fields.entry(field) != nil
    }

    mutating func value(
        of source: IndexDefinition.Source, asDouble: Bool, slot: Int?, _ meter: inout MatchCostMeter
    ) throws(MatchFailure) -> (value: QueryValue, bytes: Int)? {
        if let slot, let known = values[slot] { return known }
        try meter.spend(record.searchWork)
        let bytes = record.bytes(of: source)
        try meter.spend(bytes)
        let found: QueryValue?
        do throws(RecordError) { found = try record.value(of: source, asDouble: asDouble) } catch {
            throw .damaged(error)
        }
        let response = found.map { (value: $0, bytes: bytes) }
        if let slot { values[slot] = .some(response) }
        return response
    }

    func texts(of field: Int, _ meter: inout MatchCostMeter) throws(MatchFailure) -> [[UInt8]] {
        let bytes = record.bytes(of: .field(field))
        try meter.spend(record.searchWork + bytes * SearchCondition.workPerByte)
        do throws(RecordError) { return try record.texts(of: field) } catch { throw .damaged(error) }
    }

    func memberCount(of field: Int, _ meter: inout MatchCostMeter) throws(MatchFailure) -> Int {
        try meter.spend(record.searchWork)
        let bytes = record.bytes(of: .field(field))
        try meter.spend(bytes * 4 + min(bytes / 8, Limits.listMembers) * 100)
        do throws(RecordError) { return try record.memberCount(of: field) } catch { throw .damaged(error) }
    }

    func places(of field: Int, _ meter: inout MatchCostMeter) throws(MatchFailure) -> [Place] {
        try meter.spend(record.searchWork)
        let bytes = record.bytes(of: .field(field))
        try meter.spend(bytes * 4 + min(bytes / 8, Limits.listMembers) * 100)
        do throws(RecordError) { return try record.places(of: field) } catch { throw .damaged(error) }
    }

    mutating func members(
        of field: Int, asDouble: Bool, slot: Int?, _ meter: inout MatchCostMeter
    ) throws(MatchFailure) -> (members: [QueryValue], bytes: Int) {
        if let slot, let known = members[slot] { return known }
        try meter.spend(record.searchWork)
        let bytes = record.bytes(of: .field(field))
        // Each member is decoded to a separate value. The number of members is not known before decoding.
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
    /// The work of finding a field twice: once for its length, once for its value.
    fileprivate var searchWork: Int { 16 + fields.count * 32 }
}
