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
    private let sum: KeptSum<CallerID>
    private let removeOldest: Statement

    package init(_ connection: Connection) {
        self.connection = connection
        find = connection.prepare(
            """
            SELECT request, outcome, name, tag, body FROM idempotency
            WHERE caller = ?1 AND key = ?2 AND created > ?3
            """)
        forget = connection.prepare(
            "DELETE FROM idempotency WHERE caller = ?1 AND key = ?2 RETURNING caller, bytes")
        insert = connection.prepare(
            """
            INSERT INTO idempotency (caller, key, request, created, outcome, name, tag, body, bytes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        sum = KeptSum.ofAnswers(connection)
        removeOldest = connection.prepare(
            """
            DELETE FROM idempotency WHERE id IN (
                SELECT id FROM idempotency INDEXED BY idempotency_by_caller
                WHERE caller = ?1 AND key <> ?2 ORDER BY id LIMIT ?3)
            RETURNING caller, bytes
            """)
    }

    /// - Parameter oldest: Answers made at or before this time (milliseconds since 1970) are forgotten.
    package func find(caller: CallerID, key: String, after oldest: Int64) throws(RecordError) -> RememberedAnswer? {
        try find.with(caller, key, oldest).row { row in
            RememberedAnswer(
                request: row.next(), outcome: row.next(), name: row.next(), tag: row.next(), body: row.next())
        }
    }

    /// Remembers an answer; of a caller whose answers take more than they may, the oldest are forgotten.
    package func remember(
        _ answer: RememberedAnswer, caller: CallerID, key: String, created: Int64, limit: Int64
    ) throws(RecordError) {
        // One that has expired: the new row gets the greatest id.
        try sum.subtract(rowsOf: forget.with(caller, key))
        let bytes = answer.bytes(key: key)
        try insert
            .with(caller, key, answer.request, created, answer.outcome, answer.name, answer.tag)
            .with(from: 8, answer.body, bytes).run()
        var total = try sum.add(bytes, to: caller)
        while total > limit {
            // The newest alone may be more than the limit.
            if try sum.subtract(rowsOf: removeOldest.with(caller, key, Self.removedAtOnce)) == 0 { break }
            total = try sum.bytes(of: caller)
        }
    }

    /// So many small answers have room for a large one.
    private static let removedAtOnce: Int64 = 16

    package func removeExpired(before oldest: Int64, limit: Int) throws(RecordError) -> Int {
        let remove = connection.prepare(
            """
            DELETE FROM idempotency WHERE id IN (
                SELECT id FROM (SELECT id, created FROM idempotency ORDER BY id LIMIT ?2) WHERE created < ?1)
            RETURNING caller, bytes
            """)
        return try sum.subtract(rowsOf: remove.with(oldest, limit))
    }
}
