/// One term of a sort. Absent values come first in ascending order and last in descending order. Texts compare by their
/// first `IndexKey.textBytes` bytes.
///
/// Records that are equal in all terms are sorted by ascending record number, which is the order of creation.
/// `-createdTimestamp` at any position reverses this order: of two records created in the same millisecond, the later
/// record comes first.
package struct SortTerm: Hashable, Sendable {
    /// The field to sort by.
    package var field: QueryField
    /// Whether the values ascend.
    package var isAscending: Bool

    /// Creates a sort term on a field.
    package init(_ field: QueryField, isAscending: Bool = true) {
        self.field = field
        self.isAscending = isAscending
    }

    /// The text of the term in queries, such as `title` or `-timestamp`.
    package var text: String { (isAscending ? "" : "-") + field.name }
}
