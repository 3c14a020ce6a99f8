CREATE TABLE IF NOT EXISTS session (
    token_hash BLOB PRIMARY KEY,
    user INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS post (
    id INTEGER PRIMARY KEY,
    owner INTEGER NOT NULL,
    created INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    author TEXT NOT NULL,
    likes INTEGER NOT NULL,
    rating REAL NOT NULL,
    thread TEXT NOT NULL,
    timestamp INTEGER NOT NULL
);

CREATE INDEX IF NOT EXISTS post_by_thread ON post (thread, timestamp DESC);
