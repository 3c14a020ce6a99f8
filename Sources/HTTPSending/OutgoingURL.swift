internal import CCurl
internal import HTTP

/// A URL that the server may send requests to, parsed by libcurl: what is checked here is what libcurl connects to.
public struct OutgoingURL: Hashable, Sendable {
    /// Why a text is no such URL, as a sentence without a period.
    public struct Problem: Error, Hashable {
        /// The sentence.
        public let reason: String
    }

    /// The URL.
    public let text: String
    /// The host, without the brackets of an IPv6 address.
    public let host: String
    /// Whether the scheme is https.
    public let isEncrypted: Bool

    /// Parses a URL.
    ///
    /// - Parameter maxBytes: The maximum length in bytes.
    /// - Throws: `Problem` for a scheme other than http and https, a user name, a fragment, a greater length, or
    ///   characters other than visible ASCII characters.
    public init(_ text: String, maxBytes: Int = 2_048) throws(Problem) {
        guard text.utf8.count <= maxBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(reason: "A URL has at most \(maxBytes) visible ASCII characters. Encode all others")
        }
        guard let url = curl_url() else { throw Problem(reason: "The server has no memory for a URL") }
        defer { curl_url_cleanup(url) }
        func part(_ part: CURLUPart) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            guard curl_url_get(url, part, &value, 0) == CURLUE_OK, let value else { return nil }
            defer { curl_free(value) }
            return String(cString: value)
        }
        guard curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
            let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST), !host.isEmpty,
            Self.hasTwoSlashes(text, scheme)
        else { throw Problem(reason: "The URL is malformed. It begins with https:// and a host") }
        guard scheme == "https" || scheme == "http" else {
            throw Problem(reason: "The URL begins with https://")
        }
        guard part(CURLUPART_USER) == nil, part(CURLUPART_PASSWORD) == nil else {
            throw Problem(reason: "The URL has no user name and password. The signature authenticates the sender")
        }
        guard part(CURLUPART_FRAGMENT) == nil else { throw Problem(reason: "The URL has no fragment") }
        self.text = text
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        isEncrypted = scheme == "https"
    }

    /// Whether exactly two slashes follow the scheme. libcurl takes one or three, too: `https:///x` would be host `x`.
    private static func hasTwoSlashes(_ text: String, _ scheme: String) -> Bool {
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        guard rest.starts(with: "://".utf8), let next = rest.dropFirst(3).first else { return false }
        return next != UInt8(ascii: "/") && next != UInt8(ascii: "\\")
    }

    /// Whether the policy may allow a connection to the URL.
    ///
    /// A host name is not resolved: its address may change until the server connects.
    public func isAllowed(by policy: AddressPolicy) -> Bool {
        guard isEncrypted || policy.allowsPlainHTTP else { return false }
        return IPAddress(host).map { policy.allows($0, isEncrypted: isEncrypted) } ?? true
    }
}
