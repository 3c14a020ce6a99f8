package import RecordModel

/// What becomes of the columns of a table: fields and system values of records of one type.
package struct TableMapping: Hashable, Sendable {
    /// The type of the records.
    package var recordType: RecordTypeName
    /// The IANA name of the zone of times without an offset; `nil` for UTC.
    package var timeZone: String?
    /// The columns. Columns of the file that are not in the list are skipped.
    package var columns: [ColumnMapping]

    /// Creates a mapping.
    package init(recordType: RecordTypeName, timeZone: String? = nil, columns: [ColumnMapping]) {
        self.recordType = recordType
        self.timeZone = timeZone
        self.columns = columns
    }

    /// Checks that no field and no system value has two columns, and that no field is an ASSET.
    ///
    /// - Throws: `BAD_REQUEST` with the `column`.
    func check() throws(RecordError) {
        var columns: Set<String> = []
        var targets: [ColumnMapping.Target: String] = [:]
        var fields: [String: String] = [:]
        for column in self.columns {
            guard columns.insert(column.column).inserted else {
                throw .mapping("The mapping has the column '\(column.column)' twice. Remove one entry", column.column)
            }
            var other: String?
            switch column.target {
            case .skip: continue
            case .system:
                other = targets[column.target]
                targets[column.target] = column.column
            case .field(let name, let type):
                if type.element == .asset {
                    throw .mapping(
                        "Column '\(column.column)' cannot become an ASSET: a cell has no file. Skip the column, or load its URLs as STRING",
                        column.column)
                }
                other = fields[name.text]
                fields[name.text] = column.column
            }
            if let other {
                throw .mapping(
                    "The columns '\(other)' and '\(column.column)' become the same value. Give one another field, or skip it",
                    column.column)
            }
        }
    }
}

extension RecordError {
    /// BAD_REQUEST: an error in the mapping of a column.
    static func mapping(
        _ reason: String, _ column: String, _ more: [(key: String, value: Detail)] = []
    ) -> RecordError {
        .badRequest(reason, details: [("column", .text(String(column.prefix(64))))] + more)
    }
}
