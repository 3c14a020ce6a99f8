package import RecordModel
package import RecordWire

/// The changes that a feed shows.
package struct FeedSelection: Hashable, Sendable {
    /// The record types; `nil` for all. The feed has no changes of unknown types until these are created.
    package var types: Set<RecordTypeName>?
    /// The fields of each record; `nil` for all.
    package var fields: [String]?
    /// The predicate that records must match. Requires exactly one type.
    package var condition: QueryInput?

    /// The maximum number of record types that a selection may name.
    package static let maxTypes = 100

    /// Creates a selection. By default it contains all changes.
    package init(types: Set<RecordTypeName>? = nil, fields: [String]? = nil, condition: QueryInput? = nil) {
        self.types = types
        self.fields = fields
        self.condition = condition
    }

    func contains(_ type: RecordTypeDefinition) -> Bool {
        types?.contains(type.name) ?? true
    }
}
