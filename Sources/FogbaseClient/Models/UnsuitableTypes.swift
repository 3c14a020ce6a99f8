// Without these, the compiler has no sentence for a property whose type no field can have: it looks through all readers
// and writers, and says that none fits. They come last, and only for such a type.

extension FieldReader {
    /// Stands for a reader of a type that no field has, to say so.
    @_disfavoredOverload
    @available(*, unavailable, message: "No field has a value of this type: make it conform to FieldConvertible")
    public mutating func decode<Value>(_ type: Value.Type = Value.self, for name: String) throws -> Value {
        preconditionFailure("No program that calls this compiles")
    }

    /// Stands for a reader of a type that no field has, to say so.
    @_disfavoredOverload
    @available(*, unavailable, message: "No field has a value of this type: make it conform to FieldConvertible")
    public mutating func decodeIfPresent<Value>(_ type: Value.Type = Value.self, for name: String) throws -> Value? {
        preconditionFailure("No program that calls this compiles")
    }
}

extension FieldWriter {
    /// Stands for a writer of a type that no field has, to say so.
    @_disfavoredOverload
    @available(*, unavailable, message: "No field has a value of this type: make it conform to FieldConvertible")
    public mutating func encode<Value>(_ value: Value, for name: String) throws {
        preconditionFailure("No program that calls this compiles")
    }
}
