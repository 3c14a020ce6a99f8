package import RecordModel
import RecordWire

/// What a file would become, found in its first bytes. Nothing is written.
package struct TablePreview: Sendable {
    /// The first bytes of a file that a preview needs, at most.
    package static let sampleBytes = 65_536
    /// The rows that a preview shows, at most.
    package static let mostRows = 20

    /// The encoding of the file.
    package let encoding: TextEncoding
    /// The format of the table.
    package let format: TableFormat
    /// The names of the columns.
    package let columns: [String]
    /// What becomes of the columns.
    package let mapping: TableMapping
    /// The first rows, as texts; `nil` for a cell without a value.
    package let rows: [[String?]]
    /// The records of these rows, in their order; rows that are rejected have none.
    package let records: [[UInt8]]
    /// What is wrong and what people should decide, with `line` or `column`.
    package let problems: [RecordError]

    /// Reads the beginning of a file.
    ///
    /// - Parameters:
    ///   - sample: The first bytes of the file.
    ///   - isWhole: Whether the sample is the whole file.
    ///   - recordType: The type of the records.
    ///   - encoding: The encoding that a person named; `nil` to find it. If the bytes show none, the preview takes the one
    ///     in which they make sense, and says so in `problems`.
    ///   - format: The format that a person named; `nil` to guess it.
    ///   - mapping: The mapping that a person made; `nil` to guess it.
    ///   - knownType: The type in the schema; `nil` if it has none yet.
    ///   - timeZones: Finds the time zones that the mapping names.
    /// - Throws: `BAD_REQUEST` if the file is in no known encoding, or the mapping does not fit it.
    package init(
        _ sample: [UInt8], isWhole: Bool, recordType: RecordTypeName, encoding: TextEncoding? = nil,
        format: TableFormat? = nil, mapping: TableMapping? = nil, knownType: RecordTypeDefinition? = nil,
        timeZones: RowComposer.TimeZones
    ) throws(RecordError) {
        var problems: [RecordError] = []
        let found: TextEncoding
        if let encoding { found = encoding } else { found = try Self.encoding(of: sample, isWhole, &problems) }
        let text = try Self.text(sample, found, isWhole, &problems)
        let chosen = text.withUnsafeBytes { format ?? .guess($0, isWhole: isWhole) }
        let table = Self.read(text, chosen, isWhole, &problems)
        columns = table.columns
        if let mapping {
            self.mapping = mapping
        } else {
            let guess = TableMapping.guess(
                recordType: recordType, columns: columns, rows: table.rows, format: chosen, knownType: knownType)
            self.mapping = guess.mapping
            problems += guess.doubts
        }
        var composer = try RowComposer(self.mapping, columns: columns, timeZones: timeZones)
        var records: [[UInt8]] = []
        for (index, row) in table.rows.enumerated() {
            var record: [UInt8] = []
            do throws(RecordError) {
                try composer.compose(row, to: &record)
                if index < Self.mostRows { records.append(record) }
            } catch {
                problems.append(error)
            }
        }
        self.encoding = found
        self.format = chosen
        self.records = records
        rows = table.rows.prefix(Self.mostRows).map(\.strings)
        self.problems = Array(problems.prefix(100))
    }

    private static func encoding(
        of sample: [UInt8], _ isWhole: Bool, _ problems: inout [RecordError]
    ) throws(RecordError) -> TextEncoding {
        try sample.withUnsafeBufferPointer { bytes throws(RecordError) in
            let bytes = UnsafeRawBufferPointer(bytes)
            do throws(RecordError) {
                return try TextEncoding.recognized(in: bytes, isWhole: isWhole)
            } catch {
                guard let suggestion = TextEncoding.suggestion(for: bytes) else { throw error }
                problems.append(error)
                return suggestion
            }
        }
    }

    /// The sample as UTF-8, up to the first byte that is invalid.
    private static func text(
        _ sample: [UInt8], _ encoding: TextEncoding, _ isWhole: Bool, _ problems: inout [RecordError]
    ) throws(RecordError) -> [UInt8] {
        var decoder = try TextDecoder(encoding)
        var text: [UInt8] = []
        do throws(RecordError) {
            try decoder.decode(sample, into: &text)
            if isWhole { try decoder.finish() }
        } catch {
            problems.append(error)
        }
        return text
    }

    private static func read(
        _ text: [UInt8], _ format: TableFormat, _ isWhole: Bool, _ problems: inout [RecordError]
    ) -> (columns: [String], rows: [TableRow]) {
        var reader = TableReader(format)
        reader.append(text)
        if isWhole { reader.finish() }
        var columns: [String]?
        var rows: [TableRow] = []
        reading: while true {
            var row = TableRow()
            do throws(RecordError) {
                switch try reader.next(&row) {
                case .header: columns = ColumnNames.of(header: row)
                case .row: rows.append(row)
                case .rejected(let error): problems.append(error)
                case .needsBytes, .end: break reading
                }
            } catch {
                problems.append(error)
                break
            }
        }
        return (columns ?? ColumnNames.of(count: reader.position.columns ?? 0), rows)
    }

    /// The preview as JSON:
    ///
    /// ```json
    /// {"encoding":"utf-8","table":{…},"columns":["id","title"],"mapping":{…},
    ///  "rows":[["1","Tea"],["2",null]],"records":[{…},{…}],
    ///  "problems":[{"reason":"…","line":3,"column":"title","value":"x","expected":"…"}]}
    /// ```
    ///
    /// Texts of `rows` have at most 200 characters.
    package var json: [UInt8] {
        var text: [UInt8] = []
        text.appendLiteral("{\"encoding\":")
        text.appendString(encoding.name)
        text.appendLiteral(",\"table\":")
        format.json.write(to: &text)
        text.appendLiteral(",\"columns\":")
        JSONValue.array(columns.map { .string($0) }).write(to: &text)
        text.appendLiteral(",\"mapping\":")
        mapping.json.write(to: &text)
        text.appendLiteral(",\"rows\":")
        let shown = rows.map { row in
            JSONValue.array(row.map { $0.map { .string(CellText.beginning(of: $0, 200)) } ?? .null })
        }
        JSONValue.array(shown).write(to: &text)
        text.appendLiteral(",\"records\":[")
        for (index, record) in records.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: record)
        }
        text.appendLiteral("],\"problems\":")
        JSONValue.array(problems.map(Self.json)).write(to: &text)
        text.append(UInt8(ascii: "}"))
        return text
    }

    private static func json(_ problem: RecordError) -> JSONValue {
        var object = JSONObject([("reason", .string(problem.reason))])
        for (key, value) in problem.details where key != "reason" {
            switch value {
            case .text(let text): object[key] = .string(text)
            case .number(let number): object[key] = .integer(number)
            case .list(let texts): object[key] = .array(texts.map { .string($0) })
            }
        }
        return .object(object)
    }
}
