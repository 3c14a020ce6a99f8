// Conditions on fields by name: `.filter(.price, in: 100...500)`.

extension Query {
    /// Adds the condition that the field equals a value; `nil` matches the records without the field.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, equals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.equal(field.rawValue, value), join)
    }

    /// Adds the condition that the field does not equal a value. Records without the field match; `nil` matches the
    /// records with the field.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, notEquals value: Value?, _ join: Join = .and
    ) -> Query {
        filter(.unequal(field.rawValue, value), join)
    }

    /// Adds the condition that the field equals one of several values. An empty array matches no record.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, in value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.member(field.rawValue, "IN", value), join)
    }

    /// Adds the condition that the field is in a closed range.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, in value: ClosedRange<Value>, _ join: Join = .and
    ) -> Query {
        filter(.range(field.rawValue, value), join)
    }

    /// Adds the condition that the field is in a half-open range.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, in value: Range<Value>, _ join: Join = .and
    ) -> Query {
        filter(.range(field.rawValue, value), join)
    }

    /// Adds the condition that the field is less than a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, lessThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, "<", value), join)
    }

    /// Adds the condition that the field is less than or equal to a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, atMost value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, "<=", value), join)
    }

    /// Adds the condition that the field is greater than a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, greaterThan value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, ">", value), join)
    }

    /// Adds the condition that the field is greater than or equal to a value.
    public func filter<Value: FieldConvertible & Comparable>(
        _ field: Model.Fields, atLeast value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, ">=", value), join)
    }

    /// Adds the condition that the list contains a member.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, contains value: Value, _ join: Join = .and
    ) -> Query {
        filter(.comparing(field.rawValue, "CONTAINS", value), join)
    }

    /// Adds the condition that the list contains at least one of several members.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, anyIn value: [Value], _ join: Join = .and
    ) -> Query {
        filter(.any(field.rawValue, in: value), join)
    }

    /// Adds the condition that the list contains none of several members. Empty lists match.
    public func filter<Value: FieldConvertible>(
        _ field: Model.Fields, noneIn value: [Value], _ join: Join = .and
    ) -> Query {
        filter(!.any(field.rawValue, in: value), join)
    }

    /// Adds the condition that the string begins with a prefix.
    public func filter(_ field: Model.Fields, beginsWith value: String, _ join: Join = .and) -> Query {
        filter(.comparing(field.rawValue, "BEGINSWITH", value), join)
    }

    /// Adds the condition that the field is missing (`true`) or exists (`false`).
    public func filter(_ field: Model.Fields, isAbsent: Bool, _ join: Join = .and) -> Query {
        filter(.absence(of: field.rawValue, isAbsent), join)
    }

    /// Adds a sort field. Earlier sort fields take precedence.
    ///
    /// - Parameters:
    ///   - field: The field to sort by.
    ///   - ascending: Whether the values ascend.
    ///   - differences: The differences between strings that the sort ignores.
    ///   - absent: The place of records without the field; `nil` for the first in ascending order, and the last in
    ///     descending order.
    public func sorted(
        by field: Model.Fields, ascending: Bool = true, ignoring differences: TextDifferences = [],
        absent: AbsentPlacement? = nil
    ) -> Query {
        Query(
            self, sortedBy: field.rawValue + differences.modifiers + (absent.map { " nulls \($0.rawValue)" } ?? ""),
            ascending: ascending)
    }

    /// Adds several sort fields with the same direction.
    public func sorted(by fields: [Model.Fields], ascending: Bool = true) -> Query {
        fields.reduce(self) { $0.sorted(by: $1, ascending: ascending) }
    }
}
