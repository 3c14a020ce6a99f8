/// Usage counters.
extension Migrations {
    /// The usage counters of accounts; see `UsageLedger`.
    static let usage = """
        CREATE TABLE usage (
            owner INTEGER PRIMARY KEY,
            records INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            asset_bytes INTEGER NOT NULL
        );
        INSERT INTO usage \(usageSums);
        INSERT INTO usage SELECT -1, coalesce(sum(records), 0), coalesce(sum(bytes), 0), coalesce(sum(asset_bytes), 0)
            FROM usage;
        """

    /// A query with a row for each account that has records: the account's number, and the count, bytes and asset bytes
    /// of its records.
    ///
    /// LIMIT prevents SQLite from flattening the inner query into the outer query. So SQLite sorts a few numbers per
    /// record instead of the fields (measured: 670 MB for a million records without it).
    static let usageSums = """
        SELECT owner, sum(records) AS records, sum(bytes) AS bytes, sum(asset_bytes) AS asset_bytes FROM (
            SELECT CASE zone.scope WHEN 0 THEN record.creator ELSE zone.owner END AS owner, 1 AS records,
                length(CAST(record.fields AS BLOB)) + length(record.layout)
                + coalesce((SELECT sum(length(CAST(value AS BLOB))) FROM large_value WHERE large_value.record = record.id), 0)
                AS bytes,
                coalesce((SELECT sum(asset.size) FROM asset_link JOIN asset ON asset.id = asset_link.asset
                    WHERE asset_link.record = record.id), 0) AS asset_bytes
            FROM record JOIN zone ON zone.id = record.zone WHERE record.deleted = 0 LIMIT -1)
        GROUP BY owner
        """

    /// The usage in the public database, in separate columns. Writes of other users are checked against these
    /// columns only. Otherwise another user could measure the owner's private records.
    static let publicUsage = """
        ALTER TABLE usage ADD COLUMN public_records INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE usage ADD COLUMN public_bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE usage ADD COLUMN public_asset_bytes INTEGER NOT NULL DEFAULT 0;
        \(addUpUsage)
        """

    static let usageColumns = "records, bytes, asset_bytes, public_records, public_bytes, public_asset_bytes"

    /// SQL that recomputes all counters. The doctor computes the counters in the same way.
    static let addUpUsage = """
        DELETE FROM usage;
        INSERT INTO usage (owner, \(usageColumns)) \(allUsageSums);
        INSERT INTO usage (owner, \(usageColumns)) SELECT -1, coalesce(sum(records), 0), coalesce(sum(bytes), 0),
            coalesce(sum(asset_bytes), 0), coalesce(sum(public_records), 0), coalesce(sum(public_bytes), 0),
            coalesce(sum(public_asset_bytes), 0) FROM usage;
        """

    /// The query `usageSums` with additional columns for the sums of the public database.
    static let allUsageSums = """
        SELECT owner, sum(records) AS records, sum(bytes) AS bytes, sum(asset_bytes) AS asset_bytes,
            sum(records * is_public) AS public_records, sum(bytes * is_public) AS public_bytes,
            sum(asset_bytes * is_public) AS public_asset_bytes
        FROM (
            SELECT CASE zone.scope WHEN 0 THEN record.creator ELSE zone.owner END AS owner, zone.scope = 0 AS is_public,
                1 AS records,
                length(CAST(record.fields AS BLOB)) + length(record.layout)
                + coalesce((SELECT sum(length(CAST(value AS BLOB))) FROM large_value WHERE large_value.record = record.id), 0)
                AS bytes,
                coalesce((SELECT sum(asset.size) FROM asset_link JOIN asset ON asset.id = asset_link.asset
                    WHERE asset_link.record = record.id), 0) AS asset_bytes
            FROM record JOIN zone ON zone.id = record.zone WHERE record.deleted = 0 LIMIT -1)
        GROUP BY owner
        """
}
