/// The words that a token search looks for.
///
/// Words are separated by spaces. `*` after a word makes it a prefix. Words between `"` are a phrase: they match where
/// they follow each other. So does a word that is cut into several tokens, such as `don't` or `Swift入門`. A word in a
/// script without spaces matches wherever its characters occur in a text. Case, width, accents and the kind of kana do not
/// count. There are no stop words, and no other operators.
package struct SearchText: Hashable, Sendable {
    /// Which of the words a text must have.
    package enum Mode: Hashable, Sendable {
        /// At least one, as for CloudKit's `self CONTAINS` and `CONTAINS_ANY_TOKENS`.
        case any
        /// Each, in any order and any field: `CONTAINS_ALL_TOKENS`.
        case all
    }

    /// Which of the words a text must have.
    package let mode: Mode
    /// The words in the order of the search, each once. Without any, for example for a search of punctuation only, the
    /// search matches nothing.
    package let words: [SearchWord]
    let table: TermTable

    /// The length of the longest search, in bytes.
    package static let maxBytes = 1_024
    /// The largest number of words of a search.
    package static let maxWords = 32
    /// The largest number of tokens of all words together.
    package static let maxTerms = 128

    /// Reads a search.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - mode: Which of its words a text must have.
    /// - Throws: `tooLong`, `tooManyWords` or `tooManyTerms`.
    /// - Complexity: Linear in the length of the text, which is limited.
    package init(_ text: [UInt8], mode: Mode) throws(SearchTextError) {
        guard text.count <= Self.maxBytes else {
            throw .tooLong(bytes: text.count, limit: Self.maxBytes)
        }
        var words: [SearchWord] = []
        for part in SearchTextParts.parts(of: text) {
            let terms = SearchTextParts.terms(of: part)
            guard !terms.isEmpty else { continue }
            let word = SearchWord(terms: terms)
            if !words.contains(word) { words.append(word) }
        }
        guard words.count <= Self.maxWords else {
            throw .tooManyWords(count: words.count, limit: Self.maxWords)
        }
        let count = words.reduce(0) { $0 + $1.terms.count }
        guard count <= Self.maxTerms else { throw .tooManyTerms(count: count, limit: Self.maxTerms) }
        self.mode = mode
        self.words = words
        table = TermTable(words: words)
    }

    /// Reads a search in a string.
    ///
    /// - Throws: `tooLong`, `tooManyWords` or `tooManyTerms`.
    package init(_ text: String, mode: Mode) throws(SearchTextError) {
        try self.init(Array(text.utf8), mode: mode)
    }

    package static func == (left: SearchText, right: SearchText) -> Bool {
        left.mode == right.mode && left.words == right.words
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(mode)
        hasher.combine(words)
    }

    /// Returns whether a record with these texts matches. This is the exact definition of a match.
    ///
    /// - Parameter texts: UTF-8. A word is found within one of them.
    /// - Complexity: Linear in the length of the texts. It stops when the answer is known.
    package func matches(_ texts: [[UInt8]]) -> Bool {
        guard !words.isEmpty else { return false }
        var finder = Finder(missing: .max >> UInt32(32 - words.count), mode: mode)
        for text in texts where finder.needsMore {
            var visitor = OccurrenceVisitor(table, sink: finder)
            text.withUnsafeBufferPointer { TokenCutter.cut($0, into: &visitor) }
            finder = visitor.sink
        }
        return !finder.needsMore
    }

    private struct Finder: OccurrenceSink {
        /// Bit k: whether word k has not been found.
        var missing: UInt32
        let mode: Mode
        var needsMore = true

        init(missing: UInt32, mode: Mode) {
            self.missing = missing
            self.mode = mode
        }

        mutating func found(word: Int, endingWith token: TokenView) {
            missing &= ~(1 << UInt32(word))
            needsMore = mode == .all && missing != 0
        }
    }
}

/// Why a search is rejected.
package enum SearchTextError: Error, Hashable, Sendable {
    /// The search has more than ``SearchText/maxBytes`` bytes.
    case tooLong(bytes: Int, limit: Int)
    /// The search has more than ``SearchText/maxWords`` different words.
    case tooManyWords(count: Int, limit: Int)
    /// The words are cut into more than ``SearchText/maxTerms`` tokens together.
    case tooManyTerms(count: Int, limit: Int)

    /// A sentence for the client: the problem, the limit, and what to do.
    package var sentence: String {
        switch self {
        case .tooLong(let bytes, let limit):
            "The search has \(bytes) bytes. The limit is \(limit): search for fewer words"
        case .tooManyWords(let count, let limit):
            "The search has \(count) words. The limit is \(limit): search for fewer words"
        case .tooManyTerms(let count, let limit):
            "The words of the search have \(count) tokens together. The limit is \(limit): search for fewer words"
        }
    }
}
