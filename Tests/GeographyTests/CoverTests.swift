import Geography
import Glibc
import TestSupport
import Testing

@Suite struct CoverTests {
    @Test(arguments: seeds(3))
    func `a cover has every place of a circle, and its inner ranges no other`(seed: Int) throws {
        var places = RandomPlaces(seed: UInt64(seed))
        for _ in 0..<60 {
            let center = places.next()
            let radius =
                Int.random(in: 0..<10, using: &places.random) == 0 ? 0 : center.distance(to: places.near(center))
            let region = Region.circle(try Circle(center: center, radius: radius)).prepared()
            // Most places are at the edge.
            let tested =
                [center, center.antipode, place(90, 0), place(-90, 0)]
                + (0..<100).map { index in
                    let part = index % 2 == 0 ? 1 - pow(10, Double.random(in: -16 ... -1, using: &places.random)) : 0.5
                    let distance = min(radius, Place.maxDistance) * part
                    return center.moved(distance, bearing: Double.random(in: 0...7, using: &places.random))
                }
            check(region, tested, &places)
        }
    }

    @Test(arguments: seeds(3))
    func `a cover has every place of a box, and its inner ranges no other`(seed: Int) throws {
        var places = RandomPlaces(seed: UInt64(seed))
        for _ in 0..<60 {
            let box = try randomBox(&places)
            check(Region.box(box).prepared(), boxPlaces(box, &places) + boxPlaces(box, &places), &places)
        }
    }

    @Test(arguments: seeds(3))
    func `a cover has every place of a polygon, and its inner ranges no other`(seed: Int) throws {
        var places = RandomPlaces(seed: UInt64(seed))
        for _ in 0..<25 {
            let star = places.star()
            var tested = [star.center, place(90, 0), place(-90, 0)] + star.corners.prefix(50)
            for index in star.corners.indices.prefix(50) {
                let (one, other) = (star.corners[index].vector, star.corners[(index + 1) % star.corners.count].vector)
                let part = Double.random(in: 0...1, using: &places.random)
                let edge = Place(direction: one * part + other * (1 - part))
                tested.append(edge)
                tested.append(edge.moved(0.001, bearing: Double.random(in: 0...7, using: &places.random)))
                tested.append(edge.moved(0.00099, bearing: Double.random(in: 0...7, using: &places.random)))
                tested.append(Place(direction: edge.vector + star.center.vector * 0.001))
            }
            check(Region.polygon(try Polygon(star.corners)).prepared(), tested, &places)
        }
    }

    @Test func `a cover whose work is limited has every place of the polygon`() throws {
        // Edges between two short diagonals: the bounding boxes of all contain the middle.
        let corners = (0..<Polygon.maxCorners).map { index in
            let step = 0.01 * Double(index) / Double(Polygon.maxCorners)
            return index % 2 == 0 ? place(35.5 + step, 139.6 - step) : place(35.9 + step, 140 - step)
        }
        let region = Region.polygon(try Polygon(corners)).prepared()
        #expect(region.edgeCount == Polygon.maxCorners)
        var places = RandomPlaces(seed: 8)
        let tested = (0..<40).map { index in
            let edge = corners[index * 200].vector * 0.5 + corners[index * 200 + 1].vector * 0.5
            return Place(direction: edge).moved(
                Double.random(in: 0...2_000, using: &places.random),
                bearing: Double.random(in: 0...7, using: &places.random))
        }
        check(region, tested, &places)
    }

    @Test func `covers of the whole earth, of points and of lines`() throws {
        let earth = [
            Region.circle(try Circle(center: place(3, 4), radius: 3e7)),
            Region.box(try BoundingBox(south: -90, west: -180, north: 90, east: 180)),
        ]
        for region in earth {
            let ranges = region.prepared().cover(maxRanges: 1)
            #expect(ranges == [KeyRange(lower: PlaceKey(code: 0), upper: PlaceKey(code: .max), isInside: true)])
        }
        var places = RandomPlaces(seed: 4)
        for _ in 0..<50 {
            let one = places.next()
            let point = Region.circle(try Circle(center: one, radius: 0)).prepared()
            check(point, [one], &places)
            // Four cells at most meet in a point, but at a pole.
            if abs(one.latitude) < 89 { #expect(keys(point.cover(maxRanges: 16)) <= 16) }
            let corners = [Place](repeating: one, count: 4)
            check(Region.polygon(try Polygon(corners)).prepared(), [one, one.moved(0.0009, bearing: 1)], &places)
            let box = try BoundingBox(
                south: one.latitude, west: one.longitude, north: one.latitude, east: one.longitude)
            check(Region.box(box).prepared(), [one], &places)
        }
        let meridian = try BoundingBox(south: -90, west: 180, north: 90, east: -180)
        check(Region.box(meridian).prepared(), [place(0, 180), place(90, 0), place(-90, 0)], &places)
    }

    @Test func `a cover is not much larger than its region`() throws {
        var random = SeededGenerator(seed: 5)
        for maxRanges in [1, 4, 16, 64] {
            var (circles, boxes) = ([Double](), [Double]())
            for _ in 0..<100 {
                let latitude = Double.random(in: -60...60, using: &random)
                let center = place(latitude, Double.random(in: -180...180, using: &random))
                let radius = pow(10, Double.random(in: 1...5.5, using: &random))
                let degrees = radius / Place.earthRadius * 180 / Double.pi
                let width = degrees / cos(latitude * Double.pi / 180)
                let map = 360.0 * 180 / pow(2, 64)
                let circle = Region.circle(try Circle(center: center, radius: radius)).prepared()
                let found = keys(circle.cover(maxRanges: maxRanges)) * map
                circles.append(found / (Double.pi * degrees * width))
                let east = center.longitude + width
                let box = Region.box(
                    try BoundingBox(
                        south: latitude - degrees, west: center.longitude, north: latitude + degrees,
                        east: east > 180 ? east - 360 : east)
                ).prepared()
                boxes.append(keys(box.cover(maxRanges: maxRanges)) * map / (2 * degrees * width))
            }
            let limits = [1: 40, 4: 4.5, 16: 2, 64: 1.5]
            for ratios in [circles, boxes] {
                #expect(ratios.sorted()[50] < limits[maxRanges] ?? 0, "\(maxRanges) ranges")
                #expect(ratios.sorted()[50] > 1)
            }
        }
    }

    /// Checks the covers of a region against its own test of a place.
    private func check(_ region: PreparedRegion, _ tested: [Place], _ places: inout RandomPlaces) {
        let inRegion = tested.filter(region.contains)
        for place in tested {
            let level = Int.random(in: 0...PlaceCell.maxLevel, using: &places.random)
            let relation = region.relation(to: PlaceCell(containing: PlaceKey(place), level: level))
            let excluded: CellRelation = region.contains(place) ? .outside : .inside
            #expect(relation != excluded, "\(place) in a cell of level \(level)")
        }
        for maxRanges in [1, 3, 16, 64] {
            let ranges = region.cover(maxRanges: maxRanges)
            #expect(ranges.count <= maxRanges)
            for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.upper < next.lower) }
            for place in inRegion {
                let key = PlaceKey(place)
                #expect(ranges.contains { $0.contains(key) }, "\(place) is missing")
            }
            for place in tested where !region.contains(place) {
                let key = PlaceKey(place)
                #expect(!ranges.contains { $0.isInside && $0.contains(key) }, "\(place) is not inside")
            }
            for range in ranges where range.isInside {
                for cell in cells(of: range) { #expect(region.relation(to: cell) == .inside) }
            }
        }
    }

    /// Returns the fewest cells that a range consists of.
    private func cells(of range: KeyRange) -> [PlaceCell] {
        var cells: [PlaceCell] = []
        var next = range.lower
        while true {
            var cell = next.cell
            for level in (0..<PlaceCell.maxLevel).reversed() {
                let larger = PlaceCell(containing: next, level: level)
                guard larger.keys.lowerBound == next, larger.keys.upperBound <= range.upper else { break }
                cell = larger
            }
            cells.append(cell)
            guard cell.keys.upperBound < range.upper else { return cells }
            next = PlaceKey(code: cell.keys.upperBound.code + 1)
        }
    }

    private func keys(_ ranges: [KeyRange]) -> Double {
        ranges.reduce(0) { $0 + Double($1.upper.code - $1.lower.code) + 1 }
    }
}
