internal import RecordModel

/// Takes the single value that an enumeration with raw values writes.
final class RawValueEncoder: Encoder, SingleValueEncodingContainer {
    private(set) var value: FieldValue?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RefusedKeys())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusedMembers() }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { throw Self.unfit }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard let convertible = value as? any FieldConvertible else { throw Self.unfit }
        self.value = convertible.fieldValue
    }

    static let unfit = FogbaseError.invalidArgument(
        "A model's properties must be values that fields can have, or Codable types of their own")
}

/// Stands where a keyed container would make a field of several values.
struct RefusedKeys<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey] = []

    mutating func encodeNil(forKey key: Key) throws { throw RawValueEncoder.unfit }
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw RawValueEncoder.unfit }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RefusedKeys<Nested>())
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusedMembers() }
    mutating func superEncoder() -> any Encoder { RawValueEncoder() }
    mutating func superEncoder(forKey key: Key) -> any Encoder { RawValueEncoder() }
}

/// Stands where a container without keys would make a model without fields.
struct RefusedMembers: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey] = []
    let count = 0

    mutating func encodeNil() throws { throw RawValueEncoder.unfit }
    mutating func encode<Value: Encodable>(_ value: Value) throws { throw RawValueEncoder.unfit }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RefusedKeys<Nested>())
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    mutating func superEncoder() -> any Encoder { RawValueEncoder() }
}
