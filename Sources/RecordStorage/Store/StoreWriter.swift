package import RecordModel
internal import Threads

/// The writer of one store. It has the tables and the transaction of a group commit.
///
/// Confined to the writer's thread. A store has only one writer, so sequence numbers ascend in the order of commits.
package final class StoreWriter {
    /// The writer's connection. Outside this module only tests use it.
    package let connection: Connection
    /// The state of the store that other threads can read.
    package let status: StoreStatus
    /// Checkpoints and disk space, between transactions.
    package let upkeep: FileMaintenance

    /// Records: rows, large values and reference edges.
    package let records: RecordTable
    /// The zones.
    package let zones: ZoneTable
    /// The zones that databases no longer have.
    package let lostZones: LostZoneTable
    /// The places of records in hierarchies.
    package let hierarchies: HierarchyTable
    /// The shares and their participants.
    package let shares: ShareTable
    /// The audiences.
    package let audiences: AudienceTable
    /// The tombstones.
    package let tombstones: TombstoneTable
    /// The schema.
    package let schemas: SchemaTable
    /// The definitions of indexes.
    package let indexDefinitions: IndexDefinitionTable
    /// The tables of indexes.
    package let indexEntries: IndexTable
    /// The statistics of indexes.
    package let indexStatistics: IndexStatisticTable
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
    /// The removals of deleted accounts.
    package let removals: AccountRemovalTable
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
    package let assets: AssetTable
    /// The usage counters.
    package let usage: UsageTable
    /// The stored responses.
    package let idempotency: IdempotencyTable
    /// The named numbers.
    package let settings: SettingTable
    /// The epochs of sync tokens.
    package let openings: EpochTable

    /// The current state of the writer.
    package private(set) var head: StoreHead
    private var reservedSequence: Int64
    private var nextReservation: Int64?
    /// The newest epoch of the file, in a group as the group leaves it.
    package private(set) var epoch: Int64
    /// Whether the file has an epoch for this server start.
    private var hasEpoch = false
    /// Whether the system clock went back, and the file does not record it yet.
    private var mustRecordStepBack = false
    private let clock: @Sendable () -> Int64
    private var hasSavepoint = false
    /// The number of open items.
    private var openItems = 0
    /// Whether an item was kept that no savepoint of the request can undo.
    private var keptItems = false

    private let transaction: FileTransaction
    private let savepoint: Statement
    private let releaseSavepoint: Statement
    private let rollbackToSavepoint: Statement
    private let itemSavepoint: Statement
    private let releaseItem: Statement
    private let rollbackToItem: Statement

    /// Sequence numbers are reserved in the file in blocks, so that a commit need not write the counter. After a
    /// crash the rest of the block stays unused.
    private static let sequenceBlock: Int64 = 1 << 20

    /// The maximum time in milliseconds that the system clock may be behind the last change. Until it has caught up,
    /// changes get the time of that change. If the system clock is further behind, changes get its time, and the file
    /// records that the clock went back.
    private static let forgivenLag: Int64 = 5_000

    /// Opens the database file of a directory. Creates a missing file and runs missing migrations.
    ///
    /// - Parameters:
    ///   - directory: The directory, which the caller must keep locked while the file is open.
    ///   - checkpoints: The rules that decide when the WAL is checkpointed.
    ///   - longestQuery: The time limit of queries.
    ///   - driver: Creates the driver that runs statements instead of SQLite; `nil` for SQLite.
    ///   - clock: Returns the system time in milliseconds since 1970.
    /// - Throws: `StoreFailure` or `DataDirectory.Problem`, for the operator.
    package convenience init(
        in directory: borrowing DataDirectory, observer: any StoreObserver, checkpoints: CheckpointPolicy,
        longestQuery: Duration, driver: DriverMaker? = nil,
        clock: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }
    ) throws {
        let path = directory.path
        try directory.syncWAL()
        let connection = try StartReserve(in: path).open {
            try Connection(path: DataDirectory.databasePath(in: path), role: .writer)
        }
        try Migrations.runMakingSpace(on: connection)
        connection.driver = driver?(connection)
        try self.init(connection, directory: path, observer, checkpoints, longestQuery, clock)
    }

    private init(
        _ connection: Connection, directory: String, _ observer: any StoreObserver, _ checkpoints: CheckpointPolicy,
        _ longestQuery: Duration, _ clock: @escaping @Sendable () -> Int64
    ) throws {
        self.connection = connection
        self.clock = clock
        records = RecordTable(connection)
        zones = ZoneTable(connection)
        lostZones = LostZoneTable(connection)
        hierarchies = HierarchyTable(connection)
        shares = ShareTable(connection)
        audiences = AudienceTable(connection)
        tombstones = TombstoneTable(connection)
        schemas = SchemaTable(connection)
        indexDefinitions = IndexDefinitionTable(connection)
        indexEntries = IndexTable(connection)
        indexStatistics = IndexStatisticTable(connection)
        accounts = try AccountTable(connection)
        deletedAccounts = DeletedAccountTable(connection)
        sessions = SessionTable(connection)
        invitations = InvitationTable(connection)
        roles = RoleTable(connection)
        removals = AccountRemovalTable(connection)
        keys = APIKeyTable(connection)
        cloudKitTokens = CloudKitTokenTable(connection)
        webhooks = WebhookTable(connection)
        subscriptions = SubscriptionTable(connection)
        notificationTokens = NotificationTokenTable(connection)
        jobs = JobTable(connection)
        schedules = ScheduleTable(connection)
        schemaSnapshots = SchemaSnapshotTable(connection)
        audit = AuditTable(connection)
        assets = AssetTable(connection)
        usage = UsageTable(connection)
        idempotency = IdempotencyTable(connection)
        settings = SettingTable(connection)
        openings = EpochTable(connection)
        savepoint = connection.prepare("SAVEPOINT request")
        releaseSavepoint = connection.prepare("RELEASE request")
        rollbackToSavepoint = connection.prepare("ROLLBACK TO request")
        itemSavepoint = connection.prepare("SAVEPOINT item")
        releaseItem = connection.prepare("RELEASE item")
        rollbackToItem = connection.prepare("ROLLBACK TO item")
        let sequence = try settings.value(SettingTable.reservedSequence) ?? 0
        reservedSequence = sequence
        epoch = try openings.current()
        status = StoreStatus(clock: CommitClock(sequence: sequence, epoch: epoch), observer: observer)
        upkeep = FileMaintenance(
            connection, directory: directory, status: status, rules: checkpoints, longestQuery: longestQuery)
        transaction = FileTransaction(
            connection, status: status,
            overwriting: """
                INSERT INTO setting (name, value) VALUES ('\(SettingTable.failedCommits)', 1)
                ON CONFLICT (name) DO UPDATE SET value = value + 1
                """)
        let newest =
            try connection.integer("SELECT coalesce(received, created) FROM record ORDER BY id DESC LIMIT 1") ?? 0
        head = StoreHead(sequence: sequence, rights: status.clock.rightsVersion, clock: newest)
        if try settings.value(SettingTable.clockWentBack) != nil { status.clockWentBack() }
    }

    /// Runs `body`. If the store fails, throws the detailed `StoreFailure` for the operator instead of the error for
    /// clients.
    ///
    /// - Throws: `StoreFailure`, or the error of `body`.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.explaining(body)
    }

    /// The last failure in the running request; after a commit, the commit's failure.
    package var failure: StoreFailure? { connection.failure }

    /// Reports the last failure to the observer. After a failed sync the store rejects all writes until a restart.
    package func noteFailure() { transaction.noteFailure() }

    // MARK: The transaction of a group commit

    /// Begins the transaction of a group.
    ///
    /// - Throws: TRY_AGAIN_LATER if the state of the disk is unknown; INTERNAL_ERROR or TRY_AGAIN_LATER if the store
    ///   fails.
    package func begin() throws(RecordError) {
        try transaction.begin()
        try advanceClock()
        head.rights = status.clock.rightsVersion
        nextReservation = nil
        if !hasEpoch {
            let next = Int64.random(in: 1 ... .max)
            try openings.add(epoch: next, after: head.sequence)
            epoch = next
        }
        // Half a block is far more than one group can use, including cascades.
        if reservedSequence - head.sequence < Self.sequenceBlock / 2 {
            let reservation = head.sequence + Self.sequenceBlock
            try settings.set(SettingTable.reservedSequence, reservation)
            nextReservation = reservation
        }
    }

    /// Sets the time of the group that begins.
    private func advanceClock() throws(RecordError) {
        let now = clock()
        let lag = head.clock - now
        if lag > Self.forgivenLag {
            // Readers that see the group's records must not rely on the order of creation any more.
            status.clockWentBack()
            status.observer?.didStepBack(lag)
            mustRecordStepBack = true
        }
        if mustRecordStepBack { try settings.set(SettingTable.clockWentBack, 1) }
        if lag < 0 || lag > Self.forgivenLag { head.clock = now }
    }

    /// Commits the transaction durably. If the commit fails, rolls the transaction back.
    ///
    /// - Parameter last: Writes that belong to the transaction and run before COMMIT.
    /// - Throws: `CommitFailure`.
    package func commit(_ last: () throws(RecordError) -> Void) throws(CommitFailure) {
        try transaction.commit(last)
        if let nextReservation { reservedSequence = nextReservation }
        hasEpoch = true
        mustRecordStepBack = false
    }

    /// Rolls the transaction back, unless SQLite has already done so.
    package func rollback() { transaction.rollback() }

    /// Whether the transaction still exists. SQLite itself may roll a transaction back after an error.
    package var isInTransaction: Bool { connection.isInTransaction }

    /// Checks whether writes are possible. Call it outside of a transaction.
    package func probe() {
        upkeep.probe { () throws(RecordError) in try transaction.overwriteFailedCommit() }
    }

    // MARK: Requests and items

    /// Begins a request of the group, without a savepoint. A request needs no savepoint if it writes with a single
    /// statement, which is atomic, and if nothing can fail afterwards. A create without a savepoint is about 5% faster.
    package func beginRequest() {
        connection.forgetFailure()
        hasSavepoint = false
        openItems = 0
        keptItems = false
    }

    /// Sets the request's savepoint, before the first of several writes. Not inside an item, whose own savepoint is
    /// enough.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func ensureSavepoint() throws(RecordError) {
        guard !hasSavepoint, openItems == 0 else { return }
        try savepoint.run()
        hasSavepoint = true
    }

    /// Keeps the writes of the request, and releases its savepoint.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func keepRequest() throws(RecordError) {
        if hasSavepoint { try releaseSavepoint.run() }
    }

    /// Undoes the writes of the request. If the rollback to the savepoint fails, or items were kept without one, the
    /// whole group is rolled back. Check `isInTransaction` afterwards.
    package func undoRequest() {
        guard connection.isInTransaction else { return }
        guard hasSavepoint else {
            if keptItems || openItems > 0 { rollback() }
            return
        }
        do throws(RecordError) {
            try connection.cleanUp { () throws(RecordError) in
                try rollbackToSavepoint.run()
                try releaseSavepoint.run()
            }
        } catch {
            rollback()
        }
    }

    /// Begins an item: one of several changes that are kept or undone each by itself.
    ///
    /// Inside the request's savepoint, SQLite keeps the old content of all pages until the end of the request, and the
    /// end of each item walks along all of them. So a request of hundreds of items sets no savepoint, or is one item.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func beginItem() throws(RecordError) {
        try itemSavepoint.run()
        openItems += 1
    }

    /// The number of rows that were changed, also by changes that were undone; `nil` if it is not known.
    package var changes: Int64? { connection.totalChanges }

    /// Keeps the writes of the item.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func keepItem() throws(RecordError) {
        try releaseItem.run()
        openItems -= 1
        keptItems = true
    }

    /// Undoes the writes of the item.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func undoItem() throws(RecordError) {
        try rollbackToItem.run()
        try releaseItem.run()
        openItems -= 1
    }

    // MARK: Numbers

    /// Issues the next sequence number.
    ///
    /// - Throws: TRY_AGAIN_LATER if the group uses up the reserved numbers.
    package func nextSequence() throws(RecordError) -> Int64 {
        guard head.sequence + 1 < (nextReservation ?? reservedSequence) else { throw .writerOverloaded }
        head.sequence += 1
        return head.sequence
    }

    // MARK: Other reads in the same transaction

    /// Calls `body` with all records and tombstones of all zones that have changed after a sequence number.
    package func scanChanges(
        after sequence: Int64, _ body: (RecordRowCursor) throws(RecordError) -> Void
    ) throws(RecordError) {
        let statement = connection.prepare(
            """
            SELECT \(RecordRowCursor.joinedColumns) FROM (SELECT id AS known FROM zone)
            CROSS JOIN record AS r INDEXED BY record_by_sequence WHERE r.zone = known AND r.sequence > ?1
            """)
        defer { statement.reset() }
        statement.with(sequence)
        while try statement.step() { try body(RecordRowCursor(statement: statement)) }
    }

    /// Returns a scan over records that includes the writes of the transaction.
    package func scan() -> RecordBackfillScan { RecordBackfillScan(connection) }

    /// Starts a copy of the store in another file.
    ///
    /// - Throws: `BackupProblem` if the file cannot be created; `StoreFailure`.
    package func copy(to path: String) throws -> DatabaseCopy { try DatabaseCopy(of: connection, to: path) }

    // MARK: Closing

    /// Stores the last sequence number, so that the next start skips no numbers. Then checkpoints and truncates the
    /// WAL.
    package func close() {
        guard !status.hasFailedPermanently else { return }
        do throws(RecordError) {
            try settings.set(SettingTable.reservedSequence, head.sequence)
            reservedSequence = head.sequence
            try connection.checkpoint(.truncate)
        } catch {
            noteFailure()
        }
    }
}
