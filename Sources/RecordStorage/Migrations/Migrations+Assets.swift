/// Assets and uploads.
extension Migrations {
    /// The assets of ASSET fields. An asset exists if the table has its row. Cleanup deletes files without a row.
    static let assets = """
        -- file: the random number behind the hash in the file's name, so that no file is ever replaced.
        -- orphaned: since when no record has had it, in milliseconds since 1970; NULL while one has.
        -- format: 0 for what is no picture; else the picture's, with its measures.
        CREATE TABLE asset (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            hash BLOB NOT NULL UNIQUE,
            size INTEGER NOT NULL,
            file INTEGER NOT NULL,
            orphaned INTEGER,
            format INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            orientation INTEGER NOT NULL
        );
        CREATE INDEX asset_by_age ON asset (orphaned) WHERE orphaned IS NOT NULL;

        -- Which fields of which records have which asset.
        CREATE TABLE asset_link (
            record INTEGER NOT NULL,
            field INTEGER NOT NULL,
            asset INTEGER NOT NULL,
            PRIMARY KEY (record, field, asset)
        ) WITHOUT ROWID;
        CREATE INDEX asset_link_by_asset ON asset_link (asset);

        -- What receipts stand for: an upload, whose, and for which database. Until it is used it counts against a quota.
        CREATE TABLE asset_claim (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            asset INTEGER NOT NULL,
            uploader INTEGER NOT NULL,
            scope INTEGER NOT NULL,
            owner INTEGER NOT NULL,
            size INTEGER NOT NULL,
            content_type TEXT,
            filename TEXT,
            expires INTEGER NOT NULL,
            used INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX asset_claim_by_uploader ON asset_claim (uploader, size) WHERE used = 0;
        CREATE INDEX asset_claim_by_asset ON asset_claim (asset);
        CREATE INDEX asset_claim_by_expiry ON asset_claim (expires);

        -- Uploads in several requests. length: NULL until it is known; claim: once it is complete.
        CREATE TABLE resumable_upload (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            uploader INTEGER NOT NULL,
            scope INTEGER NOT NULL,
            owner INTEGER NOT NULL,
            length INTEGER,
            content_type TEXT,
            filename TEXT,
            metadata TEXT,
            expires INTEGER NOT NULL,
            claim INTEGER
        );
        CREATE INDEX resumable_upload_by_uploader ON resumable_upload (uploader);
        CREATE INDEX resumable_upload_by_expiry ON resumable_upload (expires);
        """

    /// Progress of resumable uploads, and an index for the sum of a user's unfinished uploads.
    static let resumableUploads = """
        -- offset: so many bytes of the file are synced. What lies behind them in the file is not to be trusted.
        ALTER TABLE resumable_upload ADD COLUMN offset INTEGER NOT NULL DEFAULT 0;
        DROP INDEX resumable_upload_by_uploader;
        CREATE INDEX resumable_upload_by_uploader ON resumable_upload (uploader, length, offset) WHERE claim IS NULL;
        """

    /// The sums of bytes for upload quotas. Without stored sums, each upload would add up thousands of
    /// rows.
    static let unusedAssets = """
        CREATE TABLE asset_unused (uploader INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
        INSERT INTO asset_unused SELECT uploader, sum(size) FROM asset_claim WHERE used = 0 GROUP BY uploader;
        DROP INDEX asset_claim_by_uploader;

        CREATE TRIGGER asset_claim_made AFTER INSERT ON asset_claim WHEN new.used = 0 BEGIN
            INSERT INTO asset_unused VALUES (new.uploader, new.size)
            ON CONFLICT (uploader) DO UPDATE SET bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER asset_claim_used AFTER UPDATE OF used ON asset_claim WHEN old.used = 0 AND new.used <> 0 BEGIN
            UPDATE asset_unused SET bytes = bytes - old.size WHERE uploader = old.uploader;
        END;
        CREATE TRIGGER asset_claim_gone AFTER DELETE ON asset_claim WHEN old.used = 0 BEGIN
            UPDATE asset_unused SET bytes = bytes - old.size WHERE uploader = old.uploader;
        END;
        """

    /// If no record of the uploader has an asset any longer, the asset counts against the uploader's quota again, for
    /// the same time as a new upload. So the last used claim of each uploader is kept.
    ///
    /// ```
    /// used  meaning                                        counts against the quota
    /// 0     no record has used the upload                  yes
    /// 1     a record has used it                           no
    /// 2     used, but all records have dropped the asset   yes
    /// 3     the last used claim, expired                   no
    /// ```
    static let assetsThatCountAgain = """
        DROP TRIGGER asset_claim_used;
        DROP TRIGGER asset_claim_gone;
        CREATE TRIGGER asset_claim_used AFTER UPDATE OF used ON asset_claim
        WHEN old.used IN (0, 2) AND new.used NOT IN (0, 2) BEGIN
            UPDATE asset_unused SET bytes = bytes - old.size WHERE uploader = old.uploader;
        END;
        CREATE TRIGGER asset_claim_counts AFTER UPDATE OF used ON asset_claim
        WHEN old.used NOT IN (0, 2) AND new.used IN (0, 2) BEGIN
            INSERT INTO asset_unused VALUES (new.uploader, new.size)
            ON CONFLICT (uploader) DO UPDATE SET bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER asset_claim_gone AFTER DELETE ON asset_claim WHEN old.used IN (0, 2) BEGIN
            UPDATE asset_unused SET bytes = bytes - old.size WHERE uploader = old.uploader;
        END;
        DROP INDEX asset_claim_by_expiry;
        CREATE INDEX asset_claim_by_expiry ON asset_claim (expires) WHERE used <> 3;
        UPDATE asset_claim SET used = 2 WHERE used = 1 AND id IN (
            SELECT max(asset_claim.id) FROM asset_claim JOIN asset ON asset.id = asset_claim.asset
            WHERE asset.orphaned IS NOT NULL GROUP BY asset.id, asset_claim.uploader);
        """

    /// An index that is fast for an asset with claims of many uploaders, and for an uploader with many claims.
    static let claimsOfUploaders = """
        DROP INDEX asset_claim_by_asset;
        CREATE INDEX asset_claim_by_asset ON asset_claim (asset, uploader);
        """
}
