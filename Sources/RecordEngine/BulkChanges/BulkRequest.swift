package import RecordWire

/// A request to update or delete all records that match a query's predicate.
package struct BulkRequest: Sendable {
    /// The change to make to each matching record.
    package enum Change: Sendable {
        case delete
        /// Updates the fields that a record's PATCH would update.
        case modify(RecordInput)
    }

    /// The query request with the caller, the database and the predicate.
    package var query: QueryRequest
    /// The change to make to each matching record.
    package var change: Change
    /// Whether the client asked for all records of the type (`all=true`). A predicate is then not required.
    package var isForAll: Bool
    /// Whether to count the matches without changing them.
    package var isDryRun: Bool
    /// The maximum number of matching records. If more records match, the request fails and changes nothing.
    package var maxAffected: Int?
    /// Whether to do the work in a job even if it could be done at once.
    package var prefersJob = false
    /// The idempotency key of the request. The server stores the response under this key.
    package var idempotency: IdempotencyKey?

    /// Creates a bulk update or bulk delete from its parts.
    package init(
        query: QueryRequest, change: Change, isForAll: Bool, isDryRun: Bool, maxAffected: Int?,
        idempotency: IdempotencyKey?
    ) {
        self.query = query
        self.change = change
        self.isForAll = isForAll
        self.isDryRun = isDryRun
        self.maxAffected = maxAffected
        self.idempotency = idempotency
    }
}
