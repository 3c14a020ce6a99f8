/// Punycode, the encoding of non-ASCII labels in host names (RFC 3492), with the parameters of IDNA.
enum Punycode {
    private static let base = 36
    private static let tMin = 1
    private static let tMax = 26
    private static let skew = 38
    private static let damp = 700

    /// Returns the encoding of a label without the prefix `xn--`. The label must have at most 63 scalars; the
    /// arithmetic cannot overflow then.
    static func encode(_ label: some Sequence<Unicode.Scalar>) -> String {
        let scalars = label.map { Int($0.value) }
        var output = String(String.UnicodeScalarView(label.filter(\.isASCII)))
        let basic = output.utf8.count
        if basic > 0 { output += "-" }
        var (next, delta, bias, handled) = (0x80, 0, 72, basic)
        while handled < scalars.count {
            let lowest = scalars.filter { $0 >= next }.min() ?? next
            delta += (lowest - next) * (handled + 1)
            next = lowest
            for scalar in scalars {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                appendInteger(delta, bias, to: &output)
                bias = adapt(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return output
    }

    /// Appends a generalized variable-length integer (RFC 3492 §3.3).
    private static func appendInteger(_ value: Int, _ bias: Int, to output: inout String) {
        var rest = value
        var position = base
        while true {
            let threshold = min(max(position - bias, tMin), tMax)
            guard rest >= threshold else { break }
            output.unicodeScalars.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.unicodeScalars.append(digit(rest))
    }

    private static func adapt(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            steps += base
        }
        return steps + (base - tMin + 1) * delta / (delta + skew)
    }

    /// Returns a base-36 digit: `a` to `z` for 0 to 25, `0` to `9` for 26 to 35.
    private static func digit(_ value: Int) -> Unicode.Scalar {
        Unicode.Scalar(UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30))
    }
}
