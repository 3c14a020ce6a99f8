internal import UnicodeText

/// An index column or a sort term as texts write it: `-timestamp`, `title[cd]` or `title[cd,contains]`.
package struct ColumnName: Hashable, Sendable {
    /// The name of the field.
    package var name: String
    /// Whether the values ascend. A minus before the name stands for descending order.
    package var isAscending: Bool
    /// The form of the field's texts: the words `c`, `d`, `cd` and `reversed` in brackets.
    package var form: TextForm
    /// The kind of the index, if it is not `ordered` or `members`: the word `contains` or `words` in brackets.
    package var kind: IndexDefinition.Kind?

    /// Creates the name of a column.
    package init(
        _ name: String, isAscending: Bool = true, form: TextForm = .exact, kind: IndexDefinition.Kind? = nil
    ) {
        self.name = name
        self.isAscending = isAscending
        self.form = form
        self.kind = kind
    }

    /// Parses a column.
    ///
    /// - Returns: `nil` for unknown words in brackets.
    package init?(parsing text: String) {
        let isAscending = !text.hasPrefix("-")
        self.init(isAscending ? text : String(text.dropFirst()), isAscending: isAscending)
        guard name.hasSuffix("]"), let start = name.lastIndex(of: "[") else { return }
        let words = name[name.index(after: start)...].dropLast()
        name = String(name[..<start])
        for word in words.split(separator: ",", omittingEmptySubsequences: false) {
            switch word {
            case "c": form.folding = .caseInsensitive
            case "d": form.folding = .diacriticInsensitive
            case "cd", "dc": form.folding = [.caseInsensitive, .diacriticInsensitive]
            case "reversed": form.isReversed = true
            case "contains": kind = .parts
            case "words": kind = .words
            default: return nil
            }
        }
    }

    /// The column as text.
    package var text: String {
        var words: [String] = []
        if !form.folding.isEmpty { words.append(String(form.folding.modifiers.dropFirst().dropLast())) }
        if form.isReversed { words.append("reversed") }
        if kind == .parts { words.append("contains") }
        if kind == .words { words.append("words") }
        return (isAscending ? "" : "-") + name + (words.isEmpty ? "" : "[\(words.joined(separator: ","))]")
    }
}
