internal import RecordModel

/// An encoder that captures the single value of an enumeration with raw values.
final class RawValueEncoder: Encoder, SingleValueEncodingContainer {
    private(set) var value: FieldValue?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RejectedKeys())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { RejectedMembers() }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { throw Self.unfit }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard let convertible = value as? any FieldConvertible else { throw Self.unfit }
        self.value = convertible.fieldValue
    }

    static let unfit = FogbaseError.invalidArgument(
        "A model's properties must be values that fields can have, or Codable types of their own")
}

/// A keyed container that throws for every value. Encoders return it where keyed values are not supported.
struct RejectedKeys<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey] = []

    mutating func encodeNil(forKey key: Key) throws { throw RawValueEncoder.unfit }
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw RawValueEncoder.unfit }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RejectedKeys<Nested>())
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RejectedMembers() }
    mutating func superEncoder() -> any Encoder { RawValueEncoder() }
    mutating func superEncoder(forKey key: Key) -> any Encoder { RawValueEncoder() }
}

/// An unkeyed container that throws for every value. Encoders return it where unkeyed values are not supported.
struct RejectedMembers: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey] = []
    let count = 0

    mutating func encodeNil() throws { throw RawValueEncoder.unfit }
    mutating func encode<Value: Encodable>(_ value: Value) throws { throw RawValueEncoder.unfit }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RejectedKeys<Nested>())
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    mutating func superEncoder() -> any Encoder { RawValueEncoder() }
}
