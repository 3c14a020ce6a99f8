import Geography
import Glibc
import TestSupport

/// A polygon whose corners go around a center, each seen from there less than half a turn after the one before.
///
/// It consists of the triangles of its center and each edge, which makes an independent test: a place is inside if
/// three planes through the origin have it on their left.
struct StarPolygon {
    let center: Place
    let corners: [Place]
    let vectors: [Vector]

    /// Creates a polygon with corners between two distances from the center, less than a quarter of the earth away.
    init(center: Place, distances: ClosedRange<Double>, count: Int, _ random: inout SeededGenerator) {
        self.center = center
        let isClockwise = Bool.random(using: &random)
        let corners = (0..<count).map { index in
            let turn = (Double(index) + Double.random(in: -0.2...0.2, using: &random)) / Double(count)
            return center.moved(
                Double.random(in: distances, using: &random), bearing: (isClockwise ? 2 : -2) * Double.pi * turn)
        }
        self.corners = corners
        vectors = corners.map(\.vector)
    }

    /// Returns whether a place is inside, or `nil` if it is too near to an edge to tell.
    func contains(_ place: Place, tolerance: Double = 1.5 * Polygon.edgeTolerance) -> Bool? {
        let (point, middle) = (place.vector, center.vector)
        var isInTriangles = false
        for index in vectors.indices {
            let (one, other) = (vectors[index], vectors[(index + 1) % vectors.count])
            if distance(from: point, toEdge: one, other) < tolerance { return nil }
            let orientation = dot(cross(middle, one), other) > 0 ? 1.0 : -1.0
            // The lines from the center belong to both triangles, rounding errors included.
            let isBetween =
                dot(cross(middle, one), point) * orientation >= -1e-16
                && dot(cross(other, middle), point) * orientation >= -1e-16
            if isBetween, dot(cross(one, other), point) * orientation > 0, dot(middle, point) > 0 || dot(one, point) > 0
            {
                isInTriangles = true
            }
        }
        return isInTriangles
    }
}

/// Returns the distance from a point to an edge in meters, by the plane of the edge or its ends.
func distance(from point: Vector, toEdge one: Vector, _ other: Vector) -> Double {
    func chord(_ end: Vector) -> Double {
        let difference = point - end
        return dot(difference, difference).squareRoot()
    }
    var nearest = min(chord(one), chord(other))
    let normal = cross(one + other, other - one)
    let size = dot(normal, normal).squareRoot()
    if size > 0, dot(cross(normal, one), point) > 0, dot(cross(normal, other), point) < 0 {
        nearest = min(nearest, abs(dot(normal, point - one)) / size)
    }
    return nearest * Place.earthRadius
}

/// Returns whether the shortest line between two points crosses an edge.
func crosses(_ start: Vector, _ end: Vector, _ one: Vector, _ other: Vector) -> Bool {
    let (path, edge) = (cross(start, end), cross(one, other))
    let sides = (dot(path, one) > 0, dot(path, other) > 0, dot(edge, start) > 0, dot(edge, end) > 0)
    guard sides.0 != sides.1, sides.2 != sides.3 else { return false }
    // The two great circles meet at two opposite points. The lines cross if both contain the same one of them.
    let meeting = cross(path, edge)
    return (dot(meeting, start + end) > 0) == (dot(meeting, one + other) > 0)
}

extension RandomPlaces {
    /// Returns a star of one of many sizes: meters to half of the earth, few corners or many, often around a pole.
    mutating func star() -> StarPolygon {
        let size = pow(10, Double.random(in: 1...6.995, using: &random))
        let center = next()
        let count = [4, 5, 10, 40, 200].randomElement(using: &random) ?? 4
        let inner = Double.random(in: 0.2...1, using: &random) * size
        return StarPolygon(center: center, distances: inner...size, count: count, &random)
    }
}
