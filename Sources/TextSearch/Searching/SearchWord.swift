/// A word of a search: terms that must follow each other in a text.
package struct SearchWord: Hashable, Sendable {
    /// A condition on one token.
    package struct Term: Hashable, Sendable {
        /// Folded UTF-8, as in ``TextToken/term``.
        package let bytes: [UInt8]
        /// Whether the token only has to start with `bytes`.
        package let isPrefix: Bool
        /// Whether `bytes` is one character of a script without spaces.
        let isCharacter: Bool

        init(bytes: [UInt8], isPrefix: Bool, isCharacter: Bool = false) {
            self.bytes = bytes
            self.isPrefix = isPrefix
            self.isCharacter = isCharacter
        }

        /// Returns whether a token fulfills the condition.
        package func matches(_ token: [UInt8]) -> Bool {
            isPrefix ? token.starts(with: bytes) : token == bytes
        }
    }

    /// The conditions on tokens at successive positions; at least one.
    package let terms: [Term]

    /// The terms to look up in an index. A text that matches the word has each of them. They are different, and none
    /// follows from another.
    ///
    /// All are exact except where a word has one term or a prefix at the end, or a single character in a phrase.
    package let indexTerms: [Term]

    /// Whether each text that has the `indexTerms` matches. If false, the text must be checked with
    /// ``SearchText/matches(_:)`` or a ``SearchMatcher``.
    package var isProvedByIndex: Bool { terms.count == 1 }

    init(terms: [Term]) {
        self.terms = terms
        var needed: [Term] = []
        for (index, term) in terms.enumerated() {
            // The pair before a character proves it: a token starts where the pair's second character is.
            let isProved = term.isCharacter && index > 0 && terms[index - 1].bytes.ends(with: term.bytes)
            if !isProved && !needed.contains(term) { needed.append(term) }
        }
        indexTerms = needed
    }
}

extension [UInt8] {
    fileprivate func ends(with other: [UInt8]) -> Bool { suffix(other.count).elementsEqual(other) }
}
