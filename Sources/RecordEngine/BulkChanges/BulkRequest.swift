package import RecordWire

/// A change of all records that match a query's condition.
package struct BulkRequest: Sendable {
    /// What is done to each record.
    package enum Change: Sendable {
        case delete
        /// The fields to change, as of a record's PATCH.
        case modify(RecordInput)
    }

    package var query: QueryRequest
    package var change: Change
    /// `all=true`: no condition is meant.
    package var isForAll: Bool
    /// Only counts.
    package var isDryRun: Bool
    /// Refuses, before anything is changed, if more records match.
    package var maxAffected: Int?
    /// Under which the answer is remembered.
    package var idempotency: IdempotencyKey?

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
