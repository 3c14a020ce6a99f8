import Geography
import TestSupport
import Testing

@Suite struct CircleAndBoxTests {
    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a circle contains what is within its radius, to the last bit`(seed: UInt64) throws {
        var places = RandomPlaces(seed: seed)
        for _ in 0..<400 {
            let center = places.next()
            let onEdge = Bool.random(using: &places.random) ? places.near(center) : places.next()
            // The radius is a distance that occurs, or one bit more or less.
            let distance = center.distance(to: onEdge)
            let radius = [distance, distance.nextUp, max(0, distance.nextDown)].randomElement(using: &places.random)
            let region = Region.circle(try Circle(center: center, radius: radius ?? distance)).prepared()
            for other in [onEdge, center, center.antipode] + (0..<20).map({ _ in places.near(onEdge) }) {
                #expect(region.contains(other) == (center.distance(to: other) <= radius ?? distance))
            }
        }
    }

    @Test func `circles without and with everything`() throws {
        var places = RandomPlaces(seed: 1)
        for _ in 0..<200 {
            let (center, other) = (places.next(), places.next())
            let point = Region.circle(try Circle(center: center, radius: 0))
            #expect(point.contains(center) && point.contains(other) == (center.distance(to: other) == 0))
            for radius in [Place.maxDistance, 1e9, Double.greatestFiniteMagnitude] {
                let earth = Region.circle(try Circle(center: center, radius: radius)).prepared()
                #expect(earth.contains(center.antipode) && earth.contains(other))
            }
        }
    }

    @Test func `a wrong radius is an error`() {
        for radius in [-1, -Double.ulpOfOne, .nan, .infinity] {
            #expect(throws: RegionError.radius) { try Circle(center: place(0, 0), radius: radius) }
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a box contains the latitudes and longitudes between its edges`(seed: UInt64) throws {
        var places = RandomPlaces(seed: seed)
        for _ in 0..<200 {
            let box = try randomBox(&places)
            let region = Region.box(box).prepared()
            for other in boxPlaces(box, &places) {
                // How far east of the western end a place is, and the eastern end: the naive definition.
                let width = box.west == -180 && box.east == 180 ? 360 : eastward(from: box.west, to: box.east)
                let isBetween = eastward(from: box.west, to: other.longitude) <= width + 1e-12
                let isPole = abs(other.latitude) == 90
                let expected = (box.south...box.north).contains(other.latitude) && (isPole || isBetween)
                #expect(region.contains(other) == expected, "\(box) \(other)")
            }
        }
    }

    @Test func `boxes at the date line and the poles`() throws {
        func box(_ south: Double, _ west: Double, _ north: Double, _ east: Double) throws -> Region {
            .box(try BoundingBox(south: south, west: west, north: north, east: east))
        }
        let dateLine = place(10, 180)
        #expect(try box(0, 170, 20, 180).contains(dateLine) && box(0, -180, 20, -170).contains(dateLine))
        #expect(try box(0, 170, 20, -170).contains(dateLine) && !box(0, -170, 20, 170).contains(dateLine))
        #expect(try box(0, 180, 20, 180).contains(dateLine) && !box(0, 180, 20, 180).contains(place(10, 0)))
        #expect(try box(0, 180, 20, -180).contains(dateLine) && !box(0, 180, 20, -180).contains(place(10, 0)))
        #expect(try box(0, -180, 20, 180).contains(place(10, 123)))
        #expect(try box(80, 10, 90, 20).contains(place(90, 0)) && !box(80, 10, 89.9, 20).contains(place(90, 0)))
        #expect(try box(-90, 10, -80, 20).contains(place(-90, 0)) && !box(-80, 10, 90, 20).contains(place(-90, 0)))
    }

    @Test func `a box with wrong edges is an error`() {
        #expect(throws: RegionError.southAboveNorth) { try BoundingBox(south: 2, west: 0, north: 1, east: 1) }
        for (south, west, north, east) in [
            (-91, 0, 0, 1), (0, -181, 1, 0), (0, 0, 91, 0), (0, 0, 1, 181), (Double.nan, 0, 1, 1),
            (0, 0, 1, Double.nan),
        ] as [(Double, Double, Double, Double)] {
            #expect(throws: RegionError.degrees) {
                try BoundingBox(south: south, west: west, north: north, east: east)
            }
        }
    }

    private func eastward(from west: Double, to east: Double) -> Double {
        let difference = (east - west).truncatingRemainder(dividingBy: 360)
        return difference < 0 ? difference + 360 : difference
    }
}

/// Returns a box between two random places.
func randomBox(_ places: inout RandomPlaces) throws -> BoundingBox {
    let (one, other) = (places.next(), places.next())
    let flip = { (longitude: Double, places: inout RandomPlaces) in
        longitude == -180 && Bool.random(using: &places.random) ? 180 : longitude
    }
    return try BoundingBox(
        south: min(one.latitude, other.latitude), west: flip(one.longitude, &places),
        north: max(one.latitude, other.latitude), east: flip(other.longitude, &places))
}

/// Returns places around a box: its corners, and places a little off its edges.
func boxPlaces(_ box: BoundingBox, _ places: inout RandomPlaces) -> [Place] {
    var found = [place(90, 0), place(-90, 0), place(box.north, 180), place(box.south, -180)]
    for latitude in [box.south, box.north] {
        for longitude in [box.west, box.east] {
            found.append(place(latitude, longitude))
            found.append(place(latitude.nextUp, longitude - 1e-9))
            found.append(place(latitude.nextDown, longitude + 1e-9))
        }
    }
    for _ in 0..<20 {
        found.append(places.next())
        let width = box.east < box.west ? box.east - box.west + 360 : box.east - box.west
        let longitude = box.west + width * Double.random(in: 0...1, using: &places.random)
        found.append(
            place(
                Double.random(in: box.south...box.north, using: &places.random),
                longitude > 180 ? longitude - 360 : longitude))
    }
    return found
}
