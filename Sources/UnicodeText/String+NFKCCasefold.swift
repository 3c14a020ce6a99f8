/// The form for comparing strings that people regard as the same (Unicode Standard §3.13, toNFKC_Casefold).
extension String {
    /// The string without differences of case, width, font and ligatures, and without invisible characters:
    /// `toNFKC_Casefold(NFC(text))` in Unicode 17. The result is in NFC. Canonically equivalent strings have the same
    /// result.
    ///
    /// The result has at most 11 times the bytes of the string, and folding it again does not change it. Folding takes
    /// linear time. An ASCII string without capitals is returned unchanged.
    ///
    /// Scalars that Unicode 17 does not assign stay as they are. A later Unicode version may change the result for
    /// them, and for no others.
    package var nfkcCasefold: String {
        if let ascii = asciiLowercased { return ascii }
        let text = nfc
        var result = String.UnicodeScalarView()
        var isChanged = false
        for scalar in text.unicodeScalars {
            let start = result.endIndex
            Casefold.append(scalar, to: &result)
            isChanged = isChanged || result.endIndex == start || result[start] != scalar
        }
        return isChanged ? String(result).nfc : text
    }

    /// The string in lowercase; `nil` if it is not ASCII.
    private var asciiLowercased: String? {
        var copy = self
        return copy.withUTF8 { bytes in
            var hasCapitals = false
            for byte in bytes {
                if byte >= 0x80 { return nil }
                hasCapitals = hasCapitals || isCapital(byte)
            }
            guard hasCapitals else { return self }
            return String(unsafeUninitializedCapacity: bytes.count) { buffer in
                for (index, byte) in bytes.enumerated() {
                    buffer.initializeElement(at: index, to: isCapital(byte) ? byte | 0x20 : byte)
                }
                return bytes.count
            }
        }
    }
}

private func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

/// The property NFKC_Casefold of scalars in normalized strings.
private enum Casefold {
    static func append(_ scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView) {
        let value = UInt64(scalar.value)
        if value < 0x80 {
            result.append(isCapital(UInt8(value)) ? Unicode.Scalar(UInt8(value) | 0x20) : scalar)
        } else if let folded = casefoldRuns.target(of: value) {
            result.append(folded)
        } else if let text = casefoldTexts.last(upTo: value << 24 | 0xFF_FFFF), text >> 24 == value {
            let start = Int(text >> 8 & 0xFFFF)
            for unit in casefoldPool[start..<start + Int(text & 0xFF)] {
                // The conversion never fails, because the pool contains no surrogates.
                if let part = Unicode.Scalar(unit) { result.append(part) }
            }
        } else if !scalar.properties.isDefaultIgnorableCodePoint {
            result.append(scalar)
        }
    }
}

extension [UInt64] {
    /// Returns the scalar that a scalar becomes, from a table of runs such as `casefoldRuns`; `nil` if the table lacks
    /// the scalar.
    func target(of value: UInt64) -> Unicode.Scalar? {
        guard let run = last(upTo: value << 29 | 0x1FFF_FFFF) else { return nil }
        let distance = value - run >> 29
        let stride = 1 + run >> 28 & 1
        let count = 1 + run >> 21 & 0x7F
        guard distance % stride == 0, distance / stride < count else { return nil }
        return Unicode.Scalar(UInt32(run & 0x1F_FFFF) + UInt32(distance))
    }

    /// Returns the last element of an ascending array that is not greater than a limit.
    fileprivate func last(upTo limit: UInt64) -> UInt64? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= limit { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : self[low - 1]
    }
}
