package import Geography

/// A record on which a predicate is evaluated, as fields with values.
package protocol PredicateSubject {
    /// Returns the value of a scalar field; `nil` if the record lacks it.
    func value(of field: QueryField) -> QueryValue?
    /// Returns the members of a list field; empty if the record lacks it.
    func members(of field: QueryField) -> [QueryValue]
    /// Returns the places of a LOCATION or LOCATION_LIST field; empty if the record lacks it.
    func places(of field: QueryField) -> [Place]
    /// Returns the number of members of a list field of any type; 0 if the record lacks it.
    func memberCount(of field: QueryField) -> Int
    /// Returns whether the record has a field of any type. An explicit null counts as absent.
    func isPresent(_ field: QueryField) -> Bool
    /// Returns the record to which a reference leads, and its type; `nil` if the record lacks the reference, or if the
    /// target does not exist or must not be read.
    func target(of field: QueryField) -> (type: TypeID, record: any PredicateSubject)?
}

extension PredicateSubject {
    /// Leads nowhere. Most subjects are tested with predicates without tests of other records.
    package func target(of field: QueryField) -> (type: TypeID, record: any PredicateSubject)? { nil }
}

extension Predicate {
    /// Returns whether the predicate holds for a record. This is the reference implementation: slow and simple. All
    /// other query code must agree with it.
    package func evaluate(_ subject: some PredicateSubject) -> Bool {
        switch self {
        case .constant(let value): value
        case .condition(let condition): condition.evaluate(subject)
        case .search(let search): search.evaluate(subject)
        case .and(let parts): parts.allSatisfy { $0.evaluate(subject) }
        case .or(let parts): parts.contains { $0.evaluate(subject) }
        case .not(let part): !part.evaluate(subject)
        }
    }
}

extension Condition {
    /// Returns whether the test holds for the field's value, or for at least one member of a list. For an absent field,
    /// only `isNull`, tests of every member and tests of the number of members hold.
    package func evaluate(_ subject: some PredicateSubject) -> Bool {
        if test == .isNull {
            return field.origin == nil ? !subject.isPresent(field) : subject.comparedValue(of: field) == nil
        }
        if case .leadsTo(let test) = test { return test.holds(for: subject.target(of: field)) }
        if case .isInside(let area) = test {
            let places = subject.places(of: field)
            return self.subject == .everyMember
                ? places.allSatisfy(area.prepared.contains) : places.contains(where: area.prepared.contains)
        }
        switch self.subject {
        case .value: return subject.comparedValue(of: field).map { test.holds(form.of($0)) } ?? false
        case .anyMember: return subject.members(of: field).contains { test.holds(form.of($0)) }
        case .everyMember: return subject.members(of: field).allSatisfy { test.holds(form.of($0)) }
        case .memberCount: return test.holds(.integer(Int64(subject.memberCount(of: field))))
        }
    }
}

extension ValueTest {
    /// Returns whether the test holds for a present value.
    package func holds(_ value: QueryValue) -> Bool {
        switch self {
        case .isNull, .isInside: return false
        case .equals(let other): return value == other
        case .isIn(let others): return others.contains(value)
        case .isWithin(let range): return range.contains(value)
        case .hasPrefix(let prefix):
            guard case .text(let text) = value, !prefix.isEmpty else { return false }
            return text.starts(with: prefix)
        case .contains(let part):
            guard case .text(let text) = value, !part.isEmpty else { return false }
            return text.indices.contains { text[$0...].starts(with: part) }
        case .matches(let pattern):
            if case .text(let text) = value { return pattern.matches(text) }
            return false
        // The name of a record does not decide the test.
        case .leadsTo: return false
        }
    }
}
