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
        evaluate(subject) { _ in }
    }

    /// Returns whether the predicate holds, like `evaluate`, with a limit on the work.
    ///
    /// - Parameter charge: Takes work in units of about 1 ns, before or shortly after it is done. If the function
    ///   throws, the evaluation ends.
    /// - Throws: The errors of `charge`.
    package func evaluate<Failure: Error>(
        _ subject: some PredicateSubject, _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        switch self {
        case .constant(let value): return value
        case .condition(let condition): return try condition.evaluate(subject, charge)
        case .search(let search): return search.evaluate(subject)
        case .and(let parts):
            for part in parts where try !part.evaluate(subject, charge) { return false }
            return true
        case .or(let parts):
            for part in parts where try part.evaluate(subject, charge) { return true }
            return false
        case .not(let part): return try !part.evaluate(subject, charge)
        }
    }
}

extension Condition {
    /// Returns whether the test holds for the field's value, or for at least one member of a list. For an absent field,
    /// only `isNull`, tests of every member and tests of the number of members hold.
    ///
    /// - Throws: The errors of `charge`, as `Predicate.evaluate`.
    func evaluate<Failure: Error>(
        _ subject: some PredicateSubject, _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        try charge(Self.work)
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
        case .value:
            guard let value = subject.comparedValue(of: field) else { return false }
            return try holds(value, charge)
        case .anyMember:
            for member in subject.members(of: field) where try holds(member, charge) { return true }
            return false
        case .everyMember:
            for member in subject.members(of: field) where try !holds(member, charge) { return false }
            return true
        case .memberCount: return try test.holds(.integer(Int64(subject.memberCount(of: field))), charge)
        }
    }

    /// The work of one condition, besides what depends on the value.
    private static var work: Int { 32 }

    private func holds<Failure: Error>(
        _ value: QueryValue, _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        let value = form == .exact ? value : try form.of(value, first: test.decidingBytes, charge)
        return try test.holds(value, charge)
    }
}

extension ValueTest {
    /// How many bytes of a text, from its start, decide the test, or more.
    package var decidingBytes: Int {
        switch self {
        case .equals(let value): value.textBytes + 1
        case .isIn(let values): (values.lazy.map(\.textBytes).max() ?? 0) + 1
        case .isWithin(let range):
            max(range.lower?.value.textBytes ?? 0, range.upper?.value.textBytes ?? 0) + 1
        case .hasPrefix(let prefix): prefix.count
        case .isNull, .isInside, .leadsTo: 0
        case .contains, .matches: .max
        }
    }

    /// Returns whether the test holds for a present value.
    package func holds(_ value: QueryValue) -> Bool {
        holds(value) { _ in }
    }

    /// Returns whether the test holds for a present value, with a limit on the work.
    ///
    /// - Throws: The errors of `charge`, as `Predicate.evaluate`.
    package func holds<Failure: Error>(
        _ value: QueryValue, _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        switch self {
        case .isNull, .isInside: return false
        case .equals(let other): return value == other
        case .isIn(let others):
            try charge(others.count * 8)
            return others.contains(value)
        case .isWithin(let range): return range.contains(value)
        case .hasPrefix(let prefix):
            guard case .text(let text) = value, !prefix.isEmpty else { return false }
            return text.starts(with: prefix)
        case .contains(let part):
            guard case .text(let text) = value, !part.isEmpty else { return false }
            for start in text.indices {
                var length = 0
                while length < part.count, start + length < text.count, text[start + length] == part[length] {
                    length += 1
                }
                if length == part.count { return true }
                try charge(1 + length)
            }
            return false
        case .matches(let pattern):
            guard case .text(let text) = value else { return false }
            try charge(text.count * TextPattern.workPerByte)
            return try pattern.matches(text, charge)
        // The name of a record does not decide the test.
        case .leadsTo: return false
        }
    }
}
