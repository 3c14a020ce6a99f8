package import RecordModel

/// A system value that a column of a table can have.
package enum SystemColumn: String, Hashable, Sendable, CaseIterable {
    case recordName
    case createdTimestamp
    case createdUserRecordName
    case modifiedTimestamp
    case modifiedUserRecordName
    /// The name of the record above it in a hierarchy.
    case parent
    case zoneName

    /// Parses a word of a mapping: a name of this list, or any other spelling of the system field.
    package init?(word: String) {
        if let exact = SystemColumn(rawValue: word) {
            self = exact
            return
        }
        switch SystemField(systemFieldName: word) {
        case .recordName: self = .recordName
        case .createdTimestamp: self = .createdTimestamp
        case .createdUserRecordName: self = .createdUserRecordName
        case .modifiedTimestamp: self = .modifiedTimestamp
        case .modifiedUserRecordName: self = .modifiedUserRecordName
        case .parent: self = .parent
        case .recordChangeTag, .share, nil: return nil
        }
    }

    /// Whether the value is a time.
    var isTime: Bool { self == .createdTimestamp || self == .modifiedTimestamp }
}

/// What becomes of one column of a table.
package struct ColumnMapping: Hashable, Sendable {
    /// What a column becomes.
    package enum Target: Hashable, Sendable {
        /// A field of the record.
        case field(FieldName, FieldType)
        /// A system value of the record.
        case system(SystemColumn)
        /// Nothing.
        case skip
    }

    /// The name of the column: see ``ColumnNames``.
    package var column: String
    /// What the column becomes.
    package var target: Target
    /// How its cells are read.
    package var options: CellOptions

    /// The field that the column becomes; `nil` for none.
    package var fieldName: FieldName? {
        if case .field(let name, _) = target { name } else { nil }
    }

    /// Creates the mapping of a column.
    package init(_ column: String, _ target: Target, _ options: CellOptions = CellOptions()) {
        self.column = column
        self.target = target
        self.options = options
    }
}

/// How the cells of a column are read.
package struct CellOptions: Hashable, Sendable {
    /// How times are written; `nil` for ``DateStyle/iso``.
    package var date: DateStyle?
    /// The IANA name of the zone of times without an offset; `nil` for the mapping's.
    package var timeZone: String?
    /// The byte before the fraction of a number.
    package var decimal = UInt8(ascii: ".")
    /// The byte between groups of three digits; `nil` for none.
    package var thousands: UInt8?
    /// The words for 1 in INT64, in any case.
    package var trueWords = ["true"]
    /// The words for 0 in INT64, in any case.
    package var falseWords = ["false"]
    /// What is between the members of a list; `nil` if cells are JSON lists or PostgreSQL's `{a,b}`.
    package var listSeparator: String?
    /// The action of references.
    package var action = ReferenceAction.none
    /// The column with the longitude of a LOCATION, if the column itself has only the latitude.
    package var longitude: String?

    /// Creates the options that apply if a mapping names none.
    package init() {}
}

/// Names for the columns of a table, each different: the header's without spaces around them, `column3` for a column
/// without a name, and `Name (2)` for the second column with a name.
package enum ColumnNames {
    /// Returns the names of the columns of a header.
    package static func of(header: TableRow) -> [String] {
        var seen: Set<String> = []
        // Without the last number of each name, equal names would take quadratic time.
        var numbers: [String: Int] = [:]
        return header.cells.indices.map { index in
            let text = header.string(index).trimmingSpaces
            let name = text.isEmpty ? "column\(index + 1)" : text
            var unique = name
            while !seen.insert(unique).inserted {
                let number = numbers[name, default: 1] + 1
                numbers[name] = number
                unique = "\(name) (\(number))"
            }
            return unique
        }
    }

    /// Returns the names of the columns of a table without a header: `column1`, `column2`, …
    package static func of(count: Int) -> [String] {
        (0..<count).map { "column\($0 + 1)" }
    }
}

extension String {
    /// The text without white space at both ends.
    var trimmingSpaces: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(scalars[...$0]) } ?? ""
    }
}
