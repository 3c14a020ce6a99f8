/// The effect of a Range field with at most one range (RFC 9110 §14.1.2, §14.2).
public enum RangeVerdict: Hashable, Sendable {
    /// Send the whole representation: the field is malformed, has another unit, or has several ranges.
    case whole
    /// Send 206 with this range of bytes; not empty.
    case range(Range<Int>)
    /// Send 416 with `Content-Range: bytes */size`.
    case unsatisfiable
}

/// Parses Range fields with a single byte range; see `ByteRanges` for several. No field value causes an error or an
/// overflow.
public enum ByteRange {
    /// Parses the value of a Range field.
    ///
    /// - Parameters:
    ///   - header: The value of Range.
    ///   - size: The length of the representation in bytes.
    public static func parse(_ header: String, size: Int) -> RangeVerdict {
        var header = header
        return header.withUTF8 { parse(UnsafeRawBufferPointer($0), size: size) }
    }

    /// Parses the Range field of a request. Several Range lines are ignored, as are several ranges in one line.
    public static func parse(_ fields: HTTPFields, size: Int) -> RangeVerdict {
        guard fields.count(of: .range) == 1 else { return .whole }
        return fields.withValue(of: .range) { parse($0, size: size) } ?? .whole
    }

    /// Returns the value of Content-Range for a 206 response, such as `bytes 0-4/10` (RFC 9110 §14.4).
    public static func contentRange(_ range: Range<Int>, size: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    }

    /// Returns the value of Content-Range in a 416 response, such as `bytes */10`.
    public static func contentRange(unsatisfiedSize size: Int) -> String {
        "bytes */\(size)"
    }

    private static func parse(_ value: UnsafeRawBufferPointer, size: Int) -> RangeVerdict {
        guard let set = rangeSet(value) else { return .whole }
        switch spec(set.trimmed, size: size) {
        case .malformed, .inexpressible: return .whole
        case .unsatisfiable: return .unsatisfiable
        case .range(let range): return .range(range)
        }
    }

    /// One element of a range set, applied to a representation.
    enum Spec {
        case malformed
        case unsatisfiable
        /// A suffix range of an empty representation. It is satisfiable, but Content-Range cannot express it.
        case inexpressible
        /// A range within the representation; not empty.
        case range(Range<Int>)
    }

    /// Returns the text after `bytes=`; `nil` for another unit or an empty set.
    static func rangeSet(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let value = value.trimmed
        guard value.count > 6, value.part(0, 6).equalsIgnoringCase("bytes=") else { return nil }
        return value.part(6, value.count)
    }

    /// Parses one int-range or suffix-range without surrounding whitespace (RFC 9110 §14.1.1).
    static func spec(_ spec: UnsafeRawBufferPointer, size: Int) -> Spec {
        guard let dash = spec.firstIndex(of: UInt8(ascii: "-")) else { return .malformed }
        let first = number(spec.part(0, dash))
        let last = number(spec.part(dash + 1, spec.count))
        switch (first, last) {
        case (.none, .value(let suffix)):
            guard suffix > 0 else { return .unsatisfiable }
            guard size > 0 else { return .inexpressible }
            return .range(size - min(suffix, size)..<size)
        case (.value(let start), .none):
            return start < size ? .range(start..<size) : .unsatisfiable
        case (.value(let start), .value(let end)):
            guard start <= end else { return .malformed }
            return start < size ? .range(start..<min(end, size - 1) + 1) : .unsatisfiable
        default:
            return .malformed
        }
    }

    private enum Number {
        case none
        case malformed
        case value(Int)
    }

    /// Parses digits. A number too large for `Int` becomes `Int.max`, which exceeds any size.
    private static func number(_ digits: UnsafeRawBufferPointer) -> Number {
        guard !digits.isEmpty else { return .none }
        var value = 0
        var isTooLarge = false
        for digit in digits {
            guard digit.isDigit else { return .malformed }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(digit &- 0x30))
            if overflow || carry { isTooLarge = true } else { value = sum }
        }
        return .value(isTooLarge ? .max : value)
    }
}
