/// A condition on the records of one type, bound to its schema: fields are known and values have the fields' types.
///
/// It has two truth values. A test of an absent field is false, except `isNull`; `not` inverts, so `!=` and `NOT` match
/// absent fields.
package indirect enum Predicate: Hashable, Sendable {
    case constant(Bool)
    case condition(Condition)
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)
}

/// One test of one field.
package struct Condition: Hashable, Sendable {
    /// What of the field is tested.
    package enum Subject: Hashable, Sendable {
        /// The value of a scalar field; of any field with `isNull`.
        case value
        /// At least one member of a list.
        case anyMember
    }

    package var field: QueryField
    package var subject: Subject
    package var test: ValueTest

    package init(_ field: QueryField, _ test: ValueTest, subject: Subject = .value) {
        self.field = field
        self.subject = subject
        self.test = test
    }
}

/// What must hold of a value.
package enum ValueTest: Hashable, Sendable {
    /// The field is absent, which an explicit null is too.
    case isNull
    case equals(QueryValue)
    case isIn([QueryValue])
    /// Between two bounds. A range without bounds holds for every value that is there.
    case isWithin(ValueRange)
    /// Text that begins with these bytes, of which there is at least one.
    case hasPrefix([UInt8])
}

/// A range of values of one field.
package struct ValueRange: Hashable, Sendable {
    /// One end of a range.
    package struct Bound: Hashable, Sendable {
        package var value: QueryValue
        package var isInclusive: Bool

        package init(_ value: QueryValue, isInclusive: Bool) {
            self.value = value
            self.isInclusive = isInclusive
        }
    }

    /// `nil` for no bound.
    package var lower: Bound?
    /// `nil` for no bound.
    package var upper: Bound?

    package init(lower: Bound? = nil, upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether a value of the field lies within the bounds.
    package func contains(_ value: QueryValue) -> Bool {
        if let lower, value.precedes(lower.value) || (!lower.isInclusive && value == lower.value) { return false }
        if let upper, upper.value.precedes(value) || (!upper.isInclusive && value == upper.value) { return false }
        return true
    }
}
