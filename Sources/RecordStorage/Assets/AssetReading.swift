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

    package init(_ connection: Connection) {
        findByHash = connection.prepare("SELECT \(Self.columns) FROM asset WHERE hash = ?1")
        findByID = connection.prepare("SELECT \(Self.columns) FROM asset WHERE id = ?1")
        findClaim = connection.prepare(
            """
            SELECT id, asset, uploader, scope, owner, content_type, filename, expires FROM asset_claim WHERE id = ?1
            """)
        resumables = ResumableUploadReading(connection)
        findUnused = connection.prepare("SELECT bytes FROM asset_unused WHERE uploader = ?1")
    }

    package func find(_ hash: Digest) throws(RecordError) -> AssetRow? {
        try findByHash.with(hash).row { AssetRow(&$0) } ?? nil
    }

    package func find(id: Int64) throws(RecordError) -> AssetRow? {
        try findByID.with(id).row { AssetRow(&$0) } ?? nil
    }

    package func claim(_ id: Int64) throws(RecordError) -> AssetClaim? {
        try findClaim.with(id).row { row in
            AssetClaim(
                id: row.next(), asset: row.next(), uploader: row.next(), scope: row.next(), owner: row.next(),
                contentType: row.next(), filename: row.next(), expires: row.next())
        }
    }

    /// The bytes that somebody has uploaded and no record has had, and those of uploads that are not complete.
    package func unusedBytes(of uploader: UserID) throws(RecordError) -> Int64 {
        try (findUnused.with(uploader).number() ?? 0) + resumables.unfinished(of: uploader).bytes
    }
}

extension AssetRow {
    /// Reads a row with the columns of `AssetReading`.
    init?(_ row: inout Columns) {
        let id = row.next(Int64.self)
        guard let hash = Digest(row.nextBytes()) else { return nil }
        self.init(
            id: id, hash: hash, size: row.next(), file: row.next(), orphaned: row.next(),
            picture: PictureColumns(
                format: row.next(), width: row.next(), height: row.next(), orientation: row.next()))
    }
}
