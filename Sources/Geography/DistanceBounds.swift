/// The bounds of the distances from one place to all places of a cell.
package struct DistanceBounds: Sendable {
    private let latitude, longitude, sinLatitude, cosLatitude: Double

    /// Prepares the bounds of distances from `origin`.
    package init(from origin: Place) {
        latitude = origin.latitude
        longitude = origin.longitude
        (sinLatitude, cosLatitude) = sineAndCosine(degrees: origin.latitude)
    }

    /// Prepares the bounds of distances from the end of a unit vector.
    init(from vector: SphereVector) {
        sinLatitude = vector.z
        cosLatitude = length(vector.x, vector.y)
        latitude = arcTangent(sinLatitude, cosLatitude) * degreesPerRadian
        longitude = arcTangent(vector.y, vector.x) * degreesPerRadian
    }

    private init(latitude: Double, longitude: Double, sinLatitude: Double, cosLatitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.sinLatitude = sinLatitude
        self.cosLatitude = cosLatitude
    }

    /// The bounds from the opposite point of the earth.
    var opposite: DistanceBounds {
        DistanceBounds(
            latitude: -latitude, longitude: longitude < 0 ? longitude + 180 : longitude - 180,
            sinLatitude: -sinLatitude, cosLatitude: cosLatitude)
    }

    /// The margin for rounding errors in meters: 1 µm, about 100 times the largest error that random tests find.
    static let margin = 1e-6

    /// Returns a distance in meters that ``Place/distance(to:)`` of no place in the cell is less than.
    package func minimum(to cell: PlaceCell) -> Double {
        max(0, minimumAngle(to: cell.rectangle) * Place.earthRadius - Self.margin)
    }

    /// Returns a distance in meters that ``Place/distance(to:)`` of no place in the cell exceeds.
    package func maximum(to cell: PlaceCell) -> Double {
        // The farthest point is the nearest one of the opposite point.
        (Double.pi - opposite.minimumAngle(to: cell.rectangle)) * Place.earthRadius + Self.margin
    }

    /// Returns the smallest angle to a point of the rectangle in radians, with a rounding error below 1e-14.
    func minimumAngle(to rectangle: DegreeRectangle) -> Double {
        let toEast = difference(from: rectangle.west)
        if toEast <= rectangle.east - rectangle.west {
            return max(0, rectangle.south - latitude, latitude - rectangle.north) * radiansPerDegree
        }
        // The nearest point is on the nearer one of the two meridians.
        let toWest = 360 - difference(from: rectangle.east)
        let beyond = difference(from: rectangle.east)
        return minimumAngle(
            toMeridianAt: min(360 - toEast, toEast, toWest, beyond), from: rectangle.south, to: rectangle.north)
    }

    /// Returns how far east of a longitude the origin is, 0 to 360 degrees.
    private func difference(from west: Double) -> Double {
        let difference = longitude - west
        return difference < 0 ? difference + 360 : difference
    }

    /// Returns the smallest angle to a part of the meridian that is `difference` (0 to 180 degrees) away.
    private func minimumAngle(toMeridianAt difference: Double, from south: Double, to north: Double) -> Double {
        let (sinDifference, cosDifference) = sineAndCosine(degrees: difference)
        // The cosine of the angle to latitude φ is a · sin φ + b · cos φ.
        let (a, b) = (sinLatitude, cosLatitude * cosDifference)

        func angle(to latitude: Double) -> Double {
            let (sin, cos) = sineAndCosine(degrees: latitude)
            let across = cos * sinDifference
            let along = a * cos * cosDifference - cosLatitude * sin
            return arcTangent(length(across, along), a * sin + b * cos)
        }

        // More than 90 degrees away, the cosine has its maximum at an end.
        guard b > 0 else { return min(angle(to: south), angle(to: north)) }
        let nearest = arcTangent(a, b) * degreesPerRadian
        if nearest <= south { return angle(to: south) }
        if nearest >= north { return angle(to: north) }
        return arcTangent(cosLatitude * sinDifference, length(a, b))
    }
}
