/// The parts of a search between spaces and quotation marks.
struct SearchTextParts {
    struct Part: Equatable {
        var text: [UInt8]
        /// Whether a `*` follows.
        var isPrefix: Bool
    }

    /// Returns the parts. A phrase without its second quotation mark ends at the end of the text.
    static func parts(of text: [UInt8]) -> [Part] {
        var parts: [Part] = []
        var current: [UInt8] = []
        var isQuoted = false
        func finish() {
            var isPrefix = false
            if current.last == 0x2A {
                isPrefix = true
                current.removeLast()
            }
            if !current.isEmpty { parts.append(Part(text: current, isPrefix: isPrefix)) }
            current = []
        }
        text.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count {
                let (value, length) = bytes.scalar(at: index)
                switch value {
                case 0x22, 0x201C, 0x201D, 0xFF02:
                    finish()
                    isQuoted.toggle()
                case 0xFF0A:
                    current.append(0x2A)
                case _ where !isQuoted && isSpace(value):
                    finish()
                default:
                    current += bytes[index..<index + length]
                }
                index += length
            }
        }
        finish()
        return parts
    }

    private static func isSpace(_ value: UInt32) -> Bool {
        value <= 0x20 || Unicode.Scalar(value)?.properties.isWhitespace ?? false
    }

    /// Returns the terms of a part: one for each token, without the last character of a run that its pair contains.
    static func terms(of part: Part) -> [SearchWord.Term] {
        var collector = Collector()
        part.text.withUnsafeBufferPointer { TokenCutter.cut($0, into: &collector) }
        guard var last = collector.terms.popLast() else { return [] }
        if last.isCharacter {
            // The pair before it is in the same run, and ends the word.
            if collector.isLastAfterPair { return collector.terms }
        } else if part.isPrefix, !collector.isLastDense {
            last = SearchWord.Term(bytes: last.bytes, isPrefix: true)
        }
        return collector.terms + [last]
    }

    private struct Collector: TokenVisitor {
        var terms: [SearchWord.Term] = []
        var isLastDense = false
        /// Whether the last token is the second character of the pair before it.
        var isLastAfterPair = false
        private var isPair = false

        mutating func visit(_ token: TokenView) -> Bool {
            let bytes = Array(token.term)
            isLastAfterPair = isPair
            isLastDense = token.isDense
            isPair = token.isDense && token.headEnd < token.end
            let isCharacter = token.isDense && !isPair
            terms.append(SearchWord.Term(bytes: bytes, isPrefix: isCharacter, isCharacter: isCharacter))
            return true
        }
    }
}
