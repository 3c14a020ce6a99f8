/// A number of `width` bytes, the highest first; of a negative one, its two's complement.
func big(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// A number of `width` bytes, the lowest first.
func little(_ value: Int, _ width: Int) -> [UInt8] { big(value, width).reversed() }

func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }
