/// The reason why a setting rejects a URL or an origin.
public struct AddressProblem: Error, Hashable, Sendable {
    /// What the setting must be, as the end of an error sentence: `must …`.
    public let expected: String

    init(_ expected: String) {
        self.expected = expected
    }
}

/// The parts of a URL in a setting, as written.
struct AddressParts {
    /// The scheme in lower case.
    var scheme: String
    var userinfo: Substring?
    var host: Substring
    var port: Substring?
    /// Everything after the authority, from the first `/`, `?` or `#` on.
    var rest: Substring

    /// Splits a URL into its parts.
    ///
    /// - Throws: `AddressProblem` if the text has no scheme, an invalid scheme, whitespace, a control character or a
    ///   backslash, or if something other than a port follows the host. For a missing scheme, the problem suggests one.
    init(_ text: String, example: String) throws(AddressProblem) {
        guard !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 || $0 == "\\" })
        else {
            throw AddressProblem("must be \(example), without blanks and backslashes")
        }
        guard let mark = text.firstRange(of: "://") else {
            let local = ["localhost", "127.", "[::1]", "192.168.", "10."].contains(where: text.lowercased().hasPrefix)
            let right = Self.isHost(text) ? (local ? "http://" : "https://") + text.lowercased() : example
            throw AddressProblem("must begin with a scheme: write \(right)")
        }
        scheme = text[..<mark.lowerBound].lowercased()
        guard scheme.utf8.first?.isLetter == true,
            scheme.utf8.allSatisfy({ $0.isLetter || $0.isDigit || [0x2B, 0x2D, 0x2E].contains($0) })
        else { throw AddressProblem("must begin with a scheme, as \(example)") }
        let behind = text[mark.upperBound...]
        let end = behind.firstIndex { "/?#".contains($0) } ?? behind.endIndex
        rest = behind[end...]
        var authority = behind[..<end]
        if let at = authority.lastIndex(of: "@") {
            userinfo = authority[..<at]
            authority = authority[authority.index(after: at)...]
        }
        let hostEnd =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) } : authority.firstIndex(of: ":")
        host = authority[..<(hostEnd ?? authority.endIndex)]
        let port = authority[(hostEnd ?? authority.endIndex)...]
        guard port.isEmpty || port.first == ":" else {
            throw AddressProblem("must have a colon between host and port, as in https://[2001:db8::1]:8443")
        }
        self.port = port.count > 1 ? port.dropFirst() : nil
    }

    /// Whether a text without a scheme is a host, with or without a port. `javascript:alert(1)` is none.
    private static func isHost(_ text: String) -> Bool {
        let name = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
        let end = name.hasPrefix("[") ? name.firstIndex(of: "]").map(name.index(after:)) : name.firstIndex(of: ":")
        let port = name[(end ?? name.endIndex)...]
        guard port.isEmpty || (port.first == ":" && UInt16(port.dropFirst()) ?? 0 > 0) else { return false }
        return (try? HostName.canonical(name[..<(end ?? name.endIndex)])) != nil
    }

    /// Returns the port as browsers write it: with its colon, or empty for the default port of the scheme.
    ///
    /// - Throws: `AddressProblem` if the port is not a number from 1 to 65535.
    func canonicalPort() throws(AddressProblem) -> String {
        guard let port else { return "" }
        guard port.utf8.count <= 5, port.utf8.allSatisfy(\.isDigit), let number = UInt16(port), number > 0 else {
            throw AddressProblem("must have a port from 1 to 65535")
        }
        switch (scheme, number) {
        case ("http", 80), ("https", 443): return ""
        default: return ":\(number)"
        }
    }
}
