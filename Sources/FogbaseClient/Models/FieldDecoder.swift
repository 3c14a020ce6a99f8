internal import Foundation
internal import RecordModel

/// A decoder of record fields for `Decodable` models. Nested objects are decoded from JSON in a STRING field.
struct FieldDecoder: Decoder {
    let fields: [String: FieldValue]
    /// The type names of fields whose type this client does not know, by field name. The decoder must not treat such a
    /// field as missing.
    let unread: [String: String]
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ fields: [String: FieldValue], unread: [String: String]) {
        self.fields = fields
        self.unread = unread
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(fields: fields, unread: unread))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.notKeyed }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.notKeyed }

    private static let notKeyed = FogbaseError.invalidArgument("A model must be a type with properties")

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let fields: [String: FieldValue]
        let unread: [String: String]
        let codingPath: [any CodingKey] = []

        var allKeys: [Key] { (Array(fields.keys) + Array(unread.keys)).compactMap { Key(stringValue: $0) } }

        func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil || unread[key.stringValue] != nil }
        func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

        /// Decodes a property from a field value, or from JSON in a STRING field.
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            let name = key.stringValue
            guard let value = fields[name] else {
                guard let found = unread[name] else { throw FogbaseError.missingField(name) }
                let expected = (type as? any FieldConvertible.Type)?.fieldType.schemaName ?? "\(type)"
                throw FogbaseError.typeMismatch(name, expected: expected, found: found)
            }
            if let convertible = type as? any FieldConvertible.Type {
                guard let converted = convertible.init(fieldValue: value) as? Value else {
                    throw mismatch(name, convertible.fieldType, value)
                }
                return converted
            }
            if let raw = try? type.init(from: RawValueDecoder(value: value)) { return raw }
            guard case .string(let text) = value else { throw mismatch(name, .string, value) }
            do {
                return try JSONDecoder().decode(type, from: Data(text.utf8))
            } catch {
                throw FogbaseError.decoding(DecodingProblem(.custom("its JSON does not fit \(type)"), field: name))
            }
        }

        private func mismatch(_ name: String, _ expected: FieldType, _ found: FieldValue) -> FogbaseError {
            .typeMismatch(name, expected: expected.schemaName, found: found.type.schemaName)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            throw nested(key)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nested(key) }
        func superDecoder() throws -> any Decoder { throw FieldDecoder.notKeyed }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw nested(key) }

        private func nested(_ key: Key) -> FogbaseError {
            .decoding(
                DecodingProblem(
                    .custom("nested containers are not supported; give the property a Codable type of its own"),
                    field: key.stringValue))
        }
    }
}

/// A decoder of a single value, for enumerations with raw values.
private struct RawValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: FieldValue
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw unfit }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unfit }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let convertible = type as? any FieldConvertible.Type,
            let converted = convertible.init(fieldValue: value) as? Value
        else { throw unfit }
        return converted
    }

    private var unfit: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "The field has no single value of this type"))
    }
}
