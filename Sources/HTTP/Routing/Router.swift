/// Finds the endpoint of a request: a tree of path segments, with the methods at its nodes.
///
/// A literal segment goes before a parameter; if it leads nowhere, the parameter is tried. HEAD is answered by GET.
public struct Router<Endpoint: Sendable>: Sendable {
    public enum Match: Sendable {
        /// - Parameter route: The name under which metrics count the request: what was passed to `add`.
        case found(Endpoint, route: StaticString, parameters: RouteParameters)
        /// 405; the methods are for Allow, with HEAD where there is GET, and OPTIONS.
        case methodNotAllowed([HTTPMethod])
        case notFound
        /// 400: a segment of the path has a malformed escape, a NUL or bytes that are not UTF-8.
        case badEncoding
    }

    private var tree = RouteTree()
    @usableFromInline private(set) var endpoints: [Endpoint] = []
    private var names: [StaticString] = []

    public init() {}

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - pattern: A path such as `/records/{type}/{name}`: each segment is a literal or a parameter. At most eight
    ///     parameters. It becomes the route's name.
    public mutating func add(_ method: HTTPMethod, _ pattern: StaticString, _ endpoint: Endpoint) {
        tree.add(method, pattern, from: 0)
        endpoints.append(endpoint)
        names.append(pattern)
    }

    /// Adds a route that is named with its method, such as `GET /records/{type}/{name}`.
    ///
    /// The name is one literal so that counting a request allocates nothing.
    public mutating func add(_ route: StaticString, _ endpoint: Endpoint) {
        let bytes = UnsafeRawBufferPointer(start: route.utf8Start, count: route.utf8CodeUnitCount)
        guard let space = bytes.firstIndex(of: 0x20) else {
            preconditionFailure("A route's name is a method, a space and a pattern")
        }
        tree.add(HTTPMethod(token: bytes.part(0, space)), route, from: space + 1)
        endpoints.append(endpoint)
        names.append(route)
    }

    /// Finds the route of a target. An asterisk matches none.
    ///
    /// Only raw bytes are compared with literals, so that an escaped spelling of a literal cannot reach its route.
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

    /// What does not depend on the type of the endpoints, so that only the rest is made anew for each.
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

    /// The methods that a target takes, for Allow and a preflight; `nil` if there is no such route.
    public func allowedMethods(_ target: RequestTarget) -> [HTTPMethod]? {
        // No route has an empty method.
        guard case .methodNotAllowed(let methods) = match(.other(""), target) else { return nil }
        return methods
    }
}
