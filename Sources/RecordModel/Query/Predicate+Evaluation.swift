/// What a condition is evaluated on: a record, as fields with values.
package protocol PredicateSubject {
    /// The value of a scalar field; `nil` if the record does not have it.
    func value(of field: QueryField) -> QueryValue?
    /// The members of a list field; empty if the record does not have it.
    func members(of field: QueryField) -> [QueryValue]
    /// Whether the record has the field, whatever its type. An explicit null is none.
    func isPresent(_ field: QueryField) -> Bool
}

extension Predicate {
    /// Whether the condition holds. Slow and obvious: what everything else that answers queries must agree with.
    package func evaluate(_ subject: some PredicateSubject) -> Bool {
        switch self {
        case .constant(let value): value
        case .condition(let condition): condition.evaluate(subject)
        case .and(let parts): parts.allSatisfy { $0.evaluate(subject) }
        case .or(let parts): parts.contains { $0.evaluate(subject) }
        case .not(let part): !part.evaluate(subject)
        }
    }
}

extension Condition {
    /// Whether the test holds for the field's value, or for one of its members. Of an absent field only `isNull` holds.
    package func evaluate(_ subject: some PredicateSubject) -> Bool {
        if test == .isNull { return !subject.isPresent(field) }
        switch self.subject {
        case .value: return subject.value(of: field).map(test.holds) ?? false
        case .anyMember: return subject.members(of: field).contains(where: test.holds)
        }
    }
}

extension ValueTest {
    /// Whether the test holds for a value that is there.
    package func holds(_ value: QueryValue) -> Bool {
        switch self {
        case .isNull: return false
        case .equals(let other): return value == other
        case .isIn(let others): return others.contains(value)
        case .isWithin(let range): return range.contains(value)
        case .hasPrefix(let prefix):
            guard case .text(let text) = value, !prefix.isEmpty else { return false }
            return text.starts(with: prefix)
        }
    }
}
