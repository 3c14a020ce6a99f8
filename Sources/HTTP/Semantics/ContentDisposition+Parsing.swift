extension ContentDisposition {
    /// Parses the value of a Content-Disposition field. `nil` if the value is malformed or repeats a parameter.
    public init?(_ text: String) {
        self.init(bytes: Array(text.utf8)[...])
    }

    /// Parses the value of a Content-Disposition field from bytes. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// In a quoted string, `\"` and `\\` represent one character each (RFC 9110 §5.6.4). So do `%22`, `%0D` and `%0A`,
    /// which browsers write (HTML §4.10.21.8). A backslash before another character is literal, because browsers do not
    /// escape other characters. If a quoted string has no end by these rules, all its backslashes are literal. A valid
    /// `filename*` (RFC 8187) takes precedence.
    init?(bytes: ArraySlice<UInt8>) {
        guard let parsed = Self.parse(bytes, escapes: true) ?? Self.parse(bytes, escapes: false) else { return nil }
        self = parsed
    }

    private static func parse(_ bytes: ArraySlice<UInt8>, escapes: Bool) -> ContentDisposition? {
        var rest = bytes.drop(while: \.isBlank)
        guard let type = token(&rest) else { return nil }
        var result = ContentDisposition(type: type)
        var extended: String?
        var seen: Set<String> = []
        while true {
            rest = rest.drop(while: \.isBlank)
            if rest.isEmpty { break }
            guard rest.popFirst() == UInt8(ascii: ";") else { return nil }
            rest = rest.drop(while: \.isBlank)
            // Empty parameters are allowed (RFC 9110 §5.6.6).
            if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
            guard let name = token(&rest), rest.popFirst() == UInt8(ascii: "="), seen.insert(name).inserted else {
                return nil
            }
            let value: ArraySlice<UInt8>
            if rest.first == UInt8(ascii: "\"") {
                guard let quoted = quotedString(&rest, escapes: escapes) else { return nil }
                value = quoted[...]
            } else {
                value = rest.prefix { $0.isToken }
                guard !value.isEmpty else { return nil }
                rest = rest[value.endIndex...]
            }
            switch name {
            case "name": result.name = String(decoding: value, as: UTF8.self)
            case "filename": result.filename = String(decoding: value, as: UTF8.self)
            case "filename*": extended = extendedValue(value)
            default: break
            }
        }
        if let extended { result.filename = extended }
        return result
    }

    /// Removes a token from the front and returns it in lower case.
    private static func token(_ rest: inout ArraySlice<UInt8>) -> String? {
        let token = rest.prefix { $0.isToken }
        guard !token.isEmpty else { return nil }
        rest = rest[token.endIndex...]
        return String(decoding: token.map(\.lowercased), as: UTF8.self)
    }

    private static func quotedString(_ rest: inout ArraySlice<UInt8>, escapes: Bool) -> [UInt8]? {
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return value
            case UInt8(ascii: "\\"):
                if escapes, let next = rest.first, next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
                    rest.removeFirst()
                    value.append(next)
                } else {
                    value.append(byte)
                }
            case UInt8(ascii: "%"):
                if let written = browserEscapes.first(where: { rest.starts(with: $0.code.utf8) }) {
                    rest.removeFirst(2)
                    value.append(written.byte)
                } else {
                    value.append(byte)
                }
            default:
                value.append(byte)
            }
        }
        return nil
    }

    private static let browserEscapes: [(code: String, byte: UInt8)] = [("22", 0x22), ("0D", 0x0D), ("0A", 0x0A)]

    /// Decodes an ext-value (RFC 8187 §3.2) such as `UTF-8'en'%E2%82%AC`; `nil` for another charset or a malformed
    /// escape.
    private static func extendedValue(_ value: ArraySlice<UInt8>) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
            bytes.append(high << 4 | low)
        }
        switch String(decoding: parts[0].map(\.lowercased), as: UTF8.self) {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
