/// How a cell lies to a region.
package enum CellRelation: Hashable, Sendable {
    /// No place in the cell is in the region.
    case outside
    /// Some places may be in the region, others not.
    case partial
    /// All places in the cell are in the region.
    case inside
}

/// A region in the form that answers quickly: whether it contains a place, and which ranges of keys cover it.
package struct PreparedRegion: Sendable {
    private enum Shape: Sendable {
        case circle(PreparedCircle)
        case box(PreparedBox)
        case polygon(PreparedPolygon)
    }

    private let shape: Shape

    init(_ region: Region) {
        shape =
            switch region {
            case .circle(let circle): .circle(PreparedCircle(circle))
            case .box(let box): .box(PreparedBox(box))
            case .polygon(let polygon): .polygon(PreparedPolygon(polygon))
            }
    }

    /// Returns whether `place` is in the region.
    ///
    /// - Complexity: O(1) for a circle and a box. O(log n + k) for a polygon of n corners, where k is the number of edges
    ///   whose bounding boxes contain the place (in groups of 8).
    package func contains(_ place: Place) -> Bool {
        switch shape {
        case .circle(let circle): circle.contains(place)
        case .box(let box): box.contains(place)
        case .polygon(let polygon): polygon.contains(place)
        }
    }

    /// Returns how a cell lies to the region.
    ///
    /// `outside` and `inside` are certain, rounding errors included. `partial` may be one of them in rare cases; and if a
    /// polygon's edges around the cell are more than about 2,000, which bounds the time of a call to 0.5 ms.
    package func relation(to cell: PlaceCell) -> CellRelation {
        var budget = 32_768
        return relation(to: cell, budget: &budget)
    }

    private func relation(to cell: PlaceCell, budget: inout Int) -> CellRelation {
        switch shape {
        case .circle(let circle): circle.relation(to: cell)
        case .box(let box): box.relation(to: cell)
        case .polygon(let polygon): polygon.relation(to: cell, budget: &budget)
        }
    }

    /// The largest number of edges that ``contains(_:)`` tests, at about 10 ns each; 0 for circles and boxes.
    package var edgeCount: Int {
        if case .polygon(let polygon) = shape { polygon.edges.count } else { 0 }
    }

    /// Returns ranges of keys that contain the keys of all places in the region.
    ///
    /// The ranges are sorted and disjoint. They may contain keys of other places, fewer with more ranges.
    ///
    /// - Parameter maxRanges: The largest number of ranges, 1 to 1,024.
    /// - Complexity: O(maxRanges · log maxRanges), and for a polygon the tests of its edges against cells: at most about
    ///   16,000 (3 ms), beyond which the cover becomes less tight.
    package func cover(maxRanges: Int) -> [KeyRange] {
        precondition((1...1_024).contains(maxRanges), "a cover has 1 to 1,024 ranges")
        var budget = 262_144
        return RegionCover.ranges(maxRanges: maxRanges) { relation(to: $0, budget: &budget) }
    }
}

/// A circle, prepared for tests.
struct PreparedCircle: Sendable {
    private let center: SphereVector
    private let radius: Double
    private let latitudes: ClosedRange<Double>
    // Cosines of the angle from the center that are certainly inside and certainly outside. An error of 1e-14 is ten
    // times the largest one possible.
    private let insideCosine, outsideCosine: Double
    private let distances: DistanceBounds
    private let bounds: PreparedBox?

    init(_ circle: Circle) {
        center = SphereVector(circle.center)
        radius = circle.radius
        distances = DistanceBounds(from: circle.center)
        let angle = min(circle.radius / Place.earthRadius, Double.pi)
        insideCosine = cosine(angle) + 1e-14
        outsideCosine = cosine(angle) - 1e-14
        let reach = angle * degreesPerRadian + 1e-9
        let (south, north) = (circle.center.latitude - reach, circle.center.latitude + reach)
        latitudes = south...north
        bounds = Self.boundingBox(circle.center, angle: angle + 1e-10, latitudes: latitudes)
    }

    func contains(_ place: Place) -> Bool {
        guard latitudes.contains(place.latitude) else { return false }
        let vector = SphereVector(place)
        let cosine = center.dot(vector)
        if cosine > insideCosine { return true }
        if cosine < outsideCosine { return false }
        return center.distance(to: vector) <= radius
    }

    func relation(to cell: PlaceCell) -> CellRelation {
        if let bounds, bounds.relation(to: cell) == .outside { return .outside }
        guard distances.minimum(to: cell) <= radius else { return .outside }
        return distances.maximum(to: cell) <= radius ? .inside : .partial
    }

    /// Returns a box around a circle, or `nil` if the box has all longitudes.
    private static func boundingBox(
        _ center: Place, angle: Double, latitudes: ClosedRange<Double>
    ) -> PreparedBox? {
        let (sine, cosine) = (sine(angle), sineAndCosine(degrees: center.latitude).cosine)
        guard latitudes.lowerBound > -89.999_999, latitudes.upperBound < 89.999_999, sine < cosine else { return nil }
        // The meridians that touch the circle: their angle has the sine sin(angle) / cos(latitude).
        let longitudes = arcTangent(sine, ((cosine - sine) * (cosine + sine)).squareRoot()) * degreesPerRadian + 1e-9
        var (west, east) = (center.longitude - longitudes, center.longitude + longitudes)
        if west < -180 { west += 360 }
        if east > 180 { east -= 360 }
        guard
            let box = try? BoundingBox(
                south: latitudes.lowerBound, west: west, north: latitudes.upperBound, east: east)
        else { return nil }
        return PreparedBox(box)
    }
}

/// A bounding box, prepared for tests.
struct PreparedBox: Sendable {
    private enum Longitudes: Sendable {
        case all
        /// From the first to the second, which is greater or equal. 180 is the end, not -180.
        case between(Double, Double)
        /// From the first to the date line and on to the second, which is less.
        case across(Double, Double)
        case dateLine
    }

    private let south, north: Double
    private let longitudes: Longitudes
    private let firstRow, lastRow, firstColumn, lastColumn: UInt32

    init(_ box: BoundingBox) {
        (south, north) = (box.south, box.north)
        let west = box.west == 180 ? -180 : box.west
        let east = box.east == -180 ? 180 : box.east
        longitudes =
            if box.west == -180, box.east == 180 {
                .all
            } else if west == -180, east == 180 {
                .dateLine
            } else {
                west <= east ? .between(west, east) : .across(west, east)
            }
        firstRow = PlaceKey.row(latitude: box.south)
        lastRow = PlaceKey.row(latitude: box.north)
        firstColumn = PlaceKey.column(longitude: west)
        lastColumn = PlaceKey.column(longitude: east)
    }

    func contains(_ place: Place) -> Bool {
        guard south <= place.latitude, place.latitude <= north else { return false }
        guard abs(place.latitude) < 90 else { return true }
        switch longitudes {
        case .all: return true
        case .between(let west, let east):
            return west <= place.longitude && place.longitude <= east || east == 180 && place.longitude == -180
        case .across(let west, let east): return place.longitude >= west || place.longitude <= east
        case .dateLine: return place.longitude == -180
        }
    }

    func relation(to cell: PlaceCell) -> CellRelation {
        guard cell.row <= lastRow, firstRow <= cell.lastRow else { return .outside }
        let relation = columnRelation(to: cell)
        if relation == .outside { return touchesPole(cell) ? .partial : .outside }
        // The first and the last row and column also contain places outside of the box.
        let isInside = (firstRow < cell.row || south == -90) && (cell.lastRow < lastRow || north == 90)
        return isInside ? relation : .partial
    }

    private func columnRelation(to cell: PlaceCell) -> CellRelation {
        switch longitudes {
        case .all: return .inside
        case .between(let west, let east):
            if east == 180, cell.column == 0, west > -180 { return .partial }
            guard cell.column <= lastColumn, firstColumn <= cell.lastColumn else { return .outside }
            let isInside = (firstColumn < cell.column || west == -180) && (cell.lastColumn < lastColumn || east == 180)
            return isInside ? .inside : .partial
        case .across:
            if cell.column > firstColumn || cell.lastColumn < lastColumn { return .inside }
            return cell.lastColumn >= firstColumn || cell.column <= lastColumn ? .partial : .outside
        case .dateLine: return cell.column == 0 ? .partial : .outside
        }
    }

    /// Returns whether a pole is in the box and in the cell. Its longitude is 0, so the box may end far from its column.
    private func touchesPole(_ cell: PlaceCell) -> Bool {
        let column = PlaceKey.column(longitude: 0)
        guard cell.column <= column, column <= cell.lastColumn else { return false }
        return south == -90 && cell.row == 0 || north == 90 && cell.lastRow == UInt32.max
    }
}
