/// Finds the endpoint of a request in a tree of path segments.
///
/// A literal segment has priority over a parameter. If the literal leads to no route, the parameter is tried. A HEAD
/// request uses the route of GET.
public struct Router<Endpoint: Sendable>: Sendable {
    /// The result of a search.
    public enum Match: Sendable {
        /// - Parameter route: The name of the route for metrics: the text passed to `add`.
        case found(Endpoint, route: StaticString, parameters: RouteParameters)
        /// Status 405: the path has routes, but not for this method. The methods are for Allow: HEAD is included with
        /// GET, OPTIONS always.
        case methodNotAllowed([HTTPMethod])
        case notFound
        /// Status 400: a path segment has a malformed escape, a NUL or bytes that are not UTF-8.
        case badEncoding
    }

    private var tree = RouteTree()
    @usableFromInline private(set) var endpoints: [Endpoint] = []
    private var names: [StaticString] = []

    /// Creates a router without routes.
    public init() {}

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - pattern: A path such as `/records/{type}/{name}`, which becomes the name of the route. Each segment is a
    ///     literal or a parameter; there are at most eight parameters.
    public mutating func add(_ method: HTTPMethod, _ pattern: StaticString, _ endpoint: Endpoint) {
        tree.add(method, pattern, from: 0)
        endpoints.append(endpoint)
        names.append(pattern)
    }

    /// Adds a route whose name includes the method, such as `GET /records/{type}/{name}`.
    ///
    /// Because the name is one literal, counting a request for the metrics allocates nothing.
    public mutating func add(_ route: StaticString, _ endpoint: Endpoint) {
        let bytes = UnsafeRawBufferPointer(start: route.utf8Start, count: route.utf8CodeUnitCount)
        guard let space = bytes.firstIndex(of: 0x20) else {
            preconditionFailure("A route's name is a method, a space and a pattern")
        }
        tree.add(HTTPMethod(token: bytes.part(0, space)), route, from: space + 1)
        endpoints.append(endpoint)
        names.append(route)
    }

    /// Finds the route of a target. An asterisk matches no route.
    ///
    /// Only raw bytes are compared with literals, so a percent-encoded spelling of a literal does not match.
    @inlinable
    public func match(_ method: HTTPMethod, _ target: RequestTarget) -> Match {
        switch find(method, target) {
        case .found(let index, let route, let parameters):
            .found(endpoints[index], route: route, parameters: parameters)
        case .methodNotAllowed(let methods): .methodNotAllowed(methods)
        case .notFound: .notFound
        case .badEncoding: .badEncoding
        }
    }

    /// The steps of `match` that do not depend on the endpoint type, so that they are not specialized for each type.
    @usableFromInline
    func find(_ method: HTTPMethod, _ target: RequestTarget) -> Router<Int>.Match {
        guard !target.isAsterisk else { return .notFound }
        guard target.isDecodable else { return .badEncoding }
        switch tree.match(method, target) {
        case .found(let route, let segments):
            return .found(
                route, route: names[route], parameters: RouteParameters(target: target, segments: segments))
        case .methodNotAllowed(let methods): return .methodNotAllowed(methods)
        case .notFound: return .notFound
        }
    }

    /// Returns the methods of a target for Allow and for a preflight; `nil` if no route has the path.
    public func allowedMethods(_ target: RequestTarget) -> [HTTPMethod]? {
        // No route has an empty method.
        guard case .methodNotAllowed(let methods) = match(.other(""), target) else { return nil }
        return methods
    }
}
