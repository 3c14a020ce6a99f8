internal import HTTP
internal import RecordModel

/// The mistake in a path that matches no route, and the corrected path.
struct WrongPath {
    private enum Slip: String {
        case trailingSlash = "The path has a slash at its end, which no route has. Leave it out"
        case doubledSlash = "The path has two slashes in a row, which no route has. Send one"
        case wrongCase = "Paths tell capital letters from small ones, and routes begin in small letters"
        case prefix = """
            The path is below another one that the server does not know. If a proxy serves it there, name that in the \
            setting public.url, as https://example.org/path
            """
    }

    private let slip: Slip
    /// The corrected path, still percent-encoded.
    let path: String
    /// Whether a GET or HEAD request may be redirected to the corrected path. This requires that the only mistake is a
    /// trailing slash, and that the corrected path has a route for the method.
    let isRedirected: Bool

    /// - Returns: `nil` if no known correction leads to a route.
    init?(_ request: HTTPRequest, _ table: RouteTable) {
        let path = request.target.rawPath
        // A longer path is not a typing mistake.
        guard path.hasPrefix("/"), path.utf8.count <= 2_048 else { return nil }
        func hasRoute(_ path: String, forThisMethod: Bool = false) -> Bool {
            guard path != "/", let target = RequestTarget(path) else { return false }
            switch table.match(request.method, target) {
            case .found: return true
            case .methodNotAllowed: return !forThisMethod
            case .notFound, .badEncoding: return false
            }
        }
        let parts = path.split(separator: "/")
        guard let first = parts.first, parts.count <= 16 else { return nil }
        let joined = "/" + parts.joined(separator: "/")
        let lower = "/" + ([Substring(first.lowercased())] + parts.dropFirst()).joined(separator: "/")
        if hasRoute(joined) {
            let isLast = path.dropLast() == joined
            (slip, self.path) = (path.hasSuffix("/") && path.hasPrefix(joined) ? .trailingSlash : .doubledSlash, joined)
            isRedirected =
                isLast && (request.method == .get || request.method == .head)
                && hasRoute(joined, forThisMethod: true)
            return
        }
        isRedirected = false
        if hasRoute(lower) {
            (slip, self.path) = (.wrongCase, lower)
            return
        }
        let below = (1..<max(2, min(parts.count, 4))).lazy.map { "/" + parts.dropFirst($0).joined(separator: "/") }
        guard let found = below.first(where: { hasRoute($0) }) else { return nil }
        (slip, self.path) = (.prefix, found)
    }

    /// Returns a 404 error that names the corrected path, prefixed with `basePath`.
    func rejection(basePath: String) -> APIError {
        APIError(
            status: .notFound,
            error: RecordError(
                .notFound, slip.rawValue, cause: .unknownRoute, details: [("path", .text(basePath + path))]))
    }

    /// Returns the redirect to the corrected path.
    func redirection(_ request: HTTPRequest, basePath: String) -> HTTPResponse {
        var response = HTTPResponse(.permanentRedirect, fields: .bodyless)
        let query = request.target.rawQuery.map { "?" + $0 } ?? ""
        response.fields.append(.location, basePath + path + query)
        return response
    }
}
