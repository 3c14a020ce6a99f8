internal import UnicodeText

/// The name of a record, unique within its zone: 1 to 255 UTF-8 bytes without control characters, and neither `.` nor
/// `..`, which no path can hold (RFC 3986 §5.2.4).
///
/// Names are compared byte by byte. CloudKit allows ASCII only and refuses a leading underscore; here any script is
/// welcome and the underscore is left to the callers that reserve it (user records).
public struct RecordName: Hashable, Sendable, CustomStringConvertible {
    /// The name as it is written, 1 to 255 bytes of UTF-8.
    public let text: String

    /// Creates a record name, or `nil` if `text` is empty, longer than 255 bytes, holds a control character, or is `.` or
    /// `..`.
    public init?(_ text: String) {
        guard Self.isWellFormed(text), text != ".", text != ".." else { return nil }
        self.text = text
    }

    /// Takes over a name that was checked elsewhere, or will be.
    package init(unchecked text: String) {
        self.text = text
    }

    public var description: String { text }

    /// Strings compare by what they look like; names, as storage has it, by their bytes.
    public static func == (left: RecordName, right: RecordName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    static func isWellFormed(_ text: String) -> Bool {
        var copy = text
        return copy.withUTF8 { bytes in
            guard (1...Limits.recordNameBytes).contains(bytes.count) else { return false }
            var previous: UInt8 = 0
            for byte in bytes {
                // C0 and DEL, then C1 (U+0080 to U+009F), which are C2 80 to C2 9F in UTF-8.
                if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return false }
                previous = byte
            }
            return true
        }
    }
}

/// A name in an app's own JSON is its text.
extension RecordName: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let name = RecordName(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is no record name")
        }
        self = name
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The name of a zone: as a record name. Names that start with `_` belong to the system.
package struct ZoneName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        guard RecordName.isWellFormed(text) else { return nil }
        self.text = text
    }

    private init(known text: String) {
        self.text = text
    }

    package static let defaultZone = ZoneName(known: "_defaultZone")

    package var description: String { text }
}

/// The name of a record type: an `Identifier`. CloudKit's are ASCII (CloudKit schema language).
package struct RecordTypeName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        guard let name = Identifier.normalized(text) else { return nil }
        self.text = name
    }

    private init(known text: String) {
        self.text = text
    }

    /// The type of user records, which are made with accounts.
    package static let users = RecordTypeName(known: "Users")

    package var description: String { text }
}

/// The name of a user's field: written like a type name, and not the name of a system field.
package struct FieldName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        guard let name = Identifier.normalized(text), SystemField(name) == nil else { return nil }
        self.text = name
    }

    package var description: String { text }
}

/// The name of a role: one of the built-in three, or an identifier.
package struct RoleName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        guard let name = Self.builtIn.contains(text) ? text : Identifier.normalized(text) else { return nil }
        self.text = name
    }

    private init(known text: String) {
        self.text = text
    }

    /// Anyone, signed in or not.
    package static let world = RoleName(known: "_world")
    /// Any signed-in user.
    package static let authenticated = RoleName(known: "_icloud")
    /// The user who created the record.
    package static let creator = RoleName(known: "_creator")

    package var isBuiltIn: Bool { Self.builtIn.contains(text) }
    package var description: String { text }

    private static let builtIn: Set<String> = ["_world", "_icloud", "_creator"]
}

/// The public name of a user: `_` and 32 lower-case hexadecimal digits.
package struct UserRecordName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count == 33, bytes.first == UInt8(ascii: "_") else { return nil }
        for byte in bytes.dropFirst() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): continue
            default: return nil
            }
        }
        self.text = text
    }

    package var description: String { text }
}

/// Names that stand in conditions and schemas without quotes (UAX #31, R1-1): a letter of any script, then letters, digits,
/// marks and underscores, at most 255 bytes. In NFC, so that what looks the same is the same.
package enum Identifier {
    /// The rule as errors state it.
    package static let rule =
        "is a letter of any script, then letters, digits and underscores, at most \(Limits.identifierBytes) bytes of UTF-8"

    /// The text in NFC, or `nil` if it is no identifier.
    static func normalized(_ text: String) -> String? {
        var copy = text
        let isASCII = copy.withUTF8 { bytes -> Bool? in
            guard !bytes.isEmpty else { return nil }
            for (index, byte) in bytes.enumerated() {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): continue
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    if index == 0 { return nil }
                case 0x80...: return false
                default: return nil
                }
            }
            return true
        }
        guard let isASCII else { return nil }
        let name = isASCII ? text : text.nfc
        guard name.utf8.count <= Limits.identifierBytes else { return nil }
        if isASCII { return name }
        guard let first = name.unicodeScalars.first, first.isIdentifierStart,
            name.unicodeScalars.allSatisfy(\.isIdentifierPart)
        else { return nil }
        return name
    }
}

extension Unicode.Scalar {
    /// Whether an identifier may begin with it.
    var isIdentifierStart: Bool { properties.isXIDStart && !properties.isDefaultIgnorableCodePoint }
    /// Whether an identifier may have it. What nobody sees makes two names look like one.
    var isIdentifierPart: Bool { properties.isXIDContinue && !properties.isDefaultIgnorableCodePoint }
}
