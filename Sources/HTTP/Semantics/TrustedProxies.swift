/// Whose word is taken for where a request comes from: proxies that the operator has named, and nobody else.
///
/// A proxy adds the address that it sees at the right end of a list. What stands left of the last address that a trusted
/// proxy added was sent by somebody who can write there what he likes, so the list is read from the right.
public struct TrustedProxies: Sendable {
    /// Which field a proxy writes. Only one is read: a proxy hands on the other one as the client has sent it.
    public enum Field: String, CaseIterable, Sendable {
        case xForwardedFor = "x-forwarded-for"
        /// RFC 7239.
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

    /// Nobody is trusted.
    public static let none = TrustedProxies(networks: [])

    /// - Parameter trustsLocal: Whether peers on a Unix socket are proxies.
    public init(networks: [IPNetwork], trustsLocal: Bool = false, field: Field = .xForwardedFor) {
        self.networks = networks
        self.trustsLocal = trustsLocal
        self.field = field
    }

    public var isEmpty: Bool { networks.isEmpty && !trustsLocal }

    /// The most addresses that are looked at, from the right.
    private static let maxHops = 32

    /// Where a request comes from that a trusted proxy has passed on.
    ///
    /// - Parameter peer: The other end of the connection; `nil` on a Unix socket.
    /// - Returns: The rightmost address that is no trusted proxy's, or the leftmost one if all are. `nil` if the peer is
    ///   not trusted, names nobody, or if the list has something that is no address where an address is needed: then the
    ///   peer counts.
    public func client(of fields: HTTPFields, peer: IPAddress?) -> IPAddress? {
        guard peer.map(contains) ?? trustsLocal, fields.contains(field.name) else { return nil }
        var client: IPAddress?
        var hops = 0
        // Several lines of a list are one list (RFC 9110 §5.3).
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

    /// The members of a list; commas in quoted strings part nothing. `nil` if a quotation mark has no partner: nobody knows
    /// then where the client's text ends and a proxy's begins.
    private func elements(of line: String) -> [Substring]? {
        // There are no quoted strings in X-Forwarded-For.
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
        // RFC 9110 §5.6.1: empty members count for nothing.
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
                // RFC 7239 §4: each parameter once.
                guard found == nil else { return nil }
                var value = Self.trimmed(pair[pair.index(after: equals)...])
                if value.hasPrefix("\"") {
                    // An address needs no escapes; who uses one is refused.
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

    /// `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80`, `2001:db8::1`. Not `unknown`, nor a made-up name
    /// such as `_hidden` (RFC 7239 §6): neither tells two clients apart.
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

    /// Whether a text is a colon and a port, or nothing.
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
