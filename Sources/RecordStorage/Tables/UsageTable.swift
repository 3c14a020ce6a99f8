package import RecordModel

/// What each account's records take: those that it created in the public database, and all of its private one.
package final class UsageTable {
    /// Stands for everybody together.
    package static let everybody: Int64 = -1

    private let lookUp: Statement
    private let change: Statement

    package init(_ connection: Connection) throws(RecordError) {
        lookUp = try connection.prepare("SELECT \(Migrations.usageColumns) FROM usage WHERE owner = ?1")
        change = try connection.prepare(
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
        try connection.execute(Migrations.addUpUsage)
    }

    package func usage(of owner: Int64) throws(RecordError) -> AccountUsage {
        lookUp.bind(1, owner)
        defer { lookUp.reset() }
        guard try lookUp.step() else { return AccountUsage() }
        return AccountUsage(
            all: Usage(records: lookUp.integer(0), bytes: lookUp.integer(1), assetBytes: lookUp.integer(2)),
            ofPublic: Usage(records: lookUp.integer(3), bytes: lookUp.integer(4), assetBytes: lookUp.integer(5)))
    }

    package func add(_ usage: AccountUsage, to owner: Int64) throws(RecordError) {
        change.bind(1, owner)
        change.bind(2, usage.all.records)
        change.bind(3, usage.all.bytes)
        change.bind(4, usage.all.assetBytes)
        change.bind(5, usage.ofPublic.records)
        change.bind(6, usage.ofPublic.bytes)
        change.bind(7, usage.ofPublic.assetBytes)
        try change.run()
    }
}
