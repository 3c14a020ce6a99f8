// Overloads for types that no field can store. With these overloads, the compiler reports a clear error message instead
// of a list of candidates. The overloads are disfavored, so the compiler selects them only for such types.

extension FieldReader {
    /// Unavailable: no field can store a value of this type.
    @_disfavoredOverload
    @available(*, unavailable, message: "No field has a value of this type: make it conform to FieldConvertible")
    public mutating func decode<Value>(_ type: Value.Type = Value.self, for name: String) throws -> Value {
        preconditionFailure("No program that calls this compiles")
    }

    /// Unavailable: no field can store a value of this type.
    @_disfavoredOverload
    @available(*, unavailable, message: "No field has a value of this type: make it conform to FieldConvertible")
    public mutating func decodeIfPresent<Value>(_ type: Value.Type = Value.self, for name: String) throws -> Value? {
        preconditionFailure("No program that calls this compiles")
    }
}

extension FieldWriter {
    /// Unavailable: no field can store a value of this type.
    @_disfavoredOverload
    @available(*, unavailable, message: "No field has a value of this type: make it conform to FieldConvertible")
    public mutating func encode<Value>(_ value: Value, for name: String) throws {
        preconditionFailure("No program that calls this compiles")
    }
}
