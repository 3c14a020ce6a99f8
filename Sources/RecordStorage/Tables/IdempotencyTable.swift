package import RecordModel

/// The first answer to a write that carried an idempotency key.
package struct RememberedAnswer: Hashable, Sendable {
    /// The hash of the request that the key belongs to.
    package var request: [UInt8]
    /// What kind of answer it was; the engine knows the meaning.
    package var outcome: Int64
    package var name: String
    package var tag: String
    /// What is kept of the answer's body; the engine knows the form.
    package var body: [UInt8]

    package init(request: [UInt8], outcome: Int64, name: String, tag: String, body: [UInt8]) {
        self.request = request
        self.outcome = outcome
        self.name = name
        self.tag = tag
        self.body = body
    }

    /// What a row takes besides its texts: numbers, and its places in the indexes.
    private static let rowBytes = 100

    func bytes(key: String) -> Int64 {
        Int64(Self.rowBytes + 2 * key.utf8.count + request.count + name.utf8.count + tag.utf8.count + body.count)
    }
}

/// Remembered answers, by caller and key. They are written in the transaction of the write itself.
package final class IdempotencyTable {
    private let connection: Connection
    private let find: Statement
    private let forget: Statement
    private let insert: Statement
    private let sum: Statement
    private let removeOldest: Statement

    package init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        find = try connection.prepare(
            """
            SELECT request, outcome, name, tag, body FROM idempotency
            WHERE caller = ?1 AND key = ?2 AND created > ?3
            """)
        forget = try connection.prepare("DELETE FROM idempotency WHERE caller = ?1 AND key = ?2")
        insert = try connection.prepare(
            """
            INSERT INTO idempotency (caller, key, request, created, outcome, name, tag, body, bytes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        sum = try connection.prepare("SELECT bytes FROM idempotency_sum WHERE caller = ?1")
        removeOldest = try connection.prepare(
            """
            DELETE FROM idempotency WHERE id IN (
                SELECT id FROM idempotency INDEXED BY idempotency_by_caller
                WHERE caller = ?1 AND key <> ?2 ORDER BY id LIMIT ?3)
            """)
    }

    /// - Parameter oldest: Answers made at or before this time (milliseconds since 1970) are forgotten.
    package func find(caller: Int64, key: String, after oldest: Int64) throws(RecordError) -> RememberedAnswer? {
        find.bind(1, caller)
        find.bind(2, text: key)
        find.bind(3, oldest)
        defer { find.reset() }
        guard try find.step() else { return nil }
        return RememberedAnswer(
            request: find.blob(0), outcome: find.integer(1), name: find.text(2), tag: find.text(3),
            body: find.blob(4))
    }

    /// Remembers an answer; of a caller whose answers take more than they may, the oldest are forgotten.
    package func remember(
        _ answer: RememberedAnswer, caller: Int64, key: String, created: Int64, limit: Int64
    ) throws(RecordError) {
        // One that has expired: the new row gets the greatest id.
        forget.bind(1, caller)
        forget.bind(2, text: key)
        try forget.run()
        insert.bind(1, caller)
        insert.bind(2, text: key)
        insert.bind(3, blob: answer.request)
        insert.bind(4, created)
        insert.bind(5, answer.outcome)
        insert.bind(6, text: answer.name)
        insert.bind(7, text: answer.tag)
        insert.bind(8, blob: answer.body)
        insert.bind(9, answer.bytes(key: key))
        try insert.run()
        while try bytes(of: caller) > limit {
            removeOldest.bind(1, caller)
            removeOldest.bind(2, text: key)
            removeOldest.bind(3, Self.removedAtOnce)
            try removeOldest.run()
            // The newest alone may be more than the limit.
            if connection.changes == 0 { break }
        }
    }

    /// So many small answers have room for a large one.
    private static let removedAtOnce: Int64 = 16

    /// What a caller's answers take.
    private func bytes(of caller: Int64) throws(RecordError) -> Int64 {
        sum.bind(1, caller)
        defer { sum.reset() }
        return try sum.step() ? sum.integer(0) : 0
    }

    package func removeExpired(before oldest: Int64, limit: Int) throws(RecordError) -> Int {
        let statement = try connection.prepare(
            """
            DELETE FROM idempotency WHERE id IN (
                SELECT id FROM (SELECT id, created FROM idempotency ORDER BY id LIMIT ?2) WHERE created < ?1)
            """)
        statement.bind(1, oldest)
        statement.bind(2, Int64(limit))
        try statement.run()
        return connection.changes
    }
}
