/// The rules for fields in indexes.
package enum IndexRules {
    /// The system fields that can be index columns.
    package static let systemColumns: [SystemField] = [
        .createdTimestamp, .modifiedTimestamp, .createdUserRecordName, .modifiedUserRecordName,
    ]

    /// Returns the reason why a field of a type cannot have the options; `nil` if the options are allowed.
    package static func rejection(of options: IndexOptions, on type: FieldType) -> String? {
        guard !options.isEmpty else { return nil }
        if !isComparable(type) { return "A field of type \(type.schemaName) cannot be QUERYABLE or SORTABLE" }
        if options.contains(.sortable), type.isList { return "A list cannot be SORTABLE" }
        return nil
    }

    /// Returns the reason why an index cannot have columns of these types; `nil` if they are allowed. User fields count
    /// as references.
    package static func rejection(ofColumns types: [FieldType], isUnique: Bool) -> String? {
        if types.isEmpty { return "An index needs at least one field" }
        if types.count > IndexDefinition.maxColumns {
            return "An index has at most \(IndexDefinition.maxColumns) fields"
        }
        if let type = types.first(where: { !isComparable($0) }) {
            return "A field of type \(type.schemaName) cannot stand in an index"
        }
        guard types.contains(where: \.isList) else { return nil }
        if types.count > 1 { return "A list can only stand in an index of its own" }
        return isUnique ? "An index on a list cannot be unique" : nil
    }

    private static func isComparable(_ type: FieldType) -> Bool {
        switch type.element {
        case .bytes, .asset, .location: false
        default: true
        }
    }
}
