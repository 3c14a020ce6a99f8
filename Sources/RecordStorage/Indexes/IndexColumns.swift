internal import RecordModel

/// The text form of an index's columns in `index_definition`.
///
/// ```
/// column *("," column)        example: 3,-created
/// column = ["-"] name         "-": descending
/// name   = field number       "d" after it: INT64 values are stored as DOUBLE (3d)
///        | "created" | "creator" | "modified" | "modifier"
/// ```
enum IndexColumns {
    static func text(_ columns: [IndexDefinition.Column]) -> String {
        columns.map { column in
            let name =
                switch column.source {
                case .field(let id): String(id) + (column.readsAsDouble ? "d" : "")
                case .system(let field): names.first { $0.field == field }?.name ?? ""
                }
            return (column.isAscending ? "" : "-") + name
        }.joined(separator: ",")
    }

    /// Parses a result of `text`; `nil` for any other string.
    static func columns(_ text: String) -> [IndexDefinition.Column]? {
        var columns: [IndexDefinition.Column] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let isAscending = !part.hasPrefix("-")
            let name = isAscending ? part : part.dropFirst()
            if let id = Int(name), id > 0 {
                columns.append(IndexDefinition.Column(.field(id), isAscending: isAscending))
            } else if name.last == "d", let id = Int(name.dropLast()), id > 0 {
                var column = IndexDefinition.Column(.field(id), isAscending: isAscending)
                column.readsAsDouble = true
                columns.append(column)
            } else if let field = names.first(where: { $0.name == name })?.field {
                columns.append(IndexDefinition.Column(.system(field), isAscending: isAscending))
            } else {
                return nil
            }
        }
        return columns
    }

    /// The names of system fields. They are part of the storage format.
    private static let names: [(name: String, field: SystemField)] = [
        ("created", .createdTimestamp), ("creator", .createdUserRecordName), ("modified", .modifiedTimestamp),
        ("modifier", .modifiedUserRecordName),
    ]
}
