/// Webhooks.
extension Migrations {
    /// Webhooks and their last deliveries.
    static let webhooks = """
        -- public_id: random, for lists and paths. reader_kind: 'administrator' or 'key'; reader: the number of the
        -- administrator, or the account of the key. owner: of a private database, or NULL. selection: a JSON object.
        -- secret: the number of the current secret; the one before it is good until `overlaps`. position: a sealed sync
        -- token, or '' for the beginning. revision: rises when something but a delivery moves the position, or changes
        -- what is sent. last: the sequence number at which a failed message ended. failures: since the last success;
        -- failing: when the first of them was. due: when to send next.
        CREATE TABLE webhook (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            public_id TEXT NOT NULL UNIQUE,
            url TEXT NOT NULL,
            description TEXT NOT NULL,
            reader_kind TEXT NOT NULL,
            reader INTEGER NOT NULL,
            owner INTEGER,
            selection TEXT NOT NULL,
            created INTEGER NOT NULL,
            secret INTEGER NOT NULL,
            overlaps INTEGER,
            state TEXT NOT NULL,
            reason TEXT,
            revision INTEGER NOT NULL,
            position TEXT NOT NULL,
            last INTEGER,
            failures INTEGER NOT NULL,
            failing INTEGER,
            due INTEGER NOT NULL
        );

        -- at: milliseconds since 1970. duration: milliseconds. status and response: NULL without a response.
        CREATE TABLE webhook_delivery (
            webhook INTEGER NOT NULL,
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            message TEXT NOT NULL,
            type TEXT NOT NULL,
            events INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            duration INTEGER NOT NULL,
            status INTEGER,
            error TEXT,
            response TEXT,
            PRIMARY KEY (webhook, number)
        ) WITHOUT ROWID;
        """

    /// The zones that webhooks follow.
    static let webhookZones = """
        -- The name of a custom zone of the private database; NULL for the default zone.
        ALTER TABLE webhook ADD COLUMN zone TEXT;
        """
}
