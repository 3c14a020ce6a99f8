/// The byte classes of the HTTP grammar (RFC 9110 §5.6, RFC 3986 §2).
extension UInt8 {
    /// Whether this byte is a tchar, allowed in a method or a field name (RFC 9110 §5.6.2).
    @inline(__always)
    var isToken: Bool {
        // A bit set with one bit per byte value avoids a branch per class. `low` has "!#$%&'*+-." and the digits;
        // `high` has the letters, "^_`", "|" and "~".
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        if self >= 0x80 { return false }
        return ((self < 0x40 ? low : high) &>> UInt64(self & 0x3F)) & 1 == 1
    }

    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }

    @inline(__always)
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// Whether this byte is SP or HTAB, the optional whitespace around field values (RFC 9110 §5.6.3).
    @inline(__always)
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether this byte is a control character other than HTAB. Field values must not have one (RFC 9110 §5.5).
    @inline(__always)
    var isForbiddenInValue: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }

    /// The value of a hexadecimal digit, 0 to 15; `nil` for another byte.
    @inline(__always)
    var hexValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let folded = (self | 0x20) &- 0x61
        return folded < 6 ? folded &+ 10 : nil
    }

    /// The lower case of an ASCII letter; any other byte unchanged.
    @inline(__always)
    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension UnsafeRawBufferPointer {
    /// Returns a slice of the buffer. The range is not checked; the caller must check it.
    @inline(__always)
    func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[start..<end])
    }

    /// The buffer without SP and HTAB at both ends.
    @inline(__always)
    var trimmed: UnsafeRawBufferPointer {
        var start = 0
        var end = count
        while start < end, self[start].isBlank { start &+= 1 }
        while end > start, self[end &- 1].isBlank { end &-= 1 }
        return part(start, end)
    }

    /// Whether the bytes equal `lowercase`, ignoring the case of ASCII letters.
    func equalsIgnoringCase(_ lowercase: StaticString) -> Bool {
        guard count == lowercase.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].lowercased != lowercase.utf8Start[index] { return false }
        return true
    }

    /// Whether the bytes equal `text`.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Returns the index of the first byte below 0x20 or equal to 0x7F at or after `start`; `count` if there is none.
    ///
    /// Tests eight bytes at a time with the usual bit trick for "a byte less than n". The lowest byte that the trick
    /// finds is always correct.
    @inline(__always)
    func firstControl(from start: Int) -> Int {
        guard let base = baseAddress else { return 0 }
        var index = start
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        while index &+ 8 <= count {
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let delete = word ^ (ones &* 0x7F)
            let hits = (((word &- (ones &* 0x20)) & ~word) | ((delete &- ones) & ~delete)) & tops
            if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count {
            let byte = base.load(fromByteOffset: index, as: UInt8.self)
            if byte < 0x20 || byte == 0x7F { return index }
            index &+= 1
        }
        return count
    }

    /// Calls `body` with each element of a comma-separated list (RFC 9110 §5.6.1), trimmed, and skips empty elements.
    /// Use this only for lists without quoted strings.
    func forEachListElement(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start <= count {
            var end = start
            while end < count, self[end] != UInt8(ascii: ",") { end &+= 1 }
            let element = part(start, end).trimmed
            if !element.isEmpty { body(element) }
            start = end &+ 1
        }
    }
}
