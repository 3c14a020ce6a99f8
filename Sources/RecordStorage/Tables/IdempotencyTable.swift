package import RecordModel

/// The first response to a write with an idempotency key.
package struct StoredResponse: Hashable, Sendable {
    /// The hash of the request that had the key.
    package var request: [UInt8]
    /// The kind of the response; the engine defines the values.
    package var outcome: Int64
    /// The record name in the response.
    package var name: String
    /// The change tag in the response.
    package var tag: String
    /// The stored part of the body; the engine defines the format.
    package var body: [UInt8]

    /// Creates a response from its columns.
    package init(request: [UInt8], outcome: Int64, name: String, tag: String, body: [UInt8]) {
        self.request = request
        self.outcome = outcome
        self.name = name
        self.tag = tag
        self.body = body
    }

    /// The estimated bytes of a row's numbers and index entries, in addition to its texts and blobs.
    private static let rowBytes = 100

    func bytes(key: String) -> Int64 {
        Int64(Self.rowBytes + 2 * key.utf8.count + request.count + name.utf8.count + tag.utf8.count + body.count)
    }
}

/// Stored responses by caller and idempotency key. A write and its response are stored in the same transaction.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class IdempotencyTable {
    private let connection: Connection
    private let find: Statement
    private let forget: Statement
    private let insert: Statement
    private let sum: RunningTotal<CallerID>
    private let removeOldest: Statement

    /// Prepares the SQL statements on `connection`.
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
        sum = RunningTotal.ofResponses(connection)
        removeOldest = connection.prepare(
            """
            DELETE FROM idempotency WHERE id IN (
                SELECT id FROM idempotency INDEXED BY idempotency_by_caller
                WHERE caller = ?1 AND key <> ?2 ORDER BY id LIMIT ?3)
            RETURNING caller, bytes
            """)
    }

    /// Returns the stored response for a key; `nil` if there is none.
    ///
    /// - Parameter oldest: Responses from this time or before (milliseconds since 1970) count as expired.
    package func find(caller: CallerID, key: String, after oldest: Int64) throws(RecordError) -> StoredResponse? {
        try find.with(caller, key, oldest).row { row in
            StoredResponse(
                request: row.next(), outcome: row.next(), name: row.next(), tag: row.next(), body: row.next())
        }
    }

    /// Stores a response. If the responses of the caller exceed `limit` bytes, deletes the oldest responses.
    package func remember(
        _ response: StoredResponse, caller: CallerID, key: String, created: Int64, limit: Int64
    ) throws(RecordError) {
        // First delete an expired response with this key, so that the new row gets the largest ID.
        try sum.subtract(rowsOf: forget.with(caller, key))
        let bytes = response.bytes(key: key)
        try insert
            .with(caller, key, response.request, created, response.outcome, response.name, response.tag)
            .with(from: 8, response.body, bytes).run()
        var total = try sum.add(bytes, to: caller)
        while total > limit {
            // A new response that exceeds the limit alone is still kept.
            if try sum.subtract(rowsOf: removeOldest.with(caller, key, Self.removedAtOnce)) == 0 { break }
            total = try sum.bytes(of: caller)
        }
    }

    /// The number of responses that one step deletes. So one step makes space for a large response even if the deleted
    /// responses are small.
    private static let removedAtOnce: Int64 = 16

    /// Deletes responses from before `oldest` (milliseconds since 1970), at most `limit`.
    ///
    /// - Returns: The number of deleted responses.
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
