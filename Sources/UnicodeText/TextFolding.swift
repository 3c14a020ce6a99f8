/// The differences that a comparison of texts ignores.
package struct TextFolding: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Case, width, font and ligatures are ignored, and so are invisible characters (`nfkcCasefold`).
    package static let caseInsensitive = TextFolding(rawValue: 1)
    /// Accents and similar marks are ignored (`withoutDiacritics`).
    package static let diacriticInsensitive = TextFolding(rawValue: 2)

    /// Returns a text without the differences. Two texts are equal in a comparison if the results have the same bytes.
    ///
    /// - Parameter text: UTF-8. Invalid sequences count as U+FFFD.
    package func fold(_ text: [UInt8]) -> [UInt8] {
        if isEmpty { return text }
        if text.allSatisfy({ $0 < 0x80 }) {
            guard contains(.caseInsensitive) else { return text }
            return text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        }
        var folded = String(decoding: text, as: UTF8.self)
        if contains(.caseInsensitive) { folded = folded.nfkcCasefold }
        if contains(.diacriticInsensitive) { folded = folded.withoutDiacritics }
        return Array(folded.utf8)
    }
}
