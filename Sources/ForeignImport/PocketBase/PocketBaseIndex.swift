/// An index of a collection, read from the statement that creates it.
struct PocketBaseIndex {
    struct Column: Hashable {
        let name: String
        let ascends: Bool
        /// Whether upper and lower case are the same.
        let ignoresCase: Bool
    }

    let isUnique: Bool
    let columns: [Column]
    /// The condition of a partial index; `nil` for none.
    let condition: String?

    /// Reads a statement; `nil` for one that is not understood, such as an index on an expression.
    ///
    /// - Source: SQLite, "CREATE INDEX".
    init?(_ statement: String) {
        var words = Lexer(statement).words[...]
        func take(_ word: String) -> Bool {
            guard words.first?.isQuoted == false, words.first?.text.uppercased() == word else { return false }
            words.removeFirst()
            return true
        }
        guard take("CREATE") else { return nil }
        isUnique = take("UNIQUE")
        guard take("INDEX") else { return nil }
        if take("IF") { guard take("NOT"), take("EXISTS") else { return nil } }
        guard words.popFirst() != nil, take("ON"), words.popFirst() != nil, take("(") else { return nil }
        var columns: [Column] = []
        repeat {
            guard let name = words.popFirst(), name.isQuoted || name.isName else { return nil }
            var (ascends, ignoresCase) = (true, false)
            if take("COLLATE") { ignoresCase = words.popFirst()?.text.uppercased() == "NOCASE" }
            if take("DESC") { ascends = false } else { _ = take("ASC") }
            columns.append(Column(name: name.text, ascends: ascends, ignoresCase: ignoresCase))
        } while take(",")
        guard take(")") else { return nil }
        self.columns = columns
        if take("WHERE") {
            condition = words.map { $0.isQuoted ? "`\($0.text)`" : $0.text }.joined(separator: " ")
        } else {
            guard words.isEmpty || take(";") else { return nil }
            condition = nil
        }
    }

    /// Whether the condition only leaves out empty texts of a column, which are absent here.
    var leavesOutEmptyTexts: Bool {
        guard let condition, columns.count == 1 else { return false }
        let name = columns[0].name
        return ["`\(name)` != ''", "\(name) != ''", "`\(name)` <> ''", "\(name) <> ''"].contains(condition)
    }

    /// The words, names and signs of a statement.
    private struct Lexer {
        struct Word {
            let text: String
            let isQuoted: Bool

            var isName: Bool { text.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber } }
        }

        private(set) var words: [Word] = []

        init(_ statement: String) {
            let text = Array(statement)
            var index = 0
            while index < text.count {
                let character = text[index]
                if character.isWhitespace {
                    index += 1
                    continue
                }
                if let close = ["`": "`", "\"": "\"", "[": "]"][character] as Character? {
                    let start = index + 1
                    index = start
                    while index < text.count, text[index] != close { index += 1 }
                    words.append(Word(text: String(text[start..<index]), isQuoted: true))
                    index += 1
                    continue
                }
                let start = index
                if character == "'" {
                    index += 1
                    while index < text.count, text[index] != "'" { index += 1 }
                    index = min(index + 1, text.count)
                } else if character.isLetter || character.isNumber || character == "_" {
                    while index < text.count, text[index].isLetter || text[index].isNumber || text[index] == "_" {
                        index += 1
                    }
                } else if "!<>=".contains(character) {
                    while index < text.count, "!<>=".contains(text[index]) { index += 1 }
                } else {
                    index += 1
                }
                words.append(Word(text: String(text[start..<index]), isQuoted: false))
            }
        }
    }
}
