/// The Content-Disposition of a response (RFC 6266) or of one part of a form (RFC 7578 §4.2).
public struct ContentDisposition: Hashable, Sendable {
    /// The type in lower case: `inline`, `attachment`, `form-data` or another token.
    public var type: String
    /// The name of the form field, for `form-data`.
    public var name: String?
    /// The file name as sent, which may contain slashes and control characters; see `safeFilename`.
    public var filename: String?

    /// Creates a disposition.
    public init(type: String, name: String? = nil, filename: String? = nil) {
        self.type = type
        self.name = name
        self.filename = filename
    }

    /// Returns the value that makes a browser display the content: `inline; filename="…"; filename*=UTF-8''…`.
    ///
    /// - Parameter filename: Any text; unsafe characters are replaced. If it is `nil` or contains nothing safe, the
    ///   browser derives the name from the URL.
    public static func inline(filename: String?) -> String {
        value("inline", filename)
    }

    /// Returns the value that makes a browser save the content.
    public static func attachment(filename: String?) -> String {
        value("attachment", filename)
    }

    private static func value(_ type: StaticString, _ filename: String?) -> String {
        var value: [UInt8] = []
        value.append(literal: type)
        if let name = filename.flatMap(safeFilename) {
            // RFC 6266 Appendix D recommends both parameters: `filename` is for clients that do not know `filename*`.
            value.append(literal: "; filename=\"")
            for scalar in name.unicodeScalars { value.append(fallback(scalar)) }
            value.append(literal: "\"; filename*=UTF-8''")
            for unit in name.utf8 { append(unit, to: &value) }
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// Returns the replacement of a scalar in the plain `filename`. Clients disagree about escaped quotes and
    /// backslashes, and some decode percent-encoding there (RFC 6266 Appendix D).
    private static func fallback(_ scalar: Unicode.Scalar) -> UInt8 {
        guard scalar.isASCII, scalar != "\"", scalar != "\\", scalar != "%" else { return UInt8(ascii: "_") }
        return UInt8(ascii: scalar)
    }

    /// Appends an attr-char unchanged and any other byte percent-encoded (RFC 8187 §3.2.1).
    private static func append(_ unit: UInt8, to value: inout [UInt8]) {
        let isPlain =
            unit.isToken && unit != UInt8(ascii: "*") && unit != UInt8(ascii: "'") && unit != UInt8(ascii: "%")
        if isPlain {
            value.append(unit)
        } else {
            value.append(UInt8(ascii: "%"))
            for digit in [unit >> 4, unit & 15] { value.append(digit < 10 ? digit + 0x30 : digit + 0x37) }
        }
    }
}

extension ContentDisposition {
    /// The maximum length of a file name in UTF-8 bytes, which is the limit of common file systems.
    public static let maxFilenameBytes = 255

    /// Returns a file name that is a single path component on any system and displays as spelled. Returns `nil` if
    /// `text` contains nothing safe.
    ///
    /// Control characters, line separators and bidirectional formatting characters are removed, slashes and backslashes
    /// become `_`, and surrounding spaces are trimmed. A text of dots only, such as `.` and `..`, gives `nil`. A long
    /// name is cut between two scalars. If it has an extension, the cut is before the extension.
    public static func safeFilename(_ text: String) -> String? {
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars where !isLeftOut(scalar) {
            if scalars.isEmpty, scalar == " " { continue }
            scalars.append(scalar == "/" || scalar == "\\" ? "_" : scalar)
            bytes += UTF8.width(scalar)
        }
        while scalars.last == " " {
            scalars.removeLast()
            bytes -= 1
        }
        if scalars.allSatisfy({ $0 == "." }) { return nil }
        return bytes <= maxFilenameBytes ? String(scalars) : cut(String(scalars))
    }

    private static func cut(_ name: String) -> String {
        var end: Substring = ""
        if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex {
            let rest = name[dot...]
            if rest.utf8.count <= 17, rest.utf8.dropFirst().allSatisfy({ $0.isLetter || $0.isDigit }) { end = rest }
        }
        var room = maxFilenameBytes - end.utf8.count
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            room -= UTF8.width(scalar)
            if room < 0 { break }
            scalars.append(scalar)
        }
        // The cut may have left spaces at the end.
        while end.isEmpty, scalars.last == " " { scalars.removeLast() }
        return String(scalars) + end
    }

    private static func isLeftOut(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0, DEL and C1; line and paragraph separators; marks, embeddings, overrides and isolates of direction (UAX
        // #9); and two invisible characters: the byte order mark and the zero width space.
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x061C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069,
            0xFEFF:
            true
        default: false
        }
    }
}
