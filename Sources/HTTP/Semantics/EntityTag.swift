/// The validator of one representation (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable {
    /// What stands between the quotes.
    public let opaque: String
    public let isWeak: Bool

    /// A tag from the text between its quotes, or `nil` if it has a quote, a blank or a control character.
    public init?(opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy(Self.isTagByte) else { return nil }
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// A tag as it stands in an ETag field: `"abc"` or `W/"abc"`.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)[...]
        guard let tag = Self.scan(&bytes), bytes.isEmpty else { return nil }
        self = tag
    }

    /// The tag as it stands in an ETag field.
    public var text: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Both tags are strong and the same (RFC 9110 §8.8.3.2).
    public func matchesStrong(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Both tags are the same but for their strength.
    public func matchesWeak(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// etagc: visible characters but the quote, and bytes beyond ASCII. A backslash escapes nothing.
    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (byte >= 0x23 && byte != 0x7F)
    }

    /// Takes a tag off the front.
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
