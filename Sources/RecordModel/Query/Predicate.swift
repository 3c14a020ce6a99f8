/// A condition on the records of one type, bound to its schema: fields are known and values have the fields' types.
///
/// It has two truth values. A test of an absent field is false, except `isNull`; `not` inverts, so `!=` and `NOT` match
/// absent fields.
public indirect enum Predicate: Hashable, Sendable {
    case constant(Bool)
    case condition(Condition)
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)
}

/// One test of one field.
public struct Condition: Hashable, Sendable {
    /// What of the field is tested.
    public enum Subject: Hashable, Sendable {
        /// The value of a scalar field; of any field with `isNull`.
        case value
        /// At least one member of a list.
        case anyMember
    }

    public var field: QueryField
    public var subject: Subject
    public var test: ValueTest

    public init(_ field: QueryField, _ test: ValueTest, subject: Subject = .value) {
        self.field = field
        self.subject = subject
        self.test = test
    }
}

/// What must hold of a value.
public enum ValueTest: Hashable, Sendable {
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
public struct ValueRange: Hashable, Sendable {
    /// One end of a range.
    public struct Bound: Hashable, Sendable {
        public var value: QueryValue
        public var isInclusive: Bool

        public init(_ value: QueryValue, isInclusive: Bool) {
            self.value = value
            self.isInclusive = isInclusive
        }
    }

    /// `nil` for no bound.
    public var lower: Bound?
    /// `nil` for no bound.
    public var upper: Bound?

    public init(lower: Bound? = nil, upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether a value of the field lies within the bounds.
    public func contains(_ value: QueryValue) -> Bool {
        if let lower, value.precedes(lower.value) || (!lower.isInclusive && value == lower.value) { return false }
        if let upper, upper.value.precedes(value) || (!upper.isInclusive && value == upper.value) { return false }
        return true
    }
}
