internal import Cryptography
package import RecordModel

/// Assets, who has them, and who has uploaded them: the writer's side.
package final class AssetTable {
    package let reading: AssetReading
    /// Uploads in several requests.
    package let resumables: ResumableUploadTable
    private let connection: Connection
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

    package init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        reading = try AssetReading(connection)
        resumables = try ResumableUploadTable(connection)
        insertAsset = try connection.prepare(
            """
            INSERT INTO asset (hash, size, file, orphaned, format, width, height, orientation)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id
            """)
        insertClaim = try connection.prepare(
            """
            INSERT INTO asset_claim (asset, uploader, scope, owner, size, content_type, filename, expires)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id
            """)
        // Claims are found by asset and uploader: left to itself, SQLite may walk through all that the uploader has uploaded.
        renewClaim = try connection.prepare(
            """
            UPDATE asset_claim SET expires = ?7, used = 0 WHERE id = (
                SELECT id FROM asset_claim INDEXED BY asset_claim_by_asset
                WHERE asset = ?1 AND uploader = ?2 AND scope = ?3 AND owner = ?4
                AND content_type IS ?5 AND filename IS ?6 AND used IN (0, 2) LIMIT 1)
            RETURNING id
            """)
        useClaim = try connection.prepare("UPDATE asset_claim SET used = 1 WHERE id = ?1 AND used IN (0, 2)")
        forgetClaims = try connection.prepare(
            """
            DELETE FROM asset_claim INDEXED BY asset_claim_by_asset
            WHERE asset = (SELECT asset FROM asset_claim WHERE id = ?1)
            AND uploader = (SELECT uploader FROM asset_claim WHERE id = ?1) AND used = 3 AND id < ?1
            """)
        reviveClaim = try connection.prepare(
            """
            UPDATE asset_claim SET used = 2, expires = ?3
            WHERE id = (
                SELECT max(id) FROM asset_claim INDEXED BY asset_claim_by_asset
                WHERE asset = ?1 AND uploader = ?2 AND used IN (1, 3))
            AND NOT EXISTS (
                SELECT 1 FROM asset_claim INDEXED BY asset_claim_by_asset
                WHERE asset = ?1 AND uploader = ?2 AND used IN (0, 2))
            """)
        settleClaims = try connection.prepare(
            """
            UPDATE asset_claim INDEXED BY asset_claim_by_asset SET used = 1
            WHERE asset = ?1 AND uploader = ?2 AND used = 2
            """)
        setOrphaned = try connection.prepare("UPDATE asset SET orphaned = ?2 WHERE id = ?1")
        insertLink = try connection.prepare(
            "INSERT OR IGNORE INTO asset_link (record, field, asset) VALUES (?1, ?2, ?3)")
        removeLink = try connection.prepare(
            "DELETE FROM asset_link WHERE record = ?1 AND field = ?2 AND asset = ?3")
        findLink = try connection.prepare(
            "SELECT 1 FROM asset_link WHERE record = ?1 AND field = ?2 AND asset = ?3")
        // A file that a thousand records have fills no disk: no more are looked at.
        ownLink = try connection.prepare(
            """
            SELECT 1 FROM (SELECT record FROM asset_link WHERE asset = ?1 LIMIT 1000) AS link
            JOIN record ON record.id = link.record JOIN zone ON zone.id = record.zone
            WHERE CASE zone.scope WHEN 0 THEN record.creator ELSE zone.owner END = ?2 LIMIT 1
            """)
        anyLink = try connection.prepare("SELECT 1 FROM asset_link WHERE asset = ?1 LIMIT 1")
        sizeOfRecord = try connection.prepare(
            """
            SELECT sum(asset.size) FROM asset_link JOIN asset ON asset.id = asset_link.asset
            WHERE asset_link.record = ?1
            """)
        linksOfRecord = try connection.prepare("SELECT field, asset FROM asset_link WHERE record = ?1")
    }

    // MARK: Uploads

    /// Adds an asset whose file is there, durably. Nobody has it yet.
    package func insert(_ row: AssetRow) throws(RecordError) -> Int64 {
        row.hash.withUnsafeBytes { insertAsset.bind(1, blob: $0) }
        insertAsset.bind(2, row.size)
        insertAsset.bind(3, row.file)
        insertAsset.bind(4, row.orphaned)
        insertAsset.bind(5, row.picture.format)
        insertAsset.bind(6, row.picture.width)
        insertAsset.bind(7, row.picture.height)
        insertAsset.bind(8, row.picture.orientation)
        return try insertAsset.returnedNumber()
    }

    /// Gives an asset another file, which is there, durably.
    package func replace(_ asset: Int64, file: Int64) throws(RecordError) {
        let update = try connection.prepare("UPDATE asset SET file = ?2 WHERE id = ?1")
        update.bind(1, asset)
        update.bind(2, file)
        try update.run()
    }

    /// Notes an upload, or that the same one came again; its number is the receipt's.
    package func claim(_ claim: AssetClaim, size: Int64) throws(RecordError) -> Int64 {
        for statement in [renewClaim, insertClaim] {
            statement.bind(1, claim.asset)
            statement.bind(2, claim.uploader)
            statement.bind(3, claim.scope)
            statement.bind(4, claim.owner)
        }
        renewClaim.bind(5, optionalText: claim.contentType)
        renewClaim.bind(6, optionalText: claim.filename)
        renewClaim.bind(7, claim.expires)
        do {
            defer { renewClaim.reset() }
            if try renewClaim.step() {
                let id = renewClaim.integer(0)
                while try renewClaim.step() {}
                return id
            }
        }
        insertClaim.bind(5, size)
        insertClaim.bind(6, optionalText: claim.contentType)
        insertClaim.bind(7, optionalText: claim.filename)
        insertClaim.bind(8, claim.expires)
        return try insertClaim.returnedNumber()
    }

    /// A record has what was uploaded: it counts against no quota any more.
    package func use(claim id: Int64) throws(RecordError) {
        useClaim.bind(1, id)
        try useClaim.run()
        // It is the last one now.
        forgetClaims.bind(1, id)
        try forgetClaims.run()
    }

    // MARK: Links

    package func isLinked(record: Int64, field: Int, asset: Int64) throws(RecordError) -> Bool {
        findLink.bind(1, record)
        findLink.bind(2, Int64(field))
        findLink.bind(3, asset)
        defer { findLink.reset() }
        return try findLink.step()
    }

    /// - Parameter owner: Whose record it is.
    ///
    /// - Returns: Whether it was not there.
    package func link(record: Int64, of owner: Int64, field: Int, asset: Int64) throws(RecordError) -> Bool {
        insertLink.bind(1, record)
        insertLink.bind(2, Int64(field))
        insertLink.bind(3, asset)
        try insertLink.run()
        let isNew = connection.changes > 0
        try mark(asset, orphaned: nil)
        settleClaims.bind(1, asset)
        settleClaims.bind(2, owner)
        try settleClaims.run()
        return isNew
    }

    /// Takes a link away. When it was the last one of its owner's records, the asset counts again for the owner who had
    /// uploaded it, for as long as an upload does: else uploads that come and go at once would fill the disk beside every
    /// quota. Whatever others have does not matter, or the quota would tell of it.
    ///
    /// - Parameters:
    ///   - now: Since when nobody has the asset, if this was the last link of all.
    ///   - end: Until when it counts, if a record does not have it before or it is collected.
    package func unlink(
        record: Int64, of owner: Int64, field: Int, asset: Int64, now: Int64, end: Int64
    ) throws(RecordError) -> Bool {
        removeLink.bind(1, record)
        removeLink.bind(2, Int64(field))
        removeLink.bind(3, asset)
        try removeLink.run()
        let wasThere = connection.changes > 0
        if try !hasLinks(asset) { try mark(asset, orphaned: now) }
        guard try !hasLinks(asset, of: owner) else { return wasThere }
        reviveClaim.bind(1, asset)
        reviveClaim.bind(2, owner)
        reviveClaim.bind(3, end)
        try reviveClaim.run()
        return wasThere
    }

    private func hasLinks(_ asset: Int64, of owner: Int64) throws(RecordError) -> Bool {
        ownLink.bind(1, asset)
        ownLink.bind(2, owner)
        defer { ownLink.reset() }
        return try ownLink.step()
    }

    /// Takes away all links of a record.
    package func unlinkAll(record: Int64, of owner: Int64, now: Int64, end: Int64) throws(RecordError) {
        for (field, asset) in try links(of: record) {
            _ = try unlink(record: record, of: owner, field: field, asset: asset, now: now, end: end)
        }
    }

    package func links(of record: Int64) throws(RecordError) -> [(field: Int, asset: Int64)] {
        linksOfRecord.bind(1, record)
        defer { linksOfRecord.reset() }
        var links: [(field: Int, asset: Int64)] = []
        while try linksOfRecord.step() {
            links.append((Int(linksOfRecord.integer(0)), linksOfRecord.integer(1)))
        }
        return links
    }

    /// The bytes of all assets that a record's fields have; one that two fields have counts twice.
    package func linkedBytes(of record: Int64) throws(RecordError) -> Int64 {
        sizeOfRecord.bind(1, record)
        defer { sizeOfRecord.reset() }
        return try sizeOfRecord.step() ? sizeOfRecord.integer(0) : 0
    }

    package func hasLinks(_ asset: Int64) throws(RecordError) -> Bool {
        anyLink.bind(1, asset)
        defer { anyLink.reset() }
        return try anyLink.step()
    }

    /// Says since when nobody has had an asset; `nil` for one that a record has.
    package func mark(_ asset: Int64, orphaned: Int64?) throws(RecordError) {
        setOrphaned.bind(1, asset)
        setOrphaned.bind(2, orphaned)
        try setOrphaned.run()
    }

    // MARK: Collection

    /// Takes away the rows of assets that nobody has had since before a time, with what receipts say of them.
    ///
    /// - Parameter sparesUploads: Leaves assets alone that somebody has uploaded and no record of theirs has had yet.
    /// - Returns: Whose files may go when this is committed; fewer than `limit` means that none are left.
    package func collect(
        before oldest: Int64, limit: Int, sparesUploads: Bool = false
    ) throws(RecordError) -> [AssetFileName] {
        let spared = """
            AND NOT EXISTS (
                SELECT 1 FROM asset_claim INDEXED BY asset_claim_by_asset
                WHERE asset_claim.asset = asset.id AND used = 0)
            """
        let find = try connection.prepare(
            """
            SELECT id, hash, file FROM asset INDEXED BY asset_by_age
            WHERE orphaned < ?1 \(sparesUploads ? spared : "") ORDER BY orphaned LIMIT ?2
            """)
        find.bind(1, oldest)
        find.bind(2, Int64(limit))
        var found: [(id: Int64, name: AssetFileName)] = []
        while try find.step() {
            guard let hash = Digest(find.bytes(1)) else { continue }
            found.append((find.integer(0), AssetFileName(hash: hash, file: find.integer(2))))
        }
        let remove = try connection.prepare("DELETE FROM asset WHERE id = ?1")
        let removeClaims = try connection.prepare("DELETE FROM asset_claim WHERE asset = ?1")
        for asset in found {
            remove.bind(1, asset.id)
            try remove.run()
            removeClaims.bind(1, asset.id)
            try removeClaims.run()
        }
        return found.map(\.name)
    }

    /// Takes away receipts that have expired. The last claim that somebody has used of an asset stays, and goes with it.
    package func removeExpiredClaims(before now: Int64, limit: Int) throws(RecordError) -> Int {
        let find = try connection.prepare(
            """
            SELECT id, used = 1 AND id = (
                SELECT max(id) FROM asset_claim AS other INDEXED BY asset_claim_by_asset
                WHERE other.asset = asset_claim.asset AND other.uploader = asset_claim.uploader AND other.used IN (1, 3))
            FROM asset_claim INDEXED BY asset_claim_by_expiry WHERE used <> 3 AND expires < ?1 LIMIT ?2
            """)
        find.bind(1, now)
        find.bind(2, Int64(limit))
        var expired: [(id: Int64, stays: Bool)] = []
        while try find.step() { expired.append((find.integer(0), find.integer(1) != 0)) }
        let keep = try connection.prepare("UPDATE asset_claim SET used = 3 WHERE id = ?1")
        let remove = try connection.prepare("DELETE FROM asset_claim WHERE id = ?1")
        for claim in expired {
            let statement = claim.stays ? keep : remove
            statement.bind(1, claim.id)
            try statement.run()
        }
        return expired.count
    }

}
