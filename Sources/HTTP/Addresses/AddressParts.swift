/// Why a text is no URL or origin that a setting takes.
public struct AddressProblem: Error, Hashable, Sendable {
    /// The end of a sentence: `must …`.
    public let expected: String

    init(_ expected: String) {
        self.expected = expected
    }
}

/// The parts of a URL in a setting, as they were written.
struct AddressParts {
    /// In lower case.
    var scheme: String
    var userinfo: Substring?
    var host: Substring
    var port: Substring?
    /// From the first `/`, `?` or `#` on.
    var rest: Substring

    /// - Throws: `AddressProblem` for a text without a scheme, which it names, and for blanks.
    init(_ text: String, example: String) throws(AddressProblem) {
        guard !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 || $0 == "\\" })
        else {
            throw AddressProblem("must be \(example), without blanks and backslashes")
        }
        guard let mark = text.firstRange(of: "://") else {
            let local = ["localhost", "127.", "[::1]", "192.168.", "10."].contains(where: text.lowercased().hasPrefix)
            let isHost = text.contains(where: \.isLetter) || text.contains(where: \.isNumber)
            throw AddressProblem(
                "must begin with a scheme: write \(isHost && !text.contains("/") ? (local ? "http://" : "https://") + text.lowercased() : example)"
            )
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

    /// The port as browsers write it: with its colon, and none where it is the scheme's own.
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
