package import RecordModel

/// A guessed mapping, for people to confirm.
package struct GuessedMapping: Hashable, Sendable {
    /// The mapping.
    package var mapping: TableMapping
    /// What people should decide: sentences with the `column`.
    package var doubts: [RecordError]
}

extension TableMapping {
    /// The headers of system values, without signs and in lowercase. Programs write them; people may mean fields by them.
    private static let systemHeaders: [String: SystemColumn] = [
        "id": .recordName, "objectid": .recordName, "recordname": .recordName, "recordid": .recordName,
        "uuid": .recordName, "guid": .recordName,
        "createdat": .createdTimestamp, "createdate": .createdTimestamp, "createddate": .createdTimestamp,
        "creationdate": .createdTimestamp, "createdtimestamp": .createdTimestamp, "created": .createdTimestamp,
        "createtime": .createdTimestamp,
        "updatedat": .modifiedTimestamp, "updatedate": .modifiedTimestamp, "updateddate": .modifiedTimestamp,
        "modifiedat": .modifiedTimestamp, "modificationdate": .modifiedTimestamp, "modifieddate": .modifiedTimestamp,
        "modifiedtimestamp": .modifiedTimestamp, "updated": .modifiedTimestamp, "modtime": .modifiedTimestamp,
    ]

    /// Guesses what becomes of the columns of a table.
    ///
    /// - Columns become fields of the known type with the same name; letters and digits count, signs and case do not.
    /// - Others become system values if their name and all their cells say so: names that differ, times.
    /// - The rest becomes new fields, of the type that all cells have.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records.
    ///   - columns: The names of the columns: see ``ColumnNames``.
    ///   - rows: The first rows, without the header.
    ///   - knownType: The type in the schema; `nil` if it has none yet.
    package static func guess(
        recordType: RecordTypeName, columns: [String], rows: [TableRow], format: TableFormat,
        knownType: RecordTypeDefinition? = nil
    ) -> GuessedMapping {
        var guesser = MappingGuesser(columns: columns, rows: rows, format: format, knownType: knownType)
        let mapped = guesser.columns()
        return GuessedMapping(
            mapping: TableMapping(recordType: recordType, columns: mapped), doubts: guesser.doubts)
    }

    /// Guesses which system value a column has by its name.
    fileprivate static func systemValue(_ header: String) -> SystemColumn? {
        SystemColumn(word: header) ?? systemHeaders[Nearest.folded(header)]
    }
}

/// The state of a guess.
private struct MappingGuesser {
    let names: [String]
    let cells: [[String]]
    let format: TableFormat
    let knownType: RecordTypeDefinition?
    let rowCount: Int
    private(set) var doubts: [RecordError] = []
    private var takenFields: Set<String> = []
    /// The last number behind each name that several columns have.
    private var numbers: [String: Int] = [:]
    private var takenSystem: Set<SystemColumn> = []
    private var knownFields: [String: FieldDefinition] = [:]

    init(columns: [String], rows: [TableRow], format: TableFormat, knownType: RecordTypeDefinition?) {
        names = columns
        self.format = format
        self.knownType = knownType
        rowCount = rows.count
        cells = columns.indices.map { column in
            rows.compactMap { row in
                guard column < row.cells.count, !row.cells[column].isNoValue else { return nil }
                let text = row.string(column).trimmingSpaces
                return text.isEmpty ? nil : text
            }
        }
        for field in knownType?.fields ?? [] {
            let key = Nearest.folded(field.name.text)
            if knownFields[key] == nil { knownFields[key] = field }
        }
    }

    mutating func columns() -> [ColumnMapping] {
        // Fields of the schema first: no new field may take their names.
        var result: [Int: ColumnMapping] = [:]
        for (index, name) in names.enumerated() {
            guard let field = knownType?[name] ?? knownFields[Nearest.folded(name)],
                takenFields.insert(field.name.text).inserted
            else { continue }
            result[index] = known(field, index)
        }
        if let place = coordinates(except: result) {
            for (index, column) in place { result[index] = column }
        }
        for index in names.indices where result[index] == nil { result[index] = other(index) }
        return names.indices.compactMap { result[$0] }
    }

    private mutating func known(_ field: FieldDefinition, _ index: Int) -> ColumnMapping {
        guard field.type.element != .asset else {
            doubt(
                "Column '\(names[index])' is skipped: field '\(field.name)' is an ASSET, and a cell has no file", index)
            return ColumnMapping(names[index], .skip)
        }
        let guess = ColumnGuess(cells[index], known: field.type, separator: format.separator)
        if let doubt = guess.doubt { self.doubt("Column '\(names[index])': \(doubt)", index) }
        return ColumnMapping(names[index], .field(field.name, field.type), guess.options)
    }

    private mutating func other(_ index: Int) -> ColumnMapping {
        let name = names[index]
        if let field = SystemField(name), field == .recordChangeTag || field == .share {
            return ColumnMapping(name, .skip)
        }
        if let value = TableMapping.systemValue(name), !takenSystem.contains(value) {
            if let options = systemOptions(value, index) {
                takenSystem.insert(value)
                return ColumnMapping(name, .system(value), options)
            }
        }
        let guess = ColumnGuess(cells[index], separator: format.separator)
        if let doubt = guess.doubt { self.doubt("Column '\(name)': \(doubt)", index) }
        return ColumnMapping(name, .field(fieldName(name), guess.type), guess.options)
    }

    /// The options by which a column can be read as a system value; `nil` if its cells are something else.
    private mutating func systemOptions(_ value: SystemColumn, _ index: Int) -> CellOptions? {
        let cells = cells[index]
        switch value {
        case .recordName:
            let isKey = cells.count == rowCount && Set(cells).count == cells.count
            return isKey && cells.allSatisfy({ RecordName($0) != nil }) ? CellOptions() : nil
        case .createdTimestamp, .modifiedTimestamp:
            let guess = ColumnGuess(cells, separator: format.separator)
            guard cells.isEmpty || (guess.type == .timestamp && guess.doubt == nil) else { return nil }
            return guess.options
        case .createdUserRecordName, .modifiedUserRecordName:
            return cells.allSatisfy { UserRecordName($0) != nil } ? CellOptions() : nil
        case .parent, .zoneName:
            // Words that fields have too: only the exact names of the system say more.
            return ["___parent", "zoneName"].contains(names[index]) ? CellOptions() : nil
        }
    }

    /// A name that no other field has.
    private mutating func fieldName(_ header: String) -> FieldName {
        let base = FieldNames.make(header)
        var text = base
        while true {
            // The base is a name, and so it is with digits behind it.
            if let name = FieldName(text), knownType?[name.text] == nil,
                takenFields.insert(name.text).inserted
            {
                return name
            }
            let number = numbers[base, default: 1] + 1
            numbers[base] = number
            text = "\(base)\(number)"
        }
    }

    /// A column with latitudes and one with longitudes as one LOCATION; `nil` if the table does not have both.
    private mutating func coordinates(except result: [Int: ColumnMapping]) -> [(Int, ColumnMapping)]? {
        func column(_ words: [String], limit: Double) -> Int? {
            let found = names.indices.filter { words.contains(Nearest.folded(names[$0])) && result[$0] == nil }
            guard found.count == 1, let index = found.first, !cells[index].isEmpty,
                cells[index].allSatisfy({ (Double($0)?.magnitude ?? .infinity) <= limit })
            else { return nil }
            return index
        }
        guard let latitude = column(["lat", "latitude"], limit: 90),
            let longitude = column(["lon", "lng", "long", "longitude"], limit: 180)
        else { return nil }
        var options = CellOptions()
        options.longitude = names[longitude]
        return [
            (latitude, ColumnMapping(names[latitude], .field(fieldName("location"), .location), options)),
            (longitude, ColumnMapping(names[longitude], .skip)),
        ]
    }

    private mutating func doubt(_ sentence: String, _ index: Int) {
        doubts.append(.mapping(sentence, names[index]))
    }
}
