internal import RecordModel

/// Sums of bytes by owner, kept beside the table whose rows they add up: a quota must not read thousands of rows.
///
/// Whoever changes what a row counts also changes the sum, in the same transaction: the statement returns, of each row that
/// it changes, its owner and the bytes. The doctor compares the sums with the rows.
final class KeptSum<Owner: StoredID & Bindable & ColumnValue> {
    private let find: Statement
    private let increase: Statement
    private let decrease: Statement
    /// `nil` where sums of 0 stay.
    private let removeEmpty: Statement?

    /// - Parameters:
    ///   - owner: The column with the number of the one who has the sum.
    ///   - removesEmpty: Whether there is no row for a sum of 0.
    fileprivate init(_ connection: Connection, table: String, owner: String, removesEmpty: Bool) {
        find = connection.prepare("SELECT bytes FROM \(table) WHERE \(owner) = ?1")
        increase = connection.prepare(
            """
            INSERT INTO \(table) (\(owner), bytes) VALUES (?1, ?2)
            ON CONFLICT (\(owner)) DO UPDATE SET bytes = bytes + excluded.bytes
            RETURNING bytes
            """)
        decrease = connection.prepare("UPDATE \(table) SET bytes = bytes - ?2 WHERE \(owner) = ?1")
        removeEmpty =
            removesEmpty
            ? connection.prepare("DELETE FROM \(table) WHERE \(owner) = ?1 AND bytes <= 0") : nil
    }

    /// The sum of somebody.
    func bytes(of owner: Owner) throws(RecordError) -> Int64 {
        try find.with(owner).number() ?? 0
    }

    /// - Returns: The sum with it.
    @discardableResult
    func add(_ bytes: Int64, to owner: Owner) throws(RecordError) -> Int64 {
        try increase.with(owner, bytes).returnedNumber()
    }

    /// Runs a statement and adds what it returns: owners and bytes.
    func add(rowsOf statement: Statement) throws(RecordError) {
        for row in try Self.run(statement) { try add(row.bytes, to: row.owner) }
    }

    /// Runs a statement and subtracts what it returns: owners and bytes.
    ///
    /// - Returns: How many rows it has changed.
    @discardableResult
    func subtract(rowsOf statement: Statement) throws(RecordError) -> Int {
        let rows = try Self.run(statement)
        for row in rows where row.bytes != 0 {
            try decrease.with(row.owner, row.bytes).run()
            try removeEmpty?.with(row.owner).run()
        }
        return rows.count
    }

    private static func run(_ statement: Statement) throws(RecordError) -> [(owner: Owner, bytes: Int64)] {
        try statement.rows { ($0.next(), $0.next()) }
    }
}

extension KeptSum<CallerID> {
    /// What the remembered answers of each caller take.
    static func ofAnswers(_ connection: Connection) -> KeptSum {
        KeptSum(connection, table: "idempotency_sum", owner: "caller", removesEmpty: true)
    }
}

extension KeptSum<UserID> {
    /// What each account has uploaded and no record has: the claims whose `used` is 0 or 2.
    static func ofUnusedAssets(_ connection: Connection) -> KeptSum {
        KeptSum(connection, table: "asset_unused", owner: "uploader", removesEmpty: false)
    }
}
