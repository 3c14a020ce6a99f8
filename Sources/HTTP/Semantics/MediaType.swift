/// A media type (RFC 9110 §8.3.1), such as `application/json; charset=utf-8`.
public struct MediaType: Hashable, Sendable {
    /// A parameter of a media type (RFC 9110 §5.6.6).
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public var name: String
        /// The value as sent, without quotes and escapes.
        public var value: String
    }

    /// The type in lower case.
    public var type: String
    /// The subtype in lower case.
    public var subtype: String
    /// The parameters in order.
    public var parameters: [Parameter]

    /// Parses the value of a Content-Type field. `nil` if the value is malformed or repeats a parameter.
    public init?(_ text: String) {
        var scanner = MediaTypeScanner(bytes: Array(text.utf8)[...])
        scanner.skipBlanks()
        guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token() else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        parameters = []
        while true {
            scanner.skipBlanks()
            if scanner.bytes.isEmpty { return }
            guard scanner.take(";") else { return nil }
            scanner.skipBlanks()
            // Empty parameters are allowed (RFC 9110 §5.6.6).
            if scanner.bytes.isEmpty || scanner.bytes.first == UInt8(ascii: ";") { continue }
            guard let name = scanner.token()?.lowercased(), scanner.take("="),
                let value = scanner.bytes.first == UInt8(ascii: "\"") ? scanner.quotedString() : scanner.token(),
                self[name] == nil
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
    }

    /// The value of a parameter; `nil` if it is missing.
    ///
    /// - Parameter name: The name in lower case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Whether the type and the subtype equal `type` and `subtype`, given in lower case. Parameters are ignored.
    public func isType(_ type: String, _ subtype: String) -> Bool {
        self.type == type && self.subtype == subtype
    }

    /// Whether the media type is JSON: `application/json` or a type that ends in `+json` (RFC 6839).
    public var isJSON: Bool {
        isType("application", "json") || (type == "application" && subtype.hasSuffix("+json"))
    }
}

extension HTTPFields {
    /// Whether Accept names the media type of server-sent events.
    public var acceptsEventStream: Bool {
        guard contains(.accept) else { return false }
        for line in values(of: .accept) {
            for element in line.split(separator: ",") {
                guard let range = MediaType(String(element)), range.isType("text", "event-stream") else { continue }
                if let quality = range["q"], Double(quality) == 0 { continue }
                return true
            }
        }
        return false
    }
}

private struct MediaTypeScanner {
    var bytes: ArraySlice<UInt8>

    mutating func skipBlanks() {
        bytes = bytes.drop { $0.isBlank }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes = bytes.dropFirst()
        return true
    }

    mutating func token() -> String? {
        let token = bytes.prefix { $0.isToken }
        guard !token.isEmpty else { return nil }
        bytes = bytes[token.endIndex...]
        return String(decoding: token, as: UTF8.self)
    }

    /// Reads a quoted-string (RFC 9110 §5.6.4).
    mutating func quotedString() -> String? {
        guard take("\"") else { return nil }
        var value: [UInt8] = []
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(validating: value, as: UTF8.self) }
            var unit = byte
            if byte == UInt8(ascii: "\\") {
                guard let escaped = bytes.popFirst() else { return nil }
                unit = escaped
            }
            guard !unit.isForbiddenInValue else { return nil }
            value.append(unit)
        }
        return nil
    }
}
