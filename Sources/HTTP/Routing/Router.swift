/// Finds the endpoint of a request: a tree of path segments, with the methods at its nodes.
///
/// A literal segment goes before a parameter; if it leads nowhere, the parameter is tried. HEAD is answered by GET.
public struct Router<Endpoint: Sendable>: Sendable {
    public enum Match: Sendable {
        /// - Parameter route: The name under which metrics count the request: what was passed to `add`.
        case found(Endpoint, route: StaticString, parameters: RouteParameters)
        /// 405; the methods are for Allow, with HEAD and OPTIONS where they are answered.
        case methodNotAllowed([HTTPMethod])
        case notFound
        /// 400: a segment of the path has a malformed escape, a NUL or bytes that are not UTF-8.
        case badEncoding
    }

    private struct Node {
        var literals: [(text: StaticString, start: Int, length: Int, node: Int)] = []
        var parameter: Int?
        var routes: [Route] = []
    }

    private struct Route {
        var method: HTTPMethod
        var endpoint: Endpoint
        var name: StaticString
    }

    private var nodes = [Node()]

    public init() {}

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - pattern: A path such as `/records/{type}/{name}`: each segment is a literal or a parameter. At most eight
    ///     parameters. It becomes the route's name.
    public mutating func add(_ method: HTTPMethod, _ pattern: StaticString, _ endpoint: Endpoint) {
        add(method, pattern, from: 0, endpoint)
    }

    /// Adds a route that is named with its method, such as `GET /records/{type}/{name}`.
    ///
    /// The name is one literal so that counting a request allocates nothing.
    public mutating func add(_ route: StaticString, _ endpoint: Endpoint) {
        let bytes = UnsafeRawBufferPointer(start: route.utf8Start, count: route.utf8CodeUnitCount)
        guard let space = bytes.firstIndex(of: 0x20) else {
            preconditionFailure("A route's name is a method, a space and a pattern")
        }
        add(HTTPMethod(token: bytes.part(0, space)), route, from: space + 1, endpoint)
    }

    private mutating func add(_ method: HTTPMethod, _ name: StaticString, from start: Int, _ endpoint: Endpoint) {
        let bytes = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        precondition(
            start < bytes.count && bytes[start] == UInt8(ascii: "/"), "A route's pattern begins with a slash")
        var node = 0
        var index = start + 1
        var parameters = 0
        while index < bytes.count {
            var end = index
            while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
            if end > index, bytes[index] == UInt8(ascii: "{"), bytes[end - 1] == UInt8(ascii: "}") {
                node = parameterChild(of: node)
                parameters += 1
            } else {
                node = literalChild(of: node, name, index, end - index)
            }
            index = end + 1
        }
        precondition(parameters <= RouteParameters.maxCount, "A route has at most eight parameters")
        precondition(
            !nodes[node].routes.contains { $0.method == method }, "Two routes have the same method and pattern")
        nodes[node].routes.append(Route(method: method, endpoint: endpoint, name: name))
    }

    private mutating func parameterChild(of node: Int) -> Int {
        if let child = nodes[node].parameter { return child }
        nodes.append(Node())
        nodes[node].parameter = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func literalChild(of node: Int, _ text: StaticString, _ start: Int, _ length: Int) -> Int {
        let wanted = UnsafeRawBufferPointer(start: text.utf8Start + start, count: length)
        for literal in nodes[node].literals {
            let known = UnsafeRawBufferPointer(start: literal.text.utf8Start + literal.start, count: literal.length)
            if known.elementsEqual(wanted) { return literal.node }
        }
        nodes.append(Node())
        nodes[node].literals.append((text, start, length, nodes.count - 1))
        return nodes.count - 1
    }

    /// Finds the route of a target. An asterisk matches none.
    ///
    /// Only raw bytes are compared with literals, so that an escaped spelling of a literal cannot reach its route.
    public func match(_ method: HTTPMethod, _ target: RequestTarget) -> Match {
        guard !target.isAsterisk else { return .notFound }
        guard target.isDecodable else { return .badEncoding }
        var search = Search(method: method)
        target.bytes.withUnsafeBytes { buffer in
            // A path of an absolute-form may be empty, which is "/".
            descend(0, buffer, min(target.pathStart + 1, target.pathEnd), target.pathEnd, 0, &search)
        }
        if let route = search.found {
            return .found(
                route.endpoint, route: route.name,
                parameters: RouteParameters(target: target, segments: search.foundSegments))
        }
        return search.allowed.isEmpty ? .notFound : .methodNotAllowed(Self.allow(search.allowed))
    }

    private struct Search {
        let method: HTTPMethod
        var found: Route?
        /// The segments that parameters stand for, eight bits each, the first in the lowest.
        var foundSegments: UInt64 = 0
        var segments: UInt64 = 0
        var count: UInt64 = 0
        var allowed: [HTTPMethod] = []
    }

    /// - Parameters:
    ///   - start: Where the next segment begins; `end` or more if there is none left.
    ///   - index: The number of that segment.
    private func descend(
        _ node: Int, _ path: UnsafeRawBufferPointer, _ start: Int, _ end: Int, _ index: Int, _ search: inout Search
    ) {
        // A trailing slash leaves an empty segment at `end`; the root path has none.
        if start > end || (index == 0 && start == end) {
            return settle(node, &search)
        }
        var stop = start
        while stop < end, path[stop] != UInt8(ascii: "/") { stop &+= 1 }
        for literal in nodes[node].literals where literal.length == stop &- start {
            let text = literal.text.utf8Start + literal.start
            var same = 0
            while same < literal.length, path[start &+ same] == text[same] { same &+= 1 }
            guard same == literal.length else { continue }
            descend(literal.node, path, stop &+ 1, end, index &+ 1, &search)
            if search.found != nil { return }
        }
        // A parameter is never empty.
        guard let parameter = nodes[node].parameter, stop > start, index < 256 else { return }
        let before = (search.segments, search.count)
        search.segments |= UInt64(index) << (8 &* search.count)
        search.count &+= 1
        descend(parameter, path, stop &+ 1, end, index &+ 1, &search)
        if search.found == nil { (search.segments, search.count) = before }
    }

    private func settle(_ node: Int, _ search: inout Search) {
        var fallback: Route?
        for route in nodes[node].routes {
            if route.method == search.method {
                search.found = route
                search.foundSegments = search.segments
                return
            }
            if search.method == .head, route.method == .get { fallback = route }
        }
        if let fallback {
            search.found = fallback
            search.foundSegments = search.segments
            return
        }
        for route in nodes[node].routes where !search.allowed.contains(route.method) {
            search.allowed.append(route.method)
        }
    }

    /// The methods of Allow, in a fixed order.
    private static func allow(_ methods: [HTTPMethod]) -> [HTTPMethod] {
        var all = methods
        if all.contains(.get), !all.contains(.head) { all.append(.head) }
        if !all.contains(.options) { all.append(.options) }
        let order: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options]
        return order.filter(all.contains) + all.filter { !order.contains($0) }
    }

    /// The methods that a target takes, for Allow and a preflight; `nil` if there is no such route.
    public func allowedMethods(_ target: RequestTarget) -> [HTTPMethod]? {
        // No route has an empty method.
        guard case .methodNotAllowed(let methods) = match(.other(""), target) else { return nil }
        return methods
    }
}
