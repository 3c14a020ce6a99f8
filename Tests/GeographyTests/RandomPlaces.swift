import Geography
import Glibc
import TestSupport

/// Random places, many of them where mistakes are likely: at poles, at the date line, on round degrees.
struct RandomPlaces {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> Place {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: place([-90, -45, 0, 45, 90].randomElement(using: &random) ?? 0, longitude())
        case 1:
            place(Double(Int.random(in: -90...90, using: &random)), Double(Int.random(in: -180...180, using: &random)))
        case 2: place((Bool.random(using: &random) ? 90 : -90), longitude())
        case 3: near(place(Bool.random(using: &random) ? 90 : -90, 0))
        case 4: near(place(uniformLatitude(), 180))
        default: place(uniformLatitude(), longitude())
        }
    }

    /// Returns a place at a distance from 1 mm to 20,000 km, each power of ten as likely as another.
    mutating func near(_ center: Place) -> Place {
        let distance = pow(10, Double.random(in: -3...7.3, using: &random))
        return center.moved(distance, bearing: Double.random(in: 0..<2 * Double.pi, using: &random))
    }

    mutating func uniform() -> Place { place(uniformLatitude(), longitude()) }

    private mutating func longitude() -> Double {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: [-180, -90, 0, 90, 180].randomElement(using: &random) ?? 0
        default: Double.random(in: -180...180, using: &random)
        }
    }

    private mutating func uniformLatitude() -> Double {
        asin(Double.random(in: -1...1, using: &random)) * 180 / Double.pi
    }
}

/// Returns a place whose degrees are known to be valid, or moved into the valid range by rounding errors only.
func place(_ latitude: Double, _ longitude: Double) -> Place {
    guard let place = Place(latitude: max(-90, min(90, latitude)), longitude: max(-180, min(180, longitude))) else {
        fatalError("not a number")
    }
    return place
}

extension Place {
    /// Returns the place at a distance in meters in a direction (0 is north, π / 2 is east).
    func moved(_ distance: Double, bearing: Double) -> Place {
        let angle = distance / Place.earthRadius
        let (phi, lambda) = (latitude * Double.pi / 180, longitude * Double.pi / 180)
        let z = sin(phi) * cos(angle) + cos(phi) * sin(angle) * cos(bearing)
        let east = sin(bearing) * sin(angle)
        let north = cos(angle) * cos(phi) - sin(angle) * sin(phi) * cos(bearing)
        let turned = lambda + atan2(east, north)
        return placeByRadians(atan2(z, (east * east + north * north).squareRoot()), turned)
    }

    /// The opposite point of the earth.
    var antipode: Place { place(-latitude, longitude < 0 ? longitude + 180 : longitude - 180) }

    /// The place as a unit vector.
    var vector: Vector {
        let (phi, lambda) = (latitude * Double.pi / 180, longitude * Double.pi / 180)
        return Vector(x: cos(phi) * cos(lambda), y: cos(phi) * sin(lambda), z: sin(phi))
    }

    /// Creates the place in the direction of a vector.
    init(direction vector: Vector) {
        self = placeByRadians(
            atan2(vector.z, (vector.x * vector.x + vector.y * vector.y).squareRoot()), atan2(vector.y, vector.x))
    }
}

/// Returns a place by radians.
private func placeByRadians(_ latitude: Double, _ longitude: Double) -> Place {
    place(latitude * 180 / Double.pi, remainder(longitude * 180 / Double.pi, 360))
}

/// A vector of three dimensions. Debug builds compute with it ten times as fast as with `SIMD3`.
struct Vector {
    var x, y, z: Double

    static func + (one: Self, other: Self) -> Self {
        Self(x: one.x + other.x, y: one.y + other.y, z: one.z + other.z)
    }

    static func - (one: Self, other: Self) -> Self { one + other * -1 }

    static func * (vector: Self, factor: Double) -> Self {
        Self(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
    }
}

func dot(_ one: Vector, _ other: Vector) -> Double { one.x * other.x + one.y * other.y + one.z * other.z }

func cross(_ one: Vector, _ other: Vector) -> Vector {
    Vector(
        x: one.y * other.z - one.z * other.y, y: one.z * other.x - one.x * other.z,
        z: one.x * other.y - one.y * other.x)
}
