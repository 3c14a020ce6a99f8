public import Foundation
internal import RecordModel
internal import RecordWire

/// Reads the fields of one record into a model. Fields that nobody asks for are never decoded.
public struct FieldReader: ~Copyable {
    var scanner: FieldScanner

    init(_ scanner: FieldScanner) {
        self.scanner = scanner
    }

    /// The names of the fields that the record has.
    public var names: [String] { scanner.names }

    /// Reads a field that must be there.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not have it, or with another type.
    public mutating func decode<Value: FieldConvertible>(
        _ type: Value.Type = Value.self, for name: String
    ) throws -> Value {
        guard let value = try decodeIfPresent(type, for: name) else { throw FogbaseError.missingField(name) }
        return value
    }

    /// Reads a field that may be absent.
    ///
    /// - Returns: `nil` if the record does not have it.
    /// - Throws: `FogbaseError.decoding` if it has another type.
    public mutating func decodeIfPresent<Value: FieldConvertible>(
        _ type: Value.Type = Value.self, for name: String
    ) throws -> Value? {
        guard let index = scanner.find(name) else { return nil }
        guard let found = scanner.value(of: index), let value = Value(fieldValue: found) else {
            throw mismatch(name, index, Value.fieldType)
        }
        return value
    }

    /// Reads a field, or says what stands for it where it is absent.
    public mutating func decode<Value: FieldConvertible>(
        _ type: Value.Type = Value.self, for name: String, default absent: @autoclosure () -> Value
    ) throws -> Value {
        try decodeIfPresent(type, for: name) ?? absent()
    }

    private func mismatch(_ name: String, _ index: Int, _ expected: FieldType) -> FogbaseError {
        .typeMismatch(name, expected: expected.schemaName, found: scanner.shape(of: index))
    }

    /// Reads by one of the scanner's short ways, which make no `FieldValue`.
    @inline(__always)
    private mutating func read<Value>(
        _ name: String, _ type: FieldType, _ value: (borrowing FieldScanner, Int) -> Value?
    ) throws -> Value? {
        guard let index = scanner.find(name) else { return nil }
        guard let value = value(scanner, index) else { throw mismatch(name, index, type) }
        return value
    }
}

// The same for the types that most fields have, without a detour.
extension FieldReader {
    /// Reads a text; `nil` where the field is absent.
    public mutating func decodeIfPresent(_ type: String.Type = String.self, for name: String) throws -> String? {
        try read(name, .string) { $0.string($1) }
    }

    /// Reads a whole number; `nil` where the field is absent.
    public mutating func decodeIfPresent(_ type: Int.Type = Int.self, for name: String) throws -> Int? {
        try read(name, .int64) { $0.int64($1).flatMap { Int(exactly: $0) } }
    }

    /// Reads a whole number of 64 bits; `nil` where the field is absent.
    public mutating func decodeIfPresent(_ type: Int64.Type = Int64.self, for name: String) throws -> Int64? {
        try read(name, .int64) { $0.int64($1) }
    }

    /// Reads a number; `nil` where the field is absent.
    public mutating func decodeIfPresent(_ type: Double.Type = Double.self, for name: String) throws -> Double? {
        try read(name, .double) { $0.double($1) }
    }

    /// Reads a truth value, which a record has as 0 or 1; `nil` where the field is absent.
    public mutating func decodeIfPresent(_ type: Bool.Type = Bool.self, for name: String) throws -> Bool? {
        try read(name, .int64) { $0.int64($1).flatMap { Bool(fieldValue: .int64($0)) } }
    }

    /// Reads a moment, which a record has in milliseconds; `nil` where the field is absent.
    public mutating func decodeIfPresent(_ type: Date.Type = Date.self, for name: String) throws -> Date? {
        try read(name, .timestamp) { $0.timestamp($1).map { Date(milliseconds: $0) } }
    }

    /// Reads a list of texts; `nil` where the field is absent.
    public mutating func decodeIfPresent(_ type: [String].Type = [String].self, for name: String) throws -> [String]? {
        try read(name, .stringList) { $0.strings($1) }
    }

    /// Reads a text that must be there.
    public mutating func decode(_ type: String.Type = String.self, for name: String) throws -> String {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a whole number that must be there.
    public mutating func decode(_ type: Int.Type = Int.self, for name: String) throws -> Int {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a whole number of 64 bits that must be there.
    public mutating func decode(_ type: Int64.Type = Int64.self, for name: String) throws -> Int64 {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a number that must be there.
    public mutating func decode(_ type: Double.Type = Double.self, for name: String) throws -> Double {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a truth value that must be there, which a record has as 0 or 1.
    public mutating func decode(_ type: Bool.Type = Bool.self, for name: String) throws -> Bool {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a moment that must be there, which a record has in milliseconds.
    public mutating func decode(_ type: Date.Type = Date.self, for name: String) throws -> Date {
        try required(decodeIfPresent(type, for: name), name)
    }

    /// Reads a list of texts that must be there.
    public mutating func decode(_ type: [String].Type = [String].self, for name: String) throws -> [String] {
        try required(decodeIfPresent(type, for: name), name)
    }

    @inline(__always)
    private func required<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw FogbaseError.missingField(name) }
        return value
    }
}
