/// By which names a server answers. A page of elsewhere whose name is made to point at this server (DNS rebinding) is of the
/// server's origin for a browser, but it still says its own name in Host.
public struct HostPolicy: Sendable {
    private let names: Set<String>

    /// - Parameter hosts: Names or addresses, with a port if only that one will do; none for all.
    public init(_ hosts: [String] = []) {
        names = Set(hosts.map { $0.lowercased() })
    }

    /// An entry as requests have it: in lower case and in punycode. A default port is in no request, so it is left away.
    ///
    /// - Throws: `AddressProblem` for what is no host, perhaps with a port.
    public static func entry(_ text: String) throws(AddressProblem) -> String {
        let parts = try AddressParts(text.contains("://") ? text : "host://" + text, example: "db.example.org")
        guard parts.scheme == "host", parts.userinfo == nil, parts.rest.isEmpty else {
            throw AddressProblem(
                "must be names without a scheme and a path: write \(try HostName.canonical(parts.host))\(try parts.canonicalPort())"
            )
        }
        let port = try parts.canonicalPort()
        return try HostName.canonical(parts.host) + (port == ":80" || port == ":443" ? "" : port)
    }

    /// Whether the host of a request (RFC 9110 §7.2) is one of them. A request without Host is not.
    public func allows(_ fields: HTTPFields) -> Bool {
        guard !names.isEmpty else { return true }
        guard let host = fields[.host]?.lowercased() else { return false }
        return names.contains(host) || names.contains(Self.withoutPort(host))
    }

    private static func withoutPort(_ host: String) -> String {
        if host.hasPrefix("[") { return host.lastIndex(of: "]").map { String(host[...$0]) } ?? host }
        return host.firstIndex(of: ":").map { String(host[..<$0]) } ?? host
    }
}
