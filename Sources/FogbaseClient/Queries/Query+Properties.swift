// Conditions on properties: `.filter(\.price, in: 100...500)`. The compiler checks the types of the values.

extension Query {
    /// Adds the condition that the field equals a value; `nil` matches the records without the field.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, Value?>, equals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .equal($0, value) }, join)
    }

    /// Adds the condition that the field does not equal a value. Records without the field match; `nil` matches the
    /// records with the field.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, Value?>, notEquals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .unequal($0, value) }, join)
    }

    /// Adds the condition that the field equals one of several values. An empty array matches no record.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, Value>, in value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .member($0, "IN", value) }, join)
    }

    /// Adds the condition that the field is in a closed range.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, in value: ClosedRange<Value>, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .range($0, value) }, join)
    }

    /// Adds the condition that the field is in a half-open range.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, in value: Range<Value>, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .range($0, value) }, join)
    }

    /// Adds the condition that the field is less than a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, lessThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, "<", value) }, join)
    }

    /// Adds the condition that the field is less than or equal to a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, atMost value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, "<=", value) }, join)
    }

    /// Adds the condition that the field is greater than a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, greaterThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, ">", value) }, join)
    }

    /// Adds the condition that the field is greater than or equal to a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, atLeast value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, ">=", value) }, join)
    }

    /// Adds the condition that the list contains a member.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, [Value]>, contains value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, "CONTAINS", value) }, join)
    }

    /// Adds the condition that the list contains at least one of several members.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, [Value]>, anyIn value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .any($0, in: value) }, join)
    }

    /// Adds the condition that the list contains none of several members. Empty lists match.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, [Value]>, noneIn value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.on(path) { !.any($0, in: value) }, join)
    }

    /// Adds the condition that the string begins with a prefix.
    public func filter(_ path: KeyPath<Model, String>, beginsWith value: String, _ join: Join = .and) -> Query {
        filter(.on(path) { .comparing($0, "BEGINSWITH", value) }, join)
    }

    /// Adds the field of a property as a sort field. Earlier sort fields take precedence.
    ///
    /// If the property is not stored in a field, sending the query throws ``FogbaseError/invalidArgument(_:)``.
    public func sorted<Value>(by path: KeyPath<Model, Value>, ascending: Bool = true) -> Query {
        guard let field = Model.field(for: path) else { return filter(.on(path) { _ in .all }) }
        return Query(self, sortedBy: field.rawValue, ascending: ascending)
    }
}
