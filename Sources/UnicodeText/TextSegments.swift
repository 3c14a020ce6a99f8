/// Where a text can be cut so that its parts can be normalized and folded by themselves.
///
/// A segment ends where no character of the rest can combine with it. So the normalized or folded segments together are
/// the normalized or folded text.
package enum TextSegments {
    /// Whether a segment may start with a scalar, whatever precedes it.
    ///
    /// False for marks, for letters that combine with the one before them, and for invisible characters, which folding
    /// removes.
    @inlinable @inline(__always) package static func mayStart(with value: UInt32) -> Bool {
        switch value {
        case 0xAD: false
        case 0..<0x300, 0x370...0x482, 0x48A...0x590, 0x5D0...0x5F4, 0x620...0x64A, 0x671...0x6D5: true
        case 0x904...0x939, 0xE01...0xE30, 0x1E00...0x1FFF, 0x2010...0x2029, 0x3000...0x3029, 0x3041...0x3096: true
        case 0x30A0...0x3130, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0xFF01...0xFF9D, 0x1F300...0x1FAFF: true
        default: mayStartByProperties(with: value)
        }
    }

    @usableFromInline @inline(never) package static func mayStartByProperties(with value: UInt32) -> Bool {
        switch value {
        // Letters of Hangul, also of half width, and of Kirat Rai; half-width voicing marks.
        case 0x1160...0x11FF, 0x3131...0x318E, 0xD7B0...0xD7FB, 0xFF9E...0xFFDC, 0x16D63...0x16D6A: return false
        default: break
        }
        guard let properties = Unicode.Scalar(value)?.properties else { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark:
            // No vowel sign of Devanagari, Thai and Lao combines with a letter, and those of class 0 keep their place.
            let isVowelSign = (0x900...0x97F).contains(value) || (0xE00...0xEFF).contains(value)
            return isVowelSign && properties.canonicalCombiningClass == .notReordered
        default: return !properties.isDefaultIgnorableCodePoint
        }
    }
}
