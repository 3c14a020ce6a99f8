internal import RecordModel

/// The columns of an index as `index_definition` keeps them: `3,-created`; `3d` keeps INT64 values as the DOUBLE that they
/// equal.
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

    /// Reads what `text` wrote; `nil` for anything else.
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

    /// Part of the storage format.
    private static let names: [(name: String, field: SystemField)] = [
        ("created", .createdTimestamp), ("creator", .createdUserRecordName), ("modified", .modifiedTimestamp),
        ("modifier", .modifiedUserRecordName),
    ]
}
