internal import Foundation
internal import RecordModel

/// An encoder that collects the fields of an `Encodable` model. Nested objects are encoded as JSON in a STRING field.
final class FieldEncoder: Encoder {
    private var fields: [(String, FieldValue?)] = []
    private var isKeyed = false
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// Returns the fields in the order in which the model encoded them; `nil` for absent values.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the model did not use a keyed container.
    func finish() throws -> [(String, FieldValue?)] {
        guard isKeyed else { throw FogbaseError.invalidArgument("A model must be a type with properties") }
        return fields
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        isKeyed = true
        return KeyedEncodingContainer(Keyed(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { RejectedMembers() }
    func singleValueContainer() -> any SingleValueEncodingContainer { RawValueEncoder() }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: FieldEncoder
        let codingPath: [any CodingKey] = []

        mutating func encodeNil(forKey key: Key) throws {
            encoder.fields.append((key.stringValue, nil))
        }

        mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            encoder.fields.append((key.stringValue, try FieldEncoder.value(value, key.stringValue)))
        }

        mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
            try encodeOptional(value, key)
        }

        // The default implementations would skip an absent value, and the record would keep the field's old value.
        mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }

        private mutating func encodeOptional(_ value: (some Encodable)?, _ key: Key) throws {
            if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            KeyedEncodingContainer(RejectedKeys<Nested>())
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RejectedMembers() }
        mutating func superEncoder() -> any Encoder { RawValueEncoder() }
        mutating func superEncoder(forKey key: Key) -> any Encoder { RawValueEncoder() }
    }

    private static func value(_ value: some Encodable, _ name: String) throws -> FieldValue {
        if let convertible = value as? any FieldConvertible { return convertible.fieldValue }
        let raw = RawValueEncoder()
        if (try? value.encode(to: raw)) != nil, let found = raw.value { return found }
        return .string(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }
}
