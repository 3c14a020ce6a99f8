public import Foundation
internal import RecordModel
internal import RecordWire

/// A reader of the fields of one record. Only the requested fields are decoded.
public struct FieldReader: ~Copyable {
    var scanner: FieldScanner

    init(_ scanner: FieldScanner) {
        self.scanner = scanner
    }

    /// The names of the fields in the record.
    public var names: [String] { scanner.names }

    /// Reads a required field.
    ///
    /// - Throws: `FogbaseError.decoding` if the field is missing or has another type.
    public mutating func decode<Value: FieldConvertible>(
        _ type: Value.Type = Value.self, for name: String
    ) throws -> Value {
        guard let value = try decodeIfPresent(type, for: name) else { throw FogbaseError.missingField(name) }
        return value
    }

    /// Reads an optional field.
    ///
    /// - Returns: The value; `nil` if the field is missing.
    /// - Throws: `FogbaseError.decoding` if the field has another type.
    public mutating func decodeIfPresent<Value: FieldConvertible>(
        _ type: Value.Type = Value.self, for name: String
    ) throws -> Value? {
        guard let index = scanner.find(name) else { return nil }
        guard let found = scanner.value(of: index), let value = Value(fieldValue: found) else {
            throw mismatch(name, index, Value.fieldType)
        }
        return value
    }

    /// Reads a field, or returns a default value if the field is missing.
    ///
    /// - Throws: `FogbaseError.decoding` if the field has another type.
    public mutating func decode<Value: FieldConvertible>(
        _ type: Value.Type = Value.self, for name: String, default absent: @autoclosure () -> Value
    ) throws -> Value {
        try decodeIfPresent(type, for: name) ?? absent()
    }

    private func mismatch(_ name: String, _ index: Int, _ expected: FieldType) -> FogbaseError {
        .typeMismatch(name, expected: expected.schemaName, found: scanner.shape(of: index))
    }

    /// Reads a field with a fast path of the scanner, which creates no `FieldValue`.
    @inline(__always)
    private mutating func read<Value>(
        _ name: String, _ type: FieldType, _ value: (borrowing FieldScanner, Int) -> Value?
    ) throws -> Value? {
        guard let index = scanner.find(name) else { return nil }
        guard let value = value(scanner, index) else { throw mismatch(name, index, type) }
        return value
    }
}

// Fast paths for the most common types.
extension FieldReader {
    /// Reads an optional string.
    ///
    /// - Throws: `FogbaseError.decoding` if the field has another type.
    public mutating func decodeIfPresent(_ type: String.Type = String.self, for name: String) throws -> String? {
        try read(name, .string) { $0.string($1) }
    }

    /// Reads an optional integer.
    ///
    /// - Throws: `FogbaseError.decoding` if the field has another type or the value does not fit into `Int`.
    public mutating func decodeIfPresent(_ type: Int.Type = Int.self, for name: String) throws -> Int? {
        try read(name, .int64) { $0.int64($1).flatMap { Int(exactly: $0) } }
    }

    /// Reads an optional 64-bit integer.
    ///
    /// - Throws: `FogbaseError.decoding` if the field has another type.
    public mutating func decodeIfPresent(_ type: Int64.Type = Int64.self, for name: String) throws -> Int64? {
        try read(name, .int64) { $0.int64($1) }
    }

    /// Reads an optional floating-point number.
    ///
    /// - Throws: `FogbaseError.decoding` if the field has another type.
    public mutating func decodeIfPresent(_ type: Double.Type = Double.self, for name: String) throws -> Double? {
        try read(name, .double) { $0.double($1) }
    }

    /// Reads an optional Boolean, stored as 0 or 1.
    ///
    /// - Throws: `FogbaseError.decoding` if the field has another type or value.
    public mutating func decodeIfPresent(_ type: Bool.Type = Bool.self, for name: String) throws -> Bool? {
        try read(name, .int64) { $0.int64($1).flatMap { Bool(fieldValue: .int64($0)) } }
    }

    /// Reads an optional date, stored in milliseconds since 1970.
    ///
    /// - Throws: `FogbaseError.decoding` if the field has another type.
    public mutating func decodeIfPresent(_ type: Date.Type = Date.self, for name: String) throws -> Date? {
        try read(name, .timestamp) { $0.timestamp($1).map { Date(milliseconds: $0) } }
    }

    /// Reads an optional list of strings.
    ///
    /// - Throws: `FogbaseError.decoding` if the field has another type.
    public mutating func decodeIfPresent(_ type: [String].Type = [String].self, for name: String) throws -> [String]? {
        try read(name, .stringList) { $0.strings($1) }
    }

    /// Reads a required string.
    ///
    /// - Throws: `FogbaseError.decoding` if the field is missing or has another type.
    public mutating func decode(_ type: String.Type = String.self, for name: String) throws -> String {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a required integer.
    ///
    /// - Throws: `FogbaseError.decoding` if the field is missing or has another type, or the value does not fit into
    ///   `Int`.
    public mutating func decode(_ type: Int.Type = Int.self, for name: String) throws -> Int {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a required 64-bit integer.
    ///
    /// - Throws: `FogbaseError.decoding` if the field is missing or has another type.
    public mutating func decode(_ type: Int64.Type = Int64.self, for name: String) throws -> Int64 {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a required floating-point number.
    ///
    /// - Throws: `FogbaseError.decoding` if the field is missing or has another type.
    public mutating func decode(_ type: Double.Type = Double.self, for name: String) throws -> Double {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a required Boolean, stored as 0 or 1.
    ///
    /// - Throws: `FogbaseError.decoding` if the field is missing or has another type or value.
    public mutating func decode(_ type: Bool.Type = Bool.self, for name: String) throws -> Bool {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a required date, stored in milliseconds since 1970.
    ///
    /// - Throws: `FogbaseError.decoding` if the field is missing or has another type.
    public mutating func decode(_ type: Date.Type = Date.self, for name: String) throws -> Date {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a required list of strings.
    ///
    /// - Throws: `FogbaseError.decoding` if the field is missing or has another type.
    public mutating func decode(_ type: [String].Type = [String].self, for name: String) throws -> [String] {
        try required(decodeIfPresent(type, for: name), name)
    }

    @inline(__always)
    private func required<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw FogbaseError.missingField(name) }
        return value
    }
}
