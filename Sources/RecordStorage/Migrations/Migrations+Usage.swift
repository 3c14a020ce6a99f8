/// What accounts take.
extension Migrations {
    /// What accounts take, as sums: see `UsageLedger`.
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

    /// A row for each account that has records: its number, their count, bytes, and bytes of files.
    ///
    /// With a limit, the inner query is not flattened into the outer one, so what is sorted are a few numbers for each record
    /// and not its fields: a million records took 670 MB.
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

    /// What accounts take in the public database, besides: all that others are compared with who write their records.
    static let publicUsage = """
        ALTER TABLE usage ADD COLUMN public_records INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE usage ADD COLUMN public_bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE usage ADD COLUMN public_asset_bytes INTEGER NOT NULL DEFAULT 0;
        \(addUpUsage)
        """

    static let usageColumns = "records, bytes, asset_bytes, public_records, public_bytes, public_asset_bytes"

    /// Makes the sums anew. The doctor adds them up in the same way.
    static let addUpUsage = """
        DELETE FROM usage;
        INSERT INTO usage (owner, \(usageColumns)) \(allUsageSums);
        INSERT INTO usage (owner, \(usageColumns)) SELECT -1, coalesce(sum(records), 0), coalesce(sum(bytes), 0),
            coalesce(sum(asset_bytes), 0), coalesce(sum(public_records), 0), coalesce(sum(public_bytes), 0),
            coalesce(sum(public_asset_bytes), 0) FROM usage;
        """

    /// As `usageSums`, with those of the public database.
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
