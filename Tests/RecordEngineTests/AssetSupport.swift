import Cryptography
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

extension TestDatabase {
    /// Uploads bytes, in pieces.
    ///
    /// - Parameter isAnnounced: Whether their number is known beforehand.
    func receive(
        _ bytes: [UInt8], as caller: Caller = .administrator(.bootstrap), in address: DatabaseAddress = .publicDefault,
        filename: String? = nil, contentType: String? = nil, isAnnounced: Bool = true, piece: Int = 1 << 16
    ) async throws -> ReceivedAsset {
        try reader.refresh()
        let upload = AssetUpload(
            caller: caller, address: address, contentType: contentType, filename: filename,
            length: isAnnounced ? Int64(bytes.count) : nil)
        return try await reader.assets.receive(pieces(of: bytes, piece), for: upload)
    }

    /// Like `receive`, but returns the value for records.
    @discardableResult
    func upload(
        _ bytes: [UInt8], as caller: Caller = .administrator(.bootstrap), in address: DatabaseAddress = .publicDefault,
        filename: String? = nil, contentType: String? = nil, isAnnounced: Bool = true, piece: Int = 1 << 16
    ) async throws -> Asset {
        try await receive(
            bytes, as: caller, in: address, filename: filename, contentType: contentType, isAnnounced: isAnnounced,
            piece: piece
        ).asset
    }

    private func pieces(of bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    /// The bytes of a field, as a download has them.
    func content(
        _ name: String, _ field: String = "file", index: Int = 0, type: String = "Post",
        as caller: Caller = .administrator(.bootstrap), in address: DatabaseAddress = .publicDefault
    ) throws -> [UInt8] {
        try reader.refresh()
        return try reader.assetBytes(name, field, index: index, type: type, as: caller, in: address)
    }

    /// The inconsistencies of this database's assets, between rows, links, files and records.
    func assetTroubles() throws -> [String] {
        try AssetAudit(directory).troubles()
    }
}

extension AssetReader {
    func receive(_ pieces: [[UInt8]], for upload: AssetUpload) async throws -> ReceivedAsset {
        var waiting = pieces[...]
        return try await receive(upload) { waiting.popFirst() }
    }
}

extension RecordReader {
    func assetBytes(
        _ name: String, _ field: String, index: Int = 0, type: String = "Post",
        as caller: Caller = .administrator(.bootstrap),
        in address: DatabaseAddress = .publicDefault
    ) throws -> [UInt8] {
        let content = try content(
            of: field, index: index, in: try #require(RecordName(name)), type: try #require(RecordTypeName(type)),
            at: address, for: caller)
        guard case .asset(let asset) = content else { throw AssetTestFailure.notAnAsset }
        return try asset.bytes()
    }
}

enum AssetTestFailure: Error { case notAnAsset, shortRead, stopped }

extension OpenAsset {
    /// All of it, by the descriptor.
    func bytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(size) + 1)
        var count = 0
        while true {
            let offset = count
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset, offset)
            }
            guard got >= 0 else { throw AssetTestFailure.shortRead }
            if got == 0 { break }
            count += got
        }
        guard count == size else { throw AssetTestFailure.shortRead }
        return Array(bytes[..<count])
    }
}

extension Asset {
    /// The value as in an upload's response; without the receipt as in a record.
    func json(receipt shown: Bool = true) -> String {
        var members = [#""fileChecksum":"\#(fileChecksum)""#, #""size":\#(size)"#]
        if let contentType { members.append(#""contentType":"\#(contentType)""#) }
        if let filename { members.append(#""filename":"\#(filename)""#) }
        if let picture {
            members.append(
                #""width":\#(picture.width),"height":\#(picture.height),"orientation":\#(picture.orientation)"#)
        }
        if shown, let receipt { members.append(#""receipt":"\#(receipt)""#) }
        return "{" + members.joined(separator: ",") + "}"
    }

    var stored: Asset {
        var asset = self
        asset.receipt = nil
        return asset
    }
}

extension Digest {
    init(of bytes: [UInt8]) { self = SHA256.hash(bytes) }
}

/// Sample content: the same for the same number, and different for different ones.
func sampleBytes(_ number: Int, count: Int = 1_000) -> [UInt8] {
    var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 &+ 7
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 40)
    }
}

/// Compares everything that a directory says about assets, read past the engine: the oracle of the tests of assets.
struct AssetAudit {
    struct Row {
        var hash: Digest
        var size: Int64
        var name: AssetFileName
        var orphaned: Int64?
    }

    struct Link: Hashable, CustomStringConvertible {
        var record: Int64
        var field: Int
        var hash: Digest

        var description: String { "record \(record) field \(field) asset \(hash.hex.prefix(8))" }
    }

    private(set) var rows: [Int64: Row] = [:]
    private(set) var links: Set<Link> = []
    /// Unused and used receipts.
    private(set) var claims: (unused: Int, used: Int) = (0, 0)
    /// The uploaded and unused bytes of uploaders, by the rows and by the stored sums.
    private(set) var unusedBytes: [Int64: Int64] = [:]
    private(set) var unusedSums: [Int64: Int64] = [:]
    /// Links to rows that are not there.
    private(set) var dangling = 0
    private(set) var values: Set<Link> = []
    /// Paths below `assets/`.
    private(set) var files: Set<String> = []
    let directory: AssetDirectory

    init(_ path: String) throws {
        directory = AssetDirectory(database: path)
        let connection = try Connection(path: DataDirectory.databasePath(in: path), role: .reader)
        try connection.execute("BEGIN")
        let assets = connection.prepare("SELECT id, hash, size, file, orphaned FROM asset")
        while try assets.step() {
            let hash = try #require(Digest(assets.blob(1)))
            rows[assets.integer(0)] = Row(
                hash: hash, size: assets.integer(2), name: AssetFileName(hash: hash, file: assets.integer(3)),
                orphaned: assets.isNull(4) ? nil : assets.integer(4))
        }
        let table = connection.prepare("SELECT record, field, asset FROM asset_link")
        while try table.step() {
            guard let row = rows[table.integer(2)] else {
                dangling += 1
                continue
            }
            links.insert(Link(record: table.integer(0), field: Int(table.integer(1)), hash: row.hash))
        }
        let records = connection.prepare("SELECT id, layout, fields FROM record WHERE deleted = 0")
        while try records.step() {
            let id = records.integer(0)
            let fields = StoredFields(text: records.blob(2), layout: records.blob(1))
            for (field, asset) in try fields.withView({ view throws(RecordError) in try view.assets() }) {
                values.insert(Link(record: id, field: field, hash: try #require(Digest(base64: asset.fileChecksum))))
            }
        }
        claims = (
            Int(try connection.integer("SELECT count(*) FROM asset_claim WHERE used IN (0, 2)") ?? 0),
            Int(try connection.integer("SELECT count(*) FROM asset_claim WHERE used IN (1, 3)") ?? 0)
        )
        let unused = connection.prepare(
            // An uploader that has only empty files left may have no sum, or a sum of zero.
            "SELECT uploader, sum(size) FROM asset_claim WHERE used IN (0, 2) GROUP BY uploader HAVING sum(size) <> 0")
        while try unused.step() { unusedBytes[unused.integer(0)] = unused.integer(1) }
        let sums = connection.prepare("SELECT uploader, bytes FROM asset_unused WHERE bytes <> 0")
        while try sums.step() { unusedSums[sums.integer(0)] = sums.integer(1) }
        try connection.execute("COMMIT")
        for name in directory.directories { files.formUnion(directory.names(in: name).map { name + "/" + $0 }) }
        files.formUnion(directory.names(in: "uploads").map { "uploads/" + $0 })
    }

    /// Of a database at rest.
    func troubles() -> [String] {
        var troubles: [String] = []
        if unusedBytes != unusedSums { troubles.append("unused: \(unusedBytes), by the sums \(unusedSums)") }
        if dangling > 0 { troubles.append("\(dangling) links to assets that are not there") }
        for link in values.subtracting(links) { troubles.append("no link for \(link)") }
        for link in links.subtracting(values) { troubles.append("a link without a value: \(link)") }
        let linked = Set(links.map(\.hash))
        var known: Set<String> = []
        for row in rows.values {
            known.insert(row.name.directory + "/" + row.name.text)
            if linked.contains(row.hash) != (row.orphaned == nil) {
                troubles.append("orphaned is \(String(describing: row.orphaned)) for \(row.hash.hex.prefix(8))")
            }
            guard let bytes = FileManager.default.contents(atPath: directory.path(of: row.name)) else {
                troubles.append("the file of \(row.hash.hex.prefix(8)) is missing")
                continue
            }
            if Digest(of: Array(bytes)) != row.hash || bytes.count != row.size {
                troubles.append("the file of \(row.hash.hex.prefix(8)) has other bytes")
            }
        }
        for file in files.subtracting(known) { troubles.append("nobody speaks of \(file)") }
        return troubles
    }
}
