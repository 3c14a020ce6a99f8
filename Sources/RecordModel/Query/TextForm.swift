package import UnicodeText

/// The form of a text that a condition tests, a sort compares or an index contains, instead of the text itself.
package struct TextForm: Hashable, Sendable {
    /// The differences that comparisons ignore: `[c]`, `[d]` or `[cd]`.
    package var folding: TextFolding
    /// Whether the bytes are in reverse order. The end of a text is then the start of its form, so that an index can
    /// find texts by their ends.
    package var isReversed: Bool

    /// The text itself.
    package static let exact = TextForm()

    /// Creates a form. Without arguments, this is the text itself.
    package init(folding: TextFolding = [], isReversed: Bool = false) {
        self.folding = folding
        self.isReversed = isReversed
    }

    /// The work of making a form of one byte of a text, in units of about 1 ns.
    package static let workPerByte = 16

    /// Returns the form of a text in UTF-8.
    package func of(_ text: [UInt8]) -> [UInt8] {
        let folded = folding.fold(text)
        return isReversed ? folded.reversed() : folded
    }

    /// Returns the form of a value. Values that are no text have only one form.
    package func of(_ value: QueryValue) -> QueryValue {
        if self != .exact, case .text(let text) = value { .text(of(text)) } else { value }
    }
}

extension TextFolding {
    /// The modifiers as predicates, sorts and index columns write them, such as `[cd]`; empty for exact comparison.
    package var modifiers: String {
        isEmpty
            ? "" : "[" + (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "") + "]"
    }
}

/// A field in one form, as an index column contains it.
package struct IndexedField: Hashable, Sendable {
    /// The field.
    package var field: QueryField
    /// The form of the field's texts.
    package var form: TextForm

    /// Creates a field in a form, by default the texts themselves.
    package init(_ field: QueryField, _ form: TextForm = .exact) {
        self.field = field
        self.form = form
    }
}
