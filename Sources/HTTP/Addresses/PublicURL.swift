/// What clients call the server: an http URL, perhaps with a path below which a proxy serves it.
public struct PublicURL: Hashable, Sendable {
    /// `https://example.org`, as browsers write it in `Origin`.
    public let origin: String
    /// The path below which everything lies, such as `/fog`; empty for none. It has no slash at its end.
    public let basePath: String

    /// The URL, without a slash at its end.
    public var text: String { origin + basePath }

    public var isHTTPS: Bool { origin.hasPrefix("https:") }

    private static let example = "a URL such as https://example.org or https://example.org/fog"

    /// Brings a URL into the form in which the server writes it: the host in lower case and in punycode, without a default
    /// port, without slashes at its end.
    ///
    /// - Throws: `AddressProblem`, mostly with the spelling that is taken, for a text without http or https, with a query,
    ///   a fragment or user information, and for a path that no client could ask for.
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
    /// The target below a path, as a proxy passes it on that does not take the path off; any other target as it is.
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
