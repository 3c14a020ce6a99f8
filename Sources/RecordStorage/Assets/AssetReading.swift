package import Cryptography
package import RecordModel

/// Finds assets, on any connection.
package final class AssetReading {
    private let findByHash: Statement
    private let findByID: Statement
    private let findClaim: Statement
    private let findUnused: Statement
    /// Uploads in several requests.
    package let resumables: ResumableUploadReading

    private static let columns = "id, hash, size, file, orphaned, format, width, height, orientation"

    package init(_ connection: Connection) throws(RecordError) {
        findByHash = try connection.prepare("SELECT \(Self.columns) FROM asset WHERE hash = ?1")
        findByID = try connection.prepare("SELECT \(Self.columns) FROM asset WHERE id = ?1")
        findClaim = try connection.prepare(
            """
            SELECT id, asset, uploader, scope, owner, content_type, filename, expires FROM asset_claim WHERE id = ?1
            """)
        resumables = try ResumableUploadReading(connection)
        findUnused = try connection.prepare("SELECT bytes FROM asset_unused WHERE uploader = ?1")
    }

    package func find(_ hash: Digest) throws(RecordError) -> AssetRow? {
        hash.withUnsafeBytes { findByHash.bind(1, blob: $0) }
        return try row(of: findByHash)
    }

    package func find(id: Int64) throws(RecordError) -> AssetRow? {
        findByID.bind(1, id)
        return try row(of: findByID)
    }

    package func claim(_ id: Int64) throws(RecordError) -> AssetClaim? {
        findClaim.bind(1, id)
        defer { findClaim.reset() }
        guard try findClaim.step() else { return nil }
        return AssetClaim(
            id: findClaim.integer(0), asset: findClaim.integer(1), uploader: findClaim.integer(2),
            scope: findClaim.integer(3), owner: findClaim.integer(4), contentType: findClaim.optionalText(5),
            filename: findClaim.optionalText(6), expires: findClaim.integer(7))
    }

    /// The bytes that somebody has uploaded and no record has had, and those of uploads that are not complete.
    package func unusedBytes(of uploader: Int64) throws(RecordError) -> Int64 {
        findUnused.bind(1, uploader)
        defer { findUnused.reset() }
        let unused = try findUnused.step() ? findUnused.integer(0) : 0
        return try unused + resumables.unfinished(of: uploader).bytes
    }

    private func row(of statement: Statement) throws(RecordError) -> AssetRow? {
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return AssetRow(statement)
    }
}

extension AssetRow {
    /// Reads a row with the columns of `AssetReading`.
    init?(_ statement: Statement) {
        guard let hash = Digest(statement.bytes(1)) else { return nil }
        self.init(
            id: statement.integer(0), hash: hash, size: statement.integer(2), file: statement.integer(3),
            orphaned: statement.optionalInteger(4),
            picture: PictureColumns(
                format: statement.integer(5), width: statement.integer(6), height: statement.integer(7),
                orientation: statement.integer(8)))
    }
}
