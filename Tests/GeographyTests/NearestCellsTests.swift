import Geography
import Glibc
import TestSupport
import Testing

@Suite struct NearestCellsTests {
    @Test(arguments: 0..<10 as Range<UInt64>)
    func `distances to a cell have its bounds`(seed: UInt64) {
        var places = RandomPlaces(seed: seed)
        for _ in 0..<1_000 {
            let origin = places.next()
            let inCell = [places.next(), places.near(origin), places.near(origin.antipode)]
            let bounds = DistanceBounds(from: origin)
            for place in inCell {
                let level = Int.random(in: 0...32, using: &places.random)
                let cell = PlaceCell(containing: PlaceKey(place), level: level)
                let (minimum, maximum) = (bounds.minimum(to: cell), bounds.maximum(to: cell))
                for other in placesIn(cell, &places) + [place] {
                    let distance = origin.distance(to: other)
                    #expect(minimum <= distance && distance <= maximum, "\(origin) \(other) \(level)")
                }
            }
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `bounds are reached by a place of the cell`(seed: UInt64) {
        var places = RandomPlaces(seed: seed)
        for _ in 0..<50 {
            let origin = places.next()
            let cell = PlaceCell(
                containing: PlaceKey(places.next()), level: Int.random(in: 2...20, using: &places.random))
            let bounds = DistanceBounds(from: origin)
            // The edges of the cell at 201 points each, and its inside where the origin or its opposite point is.
            var distances = [origin, origin.antipode].filter { cell.keys.contains(PlaceKey($0)) }
                .map(origin.distance(to:))
            for step in 0...200 {
                let part = Double(step) / 200
                let latitude = cell.south + (cell.north - cell.south) * part
                let longitude = cell.west + (cell.east - cell.west) * part
                distances += [
                    place(latitude, cell.west), place(latitude, cell.east), place(cell.south, longitude),
                    place(cell.north, longitude),
                ].map(origin.distance(to:))
            }
            let step = (cell.north - cell.south) * 2 * Double.pi / 180 * Place.earthRadius / 200
            #expect(bounds.minimum(to: cell) >= (distances.min() ?? 0) - step - 1e-5)
            #expect(bounds.maximum(to: cell) <= (distances.max() ?? 0) + step + 1e-5)
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a search finds all places in the order of distance, from any cursor`(seed: UInt64) throws {
        var places = RandomPlaces(seed: seed)
        let city = places.next()
        let stored = (0..<300).map { _ in places.near(city) } + (0..<300).map { _ in places.next() }
        let index = stored.map { (key: PlaceKey($0), place: $0) }
        for round in 0..<6 {
            let origin = round == 0 ? place(90, 0) : round == 1 ? place(-30, 180) : places.near(city)
            let star = places.star()
            let region = round % 2 == 0 ? nil : Region.polygon(try Polygon(star.corners)).prepared()
            let expected = stored.filter { region?.contains($0) ?? true }.map(origin.distance(to:)).sorted()
            let whole = NearestCells(from: origin, in: region)
            #expect(search(whole, in: index, from: origin, region) == expected)
            // From the middle on, and up to a distance.
            guard expected.count > 10 else { continue }
            let (after, upTo) = (expected[expected.count / 2], expected[expected.count * 3 / 4])
            let part = NearestCells(from: origin, after: after, upTo: upTo, in: region)
            let found = search(part, in: index, from: origin, region).filter { (after...upTo).contains($0) }
            #expect(found == expected.filter { (after...upTo).contains($0) })
        }
    }

    @Test func `a search of the whole earth has few cells, from poles too`() {
        var places = RandomPlaces(seed: 9)
        for origin in [place(90, 0), place(-90, 0), place(0, 180), place(89.99, 5)]
            + (0..<20).map({ _ in places.next() })
        {
            var cells = NearestCells(from: origin)
            var (count, held, last) = (0, 0, 0.0)
            var codes: [ClosedRange<PlaceKey>] = []
            while let cell = cells.next() {
                count += 1
                held = max(held, cells.heldCells)
                #expect(cell.minimumDistance >= last && cell.isInside)
                last = cell.minimumDistance
                #expect(cells.minimumDistance >= last)
                codes.append(cell.keys)
            }
            #expect(count < 2_000 && held < 500, "\(origin): \(count) cells, \(held) at once")
            // Together, they are the whole map.
            codes.sort { $0.lowerBound < $1.lowerBound }
            #expect(codes.first?.lowerBound.code == 0 && codes.last?.upperBound.code == .max)
            for (one, next) in zip(codes, codes.dropFirst()) {
                #expect(one.upperBound.code + 1 == next.lowerBound.code)
            }
        }
    }

    @Test func `the smallest cell is not divided`() {
        let origin = place(1, 2)
        var cells = NearestCells(from: origin)
        var cell = cells.next()
        while let divided = cell, cells.divide(divided) { cell = cells.next() }
        #expect(cell?.cell.level == PlaceCell.maxLevel && cell?.keys == PlaceKey(origin)...PlaceKey(origin))
    }

    /// Scans the cells of a search with at most five places at a time, and emits distances as early as possible.
    private func search(
        _ search: NearestCells, in index: [(key: PlaceKey, place: Place)], from origin: Place, _ region: PreparedRegion?
    ) -> [Double] {
        var (search, held, emitted) = (search, [Double](), [Double]())
        while let cell = search.next() {
            let (first, last) = (cell.keys.lowerBound.code, cell.keys.upperBound.code)
            let found = index.filter { first <= $0.key.code && $0.key.code <= last }.map(\.place)
            if found.count > 5, search.divide(cell) { continue }
            if cell.isInside, let region { #expect(found.allSatisfy(region.contains)) }
            held += found.filter { region?.contains($0) ?? true }.map(origin.distance(to:))
            held.sort()
            let ready = held.prefix { $0 <= search.minimumDistance }
            emitted += ready
            held.removeFirst(ready.count)
        }
        return emitted + held
    }

    private func placesIn(_ cell: PlaceCell, _ places: inout RandomPlaces) -> [Place] {
        let edges = [cell.south, cell.north].flatMap { south in [cell.west, cell.east].map { place(south, $0) } }
        let within = (0..<8).map { _ in
            place(
                Double.random(in: cell.south...cell.north, using: &places.random),
                Double.random(in: cell.west...cell.east, using: &places.random))
        }
        return (edges + within).filter { cell.keys.contains(PlaceKey($0)) }
    }
}
