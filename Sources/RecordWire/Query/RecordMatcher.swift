package import RecordModel

/// Asks a stored record whether a predicate holds, without decoding more of it than the predicate looks at.
///
/// It must agree with `Predicate.evaluate`, which is slow and obvious; the oracle tests compare the two.
package struct RecordMatcher: Sendable {
    private let predicate: Predicate

    /// - Parameter predicate: Bound to the type of the records that are asked.
    package init(_ predicate: Predicate) {
        self.predicate = predicate
        isTrivial = predicate == .constant(true)
    }

    /// Whether every record matches.
    package let isTrivial: Bool

    /// - Throws: `INTERNAL_ERROR` if the record's stored fields are damaged.
    package func matches(_ record: IndexedRecord) throws(RecordError) -> Bool {
        try Self.holds(predicate, record)
    }

    private static func holds(_ predicate: Predicate, _ record: IndexedRecord) throws(RecordError) -> Bool {
        switch predicate {
        case .constant(let value): return value
        case .not(let inner): return try !holds(inner, record)
        case .and(let list):
            for part in list where try !holds(part, record) { return false }
            return true
        case .or(let list):
            for part in list where try holds(part, record) { return true }
            return false
        case .condition(let condition): return try holds(condition, record)
        }
    }

    private static func holds(_ condition: Condition, _ record: IndexedRecord) throws(RecordError) -> Bool {
        if case .isNull = condition.test {
            guard case .field(let field) = condition.field else { return false }
            return record.fields.entry(field.id) == nil
        }
        if condition.subject == .anyMember {
            guard case .field(let field) = condition.field else { return false }
            for member in try record.members(of: field.id) where condition.test.holds(member) { return true }
            return false
        }
        let source: IndexDefinition.Source =
            switch condition.field {
            case .field(let field): .field(field.id)
            case .system(let field): .system(field)
            }
        guard let value = try record.value(of: source) else { return false }
        return condition.test.holds(value)
    }
}
