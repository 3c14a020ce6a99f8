package import RecordModel
package import RecordWire
package import TextTables

/// The task of a job that writes the records of a file.
///
/// ```json
/// {"kind":"importRecords","format":"table","name":"goods.csv","size":81733,"existing":"skip",
///  "table":{"separator":";"},"mapping":{"recordType":"Goods","columns":[{"column":"Artikel","field":"title"}]}}
/// {"kind":"importRecords","format":"container","name":"forum.fogbase","size":4711}
/// {"kind":"importRecords","format":"jsonLines","name":"posts.jsonl","size":4711,"recordType":"Post","dryRun":true}
/// ```
package struct ImportTask: Sendable {
    /// How the file has its records.
    package enum Format: Sendable {
        /// A record dictionary in each line.
        ///
        /// - Parameter type: The type of the records that name none; `nil` if each must name its type.
        case jsonLines(type: RecordTypeName?)
        /// A table whose columns are fields.
        case table(TableFormat, TableMapping)
        /// Everything that a container has: `ContainerLine`.
        case container
    }

    /// What happens to a record that exists already.
    package enum Existing: String, Sendable, CaseIterable {
        /// The row is rejected.
        case reject
        /// The record stays as it is, and the row counts as skipped.
        case skip
        /// The fields of the row replace all fields of the record.
        case replace
        /// The fields of the row are set, and the others stay.
        case update
    }

    /// How the file has its records.
    package var format: Format
    /// What happens to records that exist.
    package var existing: Existing
    /// Whether rows are only checked.
    package var isDryRun: Bool
    /// The number of rejected rows after which the job fails; `nil` for no limit.
    package var mostRejected: Int?
    /// The encoding of the file; `nil` for UTF-8.
    package var encoding: TextEncoding?
    /// The name of the file, for people; empty for none.
    package var name: String
    /// The size of the file in bytes.
    package var size: Int64
    /// Whether the caller started the import from a network without rate limits.
    package var isRateExempt = false

    /// Creates a task from its parts.
    package init(
        _ format: Format, existing: Existing = .reject, isDryRun: Bool = false, mostRejected: Int? = nil,
        encoding: TextEncoding? = nil, name: String = "", size: Int64 = 0
    ) {
        self.format = format
        self.existing = existing
        self.isDryRun = isDryRun
        self.mostRejected = mostRejected
        self.encoding = encoding
        self.name = name
        self.size = size
    }

    /// The keys of the JSON form that callers write.
    package static let keys = [
        "format", "recordType", "table", "mapping", "encoding", "existing", "dryRun", "maxRejected",
    ]

    /// Reads a task without its file.
    ///
    /// - Throws: BAD_REQUEST for missing or invalid values.
    package init(_ object: JSONObject) throws(RecordError) {
        switch object["format"]?.string {
        case "container":
            for key in ["recordType", "table", "mapping", "encoding"] where object[key] != nil {
                throw Self.invalid("The file of a container says what it has. Leave '\(key)' out", at: key)
            }
            format = .container
        case "jsonLines":
            for key in ["table", "mapping"] where object[key] != nil {
                throw Self.invalid("'\(key)' is for the format table, and JSON lines have none", at: key)
            }
            format = .jsonLines(
                type: try object["recordType"].map { value throws(RecordError) in try Self.type(value) })
        case "table":
            guard let mapping = object["mapping"] else {
                throw Self.invalid(
                    "A table needs 'mapping': POST /imports/preview guesses it from the file", at: "mapping")
            }
            guard object["recordType"] == nil else {
                throw Self.invalid("The 'mapping' of a table names the type. Leave 'recordType' out", at: "recordType")
            }
            format = .table(
                try object["table"].map { value throws(RecordError) in try TableFormat(json: value, path: "table") }
                    ?? .csv,
                try TableMapping(json: mapping, path: "mapping"))
        case nil, .some:
            throw Self.invalid("'format' is jsonLines, table or container", at: "format")
        }
        if let value = object["existing"] {
            guard let existing = value.string.flatMap(Existing.init(rawValue:)) else {
                throw Self.invalid(
                    "'existing' is \(Existing.allCases.map(\.rawValue).joined(separator: ", "))", at: "existing")
            }
            self.existing = existing
        } else {
            existing = .reject
        }
        if let value = object["dryRun"], value.bool == nil {
            throw Self.invalid("'dryRun' is true or false", at: "dryRun")
        }
        isDryRun = object["dryRun"]?.bool ?? false
        if let value = object["maxRejected"] {
            guard let count = value.integer.flatMap({ Int(exactly: $0) }), count >= 0 else {
                throw Self.invalid("'maxRejected' is a whole number", at: "maxRejected")
            }
            mostRejected = count
        }
        encoding = try object["encoding"].map { value throws(RecordError) in try Self.encoding(value) }
        name = ""
        size = 0
    }

    /// Reads a task from the store.
    init(stored json: JSONValue) throws(RecordError) {
        guard let object = json.object else {
            throw RecordError(.internalError, "The stored task of the job is damaged")
        }
        try self.init(object)
        name = json["name"]?.string ?? ""
        size = json["size"]?.integer ?? 0
        isRateExempt = json["rateExempt"]?.bool ?? false
    }

    static func encoding(_ value: JSONValue) throws(RecordError) -> TextEncoding {
        guard let name = value.string else {
            throw invalid("'encoding' is a name, such as windows-1252", at: "encoding")
        }
        return try TextEncoding(named: name)
    }

    static func type(_ value: JSONValue) throws(RecordError) -> RecordTypeName {
        guard let type = value.string.flatMap(RecordTypeName.init) else {
            throw invalid("A record type's name \(Identifier.rule)", at: "recordType")
        }
        return type
    }

    private static func invalid(_ reason: String, at key: String) -> RecordError {
        .badRequest(reason, details: [("path", .text(key))])
    }

    /// The task as a JSON object.
    package var json: JSONValue {
        var object = JSONObject([("kind", .string(JobKind.importRecords.rawValue))])
        switch format {
        case .jsonLines(let type):
            object["format"] = "jsonLines"
            if let type { object["recordType"] = .string(type.text) }
        case .table(let table, let mapping):
            object["format"] = "table"
            object["table"] = table.json
            object["mapping"] = mapping.json
        case .container: object["format"] = "container"
        }
        if let encoding { object["encoding"] = .string(encoding.name) }
        if !name.isEmpty { object["name"] = .string(name) }
        object["size"] = .integer(size)
        object["existing"] = .string(existing.rawValue)
        if isDryRun { object["dryRun"] = true }
        if isRateExempt { object["rateExempt"] = true }
        if let mostRejected { object["maxRejected"] = .integer(Int64(mostRejected)) }
        return .object(object)
    }

    /// Returns the task for a file.
    func of(_ name: String, size: Int64) -> ImportTask {
        var task = self
        (task.name, task.size) = (name, size)
        return task
    }

    /// The type of the records; `nil` if lines name it.
    package var type: RecordTypeName? {
        switch format {
        case .jsonLines(let type): type
        case .table(_, let mapping): mapping.recordType
        case .container: nil
        }
    }

    /// Whether the file has a whole container.
    package var isContainer: Bool {
        if case .container = format { true } else { false }
    }

    /// What a row does.
    var verb: WriteVerb {
        switch existing {
        case .reject, .skip: .create
        case .replace: .modify(createsMissing: true, replacesAll: true)
        case .update: .modify(createsMissing: true, replacesAll: false)
        }
    }
}
