package import RecordModel

/// The steps that make a database file, named and in order. A released step is never edited; a change is a new step.
package enum Migrations {
    struct Migration {
        let name: String
        let sql: String
        /// What SQL cannot do, in the same transaction behind the SQL.
        var work: (@Sendable (Connection) throws(RecordError) -> Void)?
    }

    /// How many of the steps a file has had; 0 for a file without tables.
    static func applied(on connection: Connection) throws(RecordError) -> Int {
        let hasTable = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migration'")
        guard hasTable != 0 else { return 0 }
        return Int(try connection.integer("SELECT count(*) FROM migration") ?? 0)
    }

    /// How many steps a file has had that knows indexes.
    static let withIndexes = 4
    /// … and one that knows assets.
    static let withAssets = 8
    /// … and one that knows access lists.
    static let withAccessLists = 9
    /// … and one that knows kinds of accounts.
    static let withAccountKinds = 10
    /// … and one that knows grants of fields.
    static let withFieldGrants = 11
    /// … and one that knows API keys.
    static let withKeys = 15
    /// … and one that knows disabled accounts.
    static let withDisabledAccounts = 18
    /// … and one that knows what accounts take, and what of it in the public database.
    static let withPublicUsage = 22
    /// … and one that knows types whose records must have access lists.
    static let withRequiredLists = 25
    /// … and one that knows keys of accounts' names.
    static let withNameKeys = steps(upTo: nameKeysName)
    /// … and one that knows records whose dates an import has said.
    static let withPreservedDates = steps(upTo: preservedDatesName)

    private static func steps(upTo name: String) -> Int {
        1 + (all.firstIndex { $0.name == name } ?? all.count)
    }

    /// Brings a file to the newest layout, in one transaction. A file of a newer server is refused.
    package static func run(on connection: Connection) throws(RecordError) {
        try run(all, on: connection)
    }

    /// As `run`. Where the disk has no room for a new step, the log is copied into the file first and cut. The start reserve
    /// is not touched: it stays for a start of the version before.
    ///
    /// - Throws: A sentence for the operator if there still is no room.
    package static func runMakingRoom(on connection: Connection) throws {
        try makingRoom(on: connection) { () throws(RecordError) in try run(on: connection) }
    }

    static func makingRoom(on connection: Connection, _ body: () throws(RecordError) -> Void) throws {
        do {
            return try connection.explaining(body)
        } catch let failure as StoreFailure where failure.isStorageFull {}
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        connection.cutLog()
        do {
            try connection.explaining {
                try connection.checkpoint(.truncate)
                try body()
            }
        } catch let error as StoreFailure where error.isStorageFull {
            throw DataFolder.Problem(
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
        Migration(name: "remembered answers", sql: rememberedAnswers),
        Migration(name: "assets that count again", sql: assetsThatCountAgain),
        Migration(name: "public usage", sql: publicUsage),
        Migration(name: "audit of refusals", sql: auditOfRefusals),
        Migration(name: "gone accounts", sql: goneAccounts),
        Migration(name: "required access lists", sql: requiredLists),
        Migration(name: "claims of uploaders", sql: claimsOfUploaders),
        Migration(name: "openings", sql: openings),
        Migration(name: nameKeysName, sql: nameKeys, work: fillNameKeys),
        // Changes no table: a server that does not know of widened fields would make wrong keys for their values.
        Migration(name: "widened fields", sql: "SELECT 1"),
        Migration(name: preservedDatesName, sql: preservedDates),
        Migration(name: keptSumsName, sql: keptSums),
    ]
}
