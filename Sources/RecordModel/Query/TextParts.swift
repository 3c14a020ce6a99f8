/// The short parts of texts that an index for CONTAINS contains.
///
/// At each scalar of a text starts one part of three scalars, or of two if the scalar belongs to a script that writes
/// words without spaces between them, where words of two characters are common. Near the end of the text, parts are
/// shorter. So a text contains a search text exactly if one of its parts starts with it, if the search text is no longer
/// than a part. A longer search text consists of several parts.
package enum TextParts {
    /// The most distinct parts of one record in an index. A record with more has one entry with the key of the empty
    /// text instead, and each search tests its texts.
    package static let maxPerRecord = 4_000
    /// The longest texts of one record in an index, in bytes of their forms. A record with longer ones has that one entry.
    package static let maxBytesPerRecord = 262_144

    /// Appends the parts of a text, each packed in one integer: up to three scalars, the first in the highest bits. The
    /// order of the integers is the order of the parts' UTF-8.
    package static func append(_ text: [UInt8], to parts: inout [UInt64]) {
        var scalars = String(decoding: text, as: UTF8.self).unicodeScalars.makeIterator()
        var (first, second, third) = (scalars.next(), scalars.next(), scalars.next())
        while let start = first {
            let part = packed(start) << 42 | packed(second) << 21
            parts.append(width(of: start) == 2 ? part : part | packed(third))
            (first, second, third) = (second, third, scalars.next())
        }
    }

    /// Appends the UTF-8 of a part.
    package static func append(_ part: UInt64, to bytes: inout [UInt8]) {
        for shift in [UInt64(42), 21, 0] {
            guard let scalar = Unicode.Scalar(UInt32(part >> shift & 0x1F_FFFF) &- 1) else { return }
            bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// How an index finds the texts that contain a search text.
    package enum Search: Hashable, Sendable {
        /// The texts with a part that starts with this text. They all contain the search text.
        case prefix([UInt8])
        /// The texts with this part, which is the search text.
        case part([UInt8])
        /// The texts with all of these parts. Some of them do not contain the search text.
        case parts([[UInt8]])
    }

    /// The most parts of a search text that a plan considers.
    private static let maxSearched = 8

    /// Returns how an index finds the texts that contain a search text.
    ///
    /// - Parameter text: The search text in UTF-8, at least one byte.
    package static func search(for text: [UInt8]) -> Search {
        let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
        var found: [[UInt8]] = []
        for (position, scalar) in scalars.enumerated() where position + width(of: scalar) <= scalars.count {
            let part = Array(String(String.UnicodeScalarView(scalars[position..<position + width(of: scalar)])).utf8)
            if part.count == text.count { return .part(part) }
            if !found.contains(part) { found.append(part) }
        }
        if found.isEmpty { return .prefix(text) }
        // Parts from all over the text differ most.
        let step = (found.count + maxSearched - 1) / maxSearched
        return .parts(stride(from: 0, to: found.count, by: step).map { found[$0] })
    }

    /// The number of scalars of a part that starts with a scalar.
    private static func width(of scalar: Unicode.Scalar) -> Int {
        // From U+2E80: Han, kana, hangul and other scripts of East Asia. Thai, Lao, Khmer and Myanmar.
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x2E80...0xD7FF, 0xF900...0xFAFF,
            0xFF00...0xFFEF, 0x2_0000...0x3_FFFF:
            2
        default: 3
        }
    }

    private static func packed(_ scalar: Unicode.Scalar?) -> UInt64 {
        // 0 stands for the end of the text.
        scalar.map { UInt64($0.value) + 1 } ?? 0
    }
}
