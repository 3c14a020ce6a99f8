/// One key of a sort. Absent values come first ascending, last descending; texts compare by their first
/// `IndexKey.textBytes` bytes.
///
/// Ties follow the creation order (the internal record id), ascending. `-createdTimestamp` turns that around, wherever it
/// stands among the keys: of records made in one millisecond, the later one comes first.
package struct SortTerm: Hashable, Sendable {
    package var field: QueryField
    package var isAscending: Bool

    package init(_ field: QueryField, isAscending: Bool = true) {
        self.field = field
        self.isAscending = isAscending
    }

    /// As a query writes it: `title`, `-timestamp`.
    package var text: String { (isAscending ? "" : "-") + field.name }
}
