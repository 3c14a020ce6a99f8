/// A field name (RFC 9110 §5.1): a token. Comparison ignores case.
///
/// A known name is stored as a number, any other name as a lower-case string.
public struct HTTPFieldName: Hashable, Sendable {
    let known: KnownField
    /// The name in lower case; empty if the name is known.
    let other: String

    /// The maximum length of a name in bytes, limited by the 16-bit lengths in the table of field positions.
    static let maxBytes = 0xFFFF

    init(_ known: KnownField) {
        self.known = known
        self.other = ""
    }

    /// Creates a name from text in any case. `nil` if `text` is not a token: empty, longer than 65,535 bytes, or with
    /// characters other than letters, digits and ``!#$%&'*+-.^_`|~``.
    public init?(_ text: String) {
        var text = text
        let name = text.withUTF8 { HTTPFieldName(validating: UnsafeRawBufferPointer($0)) }
        guard let name else { return nil }
        self = name
    }

    init?(validating bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty, bytes.count <= Self.maxBytes else { return nil }
        for byte in bytes where !byte.isToken { return nil }
        self.init(token: bytes)
    }

    /// - Parameter token: A valid token.
    init(token: UnsafeRawBufferPointer) {
        known = KnownField.recognize(token)
        if known == .anyOther {
            other = String(unsafeUninitializedCapacity: token.count) { target in
                for index in 0..<token.count { target.initializeElement(at: index, to: token[index].lowercased) }
                return token.count
            }
        } else {
            other = ""
        }
    }

    /// The name as responses write it: `Content-Type` for a known name, lower case for any other name.
    public var text: String {
        known == .anyOther ? other : "\(known.text)"
    }
}
