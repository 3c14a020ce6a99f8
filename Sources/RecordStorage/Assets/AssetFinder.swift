package import Cryptography
package import RecordModel

/// Finds assets and claims, on any connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class AssetFinder {
    private let findByHash: Statement
    private let findByID: Statement
    private let findClaim: Statement
    private let findUnused: Statement
    /// Finds resumable uploads.
    package let resumables: ResumableUploadFinder

    private static let columns = "id, hash, size, file, orphaned, format, width, height, orientation"

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        findByHash = connection.prepare("SELECT \(Self.columns) FROM asset WHERE hash = ?1")
        findByID = connection.prepare("SELECT \(Self.columns) FROM asset WHERE id = ?1")
        findClaim = connection.prepare(
            """
            SELECT id, asset, uploader, scope, owner, content_type, filename, expires FROM asset_claim WHERE id = ?1
            """)
        resumables = ResumableUploadFinder(connection)
        findUnused = connection.prepare("SELECT bytes FROM asset_unused WHERE uploader = ?1")
    }

    /// Returns the asset whose content has this SHA-256; `nil` if there is none.
    package func find(_ hash: Digest) throws(RecordError) -> AssetRow? {
        try findByHash.with(hash).row { AssetRow(&$0) } ?? nil
    }

    /// Returns the asset with this ID; `nil` if there is none.
    package func find(id: Int64) throws(RecordError) -> AssetRow? {
        try findByID.with(id).row { AssetRow(&$0) } ?? nil
    }

    /// Returns the claim with this ID; `nil` if there is none.
    package func claim(_ id: Int64) throws(RecordError) -> AssetClaim? {
        try findClaim.with(id).row { row in
            AssetClaim(
                id: row.next(), asset: row.next(), uploader: row.next(), scope: row.next(), owner: row.next(),
                contentType: row.next(), filename: row.next(), expires: row.next())
        }
    }

    /// Returns the bytes that count against a user's upload quota: uploads that no record has used, and unfinished
    /// uploads.
    package func unusedBytes(of uploader: UserID) throws(RecordError) -> Int64 {
        try (findUnused.with(uploader).number() ?? 0) + resumables.unfinished(of: uploader).bytes
    }
}

extension AssetRow {
    /// Reads a row with the columns of `AssetFinder`; `nil` if the stored hash is damaged.
    init?(_ row: inout Columns) {
        let id = row.next(Int64.self)
        guard let hash = Digest(row.nextBytes()) else { return nil }
        self.init(
            id: id, hash: hash, size: row.next(), file: row.next(), orphaned: row.next(),
            picture: PictureColumns(
                format: row.next(), width: row.next(), height: row.next(), orientation: row.next()))
    }
}
