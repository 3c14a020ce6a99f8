/// Reads numbers as people and programs write them.
struct NumberText {
    /// The byte before the fraction.
    var decimal = UInt8(ascii: ".")
    /// The byte between groups of three digits; `nil` for none. A space also stands for the spaces without a line break.
    var thousands: UInt8?

    /// The kind of a number.
    enum Kind: Hashable {
        case integer
        /// With a fraction or an exponent.
        case fraction
    }

    /// Appends a number as JSON: without a plus sign, leading zeros and groups.
    ///
    /// - Returns: `nil` if the text is no number, with anything appended.
    func append(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Kind? {
        var index = 0
        if index < text.count, text[index] == 0x2D || text[index] == 0x2B {
            if text[index] == 0x2D { output.append(0x2D) }
            index += 1
        }
        guard let wholeDigits = appendWhole(text, &index, to: &output) else { return nil }
        var kind = Kind.integer
        var digits = wholeDigits
        if index < text.count, text[index] == decimal {
            kind = .fraction
            index += 1
            output.append(0x2E)
            let start = index
            while index < text.count, text[index] &- 0x30 < 10 {
                output.append(text[index])
                index += 1
            }
            if index == start {
                guard wholeDigits > 0 else { return nil }
                output.append(0x30)
            }
            digits += index - start
        }
        guard digits > 0 else { return nil }
        if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
            kind = .fraction
            output.append(UInt8(ascii: "e"))
            index += 1
            if index < text.count, text[index] == 0x2D || text[index] == 0x2B {
                output.append(text[index])
                index += 1
            }
            let start = index
            while index < text.count, text[index] &- 0x30 < 10 {
                output.append(text[index])
                index += 1
            }
            guard index > start else { return nil }
        }
        return index == text.count ? kind : nil
    }

    /// Appends the digits before the fraction, a zero if there are none. Returns their number, `nil` for wrong groups.
    private func appendWhole(_ text: UnsafeRawBufferPointer, _ index: inout Int, to output: inout [UInt8]) -> Int? {
        var (digits, inGroup, hasGroups) = (0, 0, false)
        var isLeading = true
        while index < text.count {
            let byte = text[index]
            if byte &- 0x30 < 10 {
                digits += 1
                inGroup += 1
                index += 1
                if byte == 0x30, isLeading { continue }
                isLeading = false
                output.append(byte)
            } else if let width = separatorWidth(text, index) {
                guard hasGroups ? inGroup == 3 : (1...3).contains(inGroup) else { return nil }
                hasGroups = true
                inGroup = 0
                index += width
            } else {
                break
            }
        }
        if isLeading { output.append(0x30) }
        return hasGroups && inGroup != 3 ? nil : digits
    }

    private func separatorWidth(_ text: UnsafeRawBufferPointer, _ index: Int) -> Int? {
        guard let thousands else { return nil }
        if text[index] == thousands { return 1 }
        guard thousands == 0x20 else { return nil }
        let rest = text[index...]
        return rest.starts(with: [0xC2, 0xA0]) ? 2 : rest.starts(with: [0xE2, 0x80, 0xAF]) ? 3 : nil
    }

    /// Removes a fraction of zeros only, as some programs write whole numbers. Returns false if another fraction or an
    /// exponent is there, or the number has more than 64 bits.
    static func makeInteger(_ number: inout [UInt8], from start: Int) -> Bool {
        if let point = number[start...].firstIndex(of: 0x2E) {
            guard number[(point + 1)...].allSatisfy({ $0 == 0x30 }) else { return false }
            number.removeSubrange(point...)
        }
        if number.count - start <= 18 { return number[start...].allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2D } }
        return Int64(String(decoding: number[start...], as: UTF8.self)) != nil
    }

    /// Whether a number as JSON is a finite DOUBLE.
    static func isDouble(_ number: some Collection<UInt8>) -> Bool {
        if number.count <= 300, !number.contains(UInt8(ascii: "e")) { return true }
        return Double(String(decoding: number, as: UTF8.self))?.isFinite ?? false
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes without spaces and tabs at both ends.
    var trimmed: UnsafeRawBufferPointer {
        var (start, end) = (0, count)
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start &+= 1 }
        while end > start, self[end &- 1] == 0x20 || self[end &- 1] == 0x09 { end &-= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}
