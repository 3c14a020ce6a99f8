package import RecordModel

/// Deleted accounts whose numbers records can still have as creator or modifier.
package final class DeletedAccountTable {
    private let list: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        list = connection.prepare("SELECT account FROM gone_account ORDER BY account LIMIT ?1")
    }

    /// Returns the numbers of deleted accounts in ascending order, at most `limit`.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func numbers(limit: Int) throws(RecordError) -> [UserID] {
        try list.with(limit).rows { $0.next() }
    }
}
