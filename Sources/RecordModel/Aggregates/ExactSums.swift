/// Exact sums of integers, one per group: 128 bits each, so that no sum of stored values overflows.
struct ExactIntegerSum {
    private var high: Int64 = 0
    private var low: UInt64 = 0

    /// Adds a value `weight` times.
    mutating func add(_ value: Int64, weight: Int) {
        let product = value.multipliedFullWidth(by: Int64(weight))
        let (sum, carries) = low.addingReportingOverflow(product.low)
        low = sum
        high &+= product.high &+ (carries ? 1 : 0)
    }

    /// The sum; `nil` if it is outside the range of INT64.
    var integer: Int64? {
        let small = Int64(bitPattern: low)
        return high == (small < 0 ? -1 : 0) ? small : nil
    }

    /// The sum as a DOUBLE.
    var double: Double {
        if let integer { return Double(integer) }
        return Double(high) * 0x1p64 + Double(low)
    }
}

/// Exact sums of doubles, one per group. A sum is a fixed-point number wide enough for each finite double, so the result
/// is the rounded exact sum, in whatever order the values come.
///
/// ```
/// limb 0 ... limb 35    | 64 bits each, least significant first, two's complement; bit 0 of limb 0 is 2^-1074 |
/// ```
struct ExactDoubleSums {
    private var limbs: [UInt64] = []

    /// The number of limbs of a sum: 2,046 bits for the exponents, 53 for the significand, 63 for the number of values,
    /// and the sign.
    private static let width = 36
    /// The size of one sum in bytes.
    static let bytes = width * 8

    /// Appends the sum of another group.
    mutating func append() {
        limbs.append(contentsOf: repeatElement(0, count: Self.width))
    }

    /// Adds a finite value `weight` times to the sum of a group.
    mutating func add(_ value: Double, weight: Int, to group: Int) {
        let bits = value.bitPattern
        let exponent = Int(bits >> 52 & 0x7FF)
        let fraction = bits & (1 << 52 - 1)
        // Subnormal numbers have the exponent of the least normal ones.
        let significand = exponent == 0 ? fraction : fraction | 1 << 52
        guard significand != 0 else { return }
        let shift = max(exponent, 1) - 1
        let product = significand.multipliedFullWidth(by: UInt64(weight))
        let bit = UInt64(shift % 64)
        let parts =
            bit == 0
            ? (product.low, product.high, 0)
            : (product.low << bit, product.high << bit | product.low >> (64 - bit), product.high >> (64 - bit))
        let start = group * Self.width
        var position = start + shift / 64
        let end = start + Self.width
        if bits >> 63 == 0 {
            var carry: UInt64 = 0
            for part in [parts.0, parts.1, parts.2] {
                let (first, carries) = limbs[position].addingReportingOverflow(part)
                let (second, carriesToo) = first.addingReportingOverflow(carry)
                limbs[position] = second
                carry = carries || carriesToo ? 1 : 0
                position += 1
            }
            while carry > 0, position < end {
                let (sum, carries) = limbs[position].addingReportingOverflow(1)
                limbs[position] = sum
                carry = carries ? 1 : 0
                position += 1
            }
        } else {
            var borrow: UInt64 = 0
            for part in [parts.0, parts.1, parts.2] {
                let (first, borrows) = limbs[position].subtractingReportingOverflow(part)
                let (second, borrowsToo) = first.subtractingReportingOverflow(borrow)
                limbs[position] = second
                borrow = borrows || borrowsToo ? 1 : 0
                position += 1
            }
            while borrow > 0, position < end {
                let (rest, borrows) = limbs[position].subtractingReportingOverflow(1)
                limbs[position] = rest
                borrow = borrows ? 1 : 0
                position += 1
            }
        }
    }

    /// The sum of a group, rounded to the nearest double; `nil` if it is outside the range of DOUBLE.
    func sum(of group: Int) -> Double? {
        let (top, exponent) = leading(group)
        let sum = Self.scaled(top, by: exponent)
        return sum.isFinite ? sum : nil
    }

    /// The sum of a group divided by a number. The mean of finite values is finite even if their sum is not.
    func mean(of group: Int, count: Int) -> Double {
        if let sum = sum(of: group) { return sum / Double(count) }
        let (top, exponent) = leading(group)
        return Self.scaled(top / Double(count), by: exponent)
    }

    /// The leading 64 bits of a sum as a double, and the power of two by which to multiply them.
    private func leading(_ group: Int) -> (top: Double, exponent: Int) {
        var words = Array(limbs[(group * Self.width)..<((group + 1) * Self.width)])
        let isNegative = words[Self.width - 1] >> 63 == 1
        if isNegative {
            var carry = true
            for index in words.indices {
                let (word, carries) = (~words[index]).addingReportingOverflow(carry ? 1 : 0)
                words[index] = word
                carry = carries
            }
        }
        guard let last = words.lastIndex(where: { $0 != 0 }) else { return (0, 0) }
        var top = words[last]
        var exponent = last * 64 - 1_074
        let space = UInt64(top.leadingZeroBitCount)
        if last > 0 {
            var hasRest = words[..<(last - 1)].contains { $0 != 0 }
            if space > 0 {
                top = top << space | words[last - 1] >> (64 - space)
                exponent -= Int(space)
                hasRest = hasRest || words[last - 1] << space != 0
            } else {
                hasRest = hasRest || words[last - 1] != 0
            }
            // The last bit decides ties when the 64 bits are rounded to 53.
            if hasRest { top |= 1 }
        }
        return (isNegative ? -Double(top) : Double(top), exponent)
    }

    /// Multiplies by a power of two. Each factor is a double; only the last product can be rounded.
    private static func scaled(_ value: Double, by exponent: Int) -> Double {
        if exponent > 960 { return value * power(exponent - 960) * power(960) }
        return value * power(exponent)
    }

    private static func power(_ exponent: Int) -> Double {
        exponent < -1_022
            ? Double(bitPattern: 1 << UInt64(exponent + 1_074)) : Double(bitPattern: UInt64(exponent + 1_023) << 52)
    }
}
