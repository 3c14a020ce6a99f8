package import Geography

/// A part of the earth in a condition, such as `place IN box(35, 139, 36, 140)`.
///
/// The region is prepared once, for all tests of all copies of the condition.
package final class PlaceArea: Hashable, Sendable {
    /// The region.
    package let region: Region
    /// The region in the form that answers quickly.
    package let prepared: PreparedRegion

    /// Prepares a region.
    ///
    /// - Complexity: O(n) for a polygon of n corners.
    package init(_ region: Region) {
        self.region = region
        prepared = region.prepared()
    }

    package static func == (left: PlaceArea, right: PlaceArea) -> Bool {
        left === right || left.region == right.region
    }

    /// Hashes a few corners of a polygon: a predicate is hashed on each of its levels.
    package func hash(into hasher: inout Hasher) {
        switch region {
        case .circle(let circle): hasher.combine(circle)
        case .box(let box): hasher.combine(box)
        case .polygon(let polygon):
            hasher.combine(polygon.corners.count)
            hasher.combine(polygon.corners[0])
            hasher.combine(polygon.corners[polygon.corners.count / 2])
        }
    }
}

extension Limits {
    /// The most corners of all polygons of a query. A polygon may repeat its first corner at its end.
    package static let conditionCorners = Polygon.maxCorners + 1
}
