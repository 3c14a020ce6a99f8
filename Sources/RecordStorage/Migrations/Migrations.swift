package import RecordModel

/// The migrations of a database file, in order. A released migration is never edited; each change is a new migration.
package enum Migrations {
    struct Migration {
        let name: String
        let sql: String
        /// The work that SQL cannot do. `work` runs after `sql`, in the same transaction.
        var work: (@Sendable (Connection) throws(RecordError) -> Void)?
    }

    /// Returns the number of migrations that a file has; 0 for a file without tables.
    static func applied(on connection: Connection) throws(RecordError) -> Int {
        let hasTable = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migration'")
        guard hasTable != 0 else { return 0 }
        return Int(try connection.integer("SELECT count(*) FROM migration") ?? 0)
    }

    /// The number of migrations in a file that has indexes.
    static let withIndexes = 4
    /// The number of migrations in a file that has assets.
    static let withAssets = 8
    /// The number of migrations in a file that has access lists.
    static let withAccessLists = 9
    /// The number of migrations in a file that has kinds of accounts.
    static let withAccountKinds = 10
    /// The number of migrations in a file that has grants of fields.
    static let withFieldGrants = 11
    /// The number of migrations in a file that has API keys.
    static let withKeys = 15
    /// The number of migrations in a file that has disabled accounts.
    static let withDisabledAccounts = 18
    /// The number of migrations in a file that has usage counters with a part for the public database.
    static let withPublicUsage = 22
    /// The number of migrations in a file that has types with required access lists.
    static let withRequiredLists = 25
    /// The number of migrations in a file that has keys of account names.
    static let withNameKeys = steps(upTo: nameKeysName)
    /// The number of migrations in a file that has imported creation times.
    static let withPreservedDates = steps(upTo: preservedDatesName)

    /// The number of migrations in a file that has subscriptions.
    static let withSubscriptions = steps(upTo: notificationsName)

    static func steps(upTo name: String) -> Int {
        1 + (all.firstIndex { $0.name == name } ?? all.count)
    }

    /// Runs the missing migrations in one transaction.
    ///
    /// - Throws: INTERNAL_ERROR if a newer version wrote the file; INTERNAL_ERROR or TRY_AGAIN_LATER if the store
    ///   fails.
    package static func run(on connection: Connection) throws(RecordError) {
        try run(all, on: connection)
    }

    /// Runs the missing migrations. If the disk is full, checkpoints and truncates the WAL and tries again. Does
    /// not use the start reserve, because the previous version may need the reserve to start.
    ///
    /// - Throws: `DataDirectory.Problem` if there still is no space; `StoreFailure` for all other failures.
    package static func runMakingSpace(on connection: Connection) throws {
        try makingRoom(on: connection) { () throws(RecordError) in try run(on: connection) }
    }

    static func makingRoom(on connection: Connection, _ body: () throws(RecordError) -> Void) throws {
        do {
            return try connection.explaining(body)
        } catch let failure as StoreFailure where failure.isStorageFull {}
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        connection.truncateWAL()
        do {
            try connection.explaining {
                try connection.checkpoint(.truncate)
                try body()
            }
        } catch let error as StoreFailure where error.isStorageFull {
            throw DataDirectory.Problem(
                "The disk has no room for the changes that this version makes to \(connection.path): \(error). Make room, about as much as that file has, and start again; the version before still starts."
            )
        }
    }

    static func run(_ all: [Migration], on connection: Connection) throws(RecordError) {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS migration (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
        let applied = Int(try connection.integer("SELECT count(*) FROM migration") ?? 0)
        guard applied <= all.count else {
            throw connection.failed(
                StoreFailure(
                    code: 26,
                    message: "The database was written by a newer version of Fogbase. Start that version instead."))
        }
        guard applied < all.count else { return }
        try connection.execute("BEGIN IMMEDIATE")
        for (position, migration) in all.enumerated().dropFirst(applied) {
            try connection.execute(SQL(migration.sql))
            try migration.work?(connection)
            try connection.prepare("INSERT INTO migration (position, name) VALUES (?1, ?2)").with(
                position, migration.name
            ).run()
        }
        try connection.execute("COMMIT")
    }

    static let all: [Migration] = [
        Migration(name: "records", sql: records),
        Migration(name: "schema", sql: schema),
        Migration(name: "accounts", sql: accounts),
        Migration(name: "indexes", sql: indexes),
        Migration(name: "index statistics", sql: indexStatistics),
        Migration(name: "assets", sql: assets),
        Migration(name: "resumable uploads", sql: resumableUploads),
        Migration(name: "unused assets", sql: unusedAssets),
        Migration(name: "access lists", sql: accessLists),
        Migration(name: "kinds of accounts", sql: accountKinds),
        Migration(name: "field grants", sql: fieldGrants),
        Migration(name: "sliding sessions", sql: slidingSessions),
        Migration(name: "invitations", sql: invitations),
        Migration(name: "removals of accounts", sql: accountRemovals),
        Migration(name: "API keys", sql: keys),
        Migration(name: "audit", sql: audit),
        Migration(name: "usage", sql: usage),
        Migration(name: "disabled accounts", sql: disabledAccounts),
        Migration(name: "used invitations", sql: usedInvitations),
        Migration(name: "remembered answers", sql: storedResponses),
        Migration(name: "assets that count again", sql: assetsThatCountAgain),
        Migration(name: "public usage", sql: publicUsage),
        Migration(name: "audit of refusals", sql: auditOfRejections),
        Migration(name: "gone accounts", sql: deletedAccounts),
        Migration(name: "required access lists", sql: requiredLists),
        Migration(name: "claims of uploaders", sql: claimsOfUploaders),
        Migration(name: "openings", sql: openings),
        Migration(name: nameKeysName, sql: nameKeys, work: fillNameKeys),
        // Changes no table, but prevents older versions from opening the file. A version that does not know widened
        // fields would make wrong index keys for the values of these fields.
        Migration(name: "widened fields", sql: "SELECT 1"),
        Migration(name: preservedDatesName, sql: preservedDates),
        Migration(name: runningTotalsName, sql: runningTotals),
        Migration(name: "jobs", sql: jobs),
        Migration(name: "webhooks", sql: webhooks),
        Migration(name: "zones", sql: zones),
        Migration(name: "CloudKit credentials", sql: cloudKitCredentials),
        Migration(name: "schema snapshots", sql: schemaSnapshots),
        Migration(name: "sharing", sql: sharing),
        Migration(name: notificationsName, sql: notifications),
        Migration(name: "zones of webhooks", sql: webhookZones),
        Migration(name: "updates of access lists", sql: accessUpdates),
        Migration(name: "rejected rows", sql: rejectedRows),
        Migration(name: renamesName, sql: renames),
    ]
}
