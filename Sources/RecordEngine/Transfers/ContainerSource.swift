internal import Cryptography
internal import Encodings
internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// What the file of a container has besides records and files.
enum ContainerPart: Sendable {
    case account(ContainerLine.AccountLine)
    case role(name: RoleName, members: [String])
    case zone(ZoneName, owner: UserRecordName, created: Int64?)
    case schema(SchemaDocument)
}

/// Makes rows of the lines of a container, and keeps the files that are in it.
///
/// Confined: the import's source calls it.
final class ContainerSource {
    private let keepsFiles: Bool
    private let database: RecordDatabase?
    private var incoming: IncomingFile?
    private var files: [StoredAssetFile] = []
    /// The number of lines of each kind so far, and whether the last line was read.
    private var counts = [Int64](repeating: 0, count: counted.count)
    private var isAtEnd = false

    /// The kinds of lines that the last line counts, by its members.
    private static let counted = [
        ("accounts", "account"), ("roles", "role"), ("zones", "zone"), ("files", "file"), ("records", "record"),
    ].map { (member: $0, kind: Array($1.utf8)) }

    /// A file whose bytes are being read.
    private struct IncomingFile {
        let line: Int
        let hash: Digest
        let size: Int64
        var read: Int64 = 0
        let hasher = SHA256Hasher()
        /// The file on the disk, and its name among the uploads in progress; `nil` if only the bytes are checked.
        let kept: (writer: AssetFileWriter, name: String)?
    }

    /// The bytes at the end of a file that must have the last line, and those at the beginning that must have the first.
    private static let lastBytes = 4_096

    /// - Parameter keepsFiles: Whether files are kept, or only checked.
    init(keepsFiles: Bool, in database: RecordDatabase?) {
        (self.keepsFiles, self.database) = (keepsFiles, database)
    }

    deinit { abandon() }

    /// Returns the files that were read completely since the last call.
    func takeFiles() -> [StoredAssetFile] {
        defer { files = [] }
        return files
    }

    /// Counts a line, also one that was imported before.
    func count(_ line: [UInt8]) {
        let kind = ContainerLine.kind(of: line)
        guard let position = Self.counted.firstIndex(where: { kind.elementsEqual($0.kind) }) else { return }
        counts[position] += 1
    }

    /// Compares the numbers of the last line with those of the lines.
    ///
    /// - Throws: BAD_REQUEST if lines are missing.
    private func check(_ end: JSONValue) throws(RecordError) {
        for (found, (member, kind)) in zip(counts, Self.counted) {
            guard let wanted = end[member]?.integer else { continue }
            guard wanted == found else {
                throw .badRequest(
                    "The file has \(found) lines of the kind '\(String(decoding: kind, as: UTF8.self))', and its last line counts \(wanted). What the file has is imported",
                    details: [("path", .text("end.\(member)"))])
            }
        }
    }

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - number: The number of the line, from 1.
    ///   - end: The offset behind the line.
    /// - Returns: A row to write or to report; `nil` if there is none.
    /// - Throws: BAD_REQUEST for a file of another version, or for a schema that is none; INTERNAL_ERROR if the disk fails.
    func row(_ number: Int, _ bytes: [UInt8], end: Int64) throws(RecordError) -> ImportRow? {
        let line: ContainerLine
        do throws(RecordError) { line = try ContainerLine.read(bytes) } catch {
            return ImportRow(line: number, end: end, content: .rejected(error))
        }
        if isAtEnd {
            return ImportRow(line: number, end: end, content: .rejected(.lineAfterEnd))
        }
        if case .data(let text) = line { return try append(text, number, end) }
        if let file = incoming {
            // Every export has the lines of a file together, so this one was edited, and the line here is lost too.
            abandon()
            let error = RecordError.badRequest(
                "The file has \(file.size) bytes, and the 'data' lines behind it only \(file.read). The line behind them is skipped too",
                details: [("path", .text("file.size"))])
            return ImportRow(line: file.line, end: end, content: .rejected(error))
        }
        switch line {
        case .head(let head): try Self.check(head)
        case .file(let checksum, let size):
            guard let hash = Digest(base64: checksum) else {
                return ImportRow(line: number, end: end, content: .rejected(.checksumMalformed))
            }
            try begin(hash, size, number)
            if size == 0 { return try finish(end) }
        case .account(let account): return ImportRow(line: number, end: end, content: .part(.account(account)))
        case .role(let name, let members):
            return ImportRow(line: number, end: end, content: .part(.role(name: name, members: members)))
        case .zone(let name, let owner, let created):
            return ImportRow(line: number, end: end, content: .part(.zone(name, owner: owner, created: created)))
        case .schema(let value):
            // Without the schema, development would guess the types, and give them the standard grants. So a mistake in it
            // ends the import.
            return ImportRow(line: number, end: end, content: .part(.schema(try SchemaDocument(value))))
        case .record(let input, let owner, let zone):
            let operation = RecordOperation(
                .create, typeName: input.recordType, isTypeInPath: false, recordName: input.recordName, input: input)
            return ImportRow(
                line: number, end: end, content: .operation(operation), place: RecordPlace(owner: owner, zone: zone))
        case .data: break
        case .end(let counts):
            isAtEnd = true
            try check(counts)
        }
        return nil
    }

    // MARK: Files

    private func begin(_ hash: Digest, _ size: Int64, _ line: Int) throws(RecordError) {
        var kept: (AssetFileWriter, String)?
        if keepsFiles, let database {
            try database.assetStore.reserveSpace(size, limits: database.limits)
            database.assetStore.releaseSpace(size)
            let name = Hex.encode(RandomBytes.make(16))
            database.assetStore.begin(name)
            kept = (AssetFileWriter(new: name, in: database.assetStore.directory), name)
        }
        incoming = IncomingFile(line: line, hash: hash, size: size, kept: kept)
    }

    private func append(_ text: String, _ number: Int, _ end: Int64) throws(RecordError) -> ImportRow? {
        guard let file = incoming else {
            return ImportRow(line: number, end: end, content: .rejected(.dataWithoutFile))
        }
        guard let bytes = Base64.decode(text), file.read + Int64(bytes.count) <= file.size else {
            abandon()
            return ImportRow(line: number, end: end, content: .rejected(.dataMalformed))
        }
        try onDisk { () throws(AssetFileError) in
            if let writer = file.kept?.writer { try writer.append(bytes) } else { file.hasher.update(bytes) }
        }
        incoming?.read += Int64(bytes.count)
        return file.read + Int64(bytes.count) == file.size ? try finish(end) : nil
    }

    private func finish(_ end: Int64) throws(RecordError) -> ImportRow? {
        guard let file = incoming else { return nil }
        guard let (writer, name) = file.kept, let database else {
            incoming = nil
            let isRight = file.hasher.finalize() == file.hash
            return isRight ? nil : ImportRow(line: file.line, end: end, content: .rejected(.fileDiffers))
        }
        let content = try onDisk { () throws(AssetFileError) in try AssetContent(of: writer) }
        guard content.hash == file.hash else {
            abandon()
            return ImportRow(line: file.line, end: end, content: .rejected(.fileDiffers))
        }
        let stored = StoredAssetFile(content, in: database.assetStore)
        do throws(RecordError) {
            try onDisk { () throws(AssetFileError) in try writer.keep(as: stored.name) }
        } catch {
            database.assetStore.end(stored.name.text)
            throw error
        }
        files.append(stored)
        database.assetStore.end(name)
        incoming = nil
        return nil
    }

    private func abandon() {
        if let (writer, name) = incoming?.kept {
            writer.discard()
            database?.assetStore.end(name)
        }
        incoming = nil
    }

    private func onDisk<Value>(_ body: () throws(AssetFileError) -> Value) throws(RecordError) -> Value {
        do throws(AssetFileError) { return try body() } catch {
            throw database?.assets.failure(error) ?? RecordError(error)
        }
    }

    // MARK: Whole files

    /// Checks that a file begins and ends as the file of a container, before anything of it is imported.
    ///
    /// - Throws: BAD_REQUEST; INTERNAL_ERROR.
    static func check(_ asset: AssetRow, in database: RecordDatabase) throws(RecordError) {
        let opened: OpenAssetFile?
        do throws(AssetFileError) { opened = try database.assetStore.directory.open(asset.name) } catch {
            throw database.assets.failure(error)
        }
        guard let opened else { throw .receiptRejected(field: "file") }
        _ = try ends(of: opened)
    }

    /// Reads the first and the last line.
    ///
    /// - Throws: BAD_REQUEST if the file is not a complete file of a container.
    static func ends(of file: OpenAssetFile) throws(RecordError) -> (head: JSONValue, counts: JSONValue) {
        let first = try ImportSource.beginning(of: file, lastBytes)
        let last = try ImportSource.ending(of: file, lastBytes)
        let line = UInt8(ascii: "\n")
        guard first.starts(with: ContainerLine.beginning),
            let head = (try? JSONValue.parse(Array(first.prefix { $0 != line })))?["fogbase"]
        else {
            throw .badRequest(
                "This is not the file of a container: its first line has no 'fogbase'. For a table or records of one type, name another format",
                details: [("path", .text("file"))])
        }
        try check(head)
        let lines = last.split(separator: line)
        guard let counts = lines.last.flatMap({ try? JSONValue.parse(Array($0)) })?["end"] else {
            throw .badRequest(
                "The file of the container is not complete: its last line is not 'end'. Export again, or get the rest of the file",
                details: [("path", .text("file"))])
        }
        return (head, counts)
    }

    private static func check(_ head: JSONValue) throws(RecordError) {
        guard head["version"]?.integer == ContainerLine.version else {
            throw .badRequest(
                "The file of the container has another version, and this server reads version \(ContainerLine.version)",
                details: [("path", .text("file"))])
        }
    }
}

extension RecordError {
    fileprivate static let checksumMalformed = RecordError.badRequest(
        "'fileChecksum' of 'file' is a SHA-256 digest in base64", details: [("path", .text("file.fileChecksum"))])
    fileprivate static let lineAfterEnd = RecordError.badRequest(
        "The line 'end' is the last one", details: [("path", .text("end"))])
    fileprivate static let dataWithoutFile = RecordError.badRequest(
        "A 'data' line belongs to the 'file' line before it, and there is none", details: [("path", .text("data"))])
    fileprivate static let dataMalformed = RecordError.badRequest(
        "The 'data' is not base64, or has more bytes than its 'file' says", details: [("path", .text("data"))])
    fileprivate static let fileDiffers = RecordError.badRequest(
        "The bytes of the file do not match its 'fileChecksum'", cause: .digestMismatch,
        details: [("path", .text("file.fileChecksum"))])
}
