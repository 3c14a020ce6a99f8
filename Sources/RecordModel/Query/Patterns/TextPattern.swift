internal import UnicodeText

/// A pattern that a whole text must match: a regular expression, or wildcards.
///
/// Matching takes at most time proportional to the length of the text times the length of the pattern with its
/// repetitions, for every pattern.
package struct TextPattern: Hashable, Sendable {
    /// The language of a pattern.
    package enum Language: Hashable, Sendable {
        /// `*` stands for any number of scalars, `?` for one scalar, and `\` makes the next scalar literal.
        case wildcards
        /// A regular expression; `PatternParser` contains the syntax.
        case expression
    }

    /// The pattern as written.
    package let text: String
    /// The language of the pattern.
    package let language: Language
    /// UTF-8 bytes with which every match starts, folded like the texts.
    let prefix: [UInt8]
    private let folding: TextFolding
    private let program: PatternProgram

    /// The longest pattern, in UTF-8 bytes.
    package static let maxBytes = 1_024

    /// Reads a pattern.
    ///
    /// - Parameter folding: The folding of the texts that the pattern is compared with.
    /// - Throws: A problem with the offset in scalars.
    init(_ text: String, _ language: Language, folding: TextFolding) throws(PatternProblem) {
        guard text.utf8.count <= Self.maxBytes else {
            throw PatternProblem(offset: 0, reason: "a pattern has at most \(Self.maxBytes) bytes")
        }
        self.text = text
        self.language = language
        self.folding = folding
        let syntax: PatternSyntax
        switch language {
        case .wildcards: syntax = .sequence(Wildcards(text, folding: folding).parts)
        case .expression:
            var parser = PatternParser(text, folding: folding)
            syntax = try parser.parse()
        }
        var start = String.UnicodeScalarView()
        start.append(contentsOf: syntax.prefix)
        prefix = Array(String(start).utf8)
        program = try PatternProgram(syntax)
    }

    /// Returns whether the pattern matches the whole of a text, in UTF-8 and folded.
    ///
    /// - Parameter charge: Takes the work that has been done, in units of about 1 ns, at least every 100 µs and at the
    ///   end. If the function throws, the match ends.
    /// - Throws: The errors of `charge`.
    package func matches<Failure: Error>(
        _ text: [UInt8], _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard text.starts(with: prefix) else { return false }
        return try program.matches(text) { steps throws(Failure) in try charge(steps * Self.workPerStep) }
    }

    /// The work of reading one byte of a text, in units of about 1 ns.
    package static let workPerByte = 8

    private static let workPerStep = 4

    // The program follows from the text, and is much longer.

    package static func == (left: TextPattern, right: TextPattern) -> Bool {
        left.text == right.text && left.language == right.language && left.folding == right.folding
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(language)
        hasher.combine(folding)
    }
}

/// The patterns of one predicate. Each pattern is compiled once, however often the predicate uses it.
final class PatternCache {
    private struct Key: Hashable {
        var text: String
        var language: TextPattern.Language
        var folding: TextFolding
    }

    private var known: [Key: TextPattern] = [:]

    /// Returns a pattern.
    ///
    /// - Throws: As `TextPattern.init`.
    func pattern(
        _ text: String, _ language: TextPattern.Language, folding: TextFolding
    ) throws(PatternProblem) -> TextPattern {
        let key = Key(text: text, language: language, folding: folding)
        if let pattern = known[key] { return pattern }
        let pattern = try TextPattern(text, language, folding: folding)
        known[key] = pattern
        return pattern
    }
}

/// A pattern of LIKE, split at its wildcards.
struct Wildcards {
    /// The text between wildcards, folded, and the wildcards.
    private(set) var parts: [PatternSyntax] = []
    /// The texts before, between and after the `*`; `nil` if the pattern has a `?`.
    private(set) var texts: [[UInt8]]? = [[]]

    init(_ pattern: String, folding: TextFolding) {
        var run = String.UnicodeScalarView()
        func finishRun(_ parts: inout [PatternSyntax], _ texts: inout [[UInt8]]?) {
            // A run is folded as a whole, because neighbors can combine.
            let folded = folding.fold(Array(String(run).utf8))
            parts += String(decoding: folded, as: UTF8.self).unicodeScalars.map { .scalar($0) }
            if let last = texts?.indices.last { texts?[last] += folded }
            run = String.UnicodeScalarView()
        }
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                run.append(scalar)
                isEscaped = false
                continue
            }
            switch scalar {
            case "\\": isEscaped = true
            case "*":
                finishRun(&parts, &texts)
                parts.append(.repeated(.set(ScalarSet(.any)), least: 0, most: nil))
                texts?.append([])
            case "?":
                finishRun(&parts, &texts)
                parts.append(.set(ScalarSet(.any)))
                texts = nil
            default: run.append(scalar)
            }
        }
        if isEscaped { run.append("\\") }
        finishRun(&parts, &texts)
    }
}
