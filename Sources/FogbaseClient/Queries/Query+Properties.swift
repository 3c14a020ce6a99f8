// Conditions on properties, whose values the compiler checks: `.filter(\.price, in: 100...500)`.

extension Query {
    /// Records whose field is this value; none finds records without the field.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, Value?>, equals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .equal($0, value) }, join)
    }

    /// Records whose field is not this value, and those without it; none finds records that have the field.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, Value?>, notEquals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .unequal($0, value) }, join)
    }

    /// Records whose field is one of these values.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, Value>, in value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .member($0, "IN", value) }, join)
    }

    /// Records whose field lies in a range, both ends included.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, in value: ClosedRange<Value>, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .range($0, value) }, join)
    }

    /// Records whose field lies in a range, its end not included.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, in value: Range<Value>, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .range($0, value) }, join)
    }

    /// Records whose field is less than a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, lessThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, "<", value) }, join)
    }

    /// Records whose field is this value or less.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, atMost value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, "<=", value) }, join)
    }

    /// Records whose field is greater than a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, greaterThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, ">", value) }, join)
    }

    /// Records whose field is this value or greater.
    public func filter<Value: FieldConvertible & Comparable>(
        _ path: KeyPath<Model, Value>, atLeast value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, ">=", value) }, join)
    }

    /// Records whose list has this member.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, [Value]>, contains value: Value, _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .comparing($0, "CONTAINS", value) }, join)
    }

    /// Records whose list has one of these members.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, [Value]>, anyIn value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .any($0, in: value) }, join)
    }

    /// Records whose list has none of these members, or no member.
    public func filter<Value: FieldConvertible>(
        _ path: KeyPath<Model, [Value]>, noneIn value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.on(path) { !.any($0, in: value) }, join)
    }

    /// Records whose text begins with this one.
    public func filter(_ path: KeyPath<Model, String>, beginsWith value: String, _ join: Join = .and) -> Query {
        filter(.on(path) { .comparing($0, "BEGINSWITH", value) }, join)
    }

    /// Sorts by a property, after what was given before. One that is stored in no field is refused when the query is sent.
    public func sorted<Value>(by path: KeyPath<Model, Value>, ascending: Bool = true) -> Query {
        guard let field = Model.field(for: path) else { return filter(.on(path) { _ in .all }) }
        return sorted(byName: field.rawValue, ascending)
    }
}
