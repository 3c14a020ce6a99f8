package import RecordModel

/// The data of deleted accounts that is still to be deleted. Use it on the writer's connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class AccountRemovalTable {
    private let connection: Connection
    private let recordsOfZone: Statement
    private let removeRecord: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        recordsOfZone = connection.prepare(
            "SELECT id FROM record INDEXED BY record_by_sequence WHERE zone = ?1 ORDER BY sequence LIMIT ?2")
        removeRecord = connection.prepare("DELETE FROM record WHERE id = ?1")
    }

    // MARK: Pending removals

    /// Queues an account for the deletion of its data, and detaches the account's zones so that no request finds them.
    package func add(account: UserID, now: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE zone SET scope = \(ZoneTable.detached), name = CAST(id AS TEXT) WHERE scope = 1 AND owner = ?1"
        ).with(account).run()
        try connection.prepare("INSERT OR IGNORE INTO account_removal (account, since) VALUES (?1, ?2)").with(
            account, now
        ).run()
    }

    /// The maximum number of record changes that `mayAppearInRecords` searches.
    private static let changesLookedAt = 10_000

    /// Returns whether records of the public database can have an account's number as creator or modifier. There is no
    /// index on the modifier, so the result is true if there were many changes since the account was created.
    ///
    /// - Parameter record: The number of the account's user record, which is the sequence number of the account's
    ///   creation.
    package func mayAppearInRecords(_ account: UserID, since record: RecordNumber) throws(RecordError) -> Bool {
        let look = connection.prepare(
            """
            SELECT count(*), ifnull(max(deleted = 0 AND id <> ?2 AND (creator = ?1 OR modifier = ?1)), 0)
            FROM (SELECT id, deleted, creator, modifier FROM record INDEXED BY record_by_sequence
                WHERE zone = \(ZoneTable.publicDefault) AND sequence > ?2 LIMIT \(Self.changesLookedAt))
            """)
        return try look.with(account, record).row { $0.next() == Self.changesLookedAt || $0.next() } ?? true
    }

    /// Returns a deleted account that still has data; `nil` if there is none.
    package func first() throws(RecordError) -> UserID? {
        try connection.prepare("SELECT account FROM account_removal LIMIT 1").id()
    }

    /// Removes an account from the queue, after all its data was deleted.
    package func finish(account: UserID) throws(RecordError) {
        try run("DELETE FROM account_removal WHERE account = ?1", account)
    }

    /// Returns whether data of a deleted account, or a record that refers to a deleted name, is still to be deleted.
    package func hasWork() throws(RecordError) -> Bool {
        if try first() != nil { return true }
        return try firstCascade() != nil
    }

    // MARK: References to deleted records

    /// Queues a deleted record name. Later, all records with a DELETE_SELF reference to this name are deleted.
    package func addCascade(zone: ZoneID, target: String) throws(RecordError) {
        try connection.prepare("INSERT OR IGNORE INTO removal_cascade (zone, target) VALUES (?1, ?2)").with(
            zone, target
        ).run()
    }

    /// Returns a deleted record name from the queue; `nil` if the queue is empty.
    package func firstCascade() throws(RecordError) -> (zone: ZoneID, target: String)? {
        try connection.prepare("SELECT zone, target FROM removal_cascade LIMIT 1").row { ($0.next(), $0.next()) }
    }

    /// Removes a deleted record name from the queue, after all records that refer to it were deleted.
    package func finishCascade(zone: ZoneID, target: String) throws(RecordError) {
        try connection.prepare("DELETE FROM removal_cascade WHERE zone = ?1 AND target = ?2").with(zone, target).run()
    }

    // MARK: Zones

    /// Returns a zone of a deleted account; `nil` if there is none.
    package func zone(of account: UserID) throws(RecordError) -> ZoneID? {
        try connection.prepare("SELECT id FROM zone WHERE scope = \(ZoneTable.detached) AND owner = ?1 LIMIT 1").with(
            account
        ).id()
    }

    /// Returns the numbers of records and tombstones of a zone, at most `limit`.
    package func records(zone: ZoneID, limit: Int) throws(RecordError) -> [RecordNumber] {
        try recordsOfZone.with(zone, limit).rows { $0.next() }
    }

    /// Deletes the row of a record. Call it after everything else that belongs to the record was deleted.
    package func removeRecord(_ id: RecordNumber) throws(RecordError) {
        try removeRecord.with(id).run()
    }

    /// Deletes an empty zone. Its ID is not used again.
    package func removeZone(_ zone: ZoneID) throws(RecordError) {
        try run(
            """
            INSERT INTO setting (name, value) VALUES ('\(SettingTable.lastZone)', ?1)
            ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
            """, zone)
        try run("DELETE FROM audience WHERE zone = ?1", zone)
        try run("DELETE FROM zone WHERE id = ?1", zone)
    }

    // MARK: Uploads and stored responses

    /// Deletes upload claims and stored responses of an account, at most `limit` of each.
    ///
    /// - Returns: The larger of the two numbers of deleted rows. If this number is less than `limit`, no claims and
    ///   responses are left.
    package func removeClaimsAndResponses(account: UserID, limit: Int) throws(RecordError) -> Int {
        let claims = connection.prepare(
            """
            DELETE FROM asset_claim WHERE id IN (SELECT id FROM asset_claim WHERE uploader = ?1 LIMIT ?2)
            RETURNING uploader, \(AssetTable.unusedBytes)
            """)
        let responses = connection.prepare(
            """
            DELETE FROM idempotency WHERE id IN (SELECT id FROM idempotency WHERE caller = ?1 LIMIT ?2)
            RETURNING caller, bytes
            """)
        return max(
            try RunningTotal.ofUnusedAssets(connection).subtract(rowsOf: claims.with(account, limit)),
            try RunningTotal.ofResponses(connection).subtract(rowsOf: responses.with(CallerID(account), limit)))
    }

    /// Expires the resumable uploads of an account. Maintenance deletes their rows and files.
    package func expireUploads(account: UserID) throws(RecordError) {
        try run("UPDATE resumable_upload SET expires = 0 WHERE uploader = ?1", account)
        try run("DELETE FROM asset_unused WHERE uploader = ?1", account)
    }

    private func run(_ sql: SQL, _ number: some Bindable) throws(RecordError) {
        try connection.prepare(sql).with(number).run()
    }
}
