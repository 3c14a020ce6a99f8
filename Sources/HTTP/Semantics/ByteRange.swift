/// What a Range field asks of a representation (RFC 9110 §14.1.2, §14.2), from whoever sends one range at most.
public enum RangeVerdict: Hashable, Sendable {
    /// Answer with the whole representation: the field is malformed, has another unit, or asks for several ranges.
    case whole
    /// Answer 206 with these bytes; not empty.
    case range(Range<Int>)
    /// Answer 416 with `Content-Range: bytes */size`.
    case unsatisfiable
}

/// Single byte ranges; `ByteRanges` has several. No value of the field is an error, and none can overflow.
public enum ByteRange {
    /// - Parameters:
    ///   - header: The value of Range.
    ///   - size: The length of the representation in bytes.
    public static func parse(_ header: String, size: Int) -> RangeVerdict {
        var header = header
        return header.withUTF8 { parse(UnsafeRawBufferPointer($0), size: size) }
    }

    /// Judges the Range of a request; several Range lines are ignored like several ranges.
    public static func parse(_ fields: HTTPFields, size: Int) -> RangeVerdict {
        guard fields.count(of: .range) == 1 else { return .whole }
        return fields.withValue(of: .range) { parse($0, size: size) } ?? .whole
    }

    /// The value of Content-Range for a part (RFC 9110 §14.4): `bytes 0-4/10`.
    public static func contentRange(_ range: Range<Int>, size: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    }

    /// The value of Content-Range in a 416: `bytes */10`.
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

    /// What one range asks of a representation.
    enum Spec {
        case malformed
        case unsatisfiable
        /// A suffix of nothing: satisfiable, but no Content-Range can say so.
        case inexpressible
        /// Not empty, and within the representation.
        case range(Range<Int>)
    }

    /// What follows `bytes=`; `nil` if the value has another unit, or no set at all.
    static func rangeSet(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let value = value.trimmed
        guard value.count > 6, value.part(0, 6).equalsIgnoringCase("bytes=") else { return nil }
        return value.part(6, value.count)
    }

    /// Judges one int-range or suffix-range without blanks around it (RFC 9110 §14.1.1).
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

    /// Digits only; what is too large for an `Int` is `Int.max`, which is beyond any size.
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
