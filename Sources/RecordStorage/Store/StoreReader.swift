package import RecordModel

/// A reader of one store. It has its own connection, a snapshot that several reads share, and the tables.
///
/// Confined to the thread that created it. Cursors must be finished before `refresh` and `releaseSnapshot`.
package final class StoreReader {
    private let connection: Connection
    private let snapshot: Snapshot

    /// Records: lookup, listing and change feed.
    package let records: RecordFinder
    /// Scans of records in the order of their numbers.
    package let scanning: RecordIDScanner
    /// Scans of index tables.
    package let indexes: IndexScanner
    /// The zones.
    package let zones: ZoneTable
    /// The zones that databases no longer have.
    package let lostZones: LostZoneTable
    /// The places of records in hierarchies.
    package let hierarchies: HierarchyTable
    /// The shares and their participants.
    package let shares: ShareTable
    /// The audiences.
    package let audiences: AudienceFinder
    /// The counter of tombstones.
    package let tombstones: TombstoneCounter
    /// The schema.
    package let schemas: SchemaTable
    /// The epochs of sync tokens.
    package let openings: EpochTable
    /// The accounts.
    package let accounts: AccountTable
    /// The deleted accounts.
    package let deletedAccounts: DeletedAccountTable
    /// The sessions.
    package let sessions: SessionTable
    /// The invitations.
    package let invitations: InvitationTable
    /// The custom roles.
    package let roles: RoleTable
    /// The API keys.
    package let keys: APIKeyTable
    /// The API tokens of CloudKit Web Services.
    package let cloudKitTokens: CloudKitTokenTable
    /// The webhooks.
    package let webhooks: WebhookTable
    /// The subscriptions.
    package let subscriptions: SubscriptionTable
    /// The tokens of devices that receive notifications.
    package let notificationTokens: NotificationTokenTable
    /// The audit log.
    package let audit: AuditTable
    /// The jobs.
    package let jobs: JobTable
    /// The schedules.
    package let schedules: ScheduleTable
    /// Earlier states of the schema.
    package let schemaSnapshots: SchemaSnapshotTable
    /// The assets.
    package let assets: AssetFinder
    /// The usage counters.
    package let usage: UsageTable
    /// Samples of the record table.
    package let sampler: RecordSampler

    /// Opens the file of a directory that a writer has opened.
    ///
    /// - Parameters:
    ///   - length: How long a snapshot can stay open.
    ///   - driver: Creates the driver that runs statements instead of SQLite; `nil` for SQLite.
    /// - Throws: `StoreFailure`, for the operator.
    package convenience init(
        in directory: String, status: StoreStatus, length: SnapshotLifetime, driver: DriverMaker? = nil
    ) throws {
        let connection = try Connection(
            path: DataDirectory.databasePath(in: directory), role: length == .query ? .scanner : .reader)
        connection.driver = driver?(connection)
        do {
            try self.init(connection, status, length)
        } catch {
            throw connection.failure ?? error
        }
    }

    private init(_ connection: Connection, _ status: StoreStatus, _ length: SnapshotLifetime) throws(RecordError) {
        self.connection = connection
        // A query that exceeds its time limit is not a failure of the store.
        connection.observer = { [observer = status.observer] failure in
            if failure.kind != .interrupted { observer?.didFail(failure.description) }
        }
        snapshot = Snapshot(connection, clock: status.clock, length: length)
        records = RecordFinder(connection)
        scanning = RecordIDScanner(connection)
        indexes = IndexScanner(connection)
        zones = ZoneTable(connection)
        lostZones = LostZoneTable(connection)
        hierarchies = HierarchyTable(connection)
        shares = ShareTable(connection)
        audiences = AudienceFinder(connection)
        tombstones = TombstoneCounter(connection)
        schemas = SchemaTable(connection)
        openings = EpochTable(connection)
        accounts = try AccountTable(connection)
        deletedAccounts = DeletedAccountTable(connection)
        sessions = SessionTable(connection)
        invitations = InvitationTable(connection)
        roles = RoleTable(connection)
        keys = APIKeyTable(connection)
        cloudKitTokens = CloudKitTokenTable(connection)
        webhooks = WebhookTable(connection)
        subscriptions = SubscriptionTable(connection)
        notificationTokens = NotificationTokenTable(connection)
        audit = AuditTable(connection, isReader: true)
        jobs = JobTable(connection)
        schedules = ScheduleTable(connection)
        schemaSnapshots = SchemaSnapshotTable(connection)
        assets = AssetFinder(connection)
        usage = UsageTable(connection)
        sampler = RecordSampler(connection)
    }

    // MARK: The snapshot

    /// Refreshes the snapshot for read-your-writes consistency. The snapshot then contains all commits that were
    /// acknowledged, or visible to any other reader, before this call.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func refresh() throws(RecordError) { try snapshot.refresh() }

    /// Ends the snapshot. Call it before the thread waits.
    package func releaseSnapshot() { snapshot.end() }

    /// Ends the snapshot if there is a newer commit, so that single reads are not older than an acknowledged write.
    package func releaseOutdatedSnapshot() { snapshot.endIfOutdated() }

    /// The minimum number of commits that the snapshot contains, counted by the store's `CommitClock`.
    package var seenCommits: UInt64 { snapshot.seen }

    /// The epoch of all positions that are sealed now. It covers each number up to a published sequence number that was
    /// loaded before.
    package var epoch: Int64 { snapshot.epoch }

    /// Returns the last sequence number that an epoch may have issued; `.max` for the current epoch.
    ///
    /// - Returns: `nil` if the epoch is unknown or was deleted.
    package func lastNumber(of epoch: Int64) throws(RecordError) -> Int64? {
        epoch == self.epoch ? .max : try openings.lastNumber(of: epoch)
    }

    /// The number of snapshots that this reader has begun.
    package var snapshotsOpened: UInt64 { snapshot.openings }

    // MARK: Time

    /// Runs `body`, and interrupts its statements at `deadline` or if the task is canceled. Use it for single steps
    /// that can take long, such as a count.
    ///
    /// - Parameter deadline: A time on `MonotonicClock`; `nil` for no limit.
    /// - Returns: The result of `body`; `nil` if a statement was interrupted.
    /// - Throws: The error of `body`.
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
