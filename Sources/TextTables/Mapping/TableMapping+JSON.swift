package import RecordModel
package import RecordWire

extension TableMapping {
    /// The most columns of a mapping: as many as a row has.
    private static let mostColumns = TextLimits().cells

    /// Reads a mapping:
    ///
    /// ```json
    /// {"recordType":"Goods","timeZone":"Europe/Berlin","columns":[
    ///   {"column":"Artikel","field":"title","type":"STRING"},
    ///   {"column":"Preis","field":"price","type":"DOUBLE","decimal":",","thousands":"."},
    ///   {"column":"id","as":"recordName"},
    ///   {"column":"notes","skip":true}]}
    /// ```
    ///
    /// | key of a column | meaning |
    /// |---|---|
    /// | `column` | the name of the column: see ``ColumnNames`` |
    /// | `field`, `type` | the field and its type |
    /// | `as` | instead of a field, a system value: `recordName`, `createdTimestamp`, `createdUserRecordName`, … |
    /// | `skip` | true leaves the column out |
    /// | `date`, `timeZone` | of times: `iso`, `day-first`, `month-first`, `unix-seconds`, `unix-milliseconds`; an IANA name |
    /// | `decimal`, `thousands` | of numbers and locations: one character each |
    /// | `true`, `false` | of INT64: lists of words for 1 and 0 |
    /// | `separator` | of lists: the text between members |
    /// | `action` | of references: `NONE`, `DELETE_SELF`, `VALIDATE` |
    /// | `longitude` | of LOCATION: the column with the longitude |
    ///
    /// - Parameters:
    ///   - path: The path of the document in a larger one, for messages.
    ///   - knownType: The type in the schema: `type` may be absent for its fields.
    /// - Throws: `BAD_REQUEST` with the `path` of what is wrong, or with the `column` of what contradicts itself.
    package init(
        json: JSONValue, path: String = "", knownType: RecordTypeDefinition? = nil
    ) throws(RecordError) {
        let reader = try DocumentReader(json, path: path, keys: ["recordType", "timeZone", "columns"])
        guard let text = try reader.string("recordType") ?? knownType?.name.text else {
            throw reader.error("recordType", "is missing. It names the type of the records")
        }
        guard let recordType = RecordTypeName(text) else {
            throw reader.error("recordType", "\(Identifier.rule). Write '\(FieldNames.makeType(text))'")
        }
        guard let list = reader["columns"]?.array, list.count <= Self.mostColumns else {
            throw reader.error("columns", "must be a list of at most \(Self.mostColumns) columns")
        }
        var columns: [ColumnMapping] = []
        for (index, entry) in list.enumerated() {
            let place = (path.isEmpty ? "" : path + ".") + "columns[\(index)]"
            columns.append(try ColumnMapping(json: entry, path: place, knownType: knownType))
        }
        self.init(recordType: recordType, timeZone: try reader.string("timeZone"), columns: columns)
        try check()
    }

    /// The mapping as JSON. Options that a mapping need not name are left out.
    package var json: JSONValue {
        var object = JSONObject([("recordType", .string(recordType.text))])
        if let timeZone { object["timeZone"] = .string(timeZone) }
        object["columns"] = .array(columns.map(\.json))
        return .object(object)
    }
}

extension ColumnMapping {
    private static let optionKeys = [
        "date", "timeZone", "decimal", "thousands", "true", "false", "separator", "action", "longitude",
    ]

    fileprivate init(json: JSONValue, path: String, knownType: RecordTypeDefinition?) throws(RecordError) {
        let reader = try DocumentReader(
            json, path: path, keys: ["column", "field", "type", "as", "skip"] + Self.optionKeys)
        guard let column = try reader.string("column") else {
            throw reader.error("column", "is missing. It names a column of the file")
        }
        let isSkipped = try reader.bool("skip") ?? false
        let field = try reader.string("field")
        let system = try reader.string("as")
        guard [isSkipped, field != nil, system != nil].filter({ $0 }).count == 1 else {
            throw reader.error("column", "needs one of 'field', 'as' and 'skip'")
        }
        if let system {
            guard let value = SystemColumn(word: system) else {
                throw reader.error(
                    "as", "must be one of \(SystemColumn.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            if reader.has("type") { throw reader.error("type", "has no meaning for a system value. Remove it") }
            self.init(column, .system(value))
            try readOptions(reader, value.isTime ? ["date", "timeZone"] : [], "the system value \(value.rawValue)")
        } else if let field {
            guard let name = FieldName(field) else {
                let rule = SystemField(field) == nil ? Identifier.rule : "is not that of a system field"
                throw reader.error(
                    "field",
                    "is '\(CellText.beginning(of: field))'. A field name \(rule). Write '\(FieldNames.make(field))'")
            }
            let known = knownType?[name.text]?.type
            guard let word = try reader.string("type") ?? known?.schemaName else {
                throw reader.error("type", "is missing. \(FieldType.rule)")
            }
            guard let type = FieldType(tag: word) else {
                throw reader.error("type", "is '\(CellText.beginning(of: word))'. \(FieldType.rule)")
            }
            self.init(column, .field(name, type))
            try readOptions(reader, Self.optionKeys(of: type), type.schemaName)
        } else {
            self.init(column, .skip)
            try readOptions(reader, [], "a column that is skipped")
        }
    }

    /// The options that have a meaning for a type.
    private static func optionKeys(of type: FieldType) -> [String] {
        let keys: [String] =
            switch type.element {
            case .int64: ["decimal", "thousands", "true", "false"]
            case .double: ["decimal", "thousands"]
            case .timestamp: ["date", "timeZone"]
            case .reference: ["action"]
            case .location: ["decimal"] + (type.isList ? [] : ["longitude"])
            default: []
            }
        return keys + (type.isList ? ["separator"] : [])
    }

    private mutating func readOptions(
        _ reader: DocumentReader, _ allowed: [String], _ subject: String
    ) throws(RecordError) {
        for key in Self.optionKeys where reader.has(key) && !allowed.contains(key) {
            throw reader.error(key, "has no meaning for \(subject). Remove it")
        }
        options.date = try reader.word("date")
        options.timeZone = try reader.string("timeZone")
        if let byte = try reader.character("decimal") { options.decimal = byte }
        options.thousands = try reader.character("thousands", names: ["space": 0x20])
        for (key, byte) in [("decimal", options.decimal), ("thousands", options.thousands ?? options.decimal)] {
            guard [0x2E, 0x2C].contains(byte) || (key == "thousands" && [0x20, 0x27, 0x5F].contains(byte)) else {
                throw reader.error(
                    key, key == "decimal" ? "must be '.' or ','" : "must be '.', ',', '_', an apostrophe or a space")
            }
        }
        if options.decimal == options.thousands { throw reader.error("thousands", "must differ from 'decimal'") }
        if let words = try reader.strings("true") { options.trueWords = words }
        if let words = try reader.strings("false") { options.falseWords = words }
        options.listSeparator = try reader.string("separator")
        if let separator = options.listSeparator, !(1...16).contains(separator.utf8.count) {
            throw reader.error("separator", "must have 1 to 16 bytes")
        }
        if let word = try reader.string("action") {
            guard let action = ReferenceAction(text: word) else {
                throw reader.error("action", "must be NONE, DELETE_SELF or VALIDATE")
            }
            options.action = action
        }
        options.longitude = try reader.string("longitude")
    }

    /// The column as JSON.
    fileprivate var json: JSONValue {
        var object = JSONObject([("column", .string(column))])
        switch target {
        case .skip: object["skip"] = true
        case .system(let value): object["as"] = .string(value.rawValue)
        case .field(let name, let type):
            object["field"] = .string(name.text)
            object["type"] = .string(type.schemaName)
        }
        let plain = CellOptions()
        if let date = options.date { object["date"] = .string(date.rawValue) }
        if let zone = options.timeZone { object["timeZone"] = .string(zone) }
        if options.decimal != plain.decimal { object["decimal"] = JSONValue(character: options.decimal) }
        if let byte = options.thousands { object["thousands"] = JSONValue(character: byte) }
        if options.trueWords != plain.trueWords { object["true"] = .array(options.trueWords.map { .string($0) }) }
        if options.falseWords != plain.falseWords { object["false"] = .array(options.falseWords.map { .string($0) }) }
        if let text = options.listSeparator { object["separator"] = .string(text) }
        if options.action != .none { object["action"] = .string("\(options.action.text)") }
        if let longitude = options.longitude { object["longitude"] = .string(longitude) }
        return .object(object)
    }
}
