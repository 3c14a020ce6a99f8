internal import UnicodeText

/// Normalizes the host of a URL in a setting to the spelling that browsers use.
enum HostName {
    /// Returns a host as browsers send it: in lower case, with non-ASCII labels in Punycode and an IPv6 address in its
    /// shortest form.
    ///
    /// - Throws: `AddressProblem` for an invalid host, and for a name whose Punycode form browsers may compute
    ///   differently.
    static func canonical(_ text: some StringProtocol) throws(AddressProblem) -> String {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]"), text.contains(":"), let address = IPAddress(text.dropFirst().dropLast()),
                !address.isIPv4, !text.contains("%")
            else { throw AddressProblem("must have an IPv6 address between brackets, such as [::1]") }
            return "[\(address)]"
        }
        var labels: [String] = []
        // The dots of East Asian keyboards are label separators too (UTS #46 §4.5).
        for label in text.split(
            omittingEmptySubsequences: false, whereSeparator: { ".\u{3002}\u{FF0E}\u{FF61}".contains($0) })
        {
            labels.append(try ascii(label))
        }
        let name = labels.joined(separator: ".")
        guard !name.isEmpty, name.utf8.count <= 253 else {
            throw AddressProblem("must have a host, such as app.example.org")
        }
        // Browsers read a name whose last label is a number as an IPv4 address (URL standard, "ends in a number").
        if let last = labels.last(where: { !$0.isEmpty }), last.utf8.allSatisfy(\.isDigit) {
            guard let address = IPAddress(name), address.isIPv4 else {
                throw AddressProblem("must have a name or an IP address of four numbers as its host")
            }
        }
        return name
    }

    private static func ascii(_ label: some StringProtocol) throws(AddressProblem) -> String {
        if label.utf8.allSatisfy({ $0 < 0x80 }) {
            guard label.utf8.allSatisfy(HostSyntax.isNameByte), label.utf8.count <= 63 else {
                throw AddressProblem(
                    "must have a host of letters, digits, hyphens and dots, each part of at most 63 characters")
            }
            return String(decoding: label.utf8.map(\.lowercased), as: UTF8.self)
        }
        // IDNA2008 for the simple cases: lower case and NFC. The tables for compatibility mapping are not included. So
        // a label is rejected if compatibility mapping would change the label, or if the label has scalars other than
        // letters, marks and digits.
        let lower = label.unicodeScalars.map(\.properties.lowercaseMapping).joined()
        let scalars = Array(lower.nfc.unicodeScalars)
        guard scalars.count <= 59, scalars.allSatisfy(isPlain),
            scalars.first?.properties.canonicalCombiningClass == .notReordered
        else { throw uncertain }
        let encoded = "xn--" + Punycode.encode(scalars)
        guard encoded.utf8.count <= 63 else { throw uncertain }
        return encoded
    }

    private static let uncertain = AddressProblem(
        "must have its international host name in punycode, as browsers send it: such as xn--mnchen-3ya.example for münchen.example"
    )

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return HostSyntax.isNameByte(UInt8(truncatingIfNeeded: scalar.value)) }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: break
        default: return false
        }
        // Case folding changes the German ß and the final ς, but both are valid in names (RFC 5892 §2.6).
        return !scalar.properties.changesWhenNFKCCaseFolded || scalar == "ß" || scalar == "ς"
    }
}
