package import RecordModel

/// A reader's side of one store: a connection of its own, a snapshot that outlives the single read, and its tables.
///
/// Confined to the thread that made it. Cursors are finished before `refresh` and `releaseSnapshot`.
package final class StoreReader {
    private let connection: Connection
    private let snapshot: Snapshot

    package let records: RecordReading
    package let scanning: RecordScanning
    package let indexes: IndexReading
    package let zones: ZoneTable
    package let audiences: AudienceReading
    package let tombstones: TombstoneReading
    package let schemas: SchemaTable
    package let openings: OpeningTable
    package let accounts: AccountTable
    package let goneAccounts: GoneAccountTable
    package let sessions: SessionTable
    package let invitations: InvitationTable
    package let roles: RoleTable
    package let keys: KeyTable
    package let audit: AuditTable
    package let assets: AssetReading
    package let usage: UsageTable

    /// Opens the file of a directory that a writer has opened.
    ///
    /// - Parameters:
    ///   - length: How long a snapshot may be held.
    ///   - driver: Runs statements in SQLite's place.
    /// - Throws: A failure, for the operator.
    package convenience init(
        in folder: String, status: StoreStatus, length: ViewLength, driver: DriverMaker? = nil
    ) throws {
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder), role: length == .query ? .scanner : .reader)
        connection.driver = driver?(connection)
        do {
            try self.init(connection, status, length)
        } catch {
            throw connection.failure ?? error
        }
    }

    private init(_ connection: Connection, _ status: StoreStatus, _ length: ViewLength) throws(RecordError) {
        self.connection = connection
        // A query that ran out of time is no failure.
        connection.observer = { [observer = status.observer] failure in
            if failure.kind != .interrupted { observer?.didFail(failure.description) }
        }
        snapshot = Snapshot(connection, clock: status.clock, length: length)
        records = RecordReading(connection)
        scanning = RecordScanning(connection)
        indexes = IndexReading(connection)
        zones = ZoneTable(connection)
        audiences = AudienceReading(connection)
        tombstones = TombstoneReading(connection)
        schemas = SchemaTable(connection)
        openings = OpeningTable(connection)
        accounts = try AccountTable(connection)
        goneAccounts = GoneAccountTable(connection)
        sessions = SessionTable(connection)
        invitations = InvitationTable(connection)
        roles = RoleTable(connection)
        keys = KeyTable(connection)
        audit = AuditTable(connection, isReader: true)
        assets = AssetReading(connection)
        usage = UsageTable(connection)
    }

    // MARK: The snapshot

    /// Makes the snapshot at least as new as everything that was acknowledged, or that any other reader has shown, before
    /// this call.
    package func refresh() throws(RecordError) { try snapshot.refresh() }

    /// Lets go of the snapshot, before the thread waits.
    package func releaseSnapshot() { snapshot.end() }

    /// The commits that the snapshot holds at least, by the store's clock.
    package var seenCommits: UInt64 { snapshot.seen }

    /// How often a snapshot was opened.
    package var snapshotsOpened: UInt64 { snapshot.openings }

    // MARK: Time

    /// Runs `body`, and interrupts its statements at a moment of the monotonic clock or when the task is cancelled. For what may
    /// take long in one step, such as a count.
    ///
    /// - Parameter deadline: `nil` lets statements run to their end.
    /// - Returns: `nil` if it was interrupted.
    package func interrupting<Value>(
        at deadline: UInt64?, _ body: () throws(RecordError) -> Value
    ) throws(RecordError) -> Value? {
        if let deadline { connection.setDeadline(deadline) }
        defer { if deadline != nil { connection.setDeadline(nil) } }
        do throws(RecordError) {
            return try body()
        } catch {
            guard connection.failure?.kind == .interrupted else { throw error }
            connection.forgetFailure()
            return nil
        }
    }
}
