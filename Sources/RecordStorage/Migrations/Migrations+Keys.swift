/// API keys.
extension Migrations {
    /// API keys. Records that a key creates belong to the key's service account.
    static let keys = """
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
}
