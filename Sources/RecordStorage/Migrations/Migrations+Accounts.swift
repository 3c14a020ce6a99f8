internal import RecordModel
internal import UnicodeText

/// Accounts, sessions, roles and invitations.
extension Migrations {
    static let accounts = """
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

    static let accountKinds = """
        -- kind: 0 a person, 1 somebody anonymous, 2 a service.
        ALTER TABLE account ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
        """

    /// Sessions that each use extends, and that their owners can list and end.
    static let slidingSessions = """
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

    /// Invitations, for servers without open sign-up.
    static let invitations = """
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

    /// Pending removals of deleted accounts. Zones of deleted accounts get the scope 2, which no request searches.
    static let accountRemovals = """
        CREATE TABLE account_removal (account INTEGER PRIMARY KEY, since INTEGER NOT NULL);
        -- Names of records that went, and with which those go that refer to them with DELETE_SELF.
        CREATE TABLE removal_cascade (
            zone INTEGER NOT NULL,
            target TEXT NOT NULL,
            PRIMARY KEY (zone, target)
        ) WITHOUT ROWID;
        CREATE INDEX asset_claim_by_uploader ON asset_claim (uploader);
        """

    static let disabledAccounts = """
        -- disabled: since when nobody signs in to it, in milliseconds since 1970.
        ALTER TABLE account ADD COLUMN disabled INTEGER;
        """

    static let usedInvitations = """
        -- used_at: when it was last used, in milliseconds since 1970.
        ALTER TABLE invitation ADD COLUMN used_at INTEGER;
        """

    /// Deleted accounts, for predicates on `_deleted`. Records keep the numbers of their deleted creators and
    /// modifiers.
    static let deletedAccounts = """
        CREATE TABLE gone_account (account INTEGER PRIMARY KEY);
        INSERT INTO gone_account (account)
        SELECT creator FROM record WHERE creator > 15 UNION SELECT modifier FROM record WHERE modifier > 15
        EXCEPT SELECT id FROM account;
        """

    static let nameKeysName = "keys of names"

    /// The keys that are used to compare account names. Accounts whose names already have equal keys are listed in
    /// `look_alike_account` and not changed. `AccountTable` finds these accounts by their exact spelling.
    static let nameKeys = """
        ALTER TABLE account ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
        CREATE INDEX account_by_name_key ON account (name_key);
        CREATE TABLE look_alike_account (account INTEGER PRIMARY KEY);
        """

    /// Fills in the name keys, which use the case folding of Unicode 17. A version of Fogbase with a newer case folding
    /// must rewrite all name keys in a new migration.
    @Sendable static func fillNameKeys(_ connection: Connection) throws(RecordError) {
        let list = connection.prepare("SELECT id, name FROM account WHERE id > ?1 ORDER BY id LIMIT 1000")
        let update = connection.prepare("UPDATE account SET name_key = ?2 WHERE id = ?1")
        var last: Int64 = 0
        while true {
            list.with(last)
            let rows = try list.rows { (id: $0.next(Int64.self), name: $0.next(String.self)) }
            guard let end = rows.last else { break }
            for row in rows {
                try update.with(row.id, row.name.nfkcCasefold).run()
            }
            last = end.id
        }
        try connection.execute(
            """
            INSERT INTO look_alike_account (account) SELECT id FROM account WHERE name_key IN
            (SELECT name_key FROM account GROUP BY name_key HAVING count(*) > 1)
            """)
    }
}
