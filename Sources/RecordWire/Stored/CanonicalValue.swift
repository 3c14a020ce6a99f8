package import RecordModel
import Encodings

/// The canonical JSON text of field values. The stored form and responses contain it.
///
/// | type | text | decoded size |
/// |---|---|---|
/// | STRING | minimal escapes | its UTF-8 bytes |
/// | INT64, TIMESTAMP | decimal | 8 |
/// | DOUBLE | the shortest that parses to the same value, always with a fraction or exponent | 8 |
/// | BYTES | base64 with padding | the bytes |
/// | REFERENCE | `{"recordName":…,"action":…}` | the name's bytes |
/// | ASSET | `{"fileChecksum":…,"size":…,"contentType":…?,"filename":…?,"width":…?,"height":…?,"orientation":…?}` | 8 and the strings' bytes; 24 more for a picture |
/// | LOCATION | its keys in the order of `Location`, absent ones left out | 8 per key |
/// | lists | `[…]` without spaces | the sum of the members |
///
/// A request may contain other forms. `append` converts forms that lose nothing: `3.0` or a Boolean to INT64, RFC 3339
/// text to TIMESTAMP. For a DOUBLE field, any number becomes the nearest DOUBLE.
package enum CanonicalValue {
    /// Returns an asset value with the server's metadata instead of the client's.
    package typealias AssetCompletion = (Asset) -> Asset

    /// Appends the canonical text of a scanned value.
    ///
    /// - Parameters:
    ///   - unknownKeys: The treatment of unknown keys in objects.
    ///   - complete: Replaces the client's metadata of an asset by the server's metadata.
    /// - Returns: The decoded size.
    /// - Throws: `ValueMismatch` if the value does not fit the type.
    static func append(
        _ token: JSONToken, of reader: JSONReader, as type: FieldType, to text: inout [UInt8],
        unknownKeys: CompositeReader.UnknownKeys = .rejected, completing complete: AssetCompletion? = nil
    ) throws(ValueMismatch) -> Int {
        if type.isList {
            return try appendList(
                token, of: reader, as: type.element, to: &text, unknownKeys: unknownKeys, completing: complete)
        }
        switch type {
        case .string: return try appendString(token, of: reader, to: &text)
        case .int64:
            switch token.kind {
            case .trueWord: text.append(UInt8(ascii: "1"))
            case .falseWord: text.append(UInt8(ascii: "0"))
            case .integer, .fraction: text.appendInteger(try integer(token, of: reader))
            default: throw ValueMismatch(token)
            }
            return 8
        case .double:
            try appendDouble(token, of: reader, to: &text)
            return 8
        case .timestamp:
            text.appendInteger(try timestamp(token, of: reader))
            return 8
        case .bytes: return try appendBytes(token, of: reader, to: &text)
        case .reference:
            let reference = try CompositeReader.reference(token, of: reader, unknownKeys: unknownKeys)
            append(.reference(reference), to: &text)
            return reference.recordName.text.utf8.count
        case .asset:
            var asset = try CompositeReader.asset(token, of: reader, unknownKeys: unknownKeys)
            if let complete { asset = complete(asset) }
            append(.asset(asset), to: &text)
            return 8 + asset.fileChecksum.utf8.count + (asset.contentType?.utf8.count ?? 0)
                + (asset.filename?.utf8.count ?? 0) + (asset.picture == nil ? 0 : 24)
        default:
            let location = try CompositeReader.location(token, of: reader, unknownKeys: unknownKeys)
            return append(location, to: &text)
        }
    }

    private static func appendList(
        _ token: JSONToken, of reader: JSONReader, as element: FieldType, to text: inout [UInt8],
        unknownKeys: CompositeReader.UnknownKeys, completing complete: AssetCompletion?
    ) throws(ValueMismatch) -> Int {
        text.append(UInt8(ascii: "["))
        var size = 0
        var isFirst = true
        try forEachMember(token, of: reader) { member throws(ValueMismatch) in
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            size &+= try append(
                member, of: reader, as: element, to: &text, unknownKeys: unknownKeys, completing: complete)
        }
        text.append(UInt8(ascii: "]"))
        return size
    }

    /// Calls `body` with each member of a list.
    ///
    /// - Throws: `ValueMismatch` if the value is no list or too long, and any error that `body` throws.
    static func forEachMember(
        _ token: JSONToken, of reader: JSONReader, _ body: (JSONToken) throws(ValueMismatch) -> Void
    ) throws(ValueMismatch) {
        guard token.kind == .array else { throw ValueMismatch(token) }
        var members = JSONReader(reader.bytes, at: token)
        var isFirst = true
        var count = 0
        do throws(JSONError) {
            try members.enter()
        } catch { throw ValueMismatch(token) }
        while true {
            let member: JSONToken
            do throws(JSONError) {
                guard try members.nextElement(&isFirst) else { return }
                member = try members.value()
            } catch { throw ValueMismatch(token) }
            count &+= 1
            if count > Limits.listMembers { throw .tooLong(at: token.start) }
            try body(member)
        }
    }

    private static func appendString(
        _ token: JSONToken, of reader: JSONReader, to text: inout [UInt8]
    ) throws(ValueMismatch) -> Int {
        switch token.kind {
        case .string:
            // A string without a backslash is its own canonical text, because nothing in it needs escaping.
            text.appendBytes(UnsafeRawBufferPointer(rebasing: reader.bytes[token.range]))
            return token.count &- 2
        case .escapedString:
            return reader.unescaped(token).withUnsafeBytes { bytes in
                text.appendString(bytes)
                return bytes.count
            }
        default: throw ValueMismatch(token)
        }
    }

    static func integer(_ token: JSONToken, of reader: JSONReader) throws(ValueMismatch) -> Int64 {
        guard token.kind == .integer || token.kind == .fraction else { throw ValueMismatch(token) }
        guard let integer = reader.int64(token) else {
            throw ValueMismatch(
                token.kind == .integer ? "integer outside 64 bits" : "number that is no 64-bit integer", at: token.start
            )
        }
        return integer
    }

    static func double(_ token: JSONToken, of reader: JSONReader) throws(ValueMismatch) -> Double {
        guard token.kind == .integer || token.kind == .fraction else { throw ValueMismatch(token) }
        guard let double = reader.double(token) else {
            throw ValueMismatch("number outside the range of DOUBLE", at: token.start)
        }
        return double
    }

    private static func appendDouble(
        _ token: JSONToken, of reader: JSONReader, to text: inout [UInt8]
    ) throws(ValueMismatch) {
        switch reader.shortDecimal(token) {
        case .asWritten: text.appendBytes(UnsafeRawBufferPointer(rebasing: reader.bytes[token.range]))
        case .integer:
            text.appendBytes(UnsafeRawBufferPointer(rebasing: reader.bytes[token.range]))
            text.appendLiteral(".0")
        case .other: text.appendDouble(try double(token, of: reader))
        }
    }

    static func timestamp(_ token: JSONToken, of reader: JSONReader) throws(ValueMismatch) -> Int64 {
        guard token.isString else { return try integer(token, of: reader) }
        do throws(Timestamp.Problem) {
            guard token.kind == .escapedString else {
                return try Timestamp.read(UnsafeRawBufferPointer(rebasing: reader.bytes[token.content]))
            }
            return try Timestamp.read(reader.string(token))
        } catch {
            throw ValueMismatch(error, at: token.start)
        }
    }

    private static func appendBytes(
        _ token: JSONToken, of reader: JSONReader, to text: inout [UInt8]
    ) throws(ValueMismatch) -> Int {
        let count: Int?
        switch token.kind {
        case .string:
            count = Base64.decodedCount(UnsafeRawBufferPointer(rebasing: reader.bytes[token.content]))
            if count != nil { text.appendBytes(UnsafeRawBufferPointer(rebasing: reader.bytes[token.range])) }
        case .escapedString:
            // Resolve escapes, because some writers escape the slash, which base64 contains.
            count = reader.unescaped(token).withUnsafeBytes { bytes -> Int? in
                let count = Base64.decodedCount(bytes)
                if count != nil { text.appendString(bytes) }
                return count
            }
        default: throw ValueMismatch(token)
        }
        guard let count else { throw ValueMismatch("string that is not canonical base64", at: token.start) }
        return count
    }

    /// Returns the decoded size in bytes of a canonical text; `nil` if the text is not canonical for the type.
    package static func check(_ text: UnsafeRawBufferPointer, as type: FieldType) -> Int? {
        var reader = JSONReader(text)
        guard let token = try? reader.value(), reader.position == text.count else { return nil }
        var canonical: [UInt8] = []
        guard let size = try? append(token, of: reader, as: type, to: &canonical), canonical.elementsEqual(text) else {
            return nil
        }
        return size
    }
}
