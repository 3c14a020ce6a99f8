/// The URL that clients use to reach the server: http or https, with an optional base path added by a proxy.
public struct PublicURL: Hashable, Sendable {
    /// The origin as browsers write it in `Origin`, such as `https://example.org`.
    public let origin: String
    /// The path prefix of all routes, such as `/fog`, without a trailing slash; empty if there is none.
    public let basePath: String

    /// The whole URL, without a trailing slash.
    public var text: String { origin + basePath }

    /// Whether the scheme is https.
    public var isHTTPS: Bool { origin.hasPrefix("https:") }

    private static let example = "a URL such as https://example.org or https://example.org/fog"

    /// Parses a URL and normalizes it: the host in lower case and in Punycode, without a default port and trailing
    /// slashes.
    ///
    /// - Throws: `AddressProblem` if the scheme is not http or https, if there is a query, a fragment or user
    ///   information, if the host or port is invalid, or if the path is invalid in a request target. Most problems
    ///   contain the accepted spelling.
    public init(_ text: String) throws(AddressProblem) {
        let parts = try AddressParts(text, example: "https://example.org")
        guard parts.scheme == "https" || parts.scheme == "http" else {
            throw AddressProblem("must be \(Self.example)")
        }
        origin = "\(parts.scheme)://\(try HostName.canonical(parts.host))\(try parts.canonicalPort())"
        var path = parts.rest.prefix { $0 != "?" && $0 != "#" }
        let hasMore = path.endIndex != parts.rest.endIndex
        while path.last == "/" { path.removeLast() }
        guard parts.userinfo == nil, !hasMore else {
            throw AddressProblem(
                "must be a URL without user information, query and fragment: write \(origin)\(path)")
        }
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw AddressProblem("must have a path in ASCII, with other characters percent-encoded")
        }
        guard let target = RequestTarget(path.isEmpty ? "/" : String(path)), target.isDecodable, !path.contains("//")
        else { throw AddressProblem("must have a path without empty parts, '.', '..' and broken escapes") }
        basePath = String(path)
    }
}

extension RequestTarget {
    /// Returns the target without a path prefix, or the unchanged target if its path has no such prefix. Use this for
    /// proxies that do not remove the prefix.
    ///
    /// - Parameter path: The bytes of a `PublicURL.basePath`.
    public func below(_ path: [UInt8]) -> RequestTarget {
        guard !path.isEmpty, pathEnd - pathStart >= path.count else { return self }
        let begins = bytes.withUnsafeBytes { buffer in
            let next = pathStart + path.count
            return (next == pathEnd || buffer[next] == UInt8(ascii: "/"))
                && buffer.part(pathStart, next).elementsEqual(path)
        }
        guard begins else { return self }
        var target = self
        target.shape.pathStart += UInt32(truncatingIfNeeded: path.count)
        return target
    }
}
