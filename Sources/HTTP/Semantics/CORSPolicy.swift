/// Which web pages of other origins may read answers (Fetch standard, "CORS protocol").
///
/// Answers never allow credentials: the server's tokens travel in Authorization, which a page sets itself, so a cookie of
/// its user is of no use to it.
public struct CORSPolicy: Sendable {
    private let allowsAll: Bool
    private let origins: Set<String>
    private let patterns: [CORSOrigin.Pattern]

    /// - Parameter origins: Entries as `CORSOrigin` reads them; others match nothing. Empty turns CORS off.
    public init(origins: [String]) {
        var (allowsAll, exact, patterns) = (false, Set<String>(), [CORSOrigin.Pattern]())
        for text in origins {
            switch (try? CORSOrigin(text))?.form {
            case .all?: allowsAll = true
            case .exact(let origin)?: exact.insert(origin)
            case .pattern(let pattern)?: patterns.append(pattern)
            case nil: break
            }
        }
        (self.allowsAll, self.origins, self.patterns) = (allowsAll, exact, patterns)
    }

    /// Whether any origin is allowed.
    public var isEnabled: Bool { allowsAll || !origins.isEmpty || !patterns.isEmpty }

    /// Whether an origin is one of the list.
    ///
    /// `null` is the origin of every sandboxed frame and every file, and any page can make such a frame. So an entry `null` lets
    /// all pages read, as `*` does. Neither gives them any permission: see above.
    func allows(_ origin: String) -> Bool {
        if origins.contains(origin) { return true }
        guard !patterns.isEmpty || origin.utf8.contains(where: { $0 &- 0x41 < 26 }) else { return false }
        // Only of http do all browsers write the host in lower case: in other schemes it is opaque (URL standard §3.5).
        let isWeb = origin.hasPrefix("https://") || origin.hasPrefix("http://")
        let text = isWeb ? origin : origin.lowercased()
        return (!isWeb && origins.contains(text)) || patterns.contains { $0.matches(text) }
    }

    /// The answer to a preflight, or `nil` if the request is none: not OPTIONS, or without Origin or
    /// Access-Control-Request-Method.
    ///
    /// An origin that is not allowed gets a 204 without any CORS field, which the browser takes for a refusal.
    ///
    /// - Parameter allow: The methods of the route; `nil` if there is no such route.
    public func preflight(_ request: HTTPRequest, allow: [HTTPMethod]?) -> HTTPResponse? {
        guard request.method == .options, request.fields.contains(.origin),
            request.fields.contains(.accessControlRequestMethod)
        else { return nil }
        var response = HTTPResponse(.noContent)
        apply(to: &response, for: request)
        guard response.fields.contains(.accessControlAllowOrigin), let allow else { return response }
        response.fields.append(.accessControlAllowMethods, allow.map(\.text).joined(separator: ", "))
        if let wanted = request.fields[.accessControlRequestHeaders] {
            // The names that were asked for: no field of ours depends on which a page may send.
            response.fields.append(.accessControlAllowHeaders, wanted)
        }
        response.fields.append(.accessControlMaxAge, literal: "600")
        response.fields.append(
            .vary, literal: "Access-Control-Request-Method, Access-Control-Request-Headers")
        return response
    }

    /// Adds Access-Control-Allow-Origin and what belongs to it, if the request's origin is allowed; and, unless all
    /// origins are, `Vary: Origin` whether or not it is, so that no cache mixes the answers up.
    public func apply(to response: inout HTTPResponse, for request: HTTPRequest) {
        guard isEnabled else { return }
        if !allowsAll { response.fields.append(.vary, literal: "Origin") }
        guard request.fields.count(of: .origin) == 1, let origin = request.fields[.origin],
            allowsAll || allows(origin)
        else { return }
        if allowsAll {
            response.fields.set(.accessControlAllowOrigin, "*")
        } else {
            response.fields.set(.accessControlAllowOrigin, origin)
        }
        response.fields.remove(.accessControlExposeHeaders)
        response.fields.append(.accessControlExposeHeaders, literal: Self.exposed)
    }

    /// What scripts may read beyond the safelisted fields.
    private static let exposed: StaticString = """
        ETag, Location, Accept-Ranges, Content-Range, Content-Disposition, Content-Digest, Repr-Digest, Retry-After, \
        WWW-Authenticate, Idempotency-Replayed, Preference-Applied, \
        RateLimit, RateLimit-Policy, X-Request-ID, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Offset, \
        Upload-Length, Upload-Defer-Length, Upload-Expires, Upload-Metadata
        """
}
