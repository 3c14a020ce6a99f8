package import RecordModel

/// What each account's records take: those that it created in the public database, and all of its private one.
package final class UsageTable {
    /// Stands for everybody together.
    package static let everybody = UserID(rawValue: -1)

    private let lookUp: Statement
    private let change: Statement

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

    /// Adds up anew what the records of all accounts take.
    package static func addUp(_ connection: Connection) throws(RecordError) {
        try connection.execute(SQL(Migrations.addUpUsage))
    }

    package func usage(of owner: UserID) throws(RecordError) -> AccountUsage {
        let usage = try lookUp.with(owner).row { row in
            AccountUsage(
                all: Usage(records: row.next(), bytes: row.next(), assetBytes: row.next()),
                ofPublic: Usage(records: row.next(), bytes: row.next(), assetBytes: row.next()))
        }
        return usage ?? AccountUsage()
    }

    package func add(_ usage: AccountUsage, to owner: UserID) throws(RecordError) {
        try change.with(
            owner, usage.all.records, usage.all.bytes, usage.all.assetBytes, usage.ofPublic.records,
            usage.ofPublic.bytes, usage.ofPublic.assetBytes
        ).run()
    }
}
