package import RecordModel

/// What each account's records take: those that it created in the public database, and all of its private one.
package final class UsageTable {
    /// Stands for everybody together.
    package static let everybody: Int64 = -1

    private let lookUp: Statement
    private let change: Statement

    package init(_ connection: Connection) throws(StoreError) {
        lookUp = try connection.prepare("SELECT records, bytes, asset_bytes FROM usage WHERE owner = ?1")
        change = try connection.prepare(
            """
            INSERT INTO usage (owner, records, bytes, asset_bytes) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (owner) DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes,
                asset_bytes = asset_bytes + excluded.asset_bytes
            """)
    }

    /// Adds up anew what the records of all accounts take.
    package static func addUp(_ connection: Connection) throws(StoreError) {
        try connection.execute(
            """
            DELETE FROM usage;
            INSERT INTO usage \(Migrations.usageSums);
            INSERT INTO usage SELECT \(everybody), coalesce(sum(records), 0), coalesce(sum(bytes), 0),
                coalesce(sum(asset_bytes), 0) FROM usage;
            """)
    }

    package func usage(of owner: Int64) throws(StoreError) -> Usage {
        lookUp.bind(1, owner)
        defer { lookUp.reset() }
        guard try lookUp.step() else { return Usage() }
        return Usage(records: lookUp.integer(0), bytes: lookUp.integer(1), assetBytes: lookUp.integer(2))
    }

    package func add(_ usage: Usage, to owner: Int64) throws(StoreError) {
        change.bind(1, owner)
        change.bind(2, usage.records)
        change.bind(3, usage.bytes)
        change.bind(4, usage.assetBytes)
        try change.run()
    }
}
