/// The steps that make a database file, named and in order. A released step is never edited; a change is a new step.
package enum Migrations {
    struct Migration {
        let name: String
        let sql: String
    }

    /// How many of the steps a file has had; 0 for a file without tables.
    static func applied(on connection: Connection) throws(StoreError) -> Int {
        let hasTable = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migration'")
        guard hasTable != 0 else { return 0 }
        return Int(try connection.integer("SELECT count(*) FROM migration") ?? 0)
    }

    /// How many steps a file has had that knows indexes.
    static let withIndexes = 4
    /// … and one that knows assets.
    static let withAssets = 8
    /// … and one that knows access lists.
    static let withAccessLists = 9
    /// … and one that knows kinds of accounts.
    static let withAccountKinds = 10
    /// … and one that knows grants of fields.
    static let withFieldGrants = 11
    /// … and one that knows API keys.
    static let withKeys = 15
    /// … and one that knows what accounts take.
    static let withUsage = 17

    /// Brings a file to the newest layout, in one transaction. A file of a newer server is refused.
    package static func run(on connection: Connection) throws(StoreError) {
        try run(all, on: connection)
    }

    static func run(_ all: [Migration], on connection: Connection) throws(StoreError) {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS migration (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
        let applied = Int(try connection.integer("SELECT count(*) FROM migration") ?? 0)
        guard applied <= all.count else {
            throw StoreError(
                code: 26, message: "The database was written by a newer version of Fogbase. Start that version instead."
            )
        }
        guard applied < all.count else { return }
        try connection.execute("BEGIN IMMEDIATE")
        for (position, migration) in all.enumerated().dropFirst(applied) {
            try connection.execute(migration.sql)
            let insert = try connection.prepare("INSERT INTO migration (position, name) VALUES (?1, ?2)")
            insert.bind(1, Int64(position))
            insert.bind(2, text: migration.name)
            try insert.run()
        }
        try connection.execute("COMMIT")
    }

    static let all: [Migration] = [
        Migration(name: "records", sql: records),
        Migration(name: "schema", sql: schema),
        Migration(name: "accounts", sql: accounts),
        Migration(name: "indexes", sql: indexes),
        Migration(name: "index statistics", sql: indexStatistics),
        Migration(name: "assets", sql: assets),
        Migration(name: "resumable uploads", sql: resumableUploads),
        Migration(name: "unused assets", sql: unusedAssets),
        Migration(name: "access lists", sql: accessLists),
        Migration(name: "kinds of accounts", sql: accountKinds),
        Migration(name: "field grants", sql: fieldGrants),
        Migration(name: "sliding sessions", sql: slidingSessions),
        Migration(name: "invitations", sql: invitations),
        Migration(name: "removals of accounts", sql: accountRemovals),
        Migration(name: "API keys", sql: keys),
        Migration(name: "audit", sql: audit),
        Migration(name: "usage", sql: usage),
        Migration(name: "remembered answers", sql: rememberedAnswers),
    ]

    /// Records and what belongs to them. Keys lead with the zone, since all users' private records share the file.
    private static let records = """
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
        -- a tombstone without layout and fields: zone, name, type, creator and ACL still tell who may learn of it. Its name
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

    private static let schema = """
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

    private static let accounts = """
        -- Numbers 0 and 1 stand for nobody and the administrator in `creator` and `modifier`.
        CREATE TABLE account (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            record_name TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL UNIQUE,
            password TEXT,
            created INTEGER NOT NULL,
            -- The sequence number of the last change of its roles: older sync tokens are refused.
            granted INTEGER NOT NULL DEFAULT 0
        );
        INSERT INTO sqlite_sequence (name, seq) VALUES ('account', 15);

        CREATE TABLE session (
            hash BLOB PRIMARY KEY,
            account INTEGER NOT NULL,
            created INTEGER NOT NULL,
            expires INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX session_by_account ON session (account);
        CREATE INDEX session_by_expiry ON session (expires);

        CREATE TABLE role (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
        CREATE TABLE role_member (
            role INTEGER NOT NULL,
            account INTEGER NOT NULL,
            PRIMARY KEY (role, account)
        ) WITHOUT ROWID;
        CREATE INDEX role_member_by_account ON role_member (account);
        -- Members of `member` are members of `role`.
        CREATE TABLE role_inclusion (
            role INTEGER NOT NULL,
            member INTEGER NOT NULL,
            PRIMARY KEY (role, member)
        ) WITHOUT ROWID;
        CREATE INDEX role_inclusion_by_member ON role_inclusion (member);

        CREATE TABLE idempotency (
            id INTEGER PRIMARY KEY,
            caller INTEGER NOT NULL,
            key TEXT NOT NULL,
            request BLOB NOT NULL,
            created INTEGER NOT NULL,
            outcome INTEGER NOT NULL,
            name TEXT,
            tag TEXT,
            body BLOB,
            UNIQUE (caller, key)
        );
        CREATE INDEX idempotency_by_age ON idempotency (created);
        """

    /// Each index has a table of its own besides, `index_<id>` (see `IndexTable`).
    private static let indexes = """
        ALTER TABLE field ADD COLUMN options INTEGER NOT NULL DEFAULT 0;

        -- columns: numbers of fields and names of system fields, with a minus where they descend: `3,-created`.
        -- state: 0 ready, 1 building, 2 failed, 3 dropped, of which the table is still being emptied.
        -- position: while building, the record id up to which records are in; built: how many there are.
        CREATE TABLE index_definition (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            type INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            columns TEXT NOT NULL,
            is_unique INTEGER NOT NULL,
            is_declared INTEGER NOT NULL,
            state INTEGER NOT NULL,
            position INTEGER NOT NULL DEFAULT 0,
            built INTEGER NOT NULL DEFAULT 0,
            failure TEXT
        );
        """

    /// How the entries of indexes are spread: what planners weigh.
    private static let indexStatistics = """
        CREATE TABLE index_statistic (
            index_id INTEGER PRIMARY KEY,
            entries INTEGER NOT NULL,
            step INTEGER NOT NULL,
            samples BLOB NOT NULL
        );
        """

    /// The files of ASSET fields. A row is the truth about its file: no row, no asset.
    private static let assets = """
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

    /// How much of an upload is durable, and what its uploader has on the way.
    private static let resumableUploads = """
        -- offset: so many bytes of the file are synced. What lies behind them in the file is not to be trusted.
        ALTER TABLE resumable_upload ADD COLUMN offset INTEGER NOT NULL DEFAULT 0;
        DROP INDEX resumable_upload_by_uploader;
        CREATE INDEX resumable_upload_by_uploader ON resumable_upload (uploader, length, offset) WHERE claim IS NULL;
        """
    /// What quotas of uploads count, as a sum that is kept: adding up thousands of rows at each upload would make many
    /// uploads slow. Triggers, so that no statement that changes a claim can forget it.
    private static let unusedAssets = """
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

    /// Records with access lists, by who may read them.
    private static let accessLists = """
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

    private static let accountKinds = """
        -- kind: 0 a person, 1 somebody anonymous, 2 a service.
        ALTER TABLE account ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
        """

    /// Sessions that their use prolongs, and that their owners see and end one by one.
    private static let slidingSessions = """
        -- id: random, for lists; the token's hash is never shown. expires moves with use, ends does not.
        CREATE TABLE sliding_session (
            hash BLOB PRIMARY KEY,
            id TEXT NOT NULL,
            account INTEGER NOT NULL,
            created INTEGER NOT NULL,
            used INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            label TEXT
        ) WITHOUT ROWID;
        INSERT INTO sliding_session (hash, id, account, created, used, expires, ends)
        SELECT hash, lower(hex(randomblob(16))), account, created, created, expires, created + 15552000000 FROM session;
        DROP TABLE session;
        ALTER TABLE sliding_session RENAME TO session;
        CREATE INDEX session_by_account ON session (account, id);
        CREATE INDEX session_by_expiry ON session (expires);
        """

    /// What somebody may make an account with where sign-up is not open.
    private static let invitations = """
        CREATE TABLE invitation (
            hash BLOB PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            -- Whose name it is for; NULL for anybody's.
            name TEXT,
            created INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            uses INTEGER NOT NULL,
            used INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;
        CREATE INDEX invitation_by_expiry ON invitation (expires);
        -- The roles that an account gets which is made with it. Numbers of roles are never given again.
        CREATE TABLE invitation_role (
            invitation TEXT NOT NULL,
            role INTEGER NOT NULL,
            PRIMARY KEY (invitation, role)
        ) WITHOUT ROWID;
        """

    /// What is left to do of accounts that are gone. Their zones have the scope 2 from that moment on, in which nobody
    /// looks for one.
    private static let accountRemovals = """
        CREATE TABLE account_removal (account INTEGER PRIMARY KEY, since INTEGER NOT NULL);
        -- Names of records that went, and with which those go that refer to them with DELETE_SELF.
        CREATE TABLE removal_cascade (
            zone INTEGER NOT NULL,
            target TEXT NOT NULL,
            PRIMARY KEY (zone, target)
        ) WITHOUT ROWID;
        CREATE INDEX asset_claim_by_uploader ON asset_claim (uploader);
        """

    private static let fieldGrants = """
        -- Names of roles with a blank between them; NULL where the grants of the type decide.
        ALTER TABLE field ADD COLUMN readers TEXT;
        ALTER TABLE field ADD COLUMN writers TEXT;
        """

    /// Keys of services. What a key creates is its account's.
    private static let keys = """
        -- public_id: random, for lists and paths. prefix: the token's first characters, to tell tokens apart; hash: SHA-256
        -- of the token. overlap_hash: of the token before it, which is good until `overlaps`. expires: NULL for never.
        CREATE TABLE api_key (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            public_id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            prefix TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE,
            overlap_hash BLOB UNIQUE,
            overlaps INTEGER,
            scope TEXT NOT NULL,
            account INTEGER NOT NULL UNIQUE,
            created INTEGER NOT NULL,
            expires INTEGER,
            used INTEGER,
            revoked INTEGER
        );
        CREATE UNIQUE INDEX api_key_by_name ON api_key (name) WHERE revoked IS NULL;
        """

    /// Who did what with rights. The server's own file has the same table.
    static let audit = """
        -- at: milliseconds since 1970. detail: a JSON object, or NULL.
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            actor_kind TEXT NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            target TEXT NOT NULL,
            outcome TEXT NOT NULL,
            address TEXT NOT NULL,
            request TEXT NOT NULL,
            detail TEXT
        );
        CREATE INDEX audit_by_time ON audit (at, id);
        CREATE INDEX audit_by_actor ON audit (actor, at, id);
        CREATE INDEX audit_by_action ON audit (action, at, id);

        -- Entries below this number are past their time. It only rises.
        CREATE TABLE audit_retention (position INTEGER PRIMARY KEY CHECK (position = 1), before INTEGER NOT NULL);
        INSERT INTO audit_retention VALUES (1, 0);
        CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
        END;
        CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
        WHEN old.id >= (SELECT before FROM audit_retention) BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
        END;
        CREATE TRIGGER audit_retention_rises BEFORE UPDATE ON audit_retention WHEN new.before < old.before BEGIN
            SELECT RAISE(ABORT, 'the audit log is append-only');
        END;
        """

    /// What accounts take, as sums: see `UsageLedger`. The doctor adds them up in the same way.
    private static let usage = """
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
