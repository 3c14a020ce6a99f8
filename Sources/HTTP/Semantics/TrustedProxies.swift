/// The proxies that the server trusts to report the client's address.
///
/// A proxy appends the address of its peer at the right end of a list. The client can forge every address to the left
/// of the last address that a trusted proxy added. So the server reads the list from the right.
public struct TrustedProxies: Sendable {
    /// The field that the trusted proxies write. The server does not read the other field, because a proxy may pass on
    /// the client's value.
    public enum Field: String, CaseIterable, Sendable {
        case xForwardedFor = "x-forwarded-for"
        /// `Forwarded` (RFC 7239).
        case forwarded

        var name: HTTPFieldName {
            switch self {
            case .xForwardedFor: .xForwardedFor
            case .forwarded: .forwarded
            }
        }
    }

    private let networks: [IPNetwork]
    private let trustsLocal: Bool
    private let field: Field

    /// No trusted proxies.
    public static let none = TrustedProxies(networks: [])

    /// Creates a set of trusted proxies.
    ///
    /// - Parameter trustsLocal: Whether all peers on a Unix socket are trusted proxies.
    public init(networks: [IPNetwork], trustsLocal: Bool = false, field: Field = .xForwardedFor) {
        self.networks = networks
        self.trustsLocal = trustsLocal
        self.field = field
    }

    /// Whether no peer is trusted.
    public var isEmpty: Bool { networks.isEmpty && !trustsLocal }

    /// The maximum number of addresses to read, from the right.
    private static let maxHops = 32

    /// Returns the client's address as reported by trusted proxies.
    ///
    /// - Parameter peer: The address of the other end of the connection; `nil` on a Unix socket.
    /// - Returns: The rightmost address that does not belong to a trusted proxy. If all addresses read belong to
    ///   trusted proxies, the leftmost of them. `nil` if the peer is not trusted, if the field is absent, or if an
    ///   element to be read is not an address; the peer is then the client.
    public func client(of fields: HTTPFields, peer: IPAddress?) -> IPAddress? {
        guard peer.map(contains) ?? trustsLocal, fields.contains(field.name) else { return nil }
        var client: IPAddress?
        var hops = 0
        // Several lines form one list (RFC 9110 §5.3).
        for line in fields.values(of: field.name).reversed() {
            guard let elements = elements(of: line) else { return nil }
            for element in elements.reversed() {
                guard hops < Self.maxHops else { return client }
                hops += 1
                guard let address = address(in: element) else { return nil }
                client = address
                guard contains(address) else { return address }
            }
        }
        return client
    }

    private func contains(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// Returns the elements of a list. Commas in quoted strings do not separate elements. Returns `nil` if a quoted
    /// string has no end: then it is unclear where the client's text ends and a proxy's text begins.
    private func elements(of line: String) -> [Substring]? {
        // X-Forwarded-For has no quoted strings.
        guard field == .forwarded else {
            return line.split(separator: ",").map(Self.trimmed).filter { !$0.isEmpty }
        }
        var elements: [Substring] = []
        var start = line.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in line.indices {
            let character = line[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                if character == "\\" { isEscaped = true }
                if character == "\"" { isQuoted = false }
            } else if character == "\"" {
                isQuoted = true
            } else if character == "," {
                elements.append(line[start..<index])
                start = line.index(after: index)
            }
        }
        guard !isQuoted else { return nil }
        elements.append(line[start...])
        // RFC 9110 §5.6.1: empty elements are ignored.
        return elements.map(Self.trimmed).filter { !$0.isEmpty }
    }

    private func address(in element: Substring) -> IPAddress? {
        switch field {
        case .xForwardedFor: return Self.node(element)
        case .forwarded:
            var found: IPAddress?
            for pair in Self.pairs(of: element) {
                guard let equals = pair.firstIndex(of: "=") else { return nil }
                guard Self.trimmed(pair[..<equals]).lowercased() == "for" else { continue }
                // RFC 7239 §4: each parameter occurs once.
                guard found == nil else { return nil }
                var value = Self.trimmed(pair[pair.index(after: equals)...])
                if value.hasPrefix("\"") {
                    // An address needs no escapes, so a value with one is rejected.
                    guard value.count >= 2, value.hasSuffix("\""), !value.contains("\\") else { return nil }
                    value = value.dropFirst().dropLast()
                }
                guard let address = Self.node(value) else { return nil }
                found = address
            }
            return found
        }
    }

    private static func pairs(of element: Substring) -> [Substring] {
        var isQuoted = false
        return element.split(omittingEmptySubsequences: true) { character in
            if character == "\"" { isQuoted.toggle() }
            return character == ";" && !isQuoted
        }
    }

    /// Parses an address with an optional port: `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80` or
    /// `2001:db8::1`. `unknown` and obfuscated identifiers such as `_hidden` (RFC 7239 §6) are rejected, because they
    /// do not distinguish clients.
    private static func node(_ text: Substring) -> IPAddress? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let inside = text[text.index(after: text.startIndex)..<end]
            guard inside.contains(":"), isPort(text[text.index(after: end)...]) else { return nil }
            return IPAddress(inside)
        }
        if let address = IPAddress(text) { return address }
        guard let colon = text.firstIndex(of: ":"), isPort(text[colon...]) else { return nil }
        return IPAddress(text[..<colon])
    }

    /// Whether a text is empty, or a colon followed by a port.
    private static func isPort(_ text: Substring) -> Bool {
        guard let first = text.first else { return true }
        return first == ":" && (2...6).contains(text.utf8.count) && text.utf8.dropFirst().allSatisfy(\.isDigit)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
