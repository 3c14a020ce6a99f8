// Conditions on what every record has: `.filter(.createdAt, lessThan: date)`. Where a model has a field with the same name,
// that one is meant: so these are disfavoured.

extension Query {
    /// Records whose field is this value; none finds records without the field.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible>(
        _ key: SystemKey, equals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.equal(key.rawValue, value), join)
    }

    /// Records whose field is not this value, and those without it; none finds records that have the field.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible>(
        _ key: SystemKey, notEquals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.unequal(key.rawValue, value), join)
    }

    /// Records whose field is one of these values.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible>(
        _ key: SystemKey, in value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.member(key.rawValue, "IN", value), join)
    }

    /// Records whose field lies in a range, both ends included.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, in value: ClosedRange<Value>, _ join: Join = .and
    ) -> Query {
        filter(.range(key.rawValue, value), join)
    }

    /// Records whose field lies in a range, its end not included.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, in value: Range<Value>, _ join: Join = .and
    ) -> Query {
        filter(.range(key.rawValue, value), join)
    }

    /// Records whose field is less than a value.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, lessThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(key.rawValue, "<", value), join)
    }

    /// Records whose field is this value or less.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, atMost value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(key.rawValue, "<=", value), join)
    }

    /// Records whose field is greater than a value.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, greaterThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(key.rawValue, ">", value), join)
    }

    /// Records whose field is this value or greater.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, atLeast value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(key.rawValue, ">=", value), join)
    }

    /// Sorts by what every record has, after what was given before.
    @_disfavoredOverload
    public func sorted(by key: SystemKey, ascending: Bool = true) -> Query {
        sorted(byName: key.rawValue, ascending)
    }
}
