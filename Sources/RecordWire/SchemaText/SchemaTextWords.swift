internal import RecordModel

/// The words of the schema language and their meaning in the data model.
enum SchemaTextWords {
    /// The words that are names only in quotes.
    static let reserved: Set<String> = ["grant", "preferred", "queryable", "sortable", "searchable"]

    /// The element types of fields, by their words.
    static let elementTypes: [String: FieldType] = [
        "ASSET": .asset, "BYTES": .bytes, "DOUBLE": .double, "INT64": .int64, "LOCATION": .location,
        "REFERENCE": .reference, "STRING": .string, "TIMESTAMP": .timestamp,
    ]

    /// A sentence that lists the types, for error messages.
    static let typeRule =
        "The types are " + elementTypes.keys.sorted().joined(separator: ", ")
        + ", and lists of them such as LIST<STRING>"

    /// Returns the word of a field type, such as `STRING` or `LIST<STRING>`.
    static func word(of type: FieldType) -> String {
        type.isList ? "LIST<\(type.element.schemaName)>" : type.schemaName
    }

    /// A system field of the language.
    struct SystemMember {
        let name: String
        let field: SystemField
        let type: FieldType
    }

    /// The system fields, in the order in which texts list them.
    static let systemMembers = [
        SystemMember(name: "___recordID", field: .recordName, type: .reference),
        SystemMember(name: "___createTime", field: .createdTimestamp, type: .timestamp),
        SystemMember(name: "___createdBy", field: .createdUserRecordName, type: .reference),
        SystemMember(name: "___modTime", field: .modifiedTimestamp, type: .timestamp),
        SystemMember(name: "___modifiedBy", field: .modifiedUserRecordName, type: .reference),
        SystemMember(name: "___etag", field: .recordChangeTag, type: .string),
        SystemMember(name: "___share", field: .share, type: .reference),
        SystemMember(name: "___parent", field: .parent, type: .reference),
    ]

    /// Returns a name as texts write it: in quotes unless it consists of ASCII letters, digits and underscores, starts
    /// with a letter and is no reserved word.
    static func written(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain && !name.hasPrefix("_") && !reserved.contains(name.lowercased()) ? name : "\"\(name)\""
    }
}

extension SchemaDocument.IndexEntry {
    /// The index that QUERYABLE or SORTABLE on a system field requires.
    init(onSystem field: SystemField) {
        self.init(columns: [ColumnName(field.name.description)])
    }

    /// The system field whose options require exactly this index; `nil` for other indexes.
    var systemField: SystemField? {
        guard columns.count == 1, let field = SystemField(columns[0].name), IndexRules.systemColumns.contains(field),
            columns == Self(onSystem: field).columns, !isUnique
        else { return nil }
        return field
    }
}
