/// A token of the schema language.
struct SchemaToken: Hashable {
    /// The kind of a token, with its content.
    enum Kind: Hashable {
        /// A keyword, or a name without quotes.
        case word(String)
        /// A name in quotes, without the quotes.
        case quoted(String)
        /// One of `(`, `)`, `,`, `;`, `<` and `>`.
        case symbol(UInt8)
        /// The text after `-- fogbase:` up to the end of the line.
        case annotation
        /// The end of the text.
        case end
    }

    let kind: Kind
    /// The first byte of the token; for an annotation, the first byte after `fogbase:`.
    let start: Int
    /// The byte after the token.
    let end: Int

    /// The token in error messages.
    var description: String {
        switch kind {
        case .word(let text): "'\(text.prefix(64))'"
        case .quoted(let text): "'\"\(text.prefix(64))\"'"
        case .symbol(let byte): "'\(Character(Unicode.Scalar(byte)))'"
        case .annotation: "A fogbase comment"
        case .end: "The end of the text"
        }
    }
}

/// Splits a text of the schema language into tokens. Comments and white space between tokens are skipped, except
/// comments of the form `-- fogbase: …`.
struct SchemaTextLexer {
    /// The text in UTF-8.
    let text: [UInt8]
    private var position: Int

    /// The word after `--` that makes a comment an annotation.
    static let annotationMark = "fogbase:"

    /// Starts at the beginning of a text. A byte order mark is skipped.
    ///
    /// - Throws: `SchemaTextError` if the text is not UTF-8.
    init(_ text: [UInt8]) throws(SchemaTextError) {
        self.text = text
        position = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if String(validating: text, as: UTF8.self) == nil {
            throw SchemaTextError(
                "The text is not UTF-8 here. Save the file as UTF-8", in: text, at: Self.firstInvalidByte(of: text))
        }
    }

    /// Returns the length of the longest valid start of a text that is not UTF-8.
    private static func firstInvalidByte(of text: [UInt8]) -> Int {
        var decoder = UTF8()
        var (iterator, valid) = (text.makeIterator(), 0)
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { valid += UTF8.width(scalar) }
        return valid
    }

    /// Returns the next token. At the end of the text, each call returns a token of the kind `end`.
    ///
    /// - Throws: `SchemaTextError` for an unclosed comment or name, and for a character that starts no token.
    mutating func next() throws(SchemaTextError) -> SchemaToken {
        while position < text.count {
            let start = position
            let byte = text[start]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): position += 1
            case UInt8(ascii: "-"), UInt8(ascii: "/"):
                if let annotation = try skipComment() { return annotation }
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"),
                UInt8(ascii: ">"):
                position += 1
                return SchemaToken(kind: .symbol(byte), start: start, end: position)
            case UInt8(ascii: "\""): return try quotedName()
            case _ where Self.isPartOfWord(byte):
                while position < text.count, Self.isPartOfWord(text[position]) { position += 1 }
                let word = String(decoding: text[start..<position], as: UTF8.self)
                return SchemaToken(kind: .word(word), start: start, end: position)
            default:
                let shown = byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "A control character"
                throw error("\(shown) has no meaning here. A name with such a character is not possible", at: start)
            }
        }
        return SchemaToken(kind: .end, start: text.count, end: text.count)
    }

    /// Creates an error at a byte of the text.
    func error(_ reason: String, at offset: Int) -> SchemaTextError {
        SchemaTextError(reason, in: text, at: offset)
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private mutating func quotedName() throws(SchemaTextError) -> SchemaToken {
        let start = position
        position += 1
        while position < text.count, text[position] != UInt8(ascii: "\""), text[position] != UInt8(ascii: "\n") {
            position += 1
        }
        guard position < text.count, text[position] == UInt8(ascii: "\"") else {
            throw error("The name that starts here has no closing quote in its line. Add one", at: start)
        }
        let name = String(decoding: text[(start + 1)..<position], as: UTF8.self)
        position += 1
        return SchemaToken(kind: .quoted(name), start: start, end: position)
    }

    /// Skips a comment.
    ///
    /// - Returns: The annotation that the comment contains; `nil` for other comments.
    private mutating func skipComment() throws(SchemaTextError) -> SchemaToken? {
        let start = position
        let second = start + 1 < text.count ? text[start + 1] : 0
        switch (text[start], second) {
        case (UInt8(ascii: "/"), UInt8(ascii: "*")):
            position += 2
            while position + 1 < text.count {
                if text[position] == UInt8(ascii: "*"), text[position + 1] == UInt8(ascii: "/") {
                    position += 2
                    return nil
                }
                position += 1
            }
            throw error("The comment that starts here has no end. Close it with */", at: start)
        case (UInt8(ascii: "/"), UInt8(ascii: "/")), (UInt8(ascii: "-"), UInt8(ascii: "-")):
            position += 2
            while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
            guard second == UInt8(ascii: "-") else { return nil }
            let content = text[(start + 2)..<position].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard content.starts(with: Self.annotationMark.utf8) else { return nil }
            return SchemaToken(
                kind: .annotation, start: content.startIndex + Self.annotationMark.utf8.count, end: position)
        default:
            let byte = Character(Unicode.Scalar(text[start]))
            throw error("One '\(byte)' has no meaning here. A comment starts with --, // or /*", at: start)
        }
    }
}
