/// Content-Disposition: of answers (RFC 6266) and of the parts of a form (RFC 7578 §4.2).
public struct ContentDisposition: Hashable, Sendable {
    /// Lower case: `inline`, `attachment`, `form-data` or another token.
    public var type: String
    /// The name of a form's field.
    public var name: String?
    /// As the sender has it, with whatever slashes and controls it may have; see `safeFilename`.
    public var filename: String?

    public init(type: String, name: String? = nil, filename: String? = nil) {
        self.type = type
        self.name = name
        self.filename = filename
    }

    /// The value that asks a browser to show the content: `inline; filename="…"; filename*=UTF-8''…`.
    ///
    /// - Parameter filename: Any text; it is made safe. Without one, or with one that nothing is left of, the browser
    ///   takes the name from the address.
    public static func inline(filename: String?) -> String {
        value("inline", filename)
    }

    /// The value that asks a browser to save the content.
    public static func attachment(filename: String?) -> String {
        value("attachment", filename)
    }

    private static func value(_ type: StaticString, _ filename: String?) -> String {
        var value: [UInt8] = []
        value.append(literal: type)
        if let name = filename.flatMap(safeFilename) {
            // Both, as RFC 6266 Appendix D advises: the first for clients that know nothing else.
            value.append(literal: "; filename=\"")
            for scalar in name.unicodeScalars { value.append(fallback(scalar)) }
            value.append(literal: "\"; filename*=UTF-8''")
            for unit in name.utf8 { append(unit, to: &value) }
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// What stands for a scalar between plain quotes: quotes and backslashes are escaped in too many ways, and some
    /// clients decode percents there (RFC 6266 Appendix D).
    private static func fallback(_ scalar: Unicode.Scalar) -> UInt8 {
        guard scalar.isASCII, scalar != "\"", scalar != "\\", scalar != "%" else { return UInt8(ascii: "_") }
        return UInt8(ascii: scalar)
    }

    /// An attr-char as it is, any other byte with its percent (RFC 8187 §3.2.1).
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
    /// The most bytes of a file name in UTF-8: what usual file systems take.
    public static let maxFilenameBytes = 255

    /// A name that is one component of a path on any system and reads as it is spelled, or `nil` if nothing is left of
    /// `text`.
    ///
    /// Controls, line separators and the marks that turn the direction of writing are left out, slashes become `_`, blanks
    /// around it go, `.` and `..` are no names. A long one is cut between two scalars, before its extension if it has one.
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
        // What was in the middle may be at the end now.
        while end.isEmpty, scalars.last == " " { scalars.removeLast() }
        return String(scalars) + end
    }

    private static func isLeftOut(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0, DEL and C1; line and paragraph separators; marks, embeddings, overrides and isolates of direction (UAX #9);
        // the byte order mark and the zero width space, which nobody sees.
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x061C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069,
            0xFEFF:
            true
        default: false
        }
    }
}
