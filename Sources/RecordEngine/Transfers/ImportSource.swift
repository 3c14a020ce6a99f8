internal import Calendars
internal import Glibc
internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import TextTables

/// The open file of an import, which returns row after row.
///
/// Unchecked `Sendable`: the steps of the job use it in one call at a time.
final class ImportSource: @unchecked Sendable {
    private let task: ImportTask
    private let file: OpenAssetFile
    /// The size of the text in bytes.
    let size: Int64
    /// The reader of JSON lines; `nil` for a table.
    private var lines: LineReader?
    private var table: TableReader
    private var row = TableRow()
    /// Composes the rows of a table; `nil` before the header was read.
    private var composer: RowComposer?
    /// Reads the file of a container; `nil` for another file.
    private var container: ContainerSource?
    /// The bytes that were read last.
    private var piece = [UInt8](repeating: 0, count: 256 << 10)

    /// Opens a file, and skips the rows that are done.
    ///
    /// - Parameters:
    ///   - offset: The offset behind the rows that are done; 0 for none.
    ///   - database: The database that gets the files of a container; `nil` for a preview.
    /// - Throws: BAD_REQUEST if the file cannot be read up to the offset; INTERNAL_ERROR.
    init(
        _ file: OpenAssetFile, _ task: ImportTask, at offset: Int64 = 0, in database: RecordDatabase? = nil
    ) throws(RecordError) {
        self.task = task
        self.file = file
        size = file.size
        switch task.format {
        case .jsonLines: (lines, table) = (LineReader(), TableReader(.csv))
        case .table(let format, _): (lines, table) = (nil, TableReader(format))
        case .container:
            (lines, table) = (LineReader(), TableReader(.csv))
            container = ContainerSource(keepsFiles: !task.isDryRun, in: database)
        }
        while position < offset, try next(skips: true, before: .max) != nil {}
    }

    /// The offset behind the last row.
    var position: Int64 { Int64((lines?.position ?? table.position).offset) }

    /// Whether there is no further row.
    private(set) var isAtEnd = false

    /// Returns the files of a container that were read completely since the last call.
    func takeFiles() -> [StoredAssetFile] { container?.takeFiles() ?? [] }

    // MARK: Rows

    /// Reads the next row.
    ///
    /// - Parameter end: The offset at which to stop within a long file of a container.
    /// - Returns: The row; `nil` at the end of the file, and at `end`.
    /// - Throws: BAD_REQUEST if the rest of the file cannot be read; INTERNAL_ERROR.
    func next(before end: Int64 = .max) throws(RecordError) -> ImportRow? {
        let row = try next(skips: false, before: end)
        if row == nil, position < end { isAtEnd = true }
        return row
    }

    /// - Parameter skips: Whether the content of the row is not needed.
    private func next(skips: Bool, before end: Int64) throws(RecordError) -> ImportRow? {
        try lines == nil ? nextOfTable(skips: skips) : nextLine(skips: skips, before: end)
    }

    private func nextLine(skips: Bool, before end: Int64) throws(RecordError) -> ImportRow? {
        while let outcome = try lines?.next(), outcome != .end {
            guard case .line(let number) = outcome else {
                try readPiece()
                continue
            }
            container?.count(lines?.line ?? [])
            if let container, !skips {
                if let row = try container.row(number, lines?.line ?? [], end: position) { return row }
                if position >= end { return nil }
                continue
            }
            return row(number) { () throws(RecordError) in
                try skips ? nil : RecordInput.readExported(self.lines?.line ?? [])
            }
        }
        return nil
    }

    private func nextOfTable(skips: Bool) throws(RecordError) -> ImportRow? {
        while true {
            switch try table.next(&row) {
            case .end: return nil
            case .needsBytes: try readPiece()
            case .header: composer = try makeComposer(ColumnNames.of(header: row))
            case .rejected(let error):
                return ImportRow(line: row.line, end: position, content: .rejected(error))
            case .row:
                if composer == nil { composer = try makeComposer(ColumnNames.of(count: row.cells.count)) }
                return row(row.line) { () throws(RecordError) in
                    if skips { return nil }
                    var json: [UInt8] = []
                    try self.composer?.compose(self.row, to: &json)
                    return try RecordInput.readExported(json)
                }
            }
        }
    }

    private func row(_ line: Int, _ read: () throws(RecordError) -> RecordInput?) -> ImportRow {
        do throws(RecordError) {
            guard let input = try read() else {
                return ImportRow(line: line, end: position, content: .rejected(.rowSkipped))
            }
            let operation = RecordOperation(
                .create, typeName: input.recordType, isTypeInPath: false, recordName: input.recordName, input: input)
            return ImportRow(line: line, end: position, content: .operation(operation))
        } catch {
            return ImportRow(line: line, end: position, content: .rejected(error))
        }
    }

    private func makeComposer(_ columns: [String]) throws(RecordError) -> RowComposer {
        guard case .table(_, let mapping) = task.format else { throw .databaseUnavailable }
        return try RowComposer(mapping, columns: columns, timeZones: Self.timeZone)
    }

    /// Finds a time zone by its IANA name; `nil` if the system does not have it.
    static func timeZone(_ name: String) -> TimeZoneRules? {
        TimeZoneDirectory.file(name).flatMap { try? TimeZoneRules(file: $0) }
    }

    // MARK: Bytes

    /// Gives the next bytes of the file to the reader.
    private func readPiece() throws(RecordError) {
        let count = try Self.read(file, &piece)
        guard count > 0 else {
            lines?.finish()
            table.finish()
            return
        }
        piece.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
            if lines == nil { table.append(bytes) } else { lines?.append(bytes) }
        }
    }

    /// Reads the next bytes of a file, and returns their number; 0 at the end.
    static func read(_ file: OpenAssetFile, _ piece: inout [UInt8]) throws(RecordError) -> Int {
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(file.descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw RecordError(AssetFileError.last("read")) }
            return count
        }
    }

    /// Reads the first bytes of a file.
    ///
    /// - Parameter most: The most bytes to read.
    static func beginning(of file: OpenAssetFile, _ most: Int) throws(RecordError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < most {
            var piece = [UInt8](repeating: 0, count: most - bytes.count)
            let count = try read(file, &piece)
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Reads the last bytes of a file.
    ///
    /// - Parameter most: The most bytes to read.
    static func ending(of file: OpenAssetFile, _ most: Int) throws(RecordError) -> [UInt8] {
        guard lseek(file.descriptor, off_t(max(0, file.size - Int64(most))), SEEK_SET) >= 0 else {
            throw RecordError(AssetFileError.last("lseek"))
        }
        return try beginning(of: file, most)
    }

    /// Opens the file of a job. A file in another encoding is decoded first.
    ///
    /// - Throws: NOT_FOUND if the file is gone; BAD_REQUEST if it is not in its encoding; INTERNAL_ERROR.
    static func file(
        of job: String, _ task: ImportTask, in database: RecordDatabase
    ) throws(RecordError) -> OpenAssetFile {
        let files = database.assetStore.jobFiles
        let isUTF8 = task.encoding ?? .utf8 == .utf8
        if let file = try open(isUTF8 ? .source : .text, of: job, in: files) { return file }
        guard !isUTF8, let source = try open(.source, of: job, in: files) else {
            throw RecordError(.notFound, "The file of the import is gone. Upload it again, and start a new import")
        }
        var decoder = try TextDecoder(task.encoding ?? .utf8)
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        var text: [UInt8] = []
        let output = try onDisk { () throws(AssetFileError) in try JobOutputFile(.text, of: job, in: files) }
        do throws(RecordError) {
            while true {
                let count = try read(source, &piece)
                if count == 0 { break }
                try piece.withUnsafeBufferPointer { bytes throws(RecordError) in
                    try decoder.decode(
                        UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count])), into: &text)
                }
                try database.assetStore.append(text, to: output, limits: database.limits)
                text.removeAll(keepingCapacity: true)
            }
            try decoder.finish()
            try onDisk { () throws(AssetFileError) in try output.keep() }
        } catch {
            // On a full disk, the next attempt is later.
            output.discard()
            throw error
        }
        return try Self.file(of: job, task, in: database)
    }

    private static func open(
        _ kind: JobFiles.Kind, of job: String, in files: JobFiles
    ) throws(RecordError) -> OpenAssetFile? {
        try onDisk { () throws(AssetFileError) in try files.open(kind, of: job) }
    }

    private static func onDisk<Value>(_ body: () throws(AssetFileError) -> Value) throws(RecordError) -> Value {
        do throws(AssetFileError) { return try body() } catch { throw RecordError(error) }
    }
}

extension RecordError {
    /// What a row is that was done before.
    fileprivate static let rowSkipped = RecordError(.exists, "The row was imported before")
}
