extension JSONReader {
    /// Reads a number by RFC 8259 section 6, of any size.
    ///
    /// - Throws: `JSONError` if the number is malformed.
    mutating func number() throws(JSONError) -> JSONToken {
        let start = position
        var index = start
        var kind = JSONKind.integer
        if index < end, bytes[index] == UInt8(ascii: "-") { index &+= 1 }
        guard index < end, isDigit(index) else { throw JSONError("a digit was expected", at: index) }
        if bytes[index] == UInt8(ascii: "0") {
            index &+= 1
            if isDigit(index) { throw JSONError("a number has a leading zero", at: index) }
        } else {
            index = skipDigits(from: index)
        }
        if index < end, bytes[index] == UInt8(ascii: ".") {
            kind = .fraction
            index &+= 1
            guard isDigit(index) else { throw JSONError("a digit was expected", at: index) }
            index = skipDigits(from: index)
        }
        if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
            kind = .fraction
            index &+= 1
            if index < end, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index &+= 1 }
            guard isDigit(index) else { throw JSONError("a digit was expected", at: index) }
            index = skipDigits(from: index)
        }
        position = index
        return JSONToken(kind: kind, start: start, end: index)
    }

    @inline(__always)
    private func isDigit(_ index: Int) -> Bool {
        index < end && bytes[index] &- UInt8(ascii: "0") < 10
    }

    private func skipDigits(from start: Int) -> Int {
        var index = start
        while isDigit(index) { index &+= 1 }
        return index
    }

    /// Returns the Int64 that a number equals; `nil` if there is none. The number may have a fraction and an exponent
    /// (`3.0`, `1e3`).
    func int64(_ token: JSONToken) -> Int64? {
        token.kind == .integer ? plainInt64(token) : token.kind == .fraction ? exactInt64(token) : nil
    }

    private func plainInt64(_ token: JSONToken) -> Int64? {
        var index = token.start
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index &+= 1 }
        // Nineteen digits fit in a UInt64; twenty never fit in an Int64.
        guard token.end &- index <= 19 else { return nil }
        var magnitude: UInt64 = 0
        while index < token.end {
            magnitude = magnitude &* 10 &+ UInt64(bytes[index] &- UInt8(ascii: "0"))
            index &+= 1
        }
        if isNegative {
            guard magnitude <= Int64.min.magnitude else { return nil }
            return Int64(truncatingIfNeeded: 0 &- magnitude)
        }
        return Int64(exactly: magnitude)
    }

    private func exactInt64(_ token: JSONToken) -> Int64? {
        var index = token.start
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index &+= 1 }
        var digits: [UInt8] = []
        var exponent = 0
        var isFraction = false
        scan: while index < token.end {
            let byte = bytes[index]
            index &+= 1
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[index..<token.end]), as: UTF8.self)
                // With an exponent of this magnitude, only zero fits an Int64. The limit is far greater than the number
                // of digits, so the exact exponent does not matter.
                let limit = 1 << 40
                let bound = text.utf8.first == UInt8(ascii: "-") ? -limit : limit
                exponent += max(-limit, min(limit, Int(text) ?? bound))
                break scan
            default:
                digits.append(byte &- UInt8(ascii: "0"))
                if isFraction { exponent &-= 1 }
            }
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        let significant = digits.drop { $0 == 0 }
        if significant.isEmpty { return 0 }
        guard exponent >= 0, exponent < 20, significant.count + exponent <= 19 else { return nil }
        var magnitude: UInt64 = 0
        for digit in significant { magnitude = magnitude &* 10 &+ UInt64(digit) }
        for _ in 0..<exponent { magnitude = magnitude &* 10 }
        if isNegative {
            return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
        }
        return Int64(exactly: magnitude)
    }

    /// Returns the double nearest to a number; `nil` if that double is infinite.
    func double(_ token: JSONToken) -> Double? {
        if token.kind == .integer, token.count <= 16, let integer = plainInt64(token) {
            // Below 2^53 the conversion is exact. The literal -0 is negative zero.
            if integer == 0, bytes[token.start] == UInt8(ascii: "-") { return -0.0 }
            return Double(integer)
        }
        if let number = shortDouble(token) { return number }
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[token.range]), as: UTF8.self)
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// Returns the double of a decimal without an exponent if the digits form an integer below 2^53. The integer and
    /// the power of ten are then exact doubles, so their quotient is the nearest double (Clinger, "How to Read Floating
    /// Point Numbers Accurately", 1990).
    private func shortDouble(_ token: JSONToken) -> Double? {
        guard token.kind == .fraction, token.count <= 18 else { return nil }
        var index = token.start
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index &+= 1 }
        var digits: UInt64 = 0
        var power = 1.0
        var isFraction = false
        while index < token.end {
            let byte = bytes[index]
            index &+= 1
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            guard byte &- UInt8(ascii: "0") < 10 else { return nil }
            digits = digits &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
            if isFraction { power *= 10 }
        }
        guard digits < 1 << 53 else { return nil }
        let number = Double(digits) / power
        return isNegative ? -number : number
    }
}

extension JSONReader {
    /// The relation of a number's text to the canonical text of its double.
    enum ShortDecimal {
        /// The text is canonical.
        case asWritten
        /// The text becomes canonical if `.0` is appended.
        case integer
        /// The canonical text is not known without conversion.
        case other
    }

    /// Recognizes decimals whose canonical text is known without a conversion to a double.
    ///
    /// Fifteen significant digits survive conversion to a double and back, so no shorter text gives the same double.
    /// The canonical text of a number from 0.0001 with at most fifteen digits has no exponent.
    func shortDecimal(_ token: JSONToken) -> ShortDecimal {
        let first = bytes[token.start] == UInt8(ascii: "-") ? token.start &+ 1 : token.start
        guard token.end &- first <= 16 else { return .other }
        if token.kind == .integer { return token.end &- first <= 15 ? .integer : .other }
        guard token.kind == .fraction else { return .other }
        var point = -1
        var index = first
        while index < token.end {
            let byte = bytes[index]
            if byte == UInt8(ascii: ".") {
                point = index
            } else if byte > UInt8(ascii: "9") || byte < UInt8(ascii: "0") {
                return .other
            }
            index &+= 1
        }
        guard point >= 0 else { return .other }
        let fraction = token.end &- point &- 1
        if bytes[token.end &- 1] == UInt8(ascii: "0"), fraction > 1 { return .other }
        if point &- first == 1, bytes[first] == UInt8(ascii: "0"), fraction > 1 {
            // Numbers from 0.0001 have a nonzero digit among the first four.
            for index in (point &+ 1)..<min(token.end, point &+ 5) where bytes[index] != UInt8(ascii: "0") {
                return .asWritten
            }
            return .other
        }
        return .asWritten
    }
}
