/// The validator of one representation (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable {
    /// The text between the quotes.
    public let opaque: String
    /// Whether the tag is weak, written with `W/`.
    public let isWeak: Bool

    /// Creates a tag from the text between its quotes. `nil` if the text has a quote, a space or a control character.
    public init?(opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy(Self.isTagByte) else { return nil }
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Parses a tag as written in an ETag field: `"abc"` or `W/"abc"`.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)[...]
        guard let tag = Self.scan(&bytes), bytes.isEmpty else { return nil }
        self = tag
    }

    /// The tag as written in an ETag field.
    public var text: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Whether both tags are strong and equal (RFC 9110 §8.8.3.2).
    public func matchesStrong(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Whether both tags are equal, weak or strong (RFC 9110 §8.8.3.2).
    public func matchesWeak(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Whether a byte is an etagc: a visible character other than the quote, or a byte beyond ASCII. A backslash
    /// escapes nothing in a tag.
    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (byte >= 0x23 && byte != 0x7F)
    }

    /// Removes a tag from the front of the bytes and returns the tag; `nil` if the bytes do not begin with one.
    static func scan(_ bytes: inout ArraySlice<UInt8>) -> EntityTag? {
        let isWeak = bytes.starts(with: "W/".utf8)
        if isWeak { bytes = bytes.dropFirst(2) }
        guard bytes.first == UInt8(ascii: "\"") else { return nil }
        let rest = bytes.dropFirst()
        guard let end = rest.firstIndex(where: { !isTagByte($0) }), rest[end] == UInt8(ascii: "\"") else { return nil }
        bytes = rest[(end + 1)...]
        return EntityTag(opaque: String(decoding: rest[..<end], as: UTF8.self), isWeak: isWeak)
    }
}
