/// The form for comparing strings without regard to accents.
extension String {
    /// The string in NFC without the diacritics of Latin, Greek, Cyrillic, Hebrew and Arabic: without accents, Hebrew
    /// points and Arabic vowel signs.
    ///
    /// Marks of other scripts stay, because they are vowels or make another letter, such as the voicing mark that turns
    /// か into が. Letters that have no canonical decomposition stay as well, such as ø and ł. The method takes linear
    /// time. An ASCII string is returned unchanged.
    package var withoutDiacritics: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        let text = nfc
        var result = String.UnicodeScalarView()
        var isChanged = false
        for scalar in text.unicodeScalars {
            if scalar.value < 0xC0 {
                result.append(scalar)
            } else if scalar.isDiacritic {
                isChanged = true
            } else if let base = diacriticBases.target(of: UInt64(scalar.value)) {
                isChanged = true
                result.append(base)
            } else {
                result.append(scalar)
            }
        }
        // Without a mark between them, a letter and a mark that stays can combine.
        return isChanged ? String(result).nfc : text
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a mark that `withoutDiacritics` removes. `make_tables.py` has the same list.
    fileprivate var isDiacritic: Bool {
        switch value {
        case 0x300...0x36F, 0x483...0x487, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7, 0x610...0x61A,
            0x64B...0x65F, 0x670, 0x6D6...0x6DC, 0x6DF...0x6E4, 0x6E7...0x6E8, 0x6EA...0x6ED, 0x1AB0...0x1ACE,
            0x1DC0...0x1DFF, 0x20D0...0x20DC, 0x20E1, 0x20E5...0x20F0, 0xFE20...0xFE2F:
            true
        default: false
        }
    }
}
