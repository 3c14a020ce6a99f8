/// Records, and the audiences of records with access lists.
extension Migrations {
    /// Zones, records, large values and reference edges. Keys start with the zone, because the private records of all
    /// users share the file.
    static let records = """
        CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

        -- scope: 0 public, 1 private. Sync tokens below `purged` have lost tombstones; `generation` tells a zone that was
        -- deleted and made again from the one before.
        CREATE TABLE zone (
            id INTEGER PRIMARY KEY,
            scope INTEGER NOT NULL,
            owner INTEGER NOT NULL,
            name TEXT NOT NULL,
            generation INTEGER NOT NULL,
            purged INTEGER NOT NULL DEFAULT 0,
            UNIQUE (scope, owner, name)
        );
        INSERT INTO zone (id, scope, owner, name, generation) VALUES (1, 0, 0, '_defaultZone', 1);

        -- The id is the sequence number of the record's creation, so creation order is id order. A deleted record stays as
        -- a tombstone without layout and fields: zone, name, type, creator and ACL still decide which callers see it. Its name
        -- is free again.
        CREATE TABLE record (
            id INTEGER PRIMARY KEY,
            zone INTEGER NOT NULL,
            name TEXT NOT NULL,
            type INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            creator INTEGER NOT NULL,
            created INTEGER NOT NULL,
            modifier INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            deleted INTEGER NOT NULL DEFAULT 0,
            acl BLOB,
            layout BLOB,
            fields TEXT
        );
        CREATE UNIQUE INDEX record_by_name ON record (zone, name) WHERE deleted = 0;
        CREATE INDEX record_by_buried_name ON record (zone, name) WHERE deleted = 1;
        CREATE UNIQUE INDEX record_by_sequence ON record (zone, sequence);
        CREATE INDEX record_by_type ON record (zone, type, id) WHERE deleted = 0;
        CREATE INDEX record_by_creator ON record (zone, type, creator, id) WHERE deleted = 0;
        CREATE INDEX record_by_deletion ON record (modified) WHERE deleted = 1;

        -- Values too large to be rewritten with every change of their record: the JSON text of the value.
        CREATE TABLE large_value (
            id INTEGER PRIMARY KEY,
            record INTEGER NOT NULL,
            field INTEGER NOT NULL,
            value TEXT NOT NULL
        );
        CREATE UNIQUE INDEX large_value_by_record ON large_value (record, field);

        -- References whose action is not NONE, by target: what a deletion must look at.
        CREATE TABLE edge (
            zone INTEGER NOT NULL,
            target TEXT NOT NULL,
            source INTEGER NOT NULL,
            field INTEGER NOT NULL,
            action INTEGER NOT NULL,
            PRIMARY KEY (zone, target, source, field)
        ) WITHOUT ROWID;
        """

    /// Audiences: the records with access lists, grouped by the principals that can read them.
    static let accessLists = """
        -- Who could read the record before its access list changed, for the feed.
        ALTER TABLE record ADD COLUMN former BLOB;
        ALTER TABLE type ADD COLUMN has_lists INTEGER NOT NULL DEFAULT 0;
        -- What a new record gets that does not say one (`AccessTemplate.stored`).
        ALTER TABLE type ADD COLUMN default_acl TEXT;

        -- The records of a zone whose lists let one principal read (`Principal.number`), or, as Int64.max, all that have a
        -- list. In tables that lead with a zone an audience stands as its number with a minus.
        CREATE TABLE audience (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            zone INTEGER NOT NULL,
            principal INTEGER NOT NULL,
            UNIQUE (zone, principal)
        );
        CREATE INDEX audience_of_everything ON audience (zone) WHERE principal = 9223372036854775807;
        CREATE TABLE audience_record (
            audience INTEGER NOT NULL,
            type INTEGER NOT NULL,
            record INTEGER NOT NULL,
            creator INTEGER NOT NULL,
            PRIMARY KEY (audience, type, record)
        ) WITHOUT ROWID;
        CREATE INDEX audience_record_by_creator ON audience_record (audience, type, creator, record);

        -- Those with a list are found by their audiences.
        DROP INDEX record_by_type;
        DROP INDEX record_by_creator;
        CREATE INDEX record_by_type ON record (zone, type, id) WHERE deleted = 0 AND acl IS NULL;
        CREATE INDEX record_by_creator ON record (zone, type, creator, id) WHERE deleted = 0 AND acl IS NULL;
        """

    static let preservedDatesName = "preserved dates"

    /// The column `received`: the creation time by the server's clock, for records whose `created` comes from an
    /// import.
    static let preservedDates = """
        ALTER TABLE record ADD COLUMN received INTEGER;
        ALTER TABLE type ADD COLUMN has_preserved INTEGER NOT NULL DEFAULT 0;
        """
}
