internal import Geography

/// A test of the record to which a reference leads, such as `author.name == 'ada'`.
///
/// The test is true if it is true for the target. Without a readable target, it has the result of a test of an absent
/// field. The schema does not say to which type a reference leads, so the test has a predicate for each type with such a
/// field. A target of another type lacks the field.
package struct TargetTest: Hashable, Sendable {
    /// The test of the targets of one type.
    package struct Branch: Hashable, Sendable {
        /// The type of the target.
        package var typeName: RecordTypeName
        /// The number of the type.
        package var type: TypeID
        /// The predicate that the target must match, bound to its type.
        package var predicate: Predicate
    }

    /// The tests by type, at least one.
    package var branches: [Branch]
    /// The result for a record without a readable target of one of the types.
    package var holdsIfAbsent: Bool

    /// Returns whether the test holds.
    ///
    /// - Parameter target: The record to which the reference leads, and its type; `nil` for none.
    package func holds(for target: (type: TypeID, record: any PredicateSubject)?) -> Bool {
        guard let target, let branch = branches.first(where: { $0.type == target.type }) else { return holdsIfAbsent }
        return branch.predicate.evaluate(target.record)
    }
}

extension Limits {
    /// The most tests of other records in a predicate.
    package static let targetTests = 10
    /// The most types whose records one test of another record may find.
    package static let targetTypes = 50
}

/// A record without fields.
struct AbsentRecord: PredicateSubject {
    func value(of field: QueryField) -> QueryValue? { nil }
    func members(of field: QueryField) -> [QueryValue] { [] }
    func places(of field: QueryField) -> [Place] { [] }
    func memberCount(of field: QueryField) -> Int { 0 }
    func isPresent(_ field: QueryField) -> Bool { false }
}

extension Predicate {
    /// Whether the predicate tests other records.
    package var hasTargetTests: Bool {
        switch self {
        case .constant, .search: false
        case .not(let inner): inner.hasTargetTests
        case .and(let list), .or(let list): list.contains(where: \.hasTargetTests)
        case .condition(let condition): if case .leadsTo = condition.test { true } else { false }
        }
    }

    /// The conditions that test other records, without duplicates, by first mention.
    package var targetConditions: [Condition] {
        var found: [Condition] = []
        collectTargets(into: &found)
        return found
    }

    private func collectTargets(into found: inout [Condition]) {
        switch self {
        case .constant, .search: return
        case .not(let inner): inner.collectTargets(into: &found)
        case .and(let list), .or(let list): for part in list { part.collectTargets(into: &found) }
        case .condition(let condition):
            if case .leadsTo = condition.test, !found.contains(condition) { found.append(condition) }
        }
    }

    /// Returns the predicate with the tests of other records replaced.
    ///
    /// - Parameter replacement: Returns the predicate that replaces a condition of `targetConditions`.
    package func replacingTargetTests(_ replacement: (Condition, TargetTest) -> Predicate) -> Predicate {
        switch self {
        case .constant, .search: self
        case .not(let inner): .not(inner.replacingTargetTests(replacement))
        case .and(let list): .and(list.map { $0.replacingTargetTests(replacement) })
        case .or(let list): .or(list.map { $0.replacingTargetTests(replacement) })
        case .condition(let condition):
            if case .leadsTo(let test) = condition.test { replacement(condition, test) } else { self }
        }
    }

    /// Returns the predicate with the same tests of another field.
    func testing(_ field: QueryField) -> Predicate {
        switch self {
        case .constant: return self
        case .not(let inner): return .not(inner.testing(field))
        case .and(let list): return .and(list.map { $0.testing(field) })
        case .or(let list): return .or(list.map { $0.testing(field) })
        case .condition(var condition):
            condition.field = field
            return .condition(condition)
        case .search(var search):
            if case .field(let definition) = field { search.fields = [definition] }
            return .search(search)
        }
    }
}
