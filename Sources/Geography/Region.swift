/// A part of the earth's surface.
///
/// A test of many places, or a scan of an index, prepares the region once: ``prepared()``.
package enum Region: Hashable, Sendable {
    /// All places within a distance of a center.
    case circle(Circle)
    /// All places between two parallels and two meridians.
    case box(BoundingBox)
    /// All places inside a ring of great-circle edges.
    case polygon(Polygon)

    /// Returns whether `place` is in the region. This prepares the region: O(n) for a polygon of n corners.
    package func contains(_ place: Place) -> Bool { prepared().contains(place) }

    /// Returns the region in the form that answers quickly.
    ///
    /// - Complexity: O(n) for a polygon of n corners.
    package func prepared() -> PreparedRegion { PreparedRegion(self) }
}

/// The reasons to reject the parameters of a region. The description is a sentence for the client.
package enum RegionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The radius is negative or not a finite number.
    case radius
    /// A latitude or longitude of a bounding box is out of range.
    case degrees
    /// The southern latitude of a bounding box is greater than the northern one.
    case southAboveNorth
    /// A polygon has too few or too many corners.
    case cornerCount(Int)
    /// The corners at `first` and the one after it (by index in the given list) are opposite points of the earth, so
    /// that no shortest edge joins them.
    case oppositeCorners(first: Int)

    package var description: String {
        switch self {
        case .radius: "A radius must be a finite number of meters, 0 or more"
        case .degrees: "Latitudes must be from -90 to 90, longitudes from -180 to 180"
        case .southAboveNorth: "The southern latitude of a bounding box must not be greater than the northern one"
        case .cornerCount(let count): "A polygon must have 3 to \(Polygon.maxCorners) corners, but has \(count)"
        case .oppositeCorners(let first):
            "Corner \(first) of the polygon and the next one are opposite points of the earth; add a corner between them"
        }
    }
}

/// The places whose distance from a center is at most a radius.
package struct Circle: Hashable, Sendable {
    /// The center.
    package let center: Place
    /// The radius in meters. A circle with at least ``Place/maxDistance`` is the whole earth.
    package let radius: Double

    /// Creates a circle.
    ///
    /// For distances less than `radius`, but not equal to it, pass `radius.nextDown`.
    ///
    /// - Parameter radius: The radius in meters, 0 or more and finite.
    /// - Throws: ``RegionError/radius``.
    package init(center: Place, radius: Double) throws(RegionError) {
        guard radius >= 0, radius.isFinite else { throw .radius }
        self.center = center
        self.radius = radius + 0
    }
}

/// The places between two parallels and two meridians, edges included.
///
/// A pole is in each box that reaches its latitude, because it has all longitudes.
package struct BoundingBox: Hashable, Sendable {
    /// The lowest and the highest latitude in degrees, -90 to 90.
    package let south, north: Double
    /// The longitudes in degrees from which the box goes east and where it ends. If `west` is greater than `east`, the
    /// box crosses the date line. From -180 to 180, it has all longitudes.
    package let west, east: Double

    /// Creates a box.
    ///
    /// - Parameters:
    ///   - south: The lowest latitude in degrees, -90 to 90.
    ///   - west: The western end in degrees, -180 to 180.
    ///   - north: The highest latitude in degrees, at least `south`.
    ///   - east: The eastern end in degrees, -180 to 180; less than `west` in a box that crosses the date line.
    /// - Throws: ``RegionError/degrees`` or ``RegionError/southAboveNorth``.
    package init(south: Double, west: Double, north: Double, east: Double) throws(RegionError) {
        guard Place.latitudes.contains(south), Place.latitudes.contains(north),
            Place.longitudes.contains(west), Place.longitudes.contains(east)
        else { throw .degrees }
        guard south <= north else { throw .southAboveNorth }
        self.south = south + 0
        self.north = north + 0
        self.west = west + 0
        self.east = east + 0
    }
}

/// The places inside a ring of 3 to 10,000 corners.
///
/// - Each edge is the shortest line on the sphere: a part of a great circle, as in GeoJSON databases such as MongoDB
///   and PostGIS's `geography`; not a line on a map.
/// - Inside is the side with the smaller area. If both have the same area (within 10⁻⁹ of the sphere), inside is the
///   left side of the edges (counterclockwise, RFC 7946 §3.1.6).
/// - If edges cross each other, inside is by the even-odd rule.
/// - Places within 1 mm of an edge (``edgeTolerance``) are inside.
///
/// The last corner may repeat the first one, as in GeoJSON. Repeated corners count as one corner. A polygon without area
/// contains the places on its edges.
package struct Polygon: Hashable, Sendable {
    /// The largest number of corners.
    package static let maxCorners = 10_000
    /// The distance to an edge in meters up to which a place is inside.
    package static let edgeTolerance = 0.001

    /// The corners, without a repeated first corner at the end.
    package let corners: [Place]

    /// Creates a polygon.
    ///
    /// - Parameter corners: 3 to 10,000 corners, not counting a last one that repeats the first.
    /// - Throws: ``RegionError/cornerCount(_:)`` or ``RegionError/oppositeCorners(first:)``.
    package init(_ corners: [Place]) throws(RegionError) {
        let isClosed = corners.count > 1 && corners.first == corners.last
        let count = isClosed ? corners.count - 1 : corners.count
        guard (3...Self.maxCorners).contains(count) else { throw .cornerCount(count) }
        self.corners = isClosed ? Array(corners.dropLast()) : corners
        var previous = SphereVector(self.corners[count - 1])
        for index in 0..<count {
            let next = SphereVector(self.corners[index])
            // Within about 6 m of the opposite point, rounding errors of the corners turn the edge by more than 1e-9.
            if (previous + next).squaredLength < 1e-12 {
                throw .oppositeCorners(first: index == 0 ? count - 1 : index - 1)
            }
            previous = next
        }
    }
}
