extension StringProtocol {
    /// Whether this text says a word in any place that is not a random identifier.
    ///
    /// Tokens, tags and names are random letters and digits, so sooner or later one of them contains any short word,
    /// like `hash` in a sync token. So a word of up to six letters is ignored within a run of eight or more letters and
    /// digits, of which at least one digit is not part of the word.
    package func tells(_ word: String) -> Bool {
        let text = Array(utf8)
        let word = Array(word.utf8)
        guard !word.isEmpty, text.count >= word.count else { return false }
        for start in 0...(text.count - word.count) where text[start..<start + word.count].elementsEqual(word) {
            var (low, high) = (start, start + word.count)
            while low > 0, Self.isIdentifier(text[low - 1]) { low -= 1 }
            while high < text.count, Self.isIdentifier(text[high]) { high += 1 }
            let around = text[low..<start] + text[start + word.count..<high]
            let isRandom = high - low >= 8 && around.contains { (0x30...0x39).contains($0) }
            if word.count > 6 || !isRandom { return true }
        }
        return false
    }

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
}
