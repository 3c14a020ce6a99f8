/// Record types, their fields and grants.
extension Migrations {
    static let schema = """
        CREATE TABLE type (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            -- The sequence number of the last change of its grants: older sync tokens are refused.
            granted INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE field (
            type INTEGER NOT NULL,
            id INTEGER NOT NULL,
            name TEXT NOT NULL,
            kind INTEGER NOT NULL,
            PRIMARY KEY (type, id),
            UNIQUE (type, name)
        ) WITHOUT ROWID;
        CREATE TABLE type_grant (
            type INTEGER NOT NULL,
            role TEXT NOT NULL,
            permissions INTEGER NOT NULL,
            PRIMARY KEY (type, role)
        ) WITHOUT ROWID;
        """

    static let requiredLists = """
        -- acl_required: whether records of the public database must have an access list.
        ALTER TABLE type ADD COLUMN acl_required INTEGER NOT NULL DEFAULT 0;
        """

    static let fieldGrants = """
        -- Names of roles with a blank between them; NULL where the grants of the type decide.
        ALTER TABLE field ADD COLUMN readers TEXT;
        ALTER TABLE field ADD COLUMN writers TEXT;
        """

    static let schemaSnapshots = """
        -- The schema before promotions, rollbacks and resets.
        CREATE TABLE schema_snapshot (
            -- Never reused: a request names a snapshot by its number.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            created INTEGER NOT NULL,
            -- As in the audit log.
            actor_kind TEXT NOT NULL,
            actor TEXT NOT NULL,
            reason TEXT NOT NULL,
            -- A text of the schema language.
            document BLOB NOT NULL
        );
        """
}
