import Encodings
package import RecordModel
package import RecordWire

/// Writes records as a table that ``TableReader`` and ``RowComposer`` read back exactly.
///
/// | value | cell |
/// |---|---|
/// | STRING | its text; an empty one in quotes |
/// | INT64, DOUBLE | decimal, with a point |
/// | TIMESTAMP | `2026-11-29T14:00:00.250Z` |
/// | BYTES | base64; `\x` for no bytes |
/// | REFERENCE | the record name; as JSON if it has an action |
/// | LOCATION | `latitude,longitude`; as JSON if it has more values |
/// | ASSET | as JSON. Tables with it can be read, but not its files |
/// | lists | as JSON, as in records |
///
/// Cells are exact: nothing is put before `=`, `+`, `-` and `@`, with which formulas begin. Spreadsheets may run them.
package struct TableWriter: Sendable {
    /// A column of the table.
    package enum Column: Hashable, Sendable {
        /// A system value. Records of the server do not contain `zoneName`: its cells have no value.
        case system(SystemColumn)
        /// A field.
        case field(FieldName, FieldType)

        /// The name in the header: that of the field, or of the system value. The parent is `___parent`, since fields can be
        /// called `parent`.
        package var name: String {
            switch self {
            case .system(.parent): "___parent"
            case .system(let value): value.rawValue
            case .field(let name, _): name.text
            }
        }
    }

    private let columns: [Column]
    private let format: TableFormat
    private let hasMark: Bool
    private var value: [UInt8] = []

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - columns: The columns, from left to right.
    ///   - format: How the table is written. Without quotes and backslashes, cells could not contain separators: then
    ///     quotes are `"`.
    ///   - hasMark: Whether a byte order mark comes first. Excel reads UTF-8 only with one.
    package init(columns: [Column], format: TableFormat = .csv, hasMark: Bool = false) {
        self.columns = columns
        var format = format
        if format.quote == nil, format.escape == .doubled { format.quote = UInt8(ascii: "\"") }
        self.format = format
        self.hasMark = hasMark
    }

    /// The columns of a type: its system values without zone and parent, then its fields.
    package static func columns(of type: RecordTypeDefinition) -> [Column] {
        SystemColumn.allCases.filter { $0 != .zoneName && $0 != .parent }.map { .system($0) }
            + type.fields.map { .field($0.name, $0.type) }
    }

    /// The mapping that reads the table back.
    package func mapping(recordType: RecordTypeName) -> TableMapping {
        TableMapping(
            recordType: recordType,
            columns: columns.map { column in
                switch column {
                case .system(let value): return ColumnMapping(column.name, .system(value))
                case .field(let name, let type):
                    return ColumnMapping(column.name, type.element == .asset ? .skip : .field(name, type))
                }
            })
    }

    /// Appends what comes before the records: the byte order mark, the separator line and the header.
    package mutating func begin(_ output: inout [UInt8]) {
        if hasMark { output.append(contentsOf: [0xEF, 0xBB, 0xBF]) }
        if format.hasSeparatorLine {
            output.append(contentsOf: "sep=".utf8)
            output.append(format.separator)
            endRow(&output)
        }
        guard format.hasHeader else { return }
        for (index, column) in columns.enumerated() {
            if index > 0 { output.append(format.separator) }
            append(text: column.name, to: &output)
        }
        endRow(&output)
    }

    /// Appends the row of a record: the JSON of a record dictionary.
    ///
    /// - Throws: `BAD_REQUEST` if the bytes are no record.
    package mutating func append(record: [UInt8], to output: inout [UInt8]) throws(RecordError) {
        do {
            try record.withUnsafeBytes { bytes in
                var scanner = RecordScanner(bytes)
                try scanner.readDocument()
                append(&scanner, to: &output)
            }
        } catch let error as JSONError {
            throw RecordError(error)
        } catch {
            throw .badRequest("A record was expected")
        }
    }

    /// Appends the row of the record that a scanner has read.
    package mutating func append(_ record: inout RecordScanner, to output: inout [UInt8]) {
        var fields = record.fields
        for (index, column) in columns.enumerated() {
            if index > 0 { output.append(format.separator) }
            switch column {
            case .system(let column): append(system: column, of: record.head, to: &output)
            case .field(let name, _):
                if let field = fields.find(name.text) {
                    append(field: field, of: fields, to: &output)
                } else {
                    appendNoValue(&output)
                }
            }
        }
        endRow(&output)
    }

    // MARK: Values

    private mutating func append(system column: SystemColumn, of head: RecordScanner.Head, to output: inout [UInt8]) {
        switch column {
        case .recordName: append(text: head.recordName, to: &output)
        case .createdTimestamp: append(time: head.created?.timestamp, to: &output)
        case .createdUserRecordName: append(name: head.created?.userRecordName, to: &output)
        case .modifiedTimestamp: append(time: head.modified?.timestamp, to: &output)
        case .modifiedUserRecordName: append(name: head.modified?.userRecordName, to: &output)
        case .parent: append(name: head.parent, to: &output)
        case .zoneName: appendNoValue(&output)
        }
    }

    private mutating func append(field index: Int, of fields: FieldScanner, to output: inout [UInt8]) {
        if let text = fields.string(index) { return append(text: text, to: &output) }
        value.removeAll(keepingCapacity: true)
        switch fields.value(of: index) {
        case nil: return appendNoValue(&output)
        case .string(let text)?: return append(text: text, to: &output)
        case .int64(let number)?: value.appendInteger(number)
        case .double(let number)?: value.appendDouble(number)
        case .timestamp(let time)?: DateWriter.append(time, to: &value)
        case .bytes(let bytes)?:
            if bytes.isEmpty { value.append(contentsOf: "\\x".utf8) } else { Base64.encode(bytes, into: &value) }
        case .reference(let reference)? where reference.isPlain:
            value.append(contentsOf: reference.recordName.text.utf8)
        case .location(let location)?
        where location == Location(latitude: location.latitude, longitude: location.longitude):
            value.appendDouble(location.latitude)
            value.append(UInt8(ascii: ","))
            value.appendDouble(location.longitude)
        case let other?: CanonicalValue.append(other, to: &value)
        }
        let text = value
        text.withUnsafeBytes { append(cell: $0, to: &output) }
    }

    private mutating func append(time: Int64?, to output: inout [UInt8]) {
        guard let time else { return appendNoValue(&output) }
        value.removeAll(keepingCapacity: true)
        DateWriter.append(time, to: &value)
        let text = value
        text.withUnsafeBytes { append(cell: $0, to: &output) }
    }

    private func append(name: String?, to output: inout [UInt8]) {
        guard let name, !name.isEmpty else { return appendNoValue(&output) }
        append(text: name, to: &output)
    }

    private func append(text: String, to output: inout [UInt8]) {
        var copy = text
        copy.withUTF8 { append(cell: UnsafeRawBufferPointer($0), to: &output) }
    }

    // MARK: Cells

    private func appendNoValue(_ output: inout [UInt8]) {
        output.append(contentsOf: format.noValue.utf8)
    }

    private func endRow(_ output: inout [UInt8]) {
        output.append(UInt8(ascii: "\n"))
    }

    private func append(cell: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        if let quote = format.quote, needsQuotes(cell, quote) {
            output.append(quote)
            for byte in cell {
                if byte == quote {
                    output.append(quote)
                } else if byte == UInt8(ascii: "\\"), format.escape == .backslash {
                    output.append(byte)
                }
                output.append(byte)
            }
            output.append(quote)
        } else if format.escape == .backslash {
            appendEscaped(cell, to: &output)
        } else {
            output.append(contentsOf: cell)
        }
    }

    /// Whether a cell without quotes would be read as another one.
    private func needsQuotes(_ cell: UnsafeRawBufferPointer, _ quote: UInt8) -> Bool {
        guard let first = cell.first, let last = cell.last else { return true }
        // Spaces at the ends, and the byte order mark.
        if first <= 0x20 || last <= 0x20 || first == 0xEF { return true }
        for byte in cell where byte == format.separator || byte == quote || byte < 0x20 { return true }
        return !format.noValue.isEmpty && cell.elementsEqual(format.noValue.utf8)
    }

    private func appendEscaped(_ cell: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        // What is no escape could be the text for no value, or the mark at the end of COPY's data.
        let isSpecial = cell.elementsEqual(format.noValue.utf8)
        for (index, byte) in cell.enumerated() {
            switch byte {
            case 0x08: output.append(contentsOf: "\\b".utf8)
            case 0x09: output.append(contentsOf: "\\t".utf8)
            case 0x0A: output.append(contentsOf: "\\n".utf8)
            case 0x0B: output.append(contentsOf: "\\v".utf8)
            case 0x0C: output.append(contentsOf: "\\f".utf8)
            case 0x0D: output.append(contentsOf: "\\r".utf8)
            case 0: output.append(contentsOf: "\\000".utf8)
            case UInt8(ascii: "\\"): output.append(contentsOf: "\\\\".utf8)
            case format.separator: output.append(contentsOf: [UInt8(ascii: "\\"), byte])
            default:
                if isSpecial, index == 0 { appendOctal(byte, to: &output) } else { output.append(byte) }
            }
        }
    }

    /// A backslash before a letter can have a meaning; digits always mean the byte.
    private func appendOctal(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        for shift: UInt8 in [6, 3, 0] { output.append(0x30 &+ (byte >> shift & 7)) }
    }
}

extension Reference {
    /// Whether its record name alone means the reference.
    fileprivate var isPlain: Bool {
        let name = recordName.text.utf8
        return action == .none && name.first != UInt8(ascii: "{") && name.first != 0x20 && name.last != 0x20
    }
}
