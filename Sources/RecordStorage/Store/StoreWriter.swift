package import RecordModel
internal import Threads

/// The writer's side of one store: its tables, and the transaction that a group of writes runs in.
///
/// Confined to the writer's thread. Only one exists for a store, so the numbers that it gives ascend in the order of commits.
package final class StoreWriter {
    /// For tests; no module above this one names it.
    package let connection: Connection
    package let status: StoreStatus
    /// What the store needs between transactions.
    package let upkeep: FileUpkeep

    package let records: RecordTable
    package let zones: ZoneTable
    package let audiences: AudienceTable
    package let tombstones: TombstoneTable
    package let schemas: SchemaTable
    package let indexDefinitions: IndexDefinitionTable
    package let indexEntries: IndexTable
    package let indexStatistics: IndexStatisticTable
    package let accounts: AccountTable
    package let sessions: SessionTable
    package let invitations: InvitationTable
    package let roles: RoleTable
    package let removals: RemovalTable
    package let keys: KeyTable
    package let audit: AuditTable
    package let assets: AssetTable
    package let usage: UsageTable
    package let idempotency: IdempotencyTable
    private let settings: SettingTable
    private let openings: OpeningTable

    /// Whether a later record never has an earlier time of creation, so that ids answer for both.
    package let createdFollowsIDs: Bool

    /// Where the store stands. Its clock is the time of the running group, and never goes back.
    package private(set) var head: Head
    private var reservedSequence: Int64
    private var nextReservation: Int64?
    /// Whether what is written has an epoch of its own, and whether the running group has begun it.
    private var hasEpoch = false
    private var beginsEpoch = false
    private var hasSavepoint = false

    private let transaction: FileTransaction
    private let savepoint: Statement
    private let releaseSavepoint: Statement
    private let rollbackToSavepoint: Statement
    private let itemSavepoint: Statement
    private let releaseItem: Statement
    private let rollbackToItem: Statement

    /// Sequence numbers are promised to the file in blocks, so that a commit need not write the counter. A crash skips
    /// what is left of a block.
    private static let sequenceBlock: Int64 = 1 << 20

    /// How far the clock may stand behind the newest record, in milliseconds.
    private static let forgivenLag: Int64 = 60_000

    /// Opens the file of a directory, making what is missing.
    ///
    /// - Parameters:
    ///   - folder: Locked by the caller for as long as the file is open.
    ///   - checkpoints: When the log is copied into the file.
    ///   - longestQuery: After which a query is stopped.
    ///   - driver: Runs statements in SQLite's place.
    /// - Throws: A failure or a sentence for the operator.
    package convenience init(
        in folder: borrowing DataFolder, observer: any StoreObserver, checkpoints: CheckpointRules,
        longestQuery: Duration, driver: DriverMaker? = nil
    ) throws {
        let path = folder.path
        try folder.syncLog()
        let connection = try StartReserve(in: path).open {
            try Connection(path: DataFolder.databasePath(in: path), role: .writer)
        }
        try Migrations.runMakingRoom(on: connection)
        connection.driver = driver?(connection)
        try self.init(connection, folder: path, observer, checkpoints, longestQuery)
    }

    private init(
        _ connection: Connection, folder: String, _ observer: any StoreObserver, _ checkpoints: CheckpointRules,
        _ longestQuery: Duration
    ) throws {
        self.connection = connection
        records = RecordTable(connection)
        zones = ZoneTable(connection)
        audiences = AudienceTable(connection)
        tombstones = TombstoneTable(connection)
        schemas = SchemaTable(connection)
        indexDefinitions = IndexDefinitionTable(connection)
        indexEntries = IndexTable(connection)
        indexStatistics = IndexStatisticTable(connection)
        accounts = try AccountTable(connection)
        sessions = SessionTable(connection)
        invitations = InvitationTable(connection)
        roles = RoleTable(connection)
        removals = RemovalTable(connection)
        keys = KeyTable(connection)
        audit = AuditTable(connection)
        assets = AssetTable(connection)
        usage = UsageTable(connection)
        idempotency = IdempotencyTable(connection)
        settings = SettingTable(connection)
        openings = OpeningTable(connection)
        savepoint = connection.prepare("SAVEPOINT request")
        releaseSavepoint = connection.prepare("RELEASE request")
        rollbackToSavepoint = connection.prepare("ROLLBACK TO request")
        itemSavepoint = connection.prepare("SAVEPOINT item")
        releaseItem = connection.prepare("RELEASE item")
        rollbackToItem = connection.prepare("ROLLBACK TO item")
        let sequence = try settings.value(SettingTable.reservedSequence) ?? 0
        reservedSequence = sequence
        status = StoreStatus(clock: CommitClock(sequence: sequence), observer: observer)
        upkeep = FileUpkeep(
            connection, folder: folder, status: status, rules: checkpoints, longestQuery: longestQuery)
        transaction = FileTransaction(
            connection, status: status,
            overwriting: """
                INSERT INTO setting (name, value) VALUES ('\(SettingTable.failedCommits)', 1)
                ON CONFLICT (name) DO UPDATE SET value = value + 1
                """)
        // If the clock stands a little earlier than the newest record, time stands still until it has caught up; if it was set
        // back by more, that is written down for good.
        let newest =
            try connection.integer("SELECT coalesce(received, created) FROM record ORDER BY id DESC LIMIT 1") ?? 0
        let isBehind = newest - WallClock.milliseconds > Self.forgivenLag
        if isBehind { try settings.set(SettingTable.clockWentBack, 1) }
        head = Head(sequence: sequence, rights: status.clock.rightsVersion, clock: isBehind ? 0 : newest)
        createdFollowsIDs = try settings.value(SettingTable.clockWentBack) == nil
    }

    /// Runs `body` for the operator, who gets the store's failure itself instead of what a client would be told.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.explaining(body)
    }

    /// The last failure inside the request that is running; of a commit, its own.
    package var failure: StoreFailure? { connection.failure }

    /// Tells the operator of the last failure. A failed sync ends writing for good.
    package func noteFailure() { transaction.noteFailure() }

    // MARK: The transaction of a group

    /// Begins the transaction of a group.
    package func begin() throws(RecordError) {
        try transaction.begin()
        head.clock = max(head.clock, WallClock.milliseconds)
        head.rights = status.clock.rightsVersion
        nextReservation = nil
        beginsEpoch = false
        if !hasEpoch {
            try openings.add(epoch: .random(in: 1 ... .max), after: head.sequence)
            beginsEpoch = true
        }
        // Far more than one group can use, cascades included.
        if reservedSequence - head.sequence < Self.sequenceBlock / 2 {
            let reservation = head.sequence + Self.sequenceBlock
            try settings.set(SettingTable.reservedSequence, reservation)
            nextReservation = reservation
        }
    }

    /// Commits the transaction; what it returns from is durable.
    ///
    /// - Parameter last: What else is to be written before.
    package func commit(_ last: () throws(RecordError) -> Void) throws(CommitFailure) {
        try transaction.commit(last)
        if let nextReservation { reservedSequence = nextReservation }
        if beginsEpoch { hasEpoch = true }
    }

    /// Rolls the transaction back, if it is still there.
    package func rollback() { transaction.rollback() }

    /// Whether the transaction still exists. SQLite may roll all of it back by itself.
    package var isInTransaction: Bool { connection.isInTransaction }

    /// Looks whether writes are possible, outside of a transaction.
    package func probe() {
        upkeep.probe { () throws(RecordError) in try transaction.overwriteFailedCommit() }
    }

    // MARK: Requests and items

    /// Begins a request of the group. It has no savepoint yet: one that writes by a single statement, and does nothing that can
    /// fail after it, needs none, since a statement is atomic. That saves a twentieth of a create.
    package func beginRequest() {
        connection.forgetFailure()
        hasSavepoint = false
    }

    /// Sets the request's savepoint, before the first of several writes.
    package func ensureSavepoint() throws(RecordError) {
        guard !hasSavepoint else { return }
        try savepoint.run()
        hasSavepoint = true
    }

    /// Keeps what the request has written.
    package func keepRequest() throws(RecordError) {
        if hasSavepoint { try releaseSavepoint.run() }
    }

    /// Undoes what the request has written. Where that fails, the whole group is rolled back: ask `isInTransaction`.
    package func undoRequest() {
        guard hasSavepoint, connection.isInTransaction else { return }
        do throws(RecordError) {
            try connection.cleanUp { () throws(RecordError) in
                try rollbackToSavepoint.run()
                try releaseSavepoint.run()
            }
        } catch {
            rollback()
        }
    }

    /// Begins an item of a batch, inside the request's savepoint.
    package func beginItem() throws(RecordError) { try itemSavepoint.run() }

    package func keepItem() throws(RecordError) { try releaseItem.run() }

    package func undoItem() throws(RecordError) {
        try rollbackToItem.run()
        try releaseItem.run()
    }

    // MARK: Numbers

    /// The next number of the one sequence.
    ///
    /// - Throws: TRY_AGAIN_LATER if one group uses up what was promised to the file.
    package func nextSequence() throws(RecordError) -> Int64 {
        guard head.sequence + 1 < (nextReservation ?? reservedSequence) else { throw .writerOverloaded }
        head.sequence += 1
        return head.sequence
    }

    // MARK: Other readers of the same transaction

    /// Walks through records, with what the transaction has written.
    package func walk() -> RecordWalk { RecordWalk(connection) }

    /// Begins a copy of the store in another file.
    package func copy(to path: String) throws -> DatabaseCopy { try DatabaseCopy(of: connection, to: path) }

    // MARK: Closing

    /// Writes down where the sequence stands, so that the next start skips nothing, and copies the log into the file.
    package func close() {
        guard !status.hasFailedForGood else { return }
        do throws(RecordError) {
            try settings.set(SettingTable.reservedSequence, head.sequence)
            reservedSequence = head.sequence
            try connection.checkpoint(.truncate)
        } catch {
            noteFailure()
        }
    }
}
