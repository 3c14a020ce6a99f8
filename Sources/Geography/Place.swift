/// A point on the earth's surface.
///
/// Two places are equal if they are the same point: longitude 180 becomes -180, and the longitude of a pole becomes 0.
package struct Place: Hashable, Sendable {
    /// The latitude in degrees, -90 to 90.
    package let latitude: Double
    /// The longitude in degrees, -180 to less than 180; 0 at a pole.
    package let longitude: Double

    /// Creates a place, or `nil` if `latitude` is not from -90 to 90 or `longitude` not from -180 to 180.
    package init?(latitude: Double, longitude: Double) {
        guard Self.latitudes.contains(latitude), Self.longitudes.contains(longitude) else { return nil }
        self.init(validLatitude: latitude, longitude: longitude)
    }

    init(validLatitude latitude: Double, longitude: Double) {
        // The additions turn -0 into 0.
        self.latitude = latitude + 0
        self.longitude = abs(latitude) == 90 ? 0 : longitude == 180 ? -180 : longitude + 0
    }

    static let latitudes = -90.0...90.0
    static let longitudes = -180.0...180.0

    /// The earth's mean radius in meters (2 · equatorial + polar radius of WGS 84, divided by 3).
    package static let earthRadius = 6_371_008.8

    /// The largest distance between two places in meters: half of the circumference.
    package static let maxDistance = Double.pi * earthRadius

    /// Returns the great-circle distance to `other` on a sphere, in meters.
    ///
    /// Every distance in this module comes from the same computation, so an index scan and a test of the record agree
    /// bit by bit. The distance is symmetric, and 0 from a place to itself. The rounding error is at most 5 nm, also
    /// between near places and between opposite ones. The earth is not a sphere: the distance on the WGS 84 ellipsoid
    /// differs by up to 0.6 %.
    package func distance(to other: Place) -> Double {
        SphereVector(self).distance(to: SphereVector(other))
    }
}

/// A place as a vector of length 1: x to latitude 0 and longitude 0, z to the north pole.
struct SphereVector: Hashable, Sendable {
    let x, y, z: Double

    init(x: Double, y: Double, z: Double) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    init(_ place: Place) {
        let (sinLatitude, cosLatitude) = sineAndCosine(degrees: place.latitude)
        let (sinLongitude, cosLongitude) = sineAndCosine(degrees: place.longitude)
        self.init(x: cosLatitude * cosLongitude, y: cosLatitude * sinLongitude, z: sinLatitude)
    }

    static func + (one: Self, other: Self) -> Self {
        Self(x: one.x + other.x, y: one.y + other.y, z: one.z + other.z)
    }

    static func - (one: Self, other: Self) -> Self {
        Self(x: one.x - other.x, y: one.y - other.y, z: one.z - other.z)
    }

    static func * (vector: Self, factor: Double) -> Self {
        Self(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
    }

    func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: Self) -> Self {
        Self(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    }

    var squaredLength: Double { dot(self) }

    /// Returns the distance in meters. The arc tangent is exact for small, right and straight angles alike.
    func distance(to other: Self) -> Double {
        arcTangent(cross(other).squaredLength.squareRoot(), dot(other)) * Place.earthRadius
    }
}
