extension Migrations {
    /// Stored responses in a form without large records (more than a few kilobytes), and the sum of bytes per caller.
    /// The migration deletes earlier responses.
    static let storedResponses = """
        DROP TABLE idempotency;
        -- body: as the engine's `AnswerOutline` writes it. bytes: what the row takes, about. Ids ascend with time.
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
            bytes INTEGER NOT NULL,
            UNIQUE (caller, key)
        );
        CREATE INDEX idempotency_by_caller ON idempotency (caller);

        -- Kept sums, as of unused assets.
        CREATE TABLE idempotency_sum (caller INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
        CREATE TRIGGER idempotency_made AFTER INSERT ON idempotency BEGIN
            INSERT INTO idempotency_sum VALUES (new.caller, new.bytes)
            ON CONFLICT (caller) DO UPDATE SET bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER idempotency_gone AFTER DELETE ON idempotency BEGIN
            UPDATE idempotency_sum SET bytes = bytes - old.bytes WHERE caller = old.caller;
            DELETE FROM idempotency_sum WHERE caller = old.caller AND bytes <= 0;
        END;
        """
}
