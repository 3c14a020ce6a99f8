package import RecordModel

/// The usage counters of accounts: the records that an account created in the public database, and all records of its
/// private database.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class UsageTable {
    /// The owner number of the row with the sum over all accounts.
    package static let everybody = UserID(rawValue: -1)

    private let lookUp: Statement
    private let change: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        lookUp = connection.prepare("SELECT \(Migrations.usageColumns) FROM usage WHERE owner = ?1")
        change = connection.prepare(
            """
            INSERT INTO usage (owner, \(Migrations.usageColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (owner) DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes,
                asset_bytes = asset_bytes + excluded.asset_bytes, public_records = public_records + excluded.public_records,
                public_bytes = public_bytes + excluded.public_bytes,
                public_asset_bytes = public_asset_bytes + excluded.public_asset_bytes
            """)
    }

    /// Recomputes the counters of all accounts.
    package static func addUp(_ connection: Connection) throws(RecordError) {
        try connection.execute(SQL(Migrations.addUpUsage))
    }

    /// Returns the usage counters of an account; zeros if the account has no records.
    package func usage(of owner: UserID) throws(RecordError) -> AccountUsage {
        let usage = try lookUp.with(owner).row { row in
            AccountUsage(
                all: Usage(records: row.next(), bytes: row.next(), assetBytes: row.next()),
                ofPublic: Usage(records: row.next(), bytes: row.next(), assetBytes: row.next()))
        }
        return usage ?? AccountUsage()
    }

    /// Adds `usage` to the usage counters of an account. Negative numbers subtract.
    package func add(_ usage: AccountUsage, to owner: UserID) throws(RecordError) {
        try change.with(
            owner, usage.all.records, usage.all.bytes, usage.all.assetBytes, usage.ofPublic.records,
            usage.ofPublic.bytes, usage.ofPublic.assetBytes
        ).run()
    }
}
