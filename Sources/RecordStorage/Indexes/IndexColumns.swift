internal import RecordModel
internal import UnicodeText

/// The text form of an index's columns in `index_definition`.
///
/// ```
/// column *("," column)        example: 3,-created
/// column = ["-"] name         "-": descending
/// name   = field number       "d" after it: INT64 values are stored as DOUBLE (3d)
///        | field number "[" form "]"     the form of a text (`TextForm`): 3[c], 3[cd], 3[r]
///        | "created" | "creator" | "modified" | "modifier"
/// ```
enum IndexColumns {
    static func text(_ columns: [IndexDefinition.Column]) -> String {
        columns.map { column in
            let name =
                switch column.source {
                case .field(let id): String(id) + (column.readsAsDouble ? "d" : "") + column.form.stored
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
            if name.hasSuffix("]") {
                guard let (number, form) = TextForm.stored(String(name)), let id = Int(number), id > 0 else {
                    return nil
                }
                columns.append(IndexDefinition.Column(.field(id), form: form, isAscending: isAscending))
            } else if let id = Int(name), id > 0 {
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

extension TextForm {
    /// The stored form, without commas: `[cd]`, `[r]`, `[cdr]`; empty for the text itself.
    fileprivate var stored: String {
        if self == .exact { return "" }
        let letters = [
            (folding.contains(.caseInsensitive), "c"), (folding.contains(.diacriticInsensitive), "d"),
            (isReversed, "r"),
        ]
        return "[" + letters.filter(\.0).map(\.1).joined() + "]"
    }

    /// Parses a name with a result of `stored` behind it.
    fileprivate static func stored(_ text: String) -> (name: String, form: TextForm)? {
        guard let start = text.firstIndex(of: "[") else { return nil }
        var form = TextForm()
        for letter in text[text.index(after: start)...].dropLast() {
            switch letter {
            case "c": form.folding.insert(.caseInsensitive)
            case "d": form.folding.insert(.diacriticInsensitive)
            case "r": form.isReversed = true
            default: return nil
            }
        }
        return (String(text[..<start]), form)
    }
}
