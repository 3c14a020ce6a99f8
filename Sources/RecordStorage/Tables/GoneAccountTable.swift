package import RecordModel

/// The accounts that are gone and whose numbers may stand in records as creator or modifier.
package final class GoneAccountTable {
    private let list: Statement

    package init(_ connection: Connection) {
        list = connection.prepare("SELECT account FROM gone_account ORDER BY account LIMIT ?1")
    }

    /// The numbers of the first ones, ascending.
    package func numbers(limit: Int) throws(RecordError) -> [UserID] {
        try list.with(limit).rows { $0.next() }
    }
}
