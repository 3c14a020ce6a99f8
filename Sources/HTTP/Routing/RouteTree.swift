/// The search tree of a router. The tree does not depend on the endpoint type, so the compiler does not specialize it.
///
/// Nodes and routes are plain values that refer to each other by index, so a search changes no reference count.
struct RouteTree: Sendable {
    enum Outcome {
        /// A route matches the target and the method.
        ///
        /// - Parameters:
        ///   - route: The index of the route, in the order of the calls of `add`.
        ///   - segments: The segment indexes of the parameters; see `RouteParameters`.
        case found(route: Int, segments: UInt64)
        case methodNotAllowed([HTTPMethod])
        case notFound
    }

    /// One segment of a pattern. A literal segment refers to its bytes in the text of its route.
    private struct Node {
        var text: StaticString = ""
        var start = 0
        var length = 0
        var firstLiteral: Int?
        var nextLiteral: Int?
        var parameter: Int?
        var firstRoute: Int?
    }

    private struct Route {
        var method: HTTPMethod
        var next: Int?
    }

    private var nodes = [Node()]
    private var routes: [Route] = []

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - text: The name of the route. Its pattern begins at byte `start`.
    mutating func add(_ method: HTTPMethod, _ text: StaticString, from start: Int) {
        let bytes = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        precondition(
            start < bytes.count && bytes[start] == UInt8(ascii: "/"), "A route's pattern begins with a slash")
        var node = 0
        var index = start + 1
        var parameters = 0
        // A trailing slash begins an empty segment, as in a request. Only the root pattern has no segment.
        while index <= bytes.count, bytes.count > start + 1 {
            var end = index
            while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
            if end > index, bytes[index] == UInt8(ascii: "{"), bytes[end - 1] == UInt8(ascii: "}") {
                node = parameterChild(of: node)
                parameters += 1
            } else {
                node = literalChild(of: node, text, index, end - index)
            }
            index = end + 1
        }
        precondition(parameters <= RouteParameters.maxCount, "A route has at most eight parameters")
        var known = nodes[node].firstRoute
        while let route = known {
            precondition(routes[route].method != method, "Two routes have the same method and pattern")
            known = routes[route].next
        }
        routes.append(Route(method: method, next: nodes[node].firstRoute))
        nodes[node].firstRoute = routes.count - 1
    }

    private mutating func parameterChild(of node: Int) -> Int {
        if let child = nodes[node].parameter { return child }
        nodes.append(Node())
        nodes[node].parameter = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func literalChild(of node: Int, _ text: StaticString, _ start: Int, _ length: Int) -> Int {
        let wanted = UnsafeRawBufferPointer(start: text.utf8Start + start, count: length)
        var child = nodes[node].firstLiteral
        while let known = child {
            if spells(nodes[known], wanted, 0, length) { return known }
            child = nodes[known].nextLiteral
        }
        nodes.append(Node(text: text, start: start, length: length, nextLiteral: nodes[node].firstLiteral))
        nodes[node].firstLiteral = nodes.count - 1
        return nodes.count - 1
    }

    @inline(__always)
    private func spells(_ node: Node, _ path: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        guard node.length == end &- start else { return false }
        let literal = node.text.utf8Start + node.start
        for index in 0..<node.length where path[start &+ index] != literal[index] { return false }
        return true
    }

    /// Finds the route of a target.
    ///
    /// - Parameter target: A decodable target other than an asterisk.
    func match(_ method: HTTPMethod, _ target: RequestTarget) -> Outcome {
        var search = Search(method: method)
        target.bytes.withUnsafeBytes { buffer in
            // The path of an absolute-form target may be empty; an empty path equals "/".
            descend(0, buffer, min(target.pathStart + 1, target.pathEnd), target.pathEnd, 0, &search)
        }
        if let route = search.found { return .found(route: route, segments: search.segments) }
        return search.allowed.isEmpty ? .notFound : .methodNotAllowed(Self.inOrder(search.allowed))
    }

    private struct Search {
        let method: HTTPMethod
        var found: Int?
        /// The segment indexes of the parameters, eight bits each, the first parameter in the lowest bits.
        var segments: UInt64 = 0
        var count: UInt64 = 0
        var allowed: [HTTPMethod] = []
    }

    /// Searches the subtree of a node.
    ///
    /// - Parameters:
    ///   - start: The start of the next segment; greater than `end` if there is no further segment.
    ///   - index: The index of the next segment.
    private func descend(
        _ node: Int, _ path: UnsafeRawBufferPointer, _ start: Int, _ end: Int, _ index: Int, _ search: inout Search
    ) {
        // A trailing slash leaves an empty segment at `end`; the root path has none.
        if start > end || (index == 0 && start == end) {
            return settle(node, &search)
        }
        var stop = start
        while stop < end, path[stop] != UInt8(ascii: "/") { stop &+= 1 }
        var child = nodes[node].firstLiteral
        while let literal = child {
            if spells(nodes[literal], path, start, stop) {
                descend(literal, path, stop &+ 1, end, index &+ 1, &search)
                if search.found != nil { return }
                break
            }
            child = nodes[literal].nextLiteral
        }
        // A parameter never matches an empty segment.
        guard let parameter = nodes[node].parameter, stop > start, index < 256 else { return }
        let before = (search.segments, search.count)
        search.segments |= UInt64(index) << (8 &* search.count)
        search.count &+= 1
        descend(parameter, path, stop &+ 1, end, index &+ 1, &search)
        if search.found == nil { (search.segments, search.count) = before }
    }

    private func settle(_ node: Int, _ search: inout Search) {
        var fallback: Int?
        var next = nodes[node].firstRoute
        while let route = next {
            if routes[route].method == search.method {
                search.found = route
                return
            }
            if search.method == .head, routes[route].method == .get { fallback = route }
            next = routes[route].next
        }
        if let fallback {
            search.found = fallback
            return
        }
        next = nodes[node].firstRoute
        while let route = next {
            if !search.allowed.contains(routes[route].method) { search.allowed.append(routes[route].method) }
            next = routes[route].next
        }
    }

    /// Returns the methods for Allow in a fixed order. Adds HEAD if the methods include GET, and always adds OPTIONS.
    private static func inOrder(_ methods: [HTTPMethod]) -> [HTTPMethod] {
        var all = methods
        if all.contains(.get), !all.contains(.head) { all.append(.head) }
        if !all.contains(.options) { all.append(.options) }
        let order: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options]
        return order.filter(all.contains) + all.filter { !order.contains($0) }
    }
}
