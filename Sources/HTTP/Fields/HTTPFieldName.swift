/// A field name (RFC 9110 §5.1): a token, compared without regard to case.
///
/// Names that the server knows are a number; all others a lower-case string.
public struct HTTPFieldName: Hashable, Sendable {
    let known: KnownField
    /// Lower case; empty if the name is known.
    let other: String

    /// What the table of offsets can hold.
    static let maxBytes = 0xFFFF

    init(_ known: KnownField) {
        self.known = known
        self.other = ""
    }

    /// A name from its text in any case, or `nil` if `text` is no token (empty, beyond 65,535 bytes, or with anything but letters, digits
    /// and ``!#$%&'*+-.^_`|~``).
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

    /// - Parameter token: Known to be a token.
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

    /// The name as it is written in an answer: `Content-Type`, or lower case if the server does not know it.
    public var text: String {
        known == .anyOther ? other : "\(known.text)"
    }
}
