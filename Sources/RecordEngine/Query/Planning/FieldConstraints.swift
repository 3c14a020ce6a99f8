internal import RecordModel

/// The constraints on one scalar field that follow from the conjuncts of a predicate.
struct FieldConstraints: Hashable, Sendable {
    /// The possible values of the field. An inner `nil` represents an absent value. If the array is empty, no record
    /// matches.
    var values: [QueryValue?]?
    /// The bounds on the field; only used if `values` is `nil`.
    var range: ValueRange?
    var prefix: [UInt8]?
    /// The conjuncts that the constraints come from, as indexes into `Conjuncts.parts`.
    var parts: Set<Int> = []

    /// Whether the field has the same value in all matches.
    var isConstant: Bool { values?.count == 1 }

    /// Whether all matches have the field.
    var isPresent: Bool { values.map { !$0.contains(nil) } ?? true }

    private mutating func restrict(to wanted: [QueryValue?]) {
        guard let known = values else {
            values = wanted
            return
        }
        let set = Set(wanted)
        values = known.filter { set.contains($0) }
    }

    private mutating func restrict(to other: ValueRange) {
        var merged = range ?? ValueRange()
        if let lower = other.lower {
            if let mine = merged.lower {
                if mine.value.precedes(lower.value) || (mine.value == lower.value && !lower.isInclusive) {
                    merged.lower = lower
                }
            } else {
                merged.lower = lower
            }
        }
        if let upper = other.upper {
            if let mine = merged.upper {
                if upper.value.precedes(mine.value) || (mine.value == upper.value && !upper.isInclusive) {
                    merged.upper = upper
                }
            } else {
                merged.upper = upper
            }
        }
        range = merged
    }

    /// Narrows the constraints by a test.
    ///
    /// - Returns: Whether the constraints now cover the test completely. If not, each record found must also pass the
    ///   test.
    mutating func add(_ test: ValueTest, part: Int) -> Bool {
        switch test {
        case .isNull: restrict(to: [nil])
        case .equals(let value): restrict(to: [value])
        case .isIn(let list): restrict(to: list)
        case .isWithin(let other): restrict(to: other)
        // Constraints describe sets of values. A scan of all values in an index does not need less than reading them.
        case .contains, .matches, .isInside, .leadsTo: return false
        case .hasPrefix(let text):
            // If a text matches both prefixes, one prefix starts with the other. The second prefix is checked for each
            // record found.
            guard prefix == nil else { return false }
            prefix = text
        }
        parts.insert(part)
        return true
    }

    /// Removes the values outside the bounds, then the bounds. Does nothing if no values are known.
    mutating func settle() {
        guard var list = values else { return }
        if let range { list = list.filter { $0.map(range.contains) ?? false } }
        if let prefix {
            list = list.filter { value in
                if case .text(let text)? = value { text.starts(with: prefix) } else { false }
            }
        }
        var seen: Set<QueryValue?> = []
        values = list.filter { seen.insert($0).inserted }
        range = nil
        prefix = nil
    }
}

/// A predicate split at its top-level ANDs.
struct Conjuncts {
    /// The parts in their original order.
    let parts: [Predicate]
    /// The constraints on scalar fields.
    private(set) var facts: [IndexedField: FieldConstraints] = [:]
    /// The constrained fields, by first mention.
    private(set) var fields: [IndexedField] = []
    /// Conjuncts that test list members in a way that an index can serve.
    private(set) var listParts: [(part: Int, field: IndexedField, test: ValueTest)] = []
    /// Conjuncts that search within texts.
    private(set) var textParts: [(part: Int, field: IndexedField, text: [UInt8])] = []
    /// Conjuncts that search for words.
    private(set) var searches: [(part: Int, search: SearchCondition)] = []
    /// Conjuncts that test whether a place lies in a region.
    private(set) var placeParts: [(part: Int, field: QueryField, area: PlaceArea)] = []
    /// Conjuncts that are an OR.
    private(set) var choices: [(part: Int, branches: [Predicate])] = []

    init(_ predicate: Predicate) {
        switch predicate {
        case .and(let list): parts = list
        case .constant(true): parts = []
        case .constant(false), .condition, .search, .or, .not: parts = [predicate]
        }
        for (number, part) in parts.enumerated() { add(part, number) }
        for field in fields { facts[field]?.settle() }
    }

    private mutating func add(_ part: Predicate, _ number: Int) {
        switch part {
        // Indexes store account numbers. A condition on all deleted accounts would need too many account numbers.
        case .condition(let condition) where condition.namesDeletedAccounts: break
        case .condition(let condition) where condition.searchedText != nil:
            if let text = condition.searchedText { textParts.append((number, condition.indexedField, text)) }
        case .condition(let condition) where condition.testedArea != nil:
            if let area = condition.testedArea { placeParts.append((number, condition.field, area)) }
        case .condition(let condition) where condition.subject == .value:
            add(condition.test, of: condition.indexedField, number)
        case .condition(let condition) where condition.subject == .anyMember:
            if case .isNull = condition.test { return }
            listParts.append((number, condition.indexedField, condition.test))
        // A record without members passes a test of all members, and no index contains it.
        case .condition: break
        case .not(.condition(let condition)) where condition.subject == .value && condition.test == .isNull:
            // The test for presence is a range without bounds.
            if !condition.field.type.isList { add(.isWithin(ValueRange()), of: condition.indexedField, number) }
        case .search(let search): searches.append((number, search))
        case .or(let branches): choices.append((number, branches))
        case .constant, .not, .and: break
        }
    }

    private mutating func add(_ test: ValueTest, of field: IndexedField, _ number: Int) {
        guard field.field.isOrdered else { return }
        var constraints = facts[field] ?? FieldConstraints()
        guard constraints.add(test, part: number) || facts[field] != nil else { return }
        if facts[field] == nil { fields.append(field) }
        facts[field] = constraints
    }

    /// The predicate without the conjuncts in `covered`.
    func without(_ covered: Set<Int>) -> Predicate {
        joined { !covered.contains($0) }
    }

    /// The conjuncts in `chosen`, joined by AND.
    func together(_ chosen: Set<Int>) -> Predicate {
        joined { chosen.contains($0) }
    }

    private func joined(_ isWanted: (Int) -> Bool) -> Predicate {
        let wanted = parts.enumerated().filter { isWanted($0.offset) }.map(\.element)
        switch wanted.count {
        case 0: return .constant(true)
        case 1: return wanted[0]
        default: return .and(wanted)
        }
    }

    /// Whether at least one conjunct can never be true.
    var isImpossible: Bool {
        parts.contains(.constant(false)) || facts.values.contains { $0.values?.isEmpty == true }
    }
}

extension Condition {
    /// The text that a value or at least one member must contain; `nil` for other conditions.
    var searchedText: [UInt8]? {
        guard subject == .value || subject == .anyMember, case .contains(let text) = test else { return nil }
        return text
    }
}

extension Condition {
    /// The region in which a place or at least one member must lie; `nil` for other conditions.
    var testedArea: PlaceArea? {
        guard subject != .everyMember, case .isInside(let area) = test else { return nil }
        return area
    }
}

extension QueryField {
    /// Whether an index on scalar values can hold the field.
    var isOrdered: Bool {
        switch type {
        case .string, .int64, .double, .timestamp, .reference: true
        default: false
        }
    }

    /// The source of the index columns that contain the field; `nil` if no index can contain it.
    var source: IndexDefinition.Source? {
        switch self {
        case .field(let field): .field(field.id)
        case .system(.recordName), .distance, .rank: nil
        case .system(let field): .system(field)
        }
    }
}
