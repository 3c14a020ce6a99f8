/// The credentials of CloudKit Web Services.
extension Migrations {
    static let cloudKitCredentials = """
        -- API tokens. hash: SHA-256 of the token. origins: a JSON array of allowed origins; NULL for any. callback: the
        -- URL that gets the web auth token; NULL to post a message to the page.
        CREATE TABLE cloudkit_token (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            public_id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL UNIQUE,
            prefix TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE,
            origins TEXT,
            callback TEXT,
            notes TEXT NOT NULL,
            created INTEGER NOT NULL,
            used INTEGER
        );
        -- Server-to-server keys are API keys that sign requests. They have no token: `hash` is random.
        ALTER TABLE api_key ADD COLUMN key_id TEXT;
        ALTER TABLE api_key ADD COLUMN public_key BLOB;
        CREATE UNIQUE INDEX api_key_by_key_id ON api_key (key_id) WHERE key_id IS NOT NULL;
        -- lifetime: of an unused session, in milliseconds; NULL for the server's setting.
        ALTER TABLE session ADD COLUMN lifetime INTEGER;
        """
}
