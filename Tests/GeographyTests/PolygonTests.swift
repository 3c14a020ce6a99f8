import Geography
import Glibc
import TestSupport
import Testing

@Suite struct PolygonTests {
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `a star contains the places in its triangles`(seed: UInt64) throws {
        var places = RandomPlaces(seed: seed)
        var compared = (inside: 0, outside: 0)
        for _ in 0..<60 {
            let star = places.star()
            let region = Region.polygon(try Polygon(star.corners)).prepared()
            for other in nearby(star, &places) {
                guard let expected = star.contains(other) else { continue }
                #expect(region.contains(other) == expected, "\(star) \(other)")
                if expected { compared.inside += 1 } else { compared.outside += 1 }
            }
        }
        #expect(compared.inside > 500 && compared.outside > 500)
    }

    @Test func `a star of 10,000 corners contains the places in its triangles`() throws {
        var places = RandomPlaces(seed: 7)
        for center in [place(90, 0), place(-12, 179.9)] {
            let star = StarPolygon(center: center, distances: 1e5...2e5, count: 10_000, &places.random)
            let region = Region.polygon(try Polygon(star.corners)).prepared()
            for _ in 0..<100 {
                let other = center.moved(
                    Double.random(in: 0...2.2e5, using: &places.random),
                    bearing: Double.random(in: 0...7, using: &places.random))
                guard let expected = star.contains(other) else { continue }
                #expect(region.contains(other) == expected, "\(other)")
            }
        }
    }

    @Test func `half of the earth is left of the edges`() throws {
        // Not exactly half, as corners on no parallel of a great circle are: within the limit of 1e-9.
        for (tilt, turn) in [(0.0, 0.0), (0, 77), (30, 11), (90, 5), (89.999, 100), (45, 180)] {
            let corners = (0..<12).map { index -> Place in
                let angle = Double(index) * Double.pi / 6
                let (sinTilt, cosTilt) = (sin(tilt * Double.pi / 180), cos(tilt * Double.pi / 180))
                let (x, y) = (cos(angle), sin(angle) * cosTilt)
                let turned = turn * Double.pi / 180
                return Place(
                    direction: Vector(
                        x: x * cos(turned) - y * sin(turned), y: x * sin(turned) + y * cos(turned),
                        z: sin(angle) * sinTilt))
            }
            let pole = cross(corners[0].vector, corners[3].vector)
            let region = Region.polygon(try Polygon(corners)).prepared()
            let reversed = Region.polygon(try Polygon(corners.reversed())).prepared()
            var places = RandomPlaces(seed: 3)
            for _ in 0..<2_000 {
                let other = places.next()
                let left = dot(pole, other.vector)
                guard abs(left) > 1e-9 else { continue }
                #expect(region.contains(other) == (left > 0), "\(tilt) \(turn) \(other)")
                #expect(reversed.contains(other) == (left < 0), "\(tilt) \(turn) \(other)")
            }
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `rings with crossing edges follow the even-odd rule`(seed: UInt64) throws {
        var places = RandomPlaces(seed: seed)
        for _ in 0..<20 {
            // Corners anywhere within 3,000 km; outside is far away.
            let center = places.next()
            let corners = (0..<Int.random(in: 3...60, using: &places.random)).map { _ in
                center.moved(
                    Double.random(in: 0...3e6, using: &places.random),
                    bearing: Double.random(in: 0...7, using: &places.random))
            }
            let region = Region.polygon(try Polygon(corners)).prepared()
            let outside = center.moved(9e6, bearing: Double.random(in: 0...7, using: &places.random))
            let ends = corners.indices.map { (corners[$0].vector, corners[($0 + 1) % corners.count].vector) }
            for _ in 0..<100 {
                let other = center.moved(
                    Double.random(in: 0...4e6, using: &places.random),
                    bearing: Double.random(in: 0...7, using: &places.random))
                guard ends.allSatisfy({ distance(from: other.vector, toEdge: $0, $1) > 0.01 }) else { continue }
                let crossings = ends.count { crosses(other.vector, outside.vector, $0, $1) }
                #expect(region.contains(other) == (crossings % 2 == 1), "\(corners) \(other)")
            }
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `edges are inside up to a millimeter`(seed: UInt64) throws {
        var places = RandomPlaces(seed: seed)
        for _ in 0..<40 {
            let star = places.star()
            guard let size = star.corners.map({ star.center.distance(to: $0) }).min() else { continue }
            let region = Region.polygon(try Polygon(star.corners)).prepared()
            for index in star.corners.indices {
                let (one, other) = (star.corners[index].vector, star.corners[(index + 1) % star.corners.count].vector)
                #expect(region.contains(star.corners[index]))
                let part = Double.random(in: 0...1, using: &places.random)
                let onEdge = Place(direction: one * part + other * (1 - part))
                #expect(region.contains(onEdge))
                #expect(region.contains(onEdge.moved(0.0009, bearing: Double.random(in: 0...7, using: &places.random))))
                // Away from the center, outside.
                let normal = cross(one, other) * (dot(cross(one, other), star.center.vector) > 0 ? -1 : 1)
                let length = dot(normal, normal).squareRoot()
                let away = Place(direction: onEdge.vector + normal * (0.0011 / Place.earthRadius / length))
                if size > 1_000, star.contains(away, tolerance: 0.00105) == false {
                    #expect(!region.contains(away))
                }
            }
        }
    }

    @Test func `corners and edges at poles`() throws {
        let triangle = Region.polygon(try Polygon([place(0, 0), place(0, 90), place(90, 0)])).prepared()
        #expect(triangle.contains(place(10, 10)) && triangle.contains(place(89, 45)) && triangle.contains(place(90, 0)))
        #expect(!triangle.contains(place(10, -10)) && !triangle.contains(place(89, 95)))
        #expect(!triangle.contains(place(-1, 45)) && !triangle.contains(place(-90, 0)))
        let south = Region.polygon(try Polygon([place(0, 170), place(-90, 0), place(0, -170)])).prepared()
        #expect(south.contains(place(-10, 180)) && south.contains(place(-89, 175)) && south.contains(place(-90, 0)))
        #expect(!south.contains(place(-10, 0)) && !south.contains(place(-89, 5)) && !south.contains(place(10, 180)))
        // Two edges go over the north pole: no area, but edges.
        let line = Region.polygon(try Polygon([place(80, 0), place(85, 180), place(85, 180)])).prepared()
        #expect(line.contains(place(90, 0)) && line.contains(place(89, 180)) && line.contains(place(85, 0)))
        #expect(!line.contains(place(79, 0)) && !line.contains(place(85, 90)) && !line.contains(place(-90, 0)))
        // One edge over each pole.
        let strip = Region.polygon(try Polygon([place(80, 0), place(80, 180), place(70, 181 - 360)])).prepared()
        #expect(strip.contains(place(90, 0)) && strip.contains(place(79.9, -179.9)))
        #expect(!strip.contains(place(79.9, 179.9)) && !strip.contains(place(0, 0)))
    }

    @Test func `edges of about half a turn take the shorter way`() throws {
        let longitudes = [-180, -179.5, -91, -90.8, -90, -89.8, -0.5, 0, 1e-14, 0.5, 89.8, 90, 90.8, 91, 179.5]
        let outside = place(-75, 20).vector
        var places = RandomPlaces(seed: 6)
        for first in longitudes {
            for second in longitudes where second != first {
                let corners = [place(60, first), place(50, second), place(20, (first + second) / 2)]
                let region = Region.polygon(try Polygon(corners)).prepared()
                let vectors = corners.map(\.vector)
                let ends = vectors.indices.map { (vectors[$0], vectors[($0 + 1) % 3]) }
                for round in 0..<40 {
                    // Half of them between the pole and an edge that nearly meets it.
                    let other = place(
                        Double.random(in: round % 2 == 0 ? 0...90 : 89.7...90, using: &places.random),
                        Double.random(in: -180...180, using: &places.random))
                    guard ends.allSatisfy({ distance(from: other.vector, toEdge: $0, $1) > 0.01 }) else { continue }
                    let crossings = ends.count { crosses(other.vector, outside, $0, $1) }
                    #expect(region.contains(other) == (crossings % 2 == 1), "\(corners) \(other)")
                }
            }
        }
    }

    @Test func `an edge along a meridian counts only between its ends`() throws {
        // Its plane cannot be computed exactly enough to say on which side a place beyond the ends is.
        for index in 0..<100 {
            let longitude = 1.37 * Double(index) - 30
            let next = longitude.nextUp
            for (start, end) in [(longitude, next), (next, longitude)] {
                let corners = [place(0, start), place(10, end), place(5, longitude + 20)]
                for ring in [corners, corners.reversed()] {
                    let region = Region.polygon(try Polygon(ring)).prepared()
                    // From 1.1 to 1.9 mm beyond the ends, more than the tolerance; and far beyond.
                    for beyond in [1e-8, 1.1e-8, 1.2e-8, 1.3e-8, 1.4e-8, 1.5e-8, 1.6e-8, 1.7e-8, 1, 20, 70] {
                        #expect(!region.contains(place(10 + beyond, next)), "\(longitude) \(beyond)")
                        #expect(!region.contains(place(-beyond, next)), "\(longitude) \(beyond)")
                    }
                    #expect(region.contains(place(5, longitude + 1)) && !region.contains(place(5, longitude - 1)))
                }
            }
        }
    }

    @Test func `a cap around a pole contains the pole and ends at its edges`() throws {
        for sign in [1.0, -1.0] {
            let corners = (0..<36).map { place(60 * sign, Double($0) * 10 - 180) }
            let cap = Region.polygon(try Polygon(corners)).prepared()
            for longitude in stride(from: -175.0, to: 180, by: 10) {
                #expect(cap.contains(place(90 * sign, 0)) && cap.contains(place(60.2 * sign, longitude)))
                // In the middle of an edge, the great circle is 0.1 degrees nearer to the pole than the parallel.
                #expect(!cap.contains(place(60.05 * sign, longitude)) && !cap.contains(place(-70 * sign, longitude)))
            }
        }
    }

    @Test func `polygons without area contain their edges`() throws {
        let point = Region.polygon(try Polygon([Place](repeating: place(1, 2), count: 4))).prepared()
        #expect(
            point.contains(place(1, 2)) && point.contains(place(1.000000005, 2)) && !point.contains(place(1.001, 2)))
        let line = Region.polygon(try Polygon([place(0, -10), place(0, 10), place(0, 0)])).prepared()
        #expect(line.contains(place(0, 5)) && line.contains(place(0, -10)) && !line.contains(place(0.00001, 5)))
        #expect(!line.contains(place(0, 10.0001)) && !line.contains(place(0, 180)) && !line.contains(place(90, 0)))
    }

    @Test func `wrong corners are errors`() throws {
        let corners = [place(0, 0), place(0, 1), place(1, 0)]
        #expect(try Polygon(corners + [corners[0]]) == Polygon(corners))
        #expect(throws: RegionError.cornerCount(2)) { try Polygon(Array(corners.prefix(2))) }
        #expect(throws: RegionError.cornerCount(2)) { try Polygon([corners[0], corners[1], corners[0]]) }
        #expect(throws: RegionError.cornerCount(0)) { try Polygon([]) }
        let many = (0..<10_000).map { place(Double($0 % 2), Double($0) / 100) }
        #expect(try Polygon(many).corners.count == 10_000)
        #expect(throws: RegionError.cornerCount(10_001)) { try Polygon(many + [place(5, 5)]) }
        #expect(throws: RegionError.oppositeCorners(first: 1)) {
            try Polygon([place(0, 0), place(10, 20), place(-10, -160)])
        }
        #expect(throws: RegionError.oppositeCorners(first: 2)) {
            try Polygon([place(90, 0), place(10, 20), place(-90, 0)])
        }
        #expect(RegionError.cornerCount(2).description == "A polygon must have 3 to 10000 corners, but has 2")
    }

    private func nearby(_ star: StarPolygon, _ places: inout RandomPlaces) -> [Place] {
        let around = star.corners.prefix(20).flatMap { [places.near($0), places.near($0)] }
        let within = (0..<30).map { _ in
            star.center.moved(
                star.center.distance(to: star.corners[0]) * Double.random(in: 0...1.5, using: &places.random),
                bearing: Double.random(in: 0...7, using: &places.random))
        }
        return around + within + [place(90, 0), place(-90, 0), star.center, star.center.antipode, places.next()]
    }
}
