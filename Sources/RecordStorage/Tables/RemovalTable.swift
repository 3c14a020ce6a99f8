package import RecordModel

/// What is left to take away of accounts that are gone. The writer's.
package final class RemovalTable {
    private let connection: Connection
    private let recordsOfZone: Statement
    private let removeRecord: Statement

    /// The scope of zones whose owners are gone.
    private static let detached = 2

    package init(_ connection: Connection) {
        self.connection = connection
        recordsOfZone = connection.prepare(
            "SELECT id FROM record INDEXED BY record_by_sequence WHERE zone = ?1 ORDER BY sequence LIMIT ?2")
        removeRecord = connection.prepare("DELETE FROM record WHERE id = ?1")
    }

    // MARK: What is to be done

    /// Notes that an account's things are to be taken away, and puts its zones where nobody finds them.
    package func add(account: UserID, now: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE zone SET scope = \(Self.detached) WHERE scope = 1 AND owner = ?1"
        ).with(account).run()
        try connection.prepare("INSERT OR IGNORE INTO account_removal (account, since) VALUES (?1, ?2)").with(
            account, now
        ).run()
    }

    /// The changes that are looked through for an account's number.
    private static let changesLookedAt = 10_000

    /// Whether records of the public database may have an account's number as creator or modifier. Of the modifier there is
    /// no index: where much has changed since the account came, it may.
    ///
    /// - Parameter record: The account's user record, which it has come with: by its number, which is a sequence number.
    package func mayStandInRecords(_ account: UserID, since record: RecordNumber) throws(RecordError) -> Bool {
        let look = connection.prepare(
            """
            SELECT count(*), ifnull(max(deleted = 0 AND id <> ?2 AND (creator = ?1 OR modifier = ?1)), 0)
            FROM (SELECT id, deleted, creator, modifier FROM record INDEXED BY record_by_sequence
                WHERE zone = \(ZoneTable.publicDefault) AND sequence > ?2 LIMIT \(Self.changesLookedAt))
            """)
        return try look.with(account, record).row { $0.next() == Self.changesLookedAt || $0.next() } ?? true
    }

    /// An account of which something is left.
    package func first() throws(RecordError) -> UserID? {
        try connection.prepare("SELECT account FROM account_removal LIMIT 1").id()
    }

    /// Nothing is left of an account.
    package func finish(account: UserID) throws(RecordError) {
        try run("DELETE FROM account_removal WHERE account = ?1", account)
    }

    /// Whether anything is left to do.
    package func hasWork() throws(RecordError) -> Bool {
        if try first() != nil { return true }
        return try firstCascade() != nil
    }

    // MARK: References to what went

    /// Notes that the records go which refer to a name with DELETE_SELF.
    package func addCascade(zone: ZoneID, target: String) throws(RecordError) {
        try connection.prepare("INSERT OR IGNORE INTO removal_cascade (zone, target) VALUES (?1, ?2)").with(
            zone, target
        ).run()
    }

    package func firstCascade() throws(RecordError) -> (zone: ZoneID, target: String)? {
        try connection.prepare("SELECT zone, target FROM removal_cascade LIMIT 1").row { ($0.next(), $0.next()) }
    }

    package func finishCascade(zone: ZoneID, target: String) throws(RecordError) {
        try connection.prepare("DELETE FROM removal_cascade WHERE zone = ?1 AND target = ?2").with(zone, target).run()
    }

    // MARK: Zones

    /// A zone of an account that is gone.
    package func zone(of account: UserID) throws(RecordError) -> ZoneID? {
        try connection.prepare("SELECT id FROM zone WHERE scope = \(Self.detached) AND owner = ?1 LIMIT 1").with(
            account
        ).id()
    }

    /// The numbers of records and tombstones of a zone.
    package func records(zone: ZoneID, limit: Int) throws(RecordError) -> [RecordNumber] {
        try recordsOfZone.with(zone, limit).rows { $0.next() }
    }

    /// Takes away the row of a record of which nothing else is left.
    package func removeRecord(_ id: RecordNumber) throws(RecordError) {
        try removeRecord.with(id).run()
    }

    /// Takes away a zone that is empty. Its number is not given again.
    package func removeZone(_ zone: ZoneID) throws(RecordError) {
        try run(
            """
            INSERT INTO setting (name, value) VALUES ('\(SettingTable.lastZone)', ?1)
            ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
            """, zone)
        try run("DELETE FROM audience WHERE zone = ?1", zone)
        try run("DELETE FROM zone WHERE id = ?1", zone)
    }

    // MARK: Uploads and answers

    /// Takes away receipts and remembered answers of an account.
    ///
    /// - Returns: How many went of those of which most did; fewer than `limit` means that none are left.
    package func removeClaimsAndAnswers(account: UserID, limit: Int) throws(RecordError) -> Int {
        let claims = connection.prepare(
            """
            DELETE FROM asset_claim WHERE id IN (SELECT id FROM asset_claim WHERE uploader = ?1 LIMIT ?2)
            RETURNING uploader, \(AssetTable.unusedBytes)
            """)
        let answers = connection.prepare(
            """
            DELETE FROM idempotency WHERE id IN (SELECT id FROM idempotency WHERE caller = ?1 LIMIT ?2)
            RETURNING caller, bytes
            """)
        return max(
            try KeptSum.ofUnusedAssets(connection).subtract(rowsOf: claims.with(account, limit)),
            try KeptSum.ofAnswers(connection).subtract(rowsOf: answers.with(CallerID(account), limit)))
    }

    /// Lets the uploads in several requests of an account expire: rows and files go with those that nobody goes on with.
    package func expireUploads(account: UserID) throws(RecordError) {
        try run("UPDATE resumable_upload SET expires = 0 WHERE uploader = ?1", account)
        try run("DELETE FROM asset_unused WHERE uploader = ?1", account)
    }

    private func run(_ sql: SQL, _ number: some Bindable) throws(RecordError) {
        try connection.prepare(sql).with(number).run()
    }
}
