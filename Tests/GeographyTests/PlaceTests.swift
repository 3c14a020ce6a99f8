import Geography
import Glibc
import TestSupport
import Testing

@Suite struct PlaceTests {
    @Test func `degrees out of range are no place`() {
        for (latitude, longitude) in [
            (90.1, 0), (-90.1, 0), (0, 180.1), (0, -180.1), (Double.nan, 0), (0, Double.nan), (Double.infinity, 0),
        ] as [(Double, Double)] {
            #expect(Place(latitude: latitude, longitude: longitude) == nil)
        }
    }

    @Test func `equal points are equal places`() {
        #expect(place(10, 180) == place(10, -180))
        #expect(place(90, 10) == place(90, -70))
        #expect(place(-90, 180) == place(-90, 0))
        #expect(place(-0.0, -0.0) == place(0, 0))
        #expect(place(-0.0, -0.0).latitude.sign == .plus && place(-0.0, -0.0).longitude.sign == .plus)
        #expect(place(90, 10) != place(-90, 10))
        #expect(place(10, 179.99999999) != place(10, -180))
    }

    @Test func `known distances`() {
        let quarter = Place.maxDistance / 2
        #expect(abs(place(0, 0).distance(to: place(0, 90)) - quarter) < 5e-9)
        #expect(abs(place(0, 0).distance(to: place(90, 33)) - quarter) < 5e-9)
        #expect(abs(place(90, 0).distance(to: place(-90, 0)) - 2 * quarter) < 5e-9)
        #expect(abs(place(12, 34).distance(to: place(-12, -146)) - 2 * quarter) < 5e-9)
        #expect(abs(place(0, 179.5).distance(to: place(0, -179.5)) - quarter / 90) < 5e-9)
        // Tokyo station to Osaka station: 403 km.
        #expect(abs(place(35.681236, 139.767125).distance(to: place(34.702485, 135.495951)) - 403_000) < 1_000)
    }

    #if arch(x86_64)
        @Test(arguments: 0..<10 as Range<UInt64>)
        func `distances agree with 80-bit arithmetic, near and opposite places included`(seed: UInt64) {
            var places = RandomPlaces(seed: seed)
            var largestError = 0.0
            for _ in 0..<5_000 {
                let one = places.next()
                let other =
                    switch Int.random(in: 0..<3, using: &places.random) {
                    case 0: places.next()
                    case 1: places.near(one)
                    default: places.near(one.antipode)
                    }
                let distance = one.distance(to: other)
                #expect(distance == other.distance(to: one) && one.distance(to: one) == 0)
                #expect((0...Place.maxDistance).contains(distance))
                largestError = max(largestError, abs(distance - preciseDistance(one, other)))
            }
            #expect(largestError < 5e-9)
        }

        /// The haversine formula, and its counterpart for the opposite point, with 64 bits of precision.
        private func preciseDistance(_ one: Place, _ other: Place) -> Double {
            let radians = Float80.pi / 180
            let (phi, psi) = (Float80(one.latitude) * radians, Float80(other.latitude) * radians)
            let half = (Float80(one.longitude) - Float80(other.longitude)) * radians / 2
            let near = sin((phi - psi) / 2) * sin((phi - psi) / 2) + cos(phi) * cos(psi) * sin(half) * sin(half)
            let far = sin((phi + psi) / 2) * sin((phi + psi) / 2) + cos(phi) * cos(psi) * cos(half) * cos(half)
            return Double(2 * atan2(near.squareRoot(), far.squareRoot()) * Float80(Place.earthRadius))
        }
    #endif
}
