/// The tree behind a router, without its endpoints, so that it is compiled once and not for each kind of endpoint.
///
/// Nodes and routes are plain values that refer to each other by number; a search touches no reference count.
struct RouteTree: Sendable {
    enum Outcome {
        /// - Parameters:
        ///   - route: In the order in which routes were added.
        ///   - segments: The numbers of the segments that parameters stand for; see `RouteParameters`.
        case found(route: Int, segments: UInt64)
        case methodNotAllowed([HTTPMethod])
        case notFound
    }

    /// One segment of a pattern. A literal is a part of the text with which its route was added.
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

    /// - Parameters:
    ///   - text: Has the pattern from `start` on.
    mutating func add(_ method: HTTPMethod, _ text: StaticString, from start: Int) {
        let bytes = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        precondition(
            start < bytes.count && bytes[start] == UInt8(ascii: "/"), "A route's pattern begins with a slash")
        var node = 0
        var index = start + 1
        var parameters = 0
        // A slash at the end begins an empty segment, as it does in a request; only the root has none.
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

    /// - Parameter target: Neither an asterisk nor undecodable.
    func match(_ method: HTTPMethod, _ target: RequestTarget) -> Outcome {
        var search = Search(method: method)
        target.bytes.withUnsafeBytes { buffer in
            // The path of an absolute-form may be empty, which is "/".
            descend(0, buffer, min(target.pathStart + 1, target.pathEnd), target.pathEnd, 0, &search)
        }
        if let route = search.found { return .found(route: route, segments: search.segments) }
        return search.allowed.isEmpty ? .notFound : .methodNotAllowed(Self.inOrder(search.allowed))
    }

    private struct Search {
        let method: HTTPMethod
        var found: Int?
        /// The segments that parameters stand for, eight bits each, the first in the lowest.
        var segments: UInt64 = 0
        var count: UInt64 = 0
        var allowed: [HTTPMethod] = []
    }

    /// - Parameters:
    ///   - start: Where the next segment begins; beyond `end` if there is none left.
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
        var child = nodes[node].firstLiteral
        while let literal = child {
            if spells(nodes[literal], path, start, stop) {
                descend(literal, path, stop &+ 1, end, index &+ 1, &search)
                if search.found != nil { return }
                break
            }
            child = nodes[literal].nextLiteral
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

    /// The methods of Allow, in a fixed order, with HEAD where there is GET, and OPTIONS.
    private static func inOrder(_ methods: [HTTPMethod]) -> [HTTPMethod] {
        var all = methods
        if all.contains(.get), !all.contains(.head) { all.append(.head) }
        if !all.contains(.options) { all.append(.options) }
        let order: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options]
        return order.filter(all.contains) + all.filter { !order.contains($0) }
    }
}
