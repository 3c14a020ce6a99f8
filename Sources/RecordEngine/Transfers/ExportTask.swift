package import RecordModel
package import RecordWire
package import TextTables

/// The task of a job that writes the records of a query to a file.
///
/// ```json
/// {"kind":"exportRecords","format":"jsonLines","recordType":"Post","where":"likes > 10","sort":"-likes"}
/// {"kind":"exportRecords","format":"table","recordType":"Goods","fields":["title","price"],"table":{"separator":";"}}
/// {"kind":"exportRecords","format":"container"}
/// ```
package struct ExportTask: Sendable {
    /// How the file has its records.
    package enum Format: Sendable {
        /// A record dictionary in each line.
        case jsonLines
        /// A table whose columns are fields.
        case table(TableFormat)
        /// Everything that the container has: `ContainerLine`.
        case container
    }

    /// How the file has its records.
    package let format: Format
    /// The record type; `nil` for a whole container.
    package let type: RecordTypeName?
    /// The condition, the order and the fields.
    let input: QueryInput
    private let sort: String?
    /// Whether a table begins with a byte order mark. Excel reads UTF-8 only with one.
    let hasByteOrderMark: Bool

    /// The keys of the JSON form that callers write.
    package static let keys = ["format", "recordType", "where", "args", "sort", "fields", "table", "byteOrderMark"]

    /// Reads a task.
    ///
    /// - Throws: BAD_REQUEST for missing or invalid values.
    package init(_ object: JSONObject) throws(RecordError) {
        switch object["format"]?.string {
        case "container":
            if let key = object.members.map(\.key).first(where: { $0 != "kind" && $0 != "format" }) {
                throw Self.invalid("'\(key)' chooses records, and the file of a container has all of them", at: key)
            }
            format = .container
            (type, sort, hasByteOrderMark, input) = (nil, nil, false, QueryInput())
            return
        case "jsonLines":
            guard object["table"] == nil else {
                throw Self.invalid("'table' is for the format table, and JSON lines have none", at: "table")
            }
            format = .jsonLines
        case "table":
            format = .table(
                try object["table"].map { value throws(RecordError) in try TableFormat(json: value, path: "table") }
                    ?? .csv)
        case nil, .some: throw Self.invalid("'format' is jsonLines, table or container", at: "format")
        }
        if let value = object["byteOrderMark"], value.bool == nil {
            throw Self.invalid("'byteOrderMark' is true or false", at: "byteOrderMark")
        }
        hasByteOrderMark = object["byteOrderMark"]?.bool ?? false
        guard let type = object["recordType"]?.string.flatMap(RecordTypeName.init) else {
            throw Self.invalid("A record type's name \(Identifier.rule)", at: "recordType")
        }
        self.type = type
        var query = JSONObject([("recordType", .string(type.text))])
        for key in ["where", "args", "fields"] { if let value = object[key] { query[key] = value } }
        if let value = object["sort"] {
            guard let text = value.string else {
                throw Self.invalid("'sort' is a text, such as -timestamp,title", at: "sort")
            }
            sort = text
        } else {
            sort = nil
        }
        var input = try QueryInput.read(JSONValue.object(query).bytes)
        if let sort { input.sort = try QueryInput.sort(sort) }
        self.input = input
    }

    /// Reads a task from the store.
    init(stored json: JSONValue) throws(RecordError) {
        guard let object = json.object else {
            throw RecordError(.internalError, "The stored task of the job is damaged")
        }
        try self.init(object)
    }

    private static func invalid(_ reason: String, at key: String) -> RecordError {
        .badRequest(reason, details: [("path", .text(key))])
    }

    /// The task as a JSON object.
    package var json: JSONValue {
        var object = JSONObject([("kind", .string(JobKind.exportRecords.rawValue))])
        switch format {
        case .jsonLines: object["format"] = "jsonLines"
        case .table(let table):
            object["format"] = "table"
            object["table"] = table.json
        case .container:
            object["format"] = "container"
            return .object(object)
        }
        if hasByteOrderMark { object["byteOrderMark"] = true }
        if let type { object["recordType"] = .string(type.text) }
        if let condition = input.condition { object["where"] = .string(condition) }
        if !input.arguments.isEmpty { object["args"] = .array(input.arguments.map(\.json)) }
        if let sort { object["sort"] = .string(sort) }
        if let fields = input.fields { object["fields"] = .array(fields.map { .string($0) }) }
        return .object(object)
    }

    /// The name of the file for people, such as `Goods.csv`.
    package var filename: String {
        switch format {
        case .container: "container.fogbase"
        case .jsonLines: (type?.text ?? "") + ".jsonl"
        case .table(let table): (type?.text ?? "") + (table.separator == UInt8(ascii: "\t") ? ".tsv" : ".csv")
        }
    }

    /// The media type of the file.
    package var mediaType: String {
        switch format {
        case .jsonLines, .container: "application/x-ndjson"
        case .table: "text/csv; charset=utf-8"
        }
    }
}
