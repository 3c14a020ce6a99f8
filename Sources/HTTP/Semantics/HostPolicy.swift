/// The host names that a server accepts, as protection against DNS rebinding. In that attack, a foreign page's name
/// resolves to this server, so the browser treats the page as same-origin. But its requests carry the foreign name in
/// Host.
public struct HostPolicy: Sendable {
    private let names: Set<String>

    /// Creates a policy.
    ///
    /// - Parameter hosts: The accepted names or addresses. An entry with a port accepts only that port. An empty list
    ///   accepts all hosts.
    public init(_ hosts: [String] = []) {
        names = Set(hosts.map { $0.lowercased() })
    }

    /// Returns an entry as requests write it: in lower case and in Punycode. Default ports are removed, because
    /// requests do not send them.
    ///
    /// - Throws: `AddressProblem` for text other than a host with an optional port.
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

    /// Whether the host of a request (RFC 9110 §7.2) is accepted. A request without Host is accepted only if the list
    /// is empty.
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
