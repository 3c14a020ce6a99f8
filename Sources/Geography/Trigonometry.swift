#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// All functions of the C library that this module uses. The module does no other arithmetic than IEEE 754's, so two
// callers on one machine get the same bits.

let radiansPerDegree = Double.pi / 180
let degreesPerRadian = 180 / Double.pi

/// Returns sine and cosine of an angle in degrees.
func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    let radians = degrees * radiansPerDegree
    return (sin(radians), cos(radians))
}

/// Returns the cosine of an angle in radians.
func cosine(_ radians: Double) -> Double { cos(radians) }

/// Returns the sine of an angle in radians.
func sine(_ radians: Double) -> Double { sin(radians) }

/// Returns the angle of the point (`x`, `y`) from the x axis in radians, -π to π.
func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }

/// Returns the length of the plane vector (`x`, `y`); its square must not overflow.
func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
