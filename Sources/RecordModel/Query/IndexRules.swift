/// The rules for fields in indexes.
package enum IndexRules {
    /// The system fields that can be index columns.
    package static let systemColumns: [SystemField] = [
        .createdTimestamp, .modifiedTimestamp, .createdUserRecordName, .modifiedUserRecordName,
    ]

    /// Returns the reason why a field of a type cannot have the options; `nil` if the options are allowed.
    package static func rejection(of options: IndexOptions, on type: FieldType) -> String? {
        guard !options.isEmpty else { return nil }
        if options.contains(.searchable), type.element != .string {
            return "Only a STRING or a STRING_LIST can be SEARCHABLE"
        }
        if type.element == .location {
            return options.contains(.sortable)
                ? "A place cannot be SORTABLE. QUERYABLE is enough for sorts by distance" : nil
        }
        if !isComparable(type) { return "A field of type \(type.schemaName) cannot be QUERYABLE or SORTABLE" }
        if options.contains(.sortable), type.isList { return "A list cannot be SORTABLE" }
        return nil
    }

    /// Returns the reason why an index cannot have columns of these types; `nil` if they are allowed. User fields count
    /// as references.
    ///
    /// - Parameters:
    ///   - forms: The forms of the texts in the columns.
    ///   - kind: The kind of the index.
    package static func rejection(
        ofColumns types: [FieldType], forms: [TextForm], kind: IndexDefinition.Kind, isUnique: Bool
    ) -> String? {
        if zip(forms, types).contains(where: { $0 != .exact && $1.element != .string }) {
            return "Only the texts of a STRING or a STRING_LIST have words in brackets in an index"
        }
        if kind == .parts {
            if types.count != 1 { return "A field with [contains] stands in an index of its own" }
            if types[0].element != .string { return "Only a STRING or a STRING_LIST can have [contains]" }
            if forms[0].isReversed { return "An index with [contains] is not reversed" }
            return isUnique ? "An index with [contains] cannot be unique" : nil
        }
        if kind == .places {
            if types.count != 1 || types[0].element != .location { return "A place stands in an index of its own" }
            return isUnique ? "An index on places cannot be unique" : nil
        }
        if kind == .words {
            if types.count != 1 { return "A field with [words] stands in an index of its own" }
            if types[0].element != .string { return "Only a STRING or a STRING_LIST can have [words]" }
            if forms[0] != .exact { return "An index with [words] has no other words in brackets" }
            return isUnique ? "An index with [words] cannot be unique" : nil
        }
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
