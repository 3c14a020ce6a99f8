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

    /// Returns the beginning of the form of a text in UTF-8.
    ///
    /// - Parameters:
    ///   - count: The number of bytes after which the result may end. It may also be longer.
    ///   - charge: Receives work that is done, in units of about 1 ns.
    /// - Throws: The errors of `charge`.
    package func of<Failure: Error>(
        _ text: [UInt8], first count: Int = .max, _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        guard isReversed else { return try folding.fold(text, first: count, charge) }
        return try folding.fold(text, last: count, charge).reversed()
    }

    /// Returns the beginning of the form of a value, as of a text. Values that are no text have only one form.
    package func of<Failure: Error>(
        _ value: QueryValue, first count: Int = .max, _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) -> QueryValue {
        guard self != .exact, case .text(let text) = value else { return value }
        return .text(try of(text, first: count, charge))
    }

    /// Returns the beginning of the form of a value whose length is limited.
    package func of(_ value: QueryValue, first count: Int = .max) -> QueryValue {
        of(value, first: count) { _ in }
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
