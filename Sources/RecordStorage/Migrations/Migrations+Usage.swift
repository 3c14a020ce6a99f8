/// What accounts take.
extension Migrations {
    /// What accounts take, as sums: see `UsageLedger`. The doctor adds them up in the same way.
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
    static let usageSums = """
        SELECT owner, sum(records) AS records, sum(bytes) AS bytes, sum(asset_bytes) AS asset_bytes FROM (
            SELECT CASE zone.scope WHEN 0 THEN record.creator ELSE zone.owner END AS owner, 1 AS records,
                length(CAST(record.fields AS BLOB)) + length(record.layout)
                + coalesce((SELECT sum(length(CAST(value AS BLOB))) FROM large_value WHERE large_value.record = record.id), 0)
                AS bytes,
                coalesce((SELECT sum(asset.size) FROM asset_link JOIN asset ON asset.id = asset_link.asset
                    WHERE asset_link.record = record.id), 0) AS asset_bytes
            FROM record JOIN zone ON zone.id = record.zone WHERE record.deleted = 0)
        GROUP BY owner
        """
}
