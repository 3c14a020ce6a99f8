/// Custom zones.
extension Migrations {
    static let zones = """
        -- The sequence number of a custom zone's newest change, for clients that follow all zones of a database. 0 for default
        -- zones, whose newest record has it.
        ALTER TABLE zone ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
        -- Milliseconds since 1970. NULL for default zones, which the first write creates.
        ALTER TABLE zone ADD COLUMN created INTEGER;
        CREATE INDEX zone_by_change ON zone (scope, owner, changed);

        -- The zones that the private (is_shared = 0) or shared database of an account no longer has.
        CREATE TABLE lost_zone (
            account INTEGER NOT NULL,
            is_shared INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            owner INTEGER NOT NULL,
            name TEXT NOT NULL,
            -- Milliseconds since 1970.
            lost INTEGER NOT NULL,
            PRIMARY KEY (account, is_shared, sequence)
        ) WITHOUT ROWID;
        CREATE INDEX lost_zone_by_time ON lost_zone (lost);
        """
}
