/// An entry in the list of origins whose pages may read responses. Entries are normalized to the spelling that browsers
/// use in Origin.
public struct CORSOrigin: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        /// `*`: all origins.
        case all
        /// One origin as written in `Origin`, or `null`.
        case exact(String)
        /// A pattern such as `https://*.example.org`, `http://localhost:*` or `moz-extension://*`.
        case pattern(Pattern)
    }

    struct Pattern: Hashable, Sendable {
        /// The scheme including `://`.
        var scheme: String
        /// The whole host, or its suffix if `isBelow`; `nil` for any host.
        var host: String?
        /// Whether the origin's host must have one or more labels before `host`.
        var isBelow: Bool
        /// The port with its colon; empty for an origin without a port; `nil` for any port or no port.
        var port: String?

        func matches(_ origin: some StringProtocol) -> Bool {
            guard origin.hasPrefix(scheme) else { return false }
            let authority = origin.dropFirst(scheme.count)
            guard Array(authority.utf8).withUnsafeBytes(HostSyntax.isValid) else { return false }
            let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
            let colon = authority[(end ?? authority.startIndex)...].firstIndex(of: ":") ?? authority.endIndex
            if let port, authority[colon...] != port { return false }
            guard let host else { return true }
            let found = authority[..<colon]
            guard isBelow else { return found == host }
            return found.hasSuffix("." + host) && found.utf8.count > host.utf8.count + 1 && !found.hasPrefix(".")
        }

        var text: String { scheme + (isBelow ? "*." : "") + (host ?? "*") + (port ?? ":*") }
    }

    let form: Form

    /// The normalized entry: the host in lower case and in Punycode, without a default port.
    public var text: String {
        switch form {
        case .all: "*"
        case .exact(let origin): origin
        case .pattern(let pattern): pattern.text
        }
    }

    /// Parses an entry: an origin, `null`, or `*` for all. The host may begin with `*.`, and the port may be `*`.
    ///
    /// - Throws: `AddressProblem` for an entry that can match no browser's origin. The problem names a spelling that
    ///   matches, if there is one.
    public init(_ text: String) throws(AddressProblem) {
        let lower = text.lowercased()
        switch lower {
        case "*": form = .all
        case "null": form = .exact("null")
        default:
            guard !["file:", "data:", "blob:", "about:", "javascript:"].contains(where: lower.hasPrefix) else {
                throw AddressProblem("must be null for such pages: browsers send no other origin for them")
            }
            form = try Self.form(of: AddressParts(text, example: "https://app.example.org"))
        }
    }

    private static func form(of parts: AddressParts) throws(AddressProblem) -> Form {
        if let other = ["ws": "http", "wss": "https"][parts.scheme] {
            var right = parts
            right.scheme = other
            throw AddressProblem("must name the page's own scheme: write \(try plain(right))")
        }
        guard parts.userinfo == nil, parts.rest.isEmpty else {
            throw AddressProblem(
                "must be an origin, which has no path, query and user information: write \(try plain(parts))")
        }
        return try entry(parts)
    }

    /// Returns the origin in an entry that also has a path or other parts, for the error sentence.
    ///
    /// - Throws: `AddressProblem` if the origin is not valid either.
    private static func plain(_ parts: AddressParts) throws(AddressProblem) -> String {
        switch try entry(parts) {
        case .all: return "*"
        case .exact(let origin): return origin
        case .pattern(let pattern): return pattern.text
        }
    }

    private static func entry(_ parts: AddressParts) throws(AddressProblem) -> Form {
        let isWeb = parts.scheme == "https" || parts.scheme == "http"
        let anyPort = parts.port == "*"
        let port: String? = anyPort ? nil : try parts.canonicalPort()
        let scheme = parts.scheme + "://"
        if parts.host == "*" {
            guard !isWeb else {
                throw AddressProblem("must name a host, such as \(scheme)*.example.org; * alone allows all origins")
            }
            return .pattern(Pattern(scheme: scheme, host: nil, isBelow: false, port: anyPort ? nil : port))
        }
        let isBelow = parts.host.hasPrefix("*.")
        let name = isBelow ? parts.host.dropFirst(2) : parts.host
        guard !name.contains("*") else {
            throw AddressProblem(
                "must have a star in place of the first labels of a host, as \(scheme)*.example.org")
        }
        let host = try HostName.canonical(name)
        guard !isBelow || (IPAddress(host) == nil && !host.hasPrefix("[")) else {
            throw AddressProblem("must have a name after *., since nothing is below an IP address")
        }
        guard isBelow || anyPort else { return .exact(scheme + host + (port ?? "")) }
        return .pattern(Pattern(scheme: scheme, host: host, isBelow: isBelow, port: port))
    }
}
