internal import Calendars
internal import Glibc
package import RecordModel
internal import RecordStorage
package import RecordWire
internal import TextTables

/// What a caller says about the file of a preview. The server finds the rest in the file.
package struct ImportPreviewInput: Sendable {
    /// The keys of the JSON form.
    package static let keys = ["format", "recordType", "encoding", "table", "mapping"]

    let isTable: Bool
    let isContainer: Bool
    let type: RecordTypeName?
    let encoding: TextEncoding?
    let table: TableFormat?
    let mapping: JSONValue?

    /// Reads the JSON form.
    ///
    /// - Throws: BAD_REQUEST for missing or invalid values.
    package init(_ object: JSONObject) throws(RecordError) {
        isTable = object["format"]?.string == "table"
        isContainer = object["format"]?.string == "container"
        switch object["format"]?.string {
        case "table", "jsonLines", "container": break
        case nil, .some:
            throw .badRequest("'format' is jsonLines, table or container", details: [("path", .text("format"))])
        }
        type = try object["recordType"].map { value throws(RecordError) in try ImportTask.type(value) }
        encoding = try object["encoding"].map { value throws(RecordError) in try ImportTask.encoding(value) }
        table = try object["table"].map { value throws(RecordError) in try TableFormat(json: value, path: "table") }
        mapping = object["mapping"]
    }
}

extension Transfers {
    /// The number of lines that a preview of JSON lines reads.
    private static let mostLines = 20

    /// Reads the beginning of an uploaded file.
    ///
    /// - Returns: Of a table, the form of `TablePreview` with `table` for the format. Of JSON lines, `records` with the
    ///   first ones, and `problems` with `line` and `reason`. Of a container, `container` with its first line, and `counts`
    ///   with the numbers of what it has.
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for a file that the caller has not uploaded; BAD_REQUEST if the file
    ///   is no table; INTERNAL_ERROR.
    package func preview(
        _ file: Asset, _ input: ImportPreviewInput, by caller: Caller, in address: DatabaseAddress
    ) async throws(RecordError) -> JSONValue {
        let row = try uploaded(file, by: caller, in: address).row
        let schema = reader.schema
        let store = database.assetStore
        // Callers that may not read the schema get what the file alone shows.
        let maySeeSchema = Authorization.authorize(caller, .readSchema) == .allowed
        return try await store.run { () throws(RecordError) in
            let opened: OpenAssetFile?
            do throws(AssetFileError) { opened = try store.directory.open(row.name) } catch { throw RecordError(error) }
            guard let opened else { throw .receiptRejected(field: "file") }
            if input.isContainer {
                let ends = try ContainerSource.ends(of: opened)
                return ["container": ends.head, "counts": ends.counts]
            }
            guard input.isTable else { return try Self.previewLines(of: opened, input) }
            let sample = try ImportSource.beginning(of: opened, TablePreview.sampleBytes)
            let named = input.type ?? input.mapping?["recordType"]?.string.flatMap(RecordTypeName.init)
            guard let type = named else {
                throw .badRequest(
                    "'recordType' is the type of the records", details: [("path", .text("recordType"))])
            }
            let known = maySeeSchema ? schema[type] : nil
            let preview = try TablePreview(
                sample, isWhole: opened.size == Int64(sample.count), recordType: type, encoding: input.encoding,
                format: input.table,
                mapping: try input.mapping.map { value throws(RecordError) in
                    try TableMapping(json: value, path: "mapping", knownType: known)
                }, knownType: known, timeZones: ImportSource.timeZone)
            guard let json = try? JSONValue.parse(preview.json) else { throw .databaseUnavailable }
            return json
        }
    }

    private static func previewLines(
        of file: OpenAssetFile, _ input: ImportPreviewInput
    ) throws(RecordError) -> JSONValue {
        var reader = LineReader()
        var sample = try ImportSource.beginning(of: file, TablePreview.sampleBytes)
        let isWhole = file.size == Int64(sample.count)
        if let encoding = input.encoding, encoding != .utf8 {
            var decoder = try TextDecoder(encoding)
            var text: [UInt8] = []
            try sample.withUnsafeBufferPointer { bytes throws(RecordError) in
                try decoder.decode(UnsafeRawBufferPointer(bytes), into: &text)
            }
            if isWhole { try decoder.finish() }
            sample = text
        }
        reader.append(sample)
        if isWhole { reader.finish() }
        var (records, problems): ([JSONValue], [JSONValue]) = ([], [])
        while records.count + problems.count < mostLines, case .line(let number) = try reader.next() {
            do throws(RecordError) {
                _ = try RecordInput.readExported(reader.line)
                records.append((try? JSONValue.parse(reader.line)) ?? .null)
            } catch {
                problems.append(["line": .integer(Int64(number)), "reason": .string(error.reason)])
            }
        }
        return ["records": .array(records), "problems": .array(problems)]
    }
}
