// Conditions on fields by their names: `.filter(.price, in: 100...500)`.

extension Query {
    /// Records whose field is this value; none finds records without the field.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, equals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.equal(field.rawValue, value), join)
    }

    /// Records whose field is not this value, and those without it; none finds records that have the field.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, notEquals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.unequal(field.rawValue, value), join)
    }

    /// Records whose field is one of these values.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, in value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.member(field.rawValue, "IN", value), join)
    }

    /// Records whose field lies in a range, both ends included.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, in value: ClosedRange<Value>, _ join: Join = .and
    ) -> Query {
        filter(.range(field.rawValue, value), join)
    }

    /// Records whose field lies in a range, its end not included.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, in value: Range<Value>, _ join: Join = .and
    ) -> Query {
        filter(.range(field.rawValue, value), join)
    }

    /// Records whose field is less than a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, lessThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, "<", value), join)
    }

    /// Records whose field is this value or less.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, atMost value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, "<=", value), join)
    }

    /// Records whose field is greater than a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, greaterThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, ">", value), join)
    }

    /// Records whose field is this value or greater.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, atLeast value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, ">=", value), join)
    }

    /// Records whose list has this member.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, contains value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, "CONTAINS", value), join)
    }

    /// Records whose list has one of these members.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, anyIn value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.any(field.rawValue, in: value), join)
    }

    /// Records whose list has none of these members, or no member.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, noneIn value: [Value], _ join: Join = .and
    ) -> Query {
        filter(!.any(field.rawValue, in: value), join)
    }

    /// Records whose text begins with this one.
    public func filter(_ field: Model.Fields, beginsWith value: String, _ join: Join = .and) -> Query {
        filter(.comparing(field.rawValue, "BEGINSWITH", value), join)
    }

    /// Records without the field, or those that have it.
    public func filter(_ field: Model.Fields, isAbsent: Bool, _ join: Join = .and) -> Query {
        filter(.absence(of: field.rawValue, isAbsent), join)
    }

    /// Sorts by a field, after those that were given before.
    public func sorted(by field: Model.Fields, ascending: Bool = true) -> Query {
        sorted(byName: field.rawValue, ascending)
    }

    /// Sorts by several fields in one direction.
    public func sorted(by fields: [Model.Fields], ascending: Bool = true) -> Query {
        fields.reduce(self) { $0.sorted(by: $1, ascending: ascending) }
    }
}
