/// The first answer to a write that carried an idempotency key.
package struct RememberedAnswer: Hashable, Sendable {
    /// The hash of the request that the key belongs to.
    package var request: [UInt8]
    /// What kind of answer it was; the engine knows the meaning.
    package var outcome: Int64
    package var name: String
    package var tag: String
    package var body: [UInt8]

    package init(request: [UInt8], outcome: Int64, name: String, tag: String, body: [UInt8]) {
        self.request = request
        self.outcome = outcome
        self.name = name
        self.tag = tag
        self.body = body
    }
}

/// Remembered answers, by caller and key. They are written in the transaction of the write itself.
package final class IdempotencyTable {
    private let connection: Connection
    private let find: Statement
    private let insert: Statement

    package init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        find = try connection.prepare(
            """
            SELECT request, outcome, name, tag, body FROM idempotency
            WHERE caller = ?1 AND key = ?2 AND created > ?3
            """)
        insert = try connection.prepare(
            """
            INSERT INTO idempotency (caller, key, request, created, outcome, name, tag, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (caller, key) DO UPDATE SET request = excluded.request, created = excluded.created,
            outcome = excluded.outcome, name = excluded.name, tag = excluded.tag, body = excluded.body
            """)
    }

    /// - Parameter oldest: Answers made at or before this time (milliseconds since 1970) are forgotten.
    package func find(caller: Int64, key: String, after oldest: Int64) throws(StoreError) -> RememberedAnswer? {
        find.bind(1, caller)
        find.bind(2, text: key)
        find.bind(3, oldest)
        defer { find.reset() }
        guard try find.step() else { return nil }
        return RememberedAnswer(
            request: find.blob(0), outcome: find.integer(1), name: find.text(2), tag: find.text(3),
            body: find.blob(4))
    }

    package func remember(
        _ answer: RememberedAnswer, caller: Int64, key: String, created: Int64
    ) throws(StoreError) {
        insert.bind(1, caller)
        insert.bind(2, text: key)
        insert.bind(3, blob: answer.request)
        insert.bind(4, created)
        insert.bind(5, answer.outcome)
        insert.bind(6, text: answer.name)
        insert.bind(7, text: answer.tag)
        insert.bind(8, blob: answer.body)
        try insert.run()
    }

    package func removeExpired(before oldest: Int64, limit: Int) throws(StoreError) -> Int {
        let statement = try connection.prepare(
            "DELETE FROM idempotency WHERE id IN (SELECT id FROM idempotency WHERE created < ?1 LIMIT ?2)")
        statement.bind(1, oldest)
        statement.bind(2, Int64(limit))
        try statement.run()
        return connection.changes
    }
}
