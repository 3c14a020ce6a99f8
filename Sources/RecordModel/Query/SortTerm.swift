/// The place of records that lack a sort field.
package enum NullPlacement: String, Hashable, Sendable {
    case first, last
}

/// One term of a sort. Absent values come first in ascending order and last in descending order, unless the term says
/// otherwise. Texts compare by their first `IndexKey.textBytes` bytes.
///
/// Records that are equal in all terms are sorted by ascending record number, which is the order of creation.
/// `-createdTimestamp` at any position reverses this order: of two records created in the same millisecond, the later
/// record comes first.
package struct SortTerm: Hashable, Sendable {
    /// The field to sort by.
    package var field: QueryField
    /// The form of the field's texts that is compared.
    package var form: TextForm
    /// Whether the values ascend.
    package var isAscending: Bool
    /// The place of records that lack the field.
    package var nulls: NullPlacement

    /// Creates a sort term on a field.
    ///
    /// - Parameter nulls: The place of records that lack the field; `nil` for the first in ascending order, and the last
    ///   in descending order.
    package init(
        _ field: QueryField, form: TextForm = .exact, isAscending: Bool = true, nulls: NullPlacement? = nil
    ) {
        self.field = field
        self.form = form
        self.isAscending = isAscending
        self.nulls = nulls ?? (isAscending ? .first : .last)
    }

    /// The field in the form that is compared.
    package var indexedField: IndexedField { IndexedField(field, form) }

    /// Whether absent values are greater than all others. In indexes they are less.
    package var isAbsentGreatest: Bool { (nulls == .last) == isAscending }

    /// The text of the term in queries, such as `title` or `-timestamp`.
    package var text: String {
        text(of: field.sortText)
    }

    /// The text of the term with `?` instead of a place. Terms that differ only in places have one shape.
    package var shape: String { text(of: field.sortShape) }

    private func text(of field: String) -> String {
        // Records without a place come last by default.
        let isDefault = self.field.origin == nil ? !isAbsentGreatest : nulls == .last
        return (isAscending ? "" : "-") + field + form.folding.modifiers
            + (isDefault ? "" : " nulls \(nulls.rawValue)")
    }
}
