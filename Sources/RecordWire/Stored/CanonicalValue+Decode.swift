package import RecordModel
import Encodings

extension CanonicalValue {
    /// Decodes the stored text of a value.
    ///
    /// - Throws: `INTERNAL_ERROR` if the text is damaged.
    package static func decode(_ text: UnsafeRawBufferPointer, as type: FieldType) throws(RecordError) -> FieldValue {
        var reader = JSONReader(text)
        do {
            let token = try reader.value()
            try reader.endDocument()
            return try decode(token, of: reader, as: type)
        } catch {
            throw .damagedFields
        }
    }

    /// Decodes the stored text of a value.
    ///
    /// - Throws: `INTERNAL_ERROR` if the text is damaged.
    package static func decode(_ text: [UInt8], as type: FieldType) throws(RecordError) -> FieldValue {
        try text.withUnsafeBufferPointer { buffer throws(RecordError) -> FieldValue in
            try decode(UnsafeRawBufferPointer(buffer), as: type)
        }
    }

    /// Decodes a scanned value. The function accepts the same forms as `append`.
    ///
    /// - Throws: `ValueMismatch` if the value does not fit the type.
    static func decode(
        _ token: JSONToken, of reader: JSONReader, as type: FieldType,
        unknownKeys: CompositeReader.UnknownKeys = .rejected
    ) throws(ValueMismatch) -> FieldValue {
        if type.isList {
            var members: [FieldValue] = []
            try forEachMember(token, of: reader) { member throws(ValueMismatch) in
                members.append(try decode(member, of: reader, as: type.element, unknownKeys: unknownKeys))
            }
            return .list(element: type.element, members)
        }
        switch type {
        case .string:
            guard token.isString else { throw ValueMismatch(token) }
            return .string(reader.string(token))
        case .int64:
            switch token.kind {
            case .trueWord: return .int64(1)
            case .falseWord: return .int64(0)
            default: return .int64(try integer(token, of: reader))
            }
        case .double: return .double(try double(token, of: reader))
        case .timestamp: return .timestamp(try timestamp(token, of: reader))
        case .bytes:
            guard token.isString else { throw ValueMismatch(token) }
            guard let bytes = Base64.decode(reader.string(token)) else {
                throw ValueMismatch("string that is not canonical base64", at: token.start)
            }
            return .bytes(bytes)
        case .reference: return .reference(try CompositeReader.reference(token, of: reader, unknownKeys: unknownKeys))
        case .asset: return .asset(try CompositeReader.asset(token, of: reader, unknownKeys: unknownKeys))
        default: return .location(try CompositeReader.location(token, of: reader, unknownKeys: unknownKeys))
        }
    }
}
