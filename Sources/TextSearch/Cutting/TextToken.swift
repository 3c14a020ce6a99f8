/// A token of a text. Each position of a text has one token.
package struct TextToken: Hashable, Sendable {
    /// The folded word in UTF-8, at most ``maxBytes`` long; or one or two folded characters of a script without spaces.
    package let term: [UInt8]
    /// The place among the tokens of the text, from 0.
    package let position: Int
    /// The bytes of the original text from which the term was made.
    package let range: Range<Int>

    /// The length of the longest term, in bytes. The rest of a longer word is ignored, so two words with the same first
    /// 64 bytes are the same word.
    package static let maxBytes = 64

    /// Returns the tokens of a text.
    ///
    /// - Parameter text: UTF-8. An invalid byte counts as a separator.
    /// - Complexity: Linear in the length of the text, with one allocation per token.
    package static func tokens(of text: [UInt8]) -> [TextToken] {
        var collector = Collector()
        text.withUnsafeBufferPointer { TokenCutter.cut($0, into: &collector) }
        return collector.tokens
    }

    /// Calls a function with each token of a text. It allocates no memory for them.
    ///
    /// - Parameters:
    ///   - text: UTF-8. An invalid byte counts as a separator.
    ///   - body: Gets the term, which is valid during the call only, the position, and the range in the text.
    /// - Complexity: Linear in the length of the text.
    package static func forEach(
        of text: [UInt8], _ body: (_ term: UnsafeBufferPointer<UInt8>, _ position: Int, _ range: Range<Int>) -> Void
    ) {
        withoutActuallyEscaping(body) { body in
            var caller = Caller(body: body)
            text.withUnsafeBufferPointer { TokenCutter.cut($0, into: &caller) }
        }
    }

    private struct Collector: TokenVisitor {
        var tokens: [TextToken] = []

        mutating func visit(_ token: TokenView) -> Bool {
            tokens.append(TextToken(term: Array(token.term), position: token.position, range: token.start..<token.end))
            return true
        }
    }

    private struct Caller: TokenVisitor {
        let body: (UnsafeBufferPointer<UInt8>, Int, Range<Int>) -> Void

        mutating func visit(_ token: TokenView) -> Bool {
            body(token.term, token.position, token.start..<token.end)
            return true
        }
    }
}

/// A token while a text is being cut.
struct TokenView {
    /// Valid until the visit returns.
    let term: UnsafeBufferPointer<UInt8>
    let position: Int
    let start: Int
    let end: Int
    /// The end of the first character of a pair; otherwise `end`.
    let headEnd: Int
    /// Whether the term is of a script without spaces.
    let isDense: Bool
}

/// What receives the tokens of a text.
protocol TokenVisitor {
    /// Takes the next token.
    ///
    /// - Returns: Whether it needs more tokens.
    mutating func visit(_ token: TokenView) -> Bool
}
