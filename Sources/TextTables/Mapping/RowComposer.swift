package import Calendars
package import RecordModel
import RecordWire

/// Composes record dictionaries from the rows of a table, in the form in which requests contain them:
///
/// ```json
/// {"recordName":"a1","recordType":"Goods","created":{"timestamp":1796047200000},
///  "fields":{"title":{"value":"Tea","type":"STRING"},"price":{"value":2.5,"type":"DOUBLE"}}}
/// ```
///
/// Keys without a value are left out, and so are fields whose cell has none.
package struct RowComposer: Sendable {
    /// Finds a time zone by its IANA name; `nil` if the system does not have it.
    package typealias TimeZones = (String) -> TimeZoneRules?

    /// A column of the mapping with its place in rows.
    private struct Step {
        let column: Int
        let name: String
        let type: FieldType
        /// What is before and after the value.
        let prefix: [UInt8]
        let suffix: [UInt8]
        /// The column with the longitude.
        let longitude: Int?
        var converter: CellConverter
    }

    private let recordType: [UInt8]
    private var fields: [Step] = []
    private var system: [SystemColumn: Step] = [:]
    private let hasSystemValues: Bool

    /// Creates a composer.
    ///
    /// - Parameters:
    ///   - columns: The names of the file's columns, of ``ColumnNames``.
    ///   - timeZones: Finds the time zones that the mapping names.
    /// - Throws: `BAD_REQUEST` with the `column` if the file lacks a column of the mapping, or the system a time zone; if
    ///   two columns become the same value; for a column that would become an ASSET.
    package init(_ mapping: TableMapping, columns: [String], timeZones: TimeZones) throws(RecordError) {
        try mapping.check()
        var head: [UInt8] = Array("\"recordType\":".utf8)
        head.appendString(mapping.recordType.text)
        recordType = head
        let places = Dictionary(zip(columns, columns.indices), uniquingKeysWith: { first, _ in first })
        func place(_ name: String) throws(RecordError) -> Int {
            if let index = places[name] { return index }
            let nearest = Nearest.name(to: name, among: columns).map { " Did you mean '\($0)'?" } ?? ""
            throw .mapping(
                "The file has no column '\(name)'.\(nearest)", name, [("columns", .list(Array(columns.prefix(100))))])
        }
        for column in mapping.columns {
            let index = try place(column.column)
            if case .skip = column.target { continue }
            var rules = TimeZoneRules.utc
            if let zone = column.options.timeZone ?? mapping.timeZone, zone != "UTC" {
                guard let found = timeZones(zone) else {
                    throw .mapping(
                        "The server has no time zone '\(zone)'. Names are those of the IANA database, such as Europe/Berlin",
                        column.column)
                }
                rules = found
            }
            let longitude = try column.options.longitude.map { name throws(RecordError) in try place(name) }
            func step(_ type: FieldType, _ prefix: [UInt8] = [], _ suffix: [UInt8] = []) -> Step {
                Step(
                    column: index, name: column.column, type: type, prefix: prefix, suffix: suffix,
                    longitude: longitude,
                    converter: CellConverter(type, column.options, clock: LocalClock(rules)))
            }
            switch column.target {
            case .skip: break
            case .system(let value): system[value] = step(value.isTime ? .timestamp : .string)
            case .field(let name, let type):
                var prefix: [UInt8] = []
                prefix.appendString(name.text)
                prefix.appendLiteral(":{\"value\":")
                fields.append(step(type, prefix, Array(",\"type\":\"\(type.tag)\"}".utf8)))
            }
        }
        hasSystemValues = !system.isEmpty
    }

    /// Appends the record of a row.
    ///
    /// - Throws: `BAD_REQUEST` with `line`, `column`, `value` (its beginning) and `expected` if a cell does not fit its
    ///   column. Nothing is appended then.
    package mutating func compose(_ row: borrowing TableRow, to output: inout [UInt8]) throws(RecordError) {
        let start = output.count
        do throws(RecordError) {
            let line = row.line
            try row.text.withUnsafeBufferPointer { text throws(RecordError) in
                let text = UnsafeRawBufferPointer(text)
                try row.cells.withUnsafeBufferPointer { cells throws(RecordError) in
                    try compose(RowView(line: line, text: text, cells: cells), to: &output)
                }
            }
        } catch {
            output.removeLast(output.count - start)
            throw error
        }
    }

    /// The memory of a row.
    private struct RowView {
        let line: Int
        let text: UnsafeRawBufferPointer
        let cells: UnsafeBufferPointer<TableRow.Cell>

        /// The text of a cell; `nil` for no value.
        @inline(__always)
        func cell(_ index: Int) -> UnsafeRawBufferPointer? {
            guard index < cells.count, !cells[index].isNoValue else { return nil }
            return UnsafeRawBufferPointer(rebasing: text[cells[index].range])
        }
    }

    private mutating func compose(_ row: RowView, to output: inout [UInt8]) throws(RecordError) {
        output.append(UInt8(ascii: "{"))
        if hasSystemValues {
            if let name = try text(.recordName, row) {
                guard RecordName(String(decoding: name, as: UTF8.self)) != nil else {
                    throw problem(
                        system[.recordName], row, "a record name of 1 to 255 bytes without control characters")
                }
                output.appendLiteral("\"recordName\":")
                output.appendString(name)
                output.append(UInt8(ascii: ","))
            }
            try appendObject("zoneID", "zoneName", .zoneName, row, to: &output)
            try appendObject("parent", "recordName", .parent, row, to: &output)
            try appendStamp("created", .createdTimestamp, .createdUserRecordName, row, to: &output)
            try appendStamp("modified", .modifiedTimestamp, .modifiedUserRecordName, row, to: &output)
        }
        output.append(contentsOf: recordType)
        output.appendLiteral(",\"fields\":{")
        var isFirst = true
        for index in fields.indices {
            let start = output.count
            if !isFirst { output.append(UInt8(ascii: ",")) }
            output.append(contentsOf: fields[index].prefix)
            let hasValue: Bool
            do throws(CellProblem) {
                hasValue = try appendField(index, row, to: &output)
            } catch {
                throw problem(fields[index], row, error.expected)
            }
            if hasValue {
                output.append(contentsOf: fields[index].suffix)
                isFirst = false
            } else {
                output.removeLast(output.count &- start)
            }
        }
        output.appendLiteral("}}")
    }

    @inline(__always)
    private mutating func appendField(
        _ index: Int, _ row: RowView, to output: inout [UInt8]
    ) throws(CellProblem) -> Bool {
        let cell = row.cell(fields[index].column)
        if let longitude = fields[index].longitude {
            let none = UnsafeRawBufferPointer(start: nil, count: 0)
            return try fields[index].converter.appendLocation(
                latitude: cell ?? none, longitude: row.cell(longitude) ?? none, to: &output)
        }
        guard let cell else { return false }
        return try fields[index].converter.append(cell, to: &output)
    }

    // MARK: System values

    /// The text of a system value; `nil` for no value and an empty text.
    private func text(_ value: SystemColumn, _ row: RowView) throws(RecordError) -> UnsafeRawBufferPointer? {
        guard let step = system[value], let cell = row.cell(step.column), !cell.isEmpty else { return nil }
        return cell
    }

    private func appendObject(
        _ key: StaticString, _ member: StaticString, _ value: SystemColumn, _ row: RowView, to output: inout [UInt8]
    ) throws(RecordError) {
        guard let text = try text(value, row) else { return }
        guard RecordName(String(decoding: text, as: UTF8.self)) != nil else {
            throw problem(system[value], row, "a name of 1 to 255 bytes without control characters")
        }
        output.append(UInt8(ascii: "\""))
        output.appendLiteral(key)
        output.appendLiteral("\":{\"")
        output.appendLiteral(member)
        output.appendLiteral("\":")
        output.appendString(text)
        output.appendLiteral("},")
    }

    private mutating func appendStamp(
        _ key: StaticString, _ time: SystemColumn, _ user: SystemColumn, _ row: RowView, to output: inout [UInt8]
    ) throws(RecordError) {
        var milliseconds: Int64?
        if let text = try text(time, row) {
            do throws(CellProblem) {
                milliseconds = try system[time]?.converter.time(text)
            } catch {
                throw problem(system[time], row, error.expected)
            }
        }
        let name = try text(user, row)
        guard milliseconds != nil || name != nil else { return }
        output.append(UInt8(ascii: "\""))
        output.appendLiteral(key)
        output.appendLiteral("\":{")
        if let milliseconds {
            output.appendLiteral("\"timestamp\":")
            output.appendInteger(milliseconds)
        }
        if let name {
            if milliseconds != nil { output.append(UInt8(ascii: ",")) }
            output.appendLiteral("\"userRecordName\":")
            output.appendString(name)
        }
        output.appendLiteral("},")
    }

    // MARK: Errors

    private func problem(_ step: Step?, _ row: RowView, _ expected: String) -> RecordError {
        guard let step else { return .badRequest("A row does not fit the mapping") }
        let cell = row.cell(step.column) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let value = CellText.beginning(of: String(decoding: cell.prefix(256), as: UTF8.self))
        return .badRequest(
            "Column '\(step.name)' in line \(row.line) has '\(value)'. Expected is \(expected)", cause: .typeMismatch,
            details: [
                ("line", .number(Int64(row.line))), ("column", .text(step.name)), ("value", .text(value)),
                ("expected", .text(expected)),
            ])
    }
}

/// Cells in messages and previews.
enum CellText {
    /// The beginning of a text: at most 64 characters, and three points if there are more.
    static func beginning(of text: String, _ most: Int = 64) -> String {
        let start = text.prefix(most)
        return start.endIndex == text.endIndex ? text : start + "…"
    }
}
