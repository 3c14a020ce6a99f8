/// Finds the words of a search in the texts of one record, and counts them.
///
/// ```swift
/// var matcher = SearchMatcher(search, fieldCount: 2)
/// matcher.add(title, field: 0)
/// matcher.add(body, field: 1)
/// if matcher.isMatch { … }
/// ```
package struct SearchMatcher: Sendable {
    private let search: SearchText
    private let fieldCount: Int
    /// Bit k: whether word k was found.
    private var found: UInt32 = 0
    private var counts: [Int]
    /// The number of tokens of each field.
    package private(set) var lengths: [Int]

    /// Creates a matcher for one record.
    ///
    /// - Parameters:
    ///   - search: What to look for.
    ///   - fieldCount: The number of fields that are counted separately.
    package init(_ search: SearchText, fieldCount: Int = 1) {
        self.search = search
        self.fieldCount = fieldCount
        counts = [Int](repeating: 0, count: search.words.count * fieldCount)
        lengths = [Int](repeating: 0, count: fieldCount)
    }

    /// Looks for the words in a text.
    ///
    /// - Parameters:
    ///   - text: UTF-8. A word is found within one text, never across two.
    ///   - field: From 0. A field may have several texts, such as the members of a list.
    /// - Complexity: Linear in the length of the text.
    package mutating func add(_ text: [UInt8], field: Int = 0) {
        guard !search.words.isEmpty else { return }
        var visitor = OccurrenceVisitor(
            search.table, sink: Counter(counts: [Int](repeating: 0, count: search.words.count)))
        text.withUnsafeBufferPointer { TokenCutter.cut($0, into: &visitor) }
        lengths[field] += visitor.tokenCount
        for (word, count) in visitor.sink.counts.enumerated() where count > 0 {
            counts[word * fieldCount + field] += count
            found |= 1 << UInt32(word)
        }
    }

    private struct Counter: OccurrenceSink {
        var counts: [Int]

        mutating func found(word: Int, endingWith token: TokenView) { counts[word] += 1 }
    }

    /// Whether the texts match the search.
    package var isMatch: Bool {
        switch search.mode {
        case .any: found != 0
        case .all: found.nonzeroBitCount == search.words.count && found != 0
        }
    }

    /// Returns how often a word occurs in a field.
    ///
    /// - Parameters:
    ///   - word: The index in ``SearchText/words``.
    ///   - field: From 0.
    package func frequency(ofWord word: Int, inField field: Int = 0) -> Int { counts[word * fieldCount + field] }
}

/// What receives the occurrences of words.
protocol OccurrenceSink {
    /// Takes an occurrence.
    ///
    /// - Parameters:
    ///   - word: The index of the word in the search.
    ///   - token: The last token of the occurrence.
    mutating func found(word: Int, endingWith token: TokenView)

    /// Takes a token, before the occurrences that it ends.
    mutating func passed(_ token: TokenView)

    /// Whether further occurrences matter.
    var needsMore: Bool { get }
}

extension OccurrenceSink {
    mutating func passed(_ token: TokenView) {}

    var needsMore: Bool { true }
}

/// Finds where words of a search occur in a text.
///
/// It compares each token with all terms at once. A bit per term says whether the last tokens fulfill the terms of its word up
/// to that one (the Shift-And algorithm of Baeza-Yates and Gonnet). So the time for a token does not depend on the tokens
/// before it.
struct OccurrenceVisitor<Sink: OccurrenceSink>: TokenVisitor {
    private let table: TermTable
    private var state = Bits()
    private(set) var sink: Sink
    private(set) var tokenCount = 0

    init(_ table: TermTable, sink: Sink) {
        self.table = table
        self.sink = sink
    }

    mutating func visit(_ token: TokenView) -> Bool {
        tokenCount += 1
        sink.passed(token)
        let bits = table.bits(of: token.term)
        if bits.isEmpty {
            state = bits
            return true
        }
        state.shift()
        state.formUnion(table.firsts)
        state.formIntersection(bits)
        var ends = state
        ends.formIntersection(table.lasts)
        while let bit = ends.popFirst() { sink.found(word: Int(table.wordOfBit[bit]), endingWith: token) }
        return sink.needsMore
    }
}
