internal import UnicodeText

/// The name of a record, unique within its zone: 1 to 255 UTF-8 bytes without control characters. The names `.` and
/// `..` are invalid, because no URL path can contain them (RFC 3986 §5.2.4).
///
/// Names are compared byte by byte. CloudKit allows ASCII only and rejects a leading underscore. This server allows any
/// script. Callers that reserve the underscore check for it themselves (user records).
public struct RecordName: Hashable, Sendable, CustomStringConvertible {
    /// The text of the name, 1 to 255 UTF-8 bytes.
    public let text: String

    /// Creates a record name. The result is `nil` if `text` is empty, longer than 255 bytes, contains a control
    /// character, or is `.` or `..`.
    public init?(_ text: String) {
        guard Self.isWellFormed(text), text != ".", text != ".." else { return nil }
        self.text = text
    }

    /// Creates a record name without validating the text. The caller must have validated it.
    package init(unchecked text: String) {
        self.text = text
    }

    public var description: String { text }

    /// Compares names by their bytes, as storage does. Swift strings compare by canonical equivalence.
    public static func == (left: RecordName, right: RecordName) -> Bool {
        left.text.hasSameBytes(as: right.text)
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
                // C0 and DEL, then C1 (U+0080 to U+009F), which is C2 80 to C2 9F in UTF-8.
                if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return false }
                previous = byte
            }
            return true
        }
    }
}

/// A name is encoded as its text. Decoding throws `DecodingError.dataCorrupted` for text that is no record name.
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

/// The name of a zone. The rule is that of record names. The system reserves names that start with `_`.
package struct ZoneName: Hashable, Sendable, CustomStringConvertible {
    /// The text of the name.
    package let text: String

    /// Creates a zone name. The result is `nil` if the text breaks the rule of record names.
    package init?(_ text: String) {
        guard RecordName.isWellFormed(text) else { return nil }
        self.text = text
    }

    private init(known text: String) {
        self.text = text
    }

    /// The zone that every database has.
    package static let defaultZone = ZoneName(known: "_defaultZone")

    /// All zones of a database, as the subject of a signal. No zone has this name.
    package static let everyZone = ZoneName(known: "")

    /// Whether only the server may give this name, as with `_defaultZone`.
    package var isReserved: Bool { text.hasPrefix("_") }

    package var description: String { text }

    /// Compares names by their bytes, as storage does. Swift strings compare by canonical equivalence.
    package static func == (left: ZoneName, right: ZoneName) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The name of a record type: an `Identifier`. CloudKit allows ASCII only (CloudKit schema language).
package struct RecordTypeName: Hashable, Sendable, CustomStringConvertible {
    /// The text of the name, in NFC.
    package let text: String

    /// Creates a type name. The result is `nil` if the text is no identifier.
    package init?(_ text: String) {
        guard let name = text == Self.share.text ? text : Identifier.normalized(text) else { return nil }
        self.text = name
    }

    private init(known text: String) {
        self.text = text
    }

    /// The type of share records, as in CloudKit. It is no identifier, so it is never a type of the schema.
    package static let share = RecordTypeName(known: "cloudkit.share")

    /// The type of user records. The server creates them with the accounts.
    package static let users = RecordTypeName(known: "Users")

    package var description: String { text }
}

/// The name of a field that clients set: an `Identifier` that is not the name of a system field.
package struct FieldName: Hashable, Sendable, CustomStringConvertible {
    /// The text of the name, in NFC.
    package let text: String

    /// Creates a field name. The result is `nil` if the text is no identifier or names a system field.
    package init?(_ text: String) {
        guard let name = Identifier.normalized(text), SystemField(name) == nil else { return nil }
        self.text = name
    }

    fileprivate init(known text: String) {
        self.text = text
    }

    package var description: String { text }
}

/// The fields of share records that CloudKit's clients set. Their names are no identifiers.
extension FieldName {
    /// The title that invited users see.
    package static let shareTitle = FieldName(known: "cloudkit.title")
    /// The kind of content, such as a uniform type identifier.
    package static let shareType = FieldName(known: "cloudkit.type")
    /// A small picture of the content.
    package static let shareThumbnail = FieldName(known: "cloudkit.thumbnailImageData")

    /// Returns the name of a field of share records; `nil` for any other text.
    package static func ofShare(_ text: String) -> FieldName? {
        [shareTitle, shareType, shareThumbnail].first { $0.text == text }
    }
}

/// The name of a role: one of the three built-in names, or an `Identifier`.
package struct RoleName: Hashable, Sendable, CustomStringConvertible {
    /// The text of the name, in NFC.
    package let text: String

    /// Creates a role name. The result is `nil` if the text is neither a built-in name nor an identifier.
    package init?(_ text: String) {
        guard let name = Self.builtIn.contains(text) ? text : Identifier.normalized(text) else { return nil }
        self.text = name
    }

    private init(known text: String) {
        self.text = text
    }

    /// The built-in role of every caller, signed in or not.
    package static let world = RoleName(known: "_world")
    /// The built-in role of all signed-in users.
    package static let authenticated = RoleName(known: "_icloud")
    /// The built-in role of the user who created the record.
    package static let creator = RoleName(known: "_creator")

    /// Whether the role is `_world`, `_icloud` or `_creator`.
    package var isBuiltIn: Bool { Self.builtIn.contains(text) }
    package var description: String { text }

    private static let builtIn: Set<String> = ["_world", "_icloud", "_creator"]
}

/// The public name of a user: `_` and 32 lowercase hexadecimal digits.
package struct UserRecordName: Hashable, Sendable, CustomStringConvertible {
    /// The text of the name.
    package let text: String

    /// Creates a user record name. The result is `nil` if the text does not have this form.
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

/// The rule for names that predicates and schemas contain without quotes (UAX #31, R1-1): a letter of any script, then
/// letters, digits, marks and underscores, at most 255 bytes.
///
/// Names are normalized to NFC, so that canonically equivalent names are equal.
package enum Identifier {
    /// A sentence that states the rule, for error messages.
    package static let rule =
        "is a letter of any script, then letters, digits and underscores, at most \(Limits.identifierBytes) bytes of UTF-8"

    /// Returns the text in NFC; `nil` if it is no identifier.
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
    /// Whether an identifier may start with the scalar.
    var isIdentifierStart: Bool { properties.isXIDStart && !properties.isDefaultIgnorableCodePoint }
    /// Whether an identifier may contain the scalar. Invisible (default-ignorable) scalars are excluded, because they
    /// make different names look the same.
    var isIdentifierPart: Bool { properties.isXIDContinue && !properties.isDefaultIgnorableCodePoint }
}
