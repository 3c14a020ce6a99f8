/// Decides which web pages of other origins may read responses (Fetch standard, "CORS protocol").
///
/// Responses never allow credentials. A page sends the server's tokens in Authorization, so it does not need cookies.
public struct CORSPolicy: Sendable {
    private let allowsAll: Bool
    private let origins: Set<String>
    private let patterns: [CORSOrigin.Pattern]

    /// - Parameter origins: Entries as in `CORSOrigin`; invalid entries match nothing. An empty list disables CORS.
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

    /// Whether at least one origin is allowed.
    public var isEnabled: Bool { allowsAll || !origins.isEmpty || !patterns.isEmpty }

    /// Whether an origin matches the list.
    ///
    /// `null` is the origin of every sandboxed frame and every local file, and any page can create such a frame. So an
    /// entry `null` lets all pages read responses, as `*` does. Neither entry gives a page any permissions, because
    /// credentials are never allowed.
    public func allows(_ origin: String) -> Bool {
        if allowsAll { return true }
        if origins.contains(origin) { return true }
        guard !patterns.isEmpty || origin.utf8.contains(where: { $0 &- 0x41 < 26 }) else { return false }
        // All browsers write the host in lower case only for http and https. In other schemes, the host is opaque (URL
        // standard §3.5).
        let isWeb = origin.hasPrefix("https://") || origin.hasPrefix("http://")
        let text = isWeb ? origin : origin.lowercased()
        return (!isWeb && origins.contains(text)) || patterns.contains { $0.matches(text) }
    }

    /// Returns the response to a preflight. Returns `nil` if the request is not a preflight: the method is not OPTIONS,
    /// or Origin or Access-Control-Request-Method is missing.
    ///
    /// For an origin that is not allowed, the response is a 204 without CORS fields. The browser treats it as a denial.
    ///
    /// - Parameter allow: The methods of the route; `nil` if no route has the path.
    public func preflight(_ request: HTTPRequest, allow: [HTTPMethod]?) -> HTTPResponse? {
        guard request.method == .options, request.fields.contains(.origin),
            request.fields.contains(.accessControlRequestMethod)
        else { return nil }
        var response = HTTPResponse(.noContent)
        apply(to: &response, for: request)
        guard response.fields.contains(.accessControlAllowOrigin), let allow else { return response }
        response.fields.append(.accessControlAllowMethods, allow.map(\.text).joined(separator: ", "))
        if let wanted = request.fields[.accessControlRequestHeaders] {
            // All requested names are allowed: the server does not restrict the fields that a page may send.
            response.fields.append(.accessControlAllowHeaders, wanted)
        }
        response.fields.append(.accessControlMaxAge, literal: "600")
        response.fields.append(
            .vary, literal: "Access-Control-Request-Method, Access-Control-Request-Headers")
        return response
    }

    /// Adds Access-Control-Allow-Origin and related fields if the request's origin is allowed. Unless all origins are
    /// allowed, always adds `Vary: Origin`, so that caches keep the responses for different origins apart.
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

    /// Lets pages of all origins read a response, for a URL that is the permission. The fields do not depend on the
    /// request, so that a copy in a browser's cache suits an image and a script alike.
    public static func openToAll(_ response: inout HTTPResponse) {
        response.ownsOrigins = true
        response.fields.set(.accessControlAllowOrigin, "*")
        response.fields.remove(.accessControlExposeHeaders)
        response.fields.append(.accessControlExposeHeaders, literal: exposed)
    }

    /// The policy that allows all origins.
    public static let forAll = CORSPolicy(origins: ["*"])

    /// Returns the origin of a page that wants to read the response and may not; `nil` if no such page sent the request.
    ///
    /// Browsers also send Origin with forms, and with requests to the page's own server. `Sec-Fetch-Mode` and
    /// `Sec-Fetch-Site` exclude these (Fetch Metadata Request Headers). For browsers without them, the Host does.
    public func rejectedOrigin(of request: HTTPRequest) -> String? {
        let fields = request.fields
        guard !allowsAll, let origin = fields[.origin], fields.count(of: .origin) == 1 else { return nil }
        if fields.contains(.secFetchMode), !fields.has(.secFetchMode, "cors") { return nil }
        if fields.contains(.secFetchSite) {
            if fields.has(.secFetchSite, "same-origin") { return nil }
        } else if let host = fields[.host], origin == "http://\(host)" || origin == "https://\(host)" {
            return nil
        }
        return allows(origin) ? nil : origin
    }

    /// The fields that scripts may read in addition to the fields that the Fetch standard always exposes.
    private static let exposed: StaticString = """
        ETag, Location, Accept-Ranges, Content-Range, Content-Disposition, Content-Digest, Repr-Digest, Retry-After, \
        WWW-Authenticate, Idempotency-Replayed, Preference-Applied, \
        RateLimit, RateLimit-Policy, X-Request-ID, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Offset, \
        Upload-Length, Upload-Defer-Length, Upload-Expires, Upload-Metadata
        """
}
