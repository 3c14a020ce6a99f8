// Conditions on properties: `\.salesPrice >= 100 && \.salesPrice <= 500`. The model says which field a property is stored in;
// `@RecordCodable` writes that.

/// Finds records whose field equals a value.
public func == <Model: RecordShape, Value: FieldConvertible>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "==", value) }
}

/// Finds records whose field does not have a value; those without the field are among them.
public func != <Model: RecordShape, Value: FieldConvertible>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "!=", value) }
}

/// An absent value finds records without the field.
public func == <Model: RecordShape, Value: FieldConvertible>(
    path: KeyPath<Model, Value?>, value: Value?
) -> Filter<Model> {
    .on(path) { .equal($0, value) }
}

/// An absent value finds records that have the field; any other finds records without it too.
public func != <Model: RecordShape, Value: FieldConvertible>(
    path: KeyPath<Model, Value?>, value: Value?
) -> Filter<Model> {
    .on(path) { .unequal($0, value) }
}

/// Finds records whose field is less than a value.
public func < <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<", value) }
}

/// Finds records whose field is a value or less.
public func <= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<=", value) }
}

/// Finds records whose field is greater than a value.
public func > <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">", value) }
}

/// Finds records whose field is a value or greater.
public func >= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">=", value) }
}

/// Finds records that have the field, and less in it than a value.
public func < <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<", value) }
}

/// Finds records that have the field, and in it a value or less.
public func <= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<=", value) }
}

/// Finds records that have the field, and more in it than a value.
public func > <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">", value) }
}

/// Finds records that have the field, and in it a value or more.
public func >= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">=", value) }
}
