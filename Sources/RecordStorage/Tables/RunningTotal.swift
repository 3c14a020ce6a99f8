internal import RecordModel

/// Stored sums of bytes per owner, so that a quota check does not read thousands of rows. Each sum adds up the rows of
/// one owner in another table.
///
/// A statement that changes the bytes of a row must return the owner and bytes of each changed row. The sums must then
/// be changed in the same transaction. The doctor compares the sums with the rows.
final class RunningTotal<Owner: StoredID & Bindable & ColumnValue> {
    private let find: Statement
    private let increase: Statement
    private let decrease: Statement
    /// Deletes a row with a sum of 0; `nil` if such rows stay.
    private let removeEmpty: Statement?

    /// Prepares the SQL statements on `connection`.
    ///
    /// - Parameters:
    ///   - owner: The column with the owner's number.
    ///   - removesEmpty: Whether a row with a sum of 0 is deleted.
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

    /// Returns the sum of an owner in bytes; 0 if the owner has no sum.
    func bytes(of owner: Owner) throws(RecordError) -> Int64 {
        try find.with(owner).number() ?? 0
    }

    /// Adds bytes to the sum of an owner.
    ///
    /// - Returns: The new sum.
    @discardableResult
    func add(_ bytes: Int64, to owner: Owner) throws(RecordError) -> Int64 {
        try increase.with(owner, bytes).returnedNumber()
    }

    /// Runs a statement that returns owners and bytes, and adds the bytes to the sums of the owners.
    func add(rowsOf statement: Statement) throws(RecordError) {
        for row in try Self.run(statement) { try add(row.bytes, to: row.owner) }
    }

    /// Runs a statement that returns owners and bytes, and subtracts the bytes from the sums of the owners.
    ///
    /// - Returns: The number of rows that the statement returned.
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

extension RunningTotal<CallerID> {
    /// The bytes of each caller's stored responses.
    static func ofResponses(_ connection: Connection) -> RunningTotal {
        RunningTotal(connection, table: "idempotency_sum", owner: "caller", removesEmpty: true)
    }
}

extension RunningTotal<UserID> {
    /// The bytes of uploads that count against an account's upload quota. These are the claims with `used` 0 or 2.
    static func ofUnusedAssets(_ connection: Connection) -> RunningTotal {
        RunningTotal(connection, table: "asset_unused", owner: "uploader", removesEmpty: false)
    }
}
