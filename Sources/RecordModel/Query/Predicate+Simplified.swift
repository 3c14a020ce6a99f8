extension Predicate {
    /// Returns an equivalent, shorter predicate.
    ///
    /// - Nested ANDs and ORs are flattened.
    /// - Constants are folded, and double negations removed.
    /// - A connective of one part becomes that part, and duplicate parts are removed.
    /// - In an OR, the equalities of one field become one `isIn`.
    /// - In an AND, the ranges of one scalar field become one range.
    /// - NOT is not moved into its operand.
    ///
    /// - Complexity: O(n · depth).
    package func simplified() -> Predicate {
        switch self {
        case .constant: return self
        case .condition(let condition): return condition.simplified()
        case .search(let search):
            return search.isImpossible ? .constant(false) : self
        case .not(let part):
            switch part.simplified() {
            case .constant(let value): return .constant(!value)
            case .not(let inner): return inner
            case let inner: return .not(inner)
            }
        case .and(let parts):
            guard let flat = Self.flatten(parts, isAnd: true), let merged = Self.intersectRanges(flat) else {
                return .constant(false)
            }
            return Self.joined(merged, isAnd: true)
        case .or(let parts):
            guard let flat = Self.flatten(parts, isAnd: false) else { return .constant(true) }
            return Self.joined(Self.uniteEqualities(flat), isAnd: false)
        }
    }

    /// Returns the simplified parts of a connective, including the parts of nested connectives of the same kind. The
    /// result is `nil` if a constant decides the result.
    private static func flatten(_ parts: [Predicate], isAnd: Bool) -> [Predicate]? {
        var flat: [Predicate] = []
        for part in parts {
            switch part.simplified() {
            case .constant(let value): if value != isAnd { return nil }
            case .and(let inner) where isAnd: flat += inner
            case .or(let inner) where !isAnd: flat += inner
            case let other: flat.append(other)
            }
        }
        return flat
    }

    private static func joined(_ parts: [Predicate], isAnd: Bool) -> Predicate {
        var seen: Set<Predicate> = []
        let distinct = parts.filter { seen.insert($0).inserted }
        if distinct.count == 1 { return distinct[0] }
        if distinct.isEmpty { return .constant(isAnd) }
        return isAnd ? .and(distinct) : .or(distinct)
    }

    /// Merges the ranges of each scalar field into one range, at the position of the first. The result is `nil` if a
    /// merged range is empty.
    private static func intersectRanges(_ parts: [Predicate]) -> [Predicate]? {
        var merged: [Predicate] = []
        var locations: [IndexedField: Int] = [:]
        var ranges: [IndexedField: ValueRange] = [:]
        for part in parts {
            guard case .condition(let condition) = part, condition.subject == .value,
                case .isWithin(let range) = condition.test
            else {
                merged.append(part)
                continue
            }
            if let known = ranges[condition.indexedField] {
                ranges[condition.indexedField] = known.intersection(range)
            } else {
                locations[condition.indexedField] = merged.count
                ranges[condition.indexedField] = range
                merged.append(part)
            }
        }
        for (field, location) in locations {
            guard let range = ranges[field] else { continue }
            let simplified = Condition(field.field, .isWithin(range), form: field.form).simplified()
            if simplified == .constant(false) { return nil }
            merged[location] = simplified
        }
        return merged
    }

    /// Merges the equalities of each field and subject into one `isIn`, at the position of the first equality.
    private static func uniteEqualities(_ parts: [Predicate]) -> [Predicate] {
        struct Key: Hashable {
            var field: IndexedField
            var subject: Condition.Subject
        }
        var merged: [Predicate] = []
        var locations: [Key: Int] = [:]
        var values: [Key: [QueryValue]] = [:]
        for part in parts {
            // A list can have every member in one of two sets without having every member in the same set.
            guard case .condition(let condition) = part, condition.subject != .everyMember,
                let equal = condition.test.equalities
            else {
                merged.append(part)
                continue
            }
            let key = Key(field: condition.indexedField, subject: condition.subject)
            if locations[key] == nil {
                locations[key] = merged.count
                merged.append(part)
            }
            values[key, default: []] += equal
        }
        for (key, location) in locations {
            guard let values = values[key] else { continue }
            merged[location] = Condition(
                key.field.field, .isIn(values), subject: key.subject, form: key.field.form
            ).simplified()
        }
        return merged
    }
}

extension Condition {
    fileprivate func simplified() -> Predicate {
        switch test {
        case .isIn(let values):
            var seen: Set<QueryValue> = []
            let distinct = values.filter { seen.insert($0).inserted }
            // A record without members passes every test of all members.
            if distinct.isEmpty { return subject == .everyMember ? .condition(self) : .constant(false) }
            return with(distinct.count == 1 ? .equals(distinct[0]) : .isIn(distinct))
        case .isWithin(let range):
            if range.isEmpty { return subject == .everyMember ? .condition(self) : .constant(false) }
            if let lower = range.lower, lower.value == range.upper?.value { return with(.equals(lower.value)) }
            guard range == ValueRange() else { return .condition(self) }
            switch subject {
            case .value: return Predicate.not(.condition(Condition(field, .isNull))).simplified()
            case .everyMember, .memberCount: return .constant(true)
            case .anyMember: return .condition(self)
            }
        case .hasPrefix(let text), .contains(let text):
            return text.isEmpty && subject != .everyMember ? .constant(false) : .condition(self)
        case .isNull:
            // Every record has all system fields.
            if case .system = field { return .constant(false) }
            return .condition(Condition(field, .isNull))
        case .equals, .matches, .isInside, .leadsTo: return .condition(self)
        }
    }

    private func with(_ test: ValueTest) -> Predicate {
        .condition(Condition(field, test, subject: subject, form: form))
    }
}

extension ValueTest {
    /// The values for which the test is an equality; `nil` for other tests.
    fileprivate var equalities: [QueryValue]? {
        switch self {
        case .equals(let value): [value]
        case .isIn(let values): values
        default: nil
        }
    }
}

extension ValueRange {
    /// Returns the intersection of two ranges.
    fileprivate func intersection(_ other: ValueRange) -> ValueRange {
        var range = self
        if let bound = other.lower {
            if let lower, !lower.value.precedes(bound.value), lower.value != bound.value || !lower.isInclusive {
            } else {
                range.lower = bound
            }
        }
        if let bound = other.upper {
            if let upper, !bound.value.precedes(upper.value), upper.value != bound.value || !upper.isInclusive {
            } else {
                range.upper = bound
            }
        }
        return range
    }
}
