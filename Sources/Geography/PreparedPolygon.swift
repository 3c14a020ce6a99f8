/// A polygon, prepared for tests.
///
/// A place is inside if an odd number of edges cross its meridian between the place and the north pole; and the other
/// way around if the pole is inside. The edges are the leaves of a binary tree in the order of the ring, whose nodes have
/// bounding boxes. A chain of edges that is wholly south of the place counts nothing. For a chain that is wholly north,
/// its two ends decide, without a look at its edges.
///
/// Longitudes are compared, never computed with: each corner has the number of times that the ring has crossed the
/// date line before it. Thus two edges at a corner always agree on the side of the meridian, and no rounding error
/// counts a crossing twice.
struct PreparedPolygon: Sendable {
    /// An edge from the corner with its index to the next one.
    struct Edge: Sendable {
        /// The unit vector of the plane, to the left of the edge; and the latitudes of the edge in degrees.
        var normal: SphereVector
        var low, high: Double
    }

    /// A chain of edges.
    struct Node: Sendable {
        /// The chain's latitudes with a margin in degrees.
        var low, high: Double
        /// The chain's longitudes with a margin: from `west`, which may be any number, over `width` (at most 360).
        var west, width: Double
        /// The margin of the longitudes in degrees.
        var margin: Double
        /// The corners where the chain begins and ends.
        var first, last: Int
        /// The index of the second child; the first one follows this node. 0 in a leaf.
        var second: Int
    }

    static let tolerance = Polygon.edgeTolerance / Place.earthRadius
    /// Twice the tolerance in degrees: the margin of bounding boxes.
    static let margin = 2 * tolerance * degreesPerRadian
    private static let leafEdges = 8
    /// The cost of testing an edge against a cell, in tests of an edge against a place.
    static let cellTestCost = 16

    // Corners without repetitions; the first one again at the end. `turns` is how often the ring has crossed the date
    // line to the east, less how often to the west, on the way to the corner.
    private(set) var vectors: [SphereVector] = []
    private(set) var longitudes: [Double] = []
    private(set) var turns: [Int] = []
    private(set) var edges: [Edge] = []
    private(set) var nodes: [Node] = []
    private var isNorthPoleInside = false

    init(_ polygon: Polygon) {
        var corners: [Place] = []
        corners.reserveCapacity(polygon.corners.count + 1)
        for corner in polygon.corners where corner != corners.last { corners.append(corner) }
        while corners.count > 1, corners.first == corners.last { corners.removeLast() }
        corners.append(corners[0])
        vectors = corners.map(SphereVector.init)
        longitudes = corners.map(\.longitude)
        turns = [0]
        edges.reserveCapacity(corners.count)
        var ring = RingArea()
        for index in corners.indices.dropLast() where corners.count > 2 {
            let (start, end) = (corners[index], corners[index + 1])
            let normal = Self.normal(from: vectors[index], to: vectors[index + 1])
            let toEast = start.longitude.isWest(of: end.longitude)
            var turn = 0
            if toEast, end.longitude < start.longitude { turn = 1 }
            if !toEast, end.longitude > start.longitude { turn = -1 }
            turns.append(turns[index] + turn)
            ring.add(
                from: vectors[index], to: vectors[index + 1], endLatitudes: (start.latitude, end.latitude),
                longitudes: end.longitude - start.longitude + 360 * Double(turn), normal: normal)
            edges.append(Self.edge(from: start, to: end, vectors: (vectors[index], vectors[index + 1]), normal: normal))
        }
        isNorthPoleInside = ring.isNorthPoleInside
        if !edges.isEmpty { addNodes(from: 0, to: edges.count) }
    }

    // MARK: - Containing

    func contains(_ place: Place) -> Bool {
        var tests = 0
        return contains(place, tests: &tests)
    }

    /// Returns whether a place is inside, and adds the number of tested edges to `tests`.
    private func contains(_ place: Place, tests: inout Int) -> Bool {
        guard let root = nodes.first else {
            // All corners are one place.
            return (SphereVector(place) - vectors[0]).squaredLength <= Self.tolerance * Self.tolerance
        }
        var query = Query(place)
        if root.isNear(place) { query.vector = SphereVector(place) }
        visit(0, &query)
        tests += query.tests
        return query.isOnEdge || query.isOdd != isNorthPoleInside
    }

    /// A place, and what is known of it so far.
    private struct Query {
        let place: Place
        var vector = SphereVector(x: 0, y: 0, z: 0)
        var isOdd = false
        var isOnEdge = false
        var tests = 0

        init(_ place: Place) { self.place = place }
    }

    private func visit(_ index: Int, _ query: inout Query) {
        let node = nodes[index]
        if query.place.latitude > node.high { return }
        if query.place.latitude < node.low {
            let crossings = sheet(of: node.last, at: query.place) - sheet(of: node.first, at: query.place)
            if crossings & 1 != 0 { query.isOdd.toggle() }
            return
        }
        guard node.hasLongitude(query.place.longitude) else { return }
        if node.second == 0 {
            query.tests += node.last - node.first
            for edge in node.first..<node.last where !query.isOnEdge { test(edge, &query) }
        } else {
            visit(index + 1, &query)
            if !query.isOnEdge { visit(node.second, &query) }
        }
    }

    /// Returns how often a walk along the ring to a corner has crossed the place's meridian to the east, plus a constant.
    private func sheet(of corner: Int, at place: Place) -> Int {
        longitudes[corner] < place.longitude ? turns[corner] - 1 : turns[corner]
    }

    private func test(_ index: Int, _ query: inout Query) {
        let edge = edges[index]
        let latitude = query.place.latitude
        if latitude > edge.high + Self.margin { return }
        let crossing = sheet(of: index + 1, at: query.place) - sheet(of: index, at: query.place)
        if latitude < edge.low - Self.margin {
            if crossing != 0 { query.isOdd.toggle() }
            return
        }
        let (start, end) = (vectors[index], vectors[index + 1])
        let (fromStart, fromEnd) = (query.vector - start, query.vector - end)
        let (startDistance, endDistance) = (fromStart.squaredLength, fromEnd.squaredLength)
        // The distance to the left of the plane. From the nearer corner, its error is relative to the distance from there.
        let left = edge.normal.dot(startDistance < endDistance ? fromStart : fromEnd)
        if min(startDistance, endDistance) <= Self.tolerance * Self.tolerance {
            query.isOnEdge = true
            return
        }
        if abs(left) <= Self.tolerance, edge.normal.cross(start).dot(query.vector) >= 0,
            edge.normal.cross(end).dot(query.vector) <= 0
        {
            query.isOnEdge = true
            return
        }
        guard crossing != 0, latitude < edge.high else { return }
        // Beyond the ends of a narrow edge, the side of its plane says nothing.
        if latitude < edge.low || (crossing > 0 ? left < 0 : left > 0) { query.isOdd.toggle() }
    }

    // MARK: - Cells

    /// Returns how a cell lies to the polygon.
    ///
    /// - Parameter budget: The number of edges that may be tested (see ``cellTestCost``). A call reduces it. At less than
    ///   0, each cell that may touch an edge is `partial`.
    func relation(to cell: PlaceCell, budget: inout Int) -> CellRelation {
        let rectangle = cell.rectangle
        guard !nodes.isEmpty else {
            let distance = DistanceBounds(from: vectors[0]).minimum(to: cell)
            return distance <= 2 * Polygon.edgeTolerance ? .partial : .outside
        }
        if touches(0, rectangle, &budget) { return .partial }
        let middle = Place(
            validLatitude: (rectangle.south + rectangle.north) / 2,
            longitude: (rectangle.west + rectangle.east) / 2)
        var tests = 0
        let isInside = contains(middle, tests: &tests)
        budget -= tests
        return isInside ? .inside : .outside
    }

    private func touches(_ index: Int, _ rectangle: DegreeRectangle, _ budget: inout Int) -> Bool {
        let node = nodes[index]
        budget -= 1
        guard rectangle.south <= node.high, node.low <= rectangle.north,
            node.offset(from: rectangle) + node.width >= 0
        else { return false }
        if node.second == 0 {
            budget -= Self.cellTestCost * (node.last - node.first)
            return budget < 0 || (node.first..<node.last).contains { touches(edge: $0, of: node, rectangle) }
        }
        return touches(index + 1, rectangle, &budget) || touches(node.second, rectangle, &budget)
    }

    /// Returns whether an edge may come nearer to a rectangle than the tolerance.
    private func touches(edge index: Int, of leaf: Node, _ rectangle: DegreeRectangle) -> Bool {
        let edge = edges[index]
        var part = rectangle
        part.south = max(part.south, edge.low - Self.margin)
        part.north = min(part.north, edge.high + Self.margin)
        guard part.south <= part.north else { return false }
        if leaf.width < 360 {
            let (start, end) = (unwrapped(index), unwrapped(index + 1))
            let chain = Node(
                low: 0, high: 0, west: min(start, end) - leaf.margin, width: abs(end - start) + 2 * leaf.margin,
                margin: 0, first: 0, last: 0, second: 0)
            let offset = chain.offset(from: rectangle)
            guard offset + chain.width >= 0 else { return false }
            // If a large rectangle meets the edge's longitudes twice, at its western and its eastern end, one part is enough.
            part.west = rectangle.west + max(0, offset)
            part.east = min(rectangle.east, rectangle.west + offset + chain.width)
        }
        // The edge is the part of its great circle in these longitudes. It misses the rectangle if that is on one side:
        // farther than 90 degrees from the left pole of the great circle, or from the right one.
        let normal = edge.normal
        let middle = SphereVector(
            Place(validLatitude: (part.south + part.north) / 2, longitude: (part.west + part.east) / 2))
        let pole = normal.dot(middle) > 0 ? normal * -1 : normal
        return DistanceBounds(from: pole).minimumAngle(to: part) < Double.pi / 2 + 2 * Self.tolerance
    }

    private func unwrapped(_ corner: Int) -> Double { longitudes[corner] + 360 * Double(turns[corner]) }

    // MARK: - Building

    /// Returns the unit vector to the left of the plane through two corners.
    private static func normal(from start: SphereVector, to end: SphereVector) -> SphereVector {
        // The cross product of sum and difference is twice that of the corners, without their rounding error if they are
        // near to each other or opposite.
        let normal = (start + end).cross(end - start)
        return normal * (1 / normal.squaredLength.squareRoot())
    }

    private static func edge(
        from start: Place, to end: Place, vectors: (SphereVector, SphereVector), normal: SphereVector
    ) -> Edge {
        var edge = Edge(
            normal: normal, low: min(start.latitude, end.latitude), high: max(start.latitude, end.latitude))
        // A great circle turns at the latitude farthest from the equator. The edge has that point inside if it goes to
        // the pole at its start and away from it at its end.
        let startSlope = normal.cross(vectors.0).z.isNorthward
        let endSlope = normal.cross(vectors.1).z.isNorthward
        if startSlope != endSlope {
            let farthest = arcTangent(length(normal.x, normal.y), abs(normal.z)) * degreesPerRadian
            if startSlope { edge.high = max(edge.high, farthest) } else { edge.low = min(edge.low, -farthest) }
        }
        return edge
    }

    private mutating func addNodes(from first: Int, to last: Int) {
        let index = nodes.count
        nodes.append(node(from: first, to: last))
        guard last - first > Self.leafEdges else { return }
        let middle = (first + last) / 2
        addNodes(from: first, to: middle)
        nodes[index].second = nodes.count
        addNodes(from: middle, to: last)
    }

    private func node(from first: Int, to last: Int) -> Node {
        var (low, high) = (90.0, -90.0)
        var (west, east) = (unwrapped(first), unwrapped(first))
        for index in first..<last {
            low = min(low, edges[index].low)
            high = max(high, edges[index].high)
            west = min(west, unwrapped(index + 1))
            east = max(east, unwrapped(index + 1))
        }
        (low, high) = (low - Self.margin, high + Self.margin)
        var node = Node(
            low: low, high: high, west: -180, width: 360, margin: 180, first: first, last: last, second: 0)
        // Within 6 m of a pole, the node has all longitudes.
        let smallest = cosine(max(abs(low), abs(high)) * radiansPerDegree)
        guard max(abs(low), abs(high)) < 90, smallest > 1e-6 else { return node }
        let margin = Self.margin / smallest + 1e-9
        guard east - west + 2 * margin < 360 else { return node }
        (node.west, node.width, node.margin) = (west - margin, east - west + 2 * margin, margin)
        return node
    }
}

extension PreparedPolygon.Node {
    func isNear(_ place: Place) -> Bool {
        low <= place.latitude && place.latitude <= high && hasLongitude(place.longitude)
    }

    func hasLongitude(_ longitude: Double) -> Bool {
        guard width < 360 else { return true }
        let offset = longitude - west
        return offset - 360 * (offset / 360).rounded(.down) <= width
    }

    /// Returns how far east of the rectangle's western edge the chain begins, in the turn that ends at the rectangle's
    /// eastern edge. The chain meets the rectangle's longitudes if it reaches 0 from there.
    func offset(from rectangle: DegreeRectangle) -> Double {
        let size = rectangle.east - rectangle.west
        let offset = west - rectangle.west
        return offset - 360 * ((offset - size) / 360).rounded(.up)
    }
}

extension Double {
    /// Whether a vector with this vertical part points to the north.
    fileprivate var isNorthward: Bool { self > 0 }

    /// Returns whether the shorter way from this longitude to `other` is to the east; half a turn is to the west.
    /// Both are from -180 to less than 180. The result is exact, as no difference in it is rounded.
    fileprivate func isWest(of other: Double) -> Bool {
        if self == other { return false }
        let (low, high) = self < other ? (self, other) : (other, self)
        // By the lemma of Sterbenz, these differences of numbers within a factor of two of each other are exact.
        if high >= 90 { return self < other ? high - 180 < low : high - 180 > low }
        if low <= -90 { return self < other ? high < low + 180 : high > low + 180 }
        return self < other
    }
}

/// The area of a ring of edges.
private struct RingArea {
    /// The sum of the areas between each edge and the north pole, positive for edges to the east; and of the edges'
    /// longitudes in degrees.
    private var toPole = 0.0
    private var longitudes = 0.0

    mutating func add(
        from start: SphereVector, to end: SphereVector, endLatitudes: (Double, Double), longitudes: Double,
        normal: SphereVector
    ) {
        self.longitudes += longitudes
        if endLatitudes.0 == 90 || endLatitudes.1 == 90 { return }
        if endLatitudes.0 == -90 || endLatitudes.1 == -90 {
            toPole += 2 * longitudes * radiansPerDegree
            return
        }
        // The spherical excess of a triangle with two sides and their angle: the same direction as the longitudes, also
        // if the edge goes through a pole.
        let across = abs(start.cross(end).z)
        let along = (1 + start.z) * (1 + end.z) + start.x * end.x + start.y * end.y
        toPole += 2 * arcTangent(longitudes < 0 ? -across : across, along)
    }

    /// Whether the north pole is on the inside.
    ///
    /// The sum of areas, less a sphere per turn around the pole, is the integral of the winding number over the sphere,
    /// with 0 at the north pole. The larger side, outside, has the winding number nearest to the average.
    var isNorthPoleInside: Bool {
        let average = toPole / (4 * Double.pi) - (longitudes / 360).rounded()
        return Int((average - 0.5 - 1e-9).rounded(.up)) & 1 != 0
    }
}
