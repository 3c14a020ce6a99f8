// Conditions on system fields: `.filter(.createdAt, lessThan: date)`. The overloads are disfavored, so that a model's
// field with the same name takes precedence.

extension Query {
    /// Adds the condition that the field equals a value; `nil` matches the records without the field.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible>(
        _ key: SystemKey, equals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.equal(key.rawValue, value), join)
    }

    /// Adds the condition that the field does not equal a value. Records without the field match; `nil` matches the
    /// records with the field.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible>(
        _ key: SystemKey, notEquals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.unequal(key.rawValue, value), join)
    }

    /// Adds the condition that the field equals one of several values. An empty array matches no record.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible>(
        _ key: SystemKey, in value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.member(key.rawValue, "IN", value), join)
    }

    /// Adds the condition that the field is in a closed range.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, in value: ClosedRange<Value>, _ join: Join = .and
    ) -> Query {
        filter(.range(key.rawValue, value), join)
    }

    /// Adds the condition that the field is in a half-open range.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, in value: Range<Value>, _ join: Join = .and
    ) -> Query {
        filter(.range(key.rawValue, value), join)
    }

    /// Adds the condition that the field is less than a value.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, lessThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(key.rawValue, "<", value), join)
    }

    /// Adds the condition that the field is less than or equal to a value.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, atMost value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(key.rawValue, "<=", value), join)
    }

    /// Adds the condition that the field is greater than a value.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, greaterThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(key.rawValue, ">", value), join)
    }

    /// Adds the condition that the field is greater than or equal to a value.
    @_disfavoredOverload
    public func filter<Value: FieldConvertible & Comparable>(
        _ key: SystemKey, atLeast value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(key.rawValue, ">=", value), join)
    }

    /// Adds a system field to sort by. Earlier sort fields take precedence.
    @_disfavoredOverload
    public func sorted(by key: SystemKey, ascending: Bool = true) -> Query {
        Query(self, sortedBy: key.rawValue, ascending: ascending)
    }
}
