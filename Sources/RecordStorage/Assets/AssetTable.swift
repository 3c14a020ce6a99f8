internal import Cryptography
package import RecordModel

/// Assets, their links and their claims, on the writer's connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class AssetTable {
    /// Finds assets on the same connection.
    package let reading: AssetFinder
    /// Resumable uploads on the same connection.
    package let resumables: ResumableUploadTable
    private let connection: Connection
    private let unused: RunningTotal<UserID>
    private let insertAsset: Statement
    private let insertClaim: Statement
    private let renewClaim: Statement
    private let useClaim: Statement
    private let forgetClaims: Statement
    private let reviveClaim: Statement
    private let settleClaims: Statement
    private let setOrphaned: Statement
    private let insertLink: Statement
    private let removeLink: Statement
    private let findLink: Statement
    private let ownLink: Statement
    private let anyLink: Statement
    private let linksOfRecord: Statement
    private let sizeOfRecord: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        reading = AssetFinder(connection)
        resumables = ResumableUploadTable(connection)
        unused = RunningTotal.ofUnusedAssets(connection)
        insertAsset = connection.prepare(
            """
            INSERT INTO asset (hash, size, file, orphaned, format, width, height, orientation)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id
            """)
        insertClaim = connection.prepare(
            """
            INSERT INTO asset_claim (asset, uploader, scope, owner, size, content_type, filename, expires)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id
            """)
        // Without INDEXED BY, SQLite may scan all claims of the uploader.
        renewClaim = connection.prepare(
            """
            UPDATE asset_claim SET expires = ?7, used = 0 WHERE id = (
                SELECT id FROM asset_claim INDEXED BY asset_claim_by_asset
                WHERE asset = ?1 AND uploader = ?2 AND scope = ?3 AND owner = ?4
                AND content_type IS ?5 AND filename IS ?6 AND used IN (0, 2) LIMIT 1)
            RETURNING id
            """)
        useClaim = connection.prepare(
            "UPDATE asset_claim SET used = 1 WHERE id = ?1 AND used IN (0, 2) RETURNING uploader, size")
        forgetClaims = connection.prepare(
            """
            DELETE FROM asset_claim INDEXED BY asset_claim_by_asset
            WHERE asset = (SELECT asset FROM asset_claim WHERE id = ?1)
            AND uploader = (SELECT uploader FROM asset_claim WHERE id = ?1) AND used = 3 AND id < ?1
            """)
        reviveClaim = connection.prepare(
            """
            UPDATE asset_claim SET used = 2, expires = ?3
            WHERE id = (
                SELECT max(id) FROM asset_claim INDEXED BY asset_claim_by_asset
                WHERE asset = ?1 AND uploader = ?2 AND used IN (1, 3))
            AND NOT EXISTS (
                SELECT 1 FROM asset_claim INDEXED BY asset_claim_by_asset
                WHERE asset = ?1 AND uploader = ?2 AND used IN (0, 2))
            RETURNING uploader, size
            """)
        settleClaims = connection.prepare(
            """
            UPDATE asset_claim INDEXED BY asset_claim_by_asset SET used = 1
            WHERE asset = ?1 AND uploader = ?2 AND used = 2
            RETURNING uploader, size
            """)
        setOrphaned = connection.prepare("UPDATE asset SET orphaned = ?2 WHERE id = ?1")
        insertLink = connection.prepare(
            "INSERT OR IGNORE INTO asset_link (record, field, asset) VALUES (?1, ?2, ?3)")
        removeLink = connection.prepare(
            "DELETE FROM asset_link WHERE record = ?1 AND field = ?2 AND asset = ?3")
        findLink = connection.prepare(
            "SELECT 1 FROM asset_link WHERE record = ?1 AND field = ?2 AND asset = ?3")
        // At most 1,000 links are checked. An asset with that many links cannot be used to fill the disk.
        ownLink = connection.prepare(
            """
            SELECT 1 FROM (SELECT record FROM asset_link WHERE asset = ?1 LIMIT 1000) AS link
            JOIN record ON record.id = link.record JOIN zone ON zone.id = record.zone
            WHERE CASE zone.scope WHEN 0 THEN record.creator ELSE zone.owner END = ?2 LIMIT 1
            """)
        anyLink = connection.prepare("SELECT 1 FROM asset_link WHERE asset = ?1 LIMIT 1")
        sizeOfRecord = connection.prepare(
            """
            SELECT sum(asset.size) FROM asset_link JOIN asset ON asset.id = asset_link.asset
            WHERE asset_link.record = ?1
            """)
        linksOfRecord = connection.prepare("SELECT field, asset FROM asset_link WHERE record = ?1")
    }

    // MARK: Uploads

    /// Adds an asset whose file is durable. No record has it yet.
    ///
    /// - Returns: The ID of the new asset.
    package func insert(_ row: AssetRow) throws(RecordError) -> Int64 {
        try insertAsset
            .with(row.hash, row.size, row.file, row.orphaned)
            .with(from: 5, row.picture.format, row.picture.width, row.picture.height, row.picture.orientation)
            .returnedNumber()
    }

    /// Replaces the file of an asset. The new file must be durable.
    package func replace(_ asset: Int64, file: Int64) throws(RecordError) {
        try connection.prepare("UPDATE asset SET file = ?2 WHERE id = ?1").with(asset, file).run()
    }

    /// Adds the claim of an upload, or renews the claim of an identical earlier upload.
    ///
    /// - Returns: The claim's ID, which the upload token carries.
    package func claim(_ claim: AssetClaim, size: Int64) throws(RecordError) -> Int64 {
        let renewed: [Int64] = try renewClaim.with(
            claim.asset, claim.uploader, claim.scope, claim.owner, claim.contentType, claim.filename, claim.expires
        ).rows { $0.next() }
        if let id = renewed.first { return id }
        let id =
            try insertClaim
            .with(claim.asset, claim.uploader, claim.scope, claim.owner, size, claim.contentType, claim.filename)
            .with(from: 8, claim.expires).returnedNumber()
        try unused.add(size, to: claim.uploader)
        return id
    }

    /// Marks a claim as used after a record got the asset. The upload then no longer counts against the upload quota.
    package func use(claim id: Int64) throws(RecordError) {
        try unused.subtract(rowsOf: useClaim.with(id))
        // This claim is now the last used claim. Older claims that were kept as the last used claim are deleted.
        try forgetClaims.with(id).run()
    }

    // MARK: Links

    /// Returns whether a field of a record has an asset.
    package func isLinked(record: RecordNumber, field: Int, asset: Int64) throws(RecordError) -> Bool {
        try findLink.with(record, field, asset).exists()
    }

    /// Adds a link from a field of a record to an asset.
    ///
    /// - Parameter owner: The account that the record counts for.
    /// - Returns: Whether the link is new.
    package func link(record: RecordNumber, of owner: UserID, field: Int, asset: Int64) throws(RecordError) -> Bool {
        let isNew = try insertLink.with(record, field, asset).changedRows() > 0
        try mark(asset, orphaned: nil)
        try unused.subtract(rowsOf: settleClaims.with(asset, owner))
        return isNew
    }

    /// Removes a link. If no other record of the owner has the asset, and the owner uploaded it, the asset counts
    /// against the owner's upload quota again until `end`. Otherwise uploads that are linked and immediately unlinked
    /// could fill the disk outside of every quota. Links of other owners are ignored, because the quota would reveal
    /// these links.
    ///
    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970. If this was the last link, `now` is stored as the time
    ///     since when no record has the asset.
    ///   - end: The time in milliseconds since 1970 until which the asset counts, unless a record gets the asset or the
    ///     asset is deleted before.
    /// - Returns: Whether the link existed.
    package func unlink(
        record: RecordNumber, of owner: UserID, field: Int, asset: Int64, now: Int64, end: Int64
    ) throws(RecordError) -> Bool {
        let wasThere = try removeLink.with(record, field, asset).changedRows() > 0
        if try !hasLinks(asset) { try mark(asset, orphaned: now) }
        guard try !hasLinks(asset, of: owner) else { return wasThere }
        try unused.add(rowsOf: reviveClaim.with(asset, owner, end))
        return wasThere
    }

    private func hasLinks(_ asset: Int64, of owner: UserID) throws(RecordError) -> Bool {
        try ownLink.with(asset, owner).exists()
    }

    /// Removes all links of a record, as `unlink` does.
    package func unlinkAll(record: RecordNumber, of owner: UserID, now: Int64, end: Int64) throws(RecordError) {
        for (field, asset) in try links(of: record) {
            _ = try unlink(record: record, of: owner, field: field, asset: asset, now: now, end: end)
        }
    }

    /// Returns the links of a record.
    package func links(of record: RecordNumber) throws(RecordError) -> [(field: Int, asset: Int64)] {
        try linksOfRecord.with(record).rows { ($0.next(), $0.next()) }
    }

    /// Returns the sum of the bytes of all assets in a record's fields. An asset in two fields counts twice.
    package func linkedBytes(of record: RecordNumber) throws(RecordError) -> Int64 {
        try sizeOfRecord.with(record).number() ?? 0
    }

    /// Returns whether any record has an asset.
    package func hasLinks(_ asset: Int64) throws(RecordError) -> Bool {
        try anyLink.with(asset).exists()
    }

    /// Stores the time since when no record has an asset, in milliseconds since 1970; `nil` if a record has the asset.
    package func mark(_ asset: Int64, orphaned: Int64?) throws(RecordError) {
        try setOrphaned.with(asset, orphaned).run()
    }

    // MARK: Collection

    /// SQL for the bytes of a claim that count against a quota.
    static let unusedBytes = "CASE WHEN used IN (0, 2) THEN size ELSE 0 END"

    /// Deletes the rows and claims of assets that have been without a record since before `oldest` (milliseconds since
    /// 1970).
    ///
    /// - Parameter keepsUnusedUploads: Whether to keep assets with a claim that no record has used yet.
    /// - Returns: The files to delete after the commit. If there are fewer than `limit`, no such assets are left.
    package func collect(
        before oldest: Int64, limit: Int, keepsUnusedUploads: Bool = false
    ) throws(RecordError) -> [AssetFileName] {
        let spared = """
            AND NOT EXISTS (
                SELECT 1 FROM asset_claim INDEXED BY asset_claim_by_asset
                WHERE asset_claim.asset = asset.id AND used = 0)
            """
        let find = connection.prepare(
            """
            SELECT id, hash, file FROM asset INDEXED BY asset_by_age
            WHERE orphaned < ?1 \(keepsUnusedUploads ? spared : "") ORDER BY orphaned LIMIT ?2
            """)
        let found = try find.with(oldest, limit).rows { row -> (id: Int64, name: AssetFileName)? in
            let id = row.next(Int64.self)
            return Digest(row.nextBytes()).map { (id, AssetFileName(hash: $0, file: row.next())) }
        }.compactMap(\.self)
        let remove = connection.prepare("DELETE FROM asset WHERE id = ?1")
        let removeClaims = connection.prepare(
            "DELETE FROM asset_claim WHERE asset = ?1 RETURNING uploader, \(Self.unusedBytes)")
        for asset in found {
            try remove.with(asset.id).run()
            try unused.subtract(rowsOf: removeClaims.with(asset.id))
        }
        return found.map(\.name)
    }

    /// Deletes expired claims. The last used claim of each uploader and asset is kept (`used` = 3) until the asset is
    /// deleted.
    ///
    /// - Returns: The number of claims that were deleted or marked as kept.
    package func removeExpiredClaims(before now: Int64, limit: Int) throws(RecordError) -> Int {
        let find = connection.prepare(
            """
            SELECT id, used = 1 AND id = (
                SELECT max(id) FROM asset_claim AS other INDEXED BY asset_claim_by_asset
                WHERE other.asset = asset_claim.asset AND other.uploader = asset_claim.uploader AND other.used IN (1, 3))
            FROM asset_claim INDEXED BY asset_claim_by_expiry WHERE used <> 3 AND expires < ?1 LIMIT ?2
            """)
        let expired = try find.with(now, limit).rows { (id: $0.next(Int64.self), stays: $0.next(Bool.self)) }
        let keep = connection.prepare("UPDATE asset_claim SET used = 3 WHERE id = ?1")
        let remove = connection.prepare(
            "DELETE FROM asset_claim WHERE id = ?1 RETURNING uploader, \(Self.unusedBytes)")
        for claim in expired {
            // A used claim does not count against the quota, so the counter does not change.
            if claim.stays { try keep.with(claim.id).run() } else { try unused.subtract(rowsOf: remove.with(claim.id)) }
        }
        return expired.count
    }

}
