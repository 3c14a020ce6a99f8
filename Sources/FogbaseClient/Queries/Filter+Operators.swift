// Conditions on properties: `\.salesPrice >= 100 && \.salesPrice <= 500`. The model's `field(for:)` maps properties to
// fields. `@RecordCodable` generates this method.

/// Returns the condition that the field equals a value.
public func == <Model: RecordShape, Value: FieldConvertible>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "==", value) }
}

/// Returns the condition that the field does not equal a value. Records without the field match.
public func != <Model: RecordShape, Value: FieldConvertible>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "!=", value) }
}

/// Returns the condition that the field equals a value; `nil` matches the records without the field.
public func == <Model: RecordShape, Value: FieldConvertible>(
    path: KeyPath<Model, Value?>, value: Value?
) -> Filter<Model> {
    .on(path) { .equal($0, value) }
}

/// Returns the condition that the field does not equal a value. Records without the field match; `nil` matches the
/// records with the field.
public func != <Model: RecordShape, Value: FieldConvertible>(
    path: KeyPath<Model, Value?>, value: Value?
) -> Filter<Model> {
    .on(path) { .unequal($0, value) }
}

/// Returns the condition that the field is less than a value.
public func < <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<", value) }
}

/// Returns the condition that the field is less than or equal to a value.
public func <= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<=", value) }
}

/// Returns the condition that the field is greater than a value.
public func > <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">", value) }
}

/// Returns the condition that the field is greater than or equal to a value.
public func >= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">=", value) }
}

/// Returns the condition that the field exists and is less than a value.
public func < <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<", value) }
}

/// Returns the condition that the field exists and is less than or equal to a value.
public func <= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<=", value) }
}

/// Returns the condition that the field exists and is greater than a value.
public func > <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">", value) }
}

/// Returns the condition that the field exists and is greater than or equal to a value.
public func >= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">=", value) }
}
