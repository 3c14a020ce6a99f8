// Conditions on properties: `\.salesPrice >= 100 && \.salesPrice <= 500`. The model says which field a property is stored in;
// `@RecordCodable` writes that.

public func == <Model: RecordShape, Value: FieldConvertible>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "==", value) }
}

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

public func < <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<", value) }
}

public func <= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<=", value) }
}

public func > <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">", value) }
}

public func >= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">=", value) }
}

public func < <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<", value) }
}

public func <= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, "<=", value) }
}

public func > <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">", value) }
}

public func >= <Model: RecordShape, Value: FieldConvertible & Comparable>(
    path: KeyPath<Model, Value?>, value: Value
) -> Filter<Model> {
    .on(path) { .comparing($0, ">=", value) }
}
