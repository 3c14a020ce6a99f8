internal import RecordModel

/// What a condition, as far as its parts are joined by AND, demands of one scalar field.
struct FieldFacts: Hashable, Sendable {
    /// The values that the field can have; `nil` inside means absent. An empty list: no record matches.
    var values: [QueryValue?]?
    /// Bounds, if `values` is `nil`.
    var range: ValueRange?
    var prefix: [UInt8]?
    /// The parts that these stand for.
    var parts: Set<Int> = []

    /// Whether all matches have one value of the field.
    var isConstant: Bool { values?.count == 1 }

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

    /// Takes a test in.
    ///
    /// - Returns: Whether the facts say all that the test does.
    mutating func add(_ test: ValueTest, part: Int) -> Bool {
        switch test {
        case .isNull: restrict(to: [nil])
        case .equals(let value): restrict(to: [value])
        case .isIn(let list): restrict(to: list)
        case .isWithin(let other): restrict(to: other)
        case .hasPrefix(let text):
            // Of two prefixes one begins with the other, or nothing matches; the second is left to the records.
            guard prefix == nil else { return false }
            prefix = text
        }
        parts.insert(part)
        return true
    }

    /// Lets values that the bounds exclude go, so that one kind of fact is left where values are known.
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

/// A condition taken apart at its ANDs.
struct ConditionParts {
    /// The parts, in the order in which they stand.
    let parts: [Predicate]
    /// What they demand of scalar fields.
    private(set) var facts: [QueryField: FieldFacts] = [:]
    /// The order in which fields were first named.
    private(set) var fields: [QueryField] = []
    /// Parts that test the members of a list with what an index can find.
    private(set) var listParts: [(part: Int, field: QueryField, test: ValueTest)] = []
    /// Parts that are an OR.
    private(set) var choices: [(part: Int, branches: [Predicate])] = []

    init(_ predicate: Predicate) {
        switch predicate {
        case .and(let list): parts = list
        case .constant(true): parts = []
        case .constant(false), .condition, .or, .not: parts = [predicate]
        }
        for (number, part) in parts.enumerated() { add(part, number) }
        for field in fields { facts[field]?.settle() }
    }

    private mutating func add(_ part: Predicate, _ number: Int) {
        switch part {
        // Indexes know accounts by their numbers, and this value stands for too many of them.
        case .condition(let condition) where condition.namesGoneAccounts: break
        case .condition(let condition) where condition.subject == .value:
            add(condition.test, of: condition.field, number)
        case .condition(let condition):
            if case .isNull = condition.test { return }
            listParts.append((number, condition.field, condition.test))
        case .not(.condition(let condition)) where condition.subject == .value && condition.test == .isNull:
            // There: a range without bounds.
            if !condition.field.type.isList { add(.isWithin(ValueRange()), of: condition.field, number) }
        case .or(let branches): choices.append((number, branches))
        case .constant, .not, .and: break
        }
    }

    private mutating func add(_ test: ValueTest, of field: QueryField, _ number: Int) {
        guard field.isOrdered else { return }
        if facts[field] == nil { fields.append(field) }
        _ = facts[field, default: FieldFacts()].add(test, part: number)
    }

    /// The condition without some of its parts.
    func without(_ covered: Set<Int>) -> Predicate {
        joined { !covered.contains($0) }
    }

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

    /// Whether some part can never hold.
    var isImpossible: Bool {
        parts.contains(.constant(false)) || facts.values.contains { $0.values?.isEmpty == true }
    }
}

extension QueryField {
    /// Whether its values have a form that an index of scalars keeps.
    var isOrdered: Bool {
        switch type {
        case .string, .int64, .double, .timestamp, .reference: true
        default: false
        }
    }

    /// The column of an index that holds it; `nil` for what no index holds.
    var source: IndexDefinition.Source? {
        switch self {
        case .field(let field): .field(field.id)
        case .system(.recordName): nil
        case .system(let field): .system(field)
        }
    }
}
