/// What can be indexed.
package enum IndexRules {
    /// The system fields that indexes take as columns.
    package static let systemColumns: [SystemField] = [
        .createdTimestamp, .modifiedTimestamp, .createdUserRecordName, .modifiedUserRecordName,
    ]

    /// Why a field of a type cannot have these options; `nil` if it can.
    package static func refusal(of options: IndexOptions, on type: FieldType) -> String? {
        guard !options.isEmpty else { return nil }
        if !isComparable(type) { return "A field of type \(type.schemaName) cannot be QUERYABLE or SORTABLE" }
        if options.contains(.sortable), type.isList { return "A list cannot be SORTABLE" }
        return nil
    }

    /// Why an index cannot have columns of these types; `nil` if it can. Users are references.
    package static func refusal(ofColumns types: [FieldType], isUnique: Bool) -> String? {
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
