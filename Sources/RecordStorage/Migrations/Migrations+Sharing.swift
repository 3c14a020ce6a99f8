/// Hierarchies of records, shares and their participants.
extension Migrations {
    static let sharing = """
        -- The records with a parent, and those with a short GUID for a share to come.
        CREATE TABLE hierarchy (
            record INTEGER PRIMARY KEY,
            parent INTEGER,
            guid TEXT
        );
        CREATE INDEX hierarchy_by_parent ON hierarchy (parent) WHERE parent IS NOT NULL;

        -- What each share record shares.
        CREATE TABLE share (
            -- The share record.
            record INTEGER PRIMARY KEY,
            zone INTEGER NOT NULL,
            -- The record at the top of the shared hierarchy. 0 for the whole zone.
            root INTEGER NOT NULL,
            guid TEXT NOT NULL UNIQUE,
            public_permission INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX share_by_root ON share (zone, root);
        CREATE INDEX share_of_root ON share (root) WHERE root > 0;

        -- The participants of a share other than its owner.
        CREATE TABLE participant (
            share INTEGER NOT NULL,
            -- From 1 on for each share.
            id INTEGER NOT NULL,
            -- NULL for an invitation that no account has accepted yet.
            account INTEGER,
            -- The link of such an invitation.
            guid TEXT UNIQUE,
            -- How the owner names the invited person, such as an e-mail address.
            label TEXT,
            kind INTEGER NOT NULL,
            permission INTEGER NOT NULL,
            status INTEGER NOT NULL,
            -- The sequence number of the last change of the participant's rights.
            changed INTEGER NOT NULL,
            PRIMARY KEY (share, id)
        ) WITHOUT ROWID;
        -- The record name of the owner at the time of the loss, for shared databases.
        ALTER TABLE lost_zone ADD COLUMN owner_name TEXT;
        CREATE UNIQUE INDEX participant_by_account ON participant (account, share) WHERE account IS NOT NULL;
        """

    /// The updates of access lists that a request has left to slices.
    static let accessUpdates = """
        -- The records whose children may have outdated access lists, because a share or a parent above has changed.
        CREATE TABLE access_update (
            parent INTEGER PRIMARY KEY,
            zone INTEGER NOT NULL,
            -- The children up to this number are up to date.
            last INTEGER NOT NULL
        );
        """
}
