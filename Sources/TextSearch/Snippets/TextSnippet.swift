/// A part of a text with the words of a search marked.
package struct TextSnippet: Hashable, Sendable {
    /// UTF-8, without spaces at its ends.
    package let text: [UInt8]
    /// The bytes of `text` to mark, ascending. They neither overlap nor touch.
    package let highlights: [Range<Int>]
    /// The bytes of the whole text that `text` is.
    package let range: Range<Int>
    /// Whether the whole text has more than spaces before it.
    package let isCutBefore: Bool
    /// Whether the whole text has more than spaces after it.
    package let isCutAfter: Bool
}

extension SearchText {
    /// The bytes of a text in which snippets are looked for. Snippets of a longer text are from its first 64 KiB.
    package static let maxSnippetSource = 64 << 10

    /// Returns where the words of the search occur in a text.
    ///
    /// - Returns: Ranges of bytes, ascending. They neither overlap nor touch, and are in the first
    ///   ``maxSnippetSource`` bytes.
    /// - Complexity: O(n + m log m) for n bytes and m occurrences.
    package func highlights(in text: [UInt8]) -> [Range<Int>] {
        Self.joined(occurrences(in: text).found.map(\.range))
    }

    /// Returns the part of a text that shows best why the text matches.
    ///
    /// It is the part with the most different words; of these, the one with the most occurrences; of these, the first. It
    /// starts and ends at the ends of words. A text without occurrences gives its beginning.
    ///
    /// - Parameters:
    ///   - text: UTF-8. Only the first ``maxSnippetSource`` bytes count.
    ///   - maxCharacters: The largest number of Unicode scalars; at least 1. A first word or a first occurrence that is
    ///     longer is shown anyway, up to that number of scalars.
    /// - Complexity: O(n + m log m) for n bytes and m occurrences.
    package func snippet(of text: [UInt8], maxCharacters: Int) -> TextSnippet {
        let (found, tokens) = occurrences(in: text)
        let ruler = ScalarRuler(text, limit: Self.maxSnippetSource)
        let limit = max(maxCharacters, 1)
        let window = SnippetWindow.best(of: found, wordCount: words.count, limit: limit, ruler: ruler)
        let range = ruler.trimmed(
            SnippetWindow.widened(window, tokens: tokens, limit: limit, ruler: ruler))
        let highlights = Self.joined(found.map { $0.range.clamped(to: range) }.filter { !$0.isEmpty })
        return TextSnippet(
            text: Array(text[range]),
            highlights: highlights.map { $0.lowerBound - range.lowerBound..<$0.upperBound - range.lowerBound },
            range: range,
            isCutBefore: ruler.hasText(in: 0..<range.lowerBound),
            isCutAfter: ruler.hasText(in: range.upperBound..<text.count))
    }

    /// An occurrence of a word.
    struct Occurrence: Hashable {
        var word: Int
        var range: Range<Int>
    }

    private func occurrences(in text: [UInt8]) -> (found: [Occurrence], tokens: [Range<Int>]) {
        var visitor = OccurrenceVisitor(table, sink: Locator(lengths: words.map(\.terms.count), words: words))
        text.withUnsafeBufferPointer { bytes in
            TokenCutter.cut(UnsafeBufferPointer(rebasing: bytes.prefix(Self.maxSnippetSource)), into: &visitor)
        }
        return (visitor.sink.found, visitor.sink.tokens)
    }

    private struct Locator: OccurrenceSink {
        let lengths: [Int]
        let words: [SearchWord]
        var found: [Occurrence] = []
        /// The words of the text, and the characters of runs without spaces.
        var tokens: [Range<Int>] = []

        mutating func passed(_ token: TokenView) { tokens.append(token.start..<token.headEnd) }

        mutating func found(word: Int, endingWith token: TokenView) {
            let start = tokens[token.position + 1 - lengths[word]].lowerBound
            // A term for one character also matches a pair, of which the second character does not count.
            let isCharacter = words[word].terms.last?.isCharacter ?? false
            found.append(Occurrence(word: word, range: start..<(isCharacter ? token.headEnd : token.end)))
        }
    }

    /// Sorts ranges, and joins those that overlap or touch.
    static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
