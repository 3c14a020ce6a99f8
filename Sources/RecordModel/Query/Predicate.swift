/// A predicate on the records of one type, bound to its schema: fields are resolved and values have the fields' types.
///
/// The logic has two truth values. A test of an absent field is false, except for `isNull`. `not` inverts the result,
/// so `!=` and `NOT` match absent fields.
package indirect enum Predicate: Hashable, Sendable {
    case constant(Bool)
    case condition(Condition)
    /// A search for words in texts.
    case search(SearchCondition)
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)
}

/// One condition: a test of one field.
package struct Condition: Hashable, Sendable {
    /// Selects whether the value or the members of the field are tested.
    package enum Subject: Hashable, Sendable {
        /// The value of a scalar field. `isNull` accepts a field of any type.
        case value
        /// At least one member of a list.
        case anyMember
        /// All members of a list. The test holds for a record without members.
        case everyMember
        /// The number of members of a list, as an integer; 0 if the record lacks the list.
        case memberCount
    }

    /// The tested field.
    package var field: QueryField
    /// The form of the field's texts that is tested. The texts of the test have this form.
    package var form: TextForm
    /// Whether the value or the members of the field are tested.
    package var subject: Subject
    /// The test that the value or member must pass.
    package var test: ValueTest

    /// Creates a condition that tests a field, or the members of a list field.
    package init(_ field: QueryField, _ test: ValueTest, subject: Subject = .value, form: TextForm = .exact) {
        self.field = field
        self.form = form
        self.subject = subject
        self.test = test
    }

    /// The field in the form that is tested.
    package var indexedField: IndexedField { IndexedField(field, form) }
}

/// The test that a value must pass.
package enum ValueTest: Hashable, Sendable {
    /// The field is absent or explicitly null.
    case isNull
    case equals(QueryValue)
    case isIn([QueryValue])
    /// The value lies between two bounds. A range without bounds holds for every present value.
    case isWithin(ValueRange)
    /// The text starts with these UTF-8 bytes. There is at least one byte.
    case hasPrefix([UInt8])
    /// The text contains these UTF-8 bytes. There is at least one byte.
    case contains([UInt8])
    /// The whole text matches a pattern.
    case matches(TextPattern)
    /// The reference leads to a record that passes a test. Before planning, `isIn` with the names of those records
    /// replaces it.
    case leadsTo(TargetTest)
    /// The place lies in a region.
    case isInside(PlaceArea)
}

/// A range of values of one field.
package struct ValueRange: Hashable, Sendable {
    /// One bound of a range.
    package struct Bound: Hashable, Sendable {
        /// The value of the bound.
        package var value: QueryValue
        /// Whether the range contains the bound.
        package var isInclusive: Bool

        /// Creates a lower or upper bound of a range.
        package init(_ value: QueryValue, isInclusive: Bool) {
            self.value = value
            self.isInclusive = isInclusive
        }
    }

    /// The lower bound; `nil` for none.
    package var lower: Bound?
    /// The upper bound; `nil` for none.
    package var upper: Bound?

    /// Creates a range between two bounds. Without bounds, it contains all present values.
    package init(lower: Bound? = nil, upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Returns whether a value of the field lies within the bounds.
    package func contains(_ value: QueryValue) -> Bool {
        if let lower, value.precedes(lower.value) || (!lower.isInclusive && value == lower.value) { return false }
        if let upper, upper.value.precedes(value) || (!upper.isInclusive && value == upper.value) { return false }
        return true
    }
}
