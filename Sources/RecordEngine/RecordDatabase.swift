package import Cryptography
package import RecordModel
package import RecordStorage
internal import Synchronization
internal import Threads

/// The database of one container and environment: one directory, one file, one writer.
///
/// Writes go through `write`. They wait in a queue and run in groups on the writer's own thread. A group is one
/// transaction, and each write runs in a savepoint inside the transaction. `write` returns after the commit that makes
/// the write durable. Reads do not use this actor: each event loop has a `RecordReader` with its own connection.
package actor RecordDatabase {
    /// The environment of the database.
    package nonisolated let environment: RecordEnvironment
    /// The limits of the database.
    package nonisolated let limits: DatabaseLimits
    /// The path of the database directory.
    package nonisolated let directoryPath: String
    /// The counters of the writer.
    package nonisolated let statistics = WriterStatistics()

    nonisolated let status: StoreStatus
    nonisolated var clock: CommitClock { status.clock }
    private nonisolated let readerDriver: DriverMaker?
    nonisolated let keys: DatabaseKeys
    nonisolated let publishedSchema: Locked<PublishedSchema>
    /// Wakes the live streams after commits.
    package nonisolated let commitBroadcast = CommitBroadcast()
    /// Delivers the webhooks.
    nonisolated let webhookDispatcher = WebhookDispatcher()
    nonisolated let passwords: PasswordWorkers
    nonisolated let administrator: Digest?
    /// The server's named administrators; `nil` for none.
    package nonisolated let administrators: Administrators?
    /// Events that are not written to the audit log yet.
    nonisolated let auditNotes = AuditCounter()
    /// When the use of each API key was last recorded, in milliseconds since 1970, by the key's account.
    nonisolated let keyUses = Locked<[UserID: Int64]>([:])
    /// When the use of each API token of CloudKit Web Services was last recorded, in milliseconds since 1970, by the
    /// token's number.
    nonisolated let cloudKitTokenUses = Locked<[Int64: Int64]>([:])
    /// Where the devices are that poll for notifications.
    package nonisolated let notificationQueues = NotificationQueues()
    /// The query caches and pools that all readers share.
    package nonisolated let queries = QueryServices()
    /// The thread that parses long request bodies.
    package nonisolated let inputs = BodyParserThread()
    /// Whether the order of record ids is the order of creation times.
    nonisolated var createdFollowsIDs: Bool { status.createdFollowsIDs }
    nonisolated let slices: SliceScheduler
    nonisolated let jobRunner: JobRunner
    /// How fast the jobs of callers may write.
    nonisolated let writeLimits: WriteLimits
    nonisolated let indexWork = SlicedIndexWork()
    nonisolated let renameWork = RenameWork()
    nonisolated let removalWork = AccountRemovalWork()
    /// The work that deletes the records of deleted zones.
    nonisolated let zoneRemovalWork = ZoneRemovalWork()
    /// Groups of account names that look the same. New names that look like an existing name are rejected, but old
    /// accounts may have such names.
    package nonisolated let confusableNames: [[String]]
    /// The asset files.
    package nonisolated let assetStore: AssetStore

    nonisolated let executor: ThreadExecutor
    nonisolated let queue = Monitor(WriteQueue())
    /// The locked directory. The lock is held until the database file is closed.
    private var directory: DataDirectory?
    var transaction: WriteTransaction?
    private var gathering = GroupCommitDelay()
    /// When the times of schedules were last checked, in milliseconds since 1970; `nil` if not since the start.
    nonisolated let schedulesChecked = Locked<Int64?>(nil)
    /// The copy of the database file in progress; `nil` for none.
    var copying: (id: CopyID, copy: DatabaseCopy)?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// The maximum number of operations in one group. A large batch or a cascade gets a group of its own.
    private static let groupOperations = 256
    static let groupNanoseconds: UInt64 = 2_000_000
    /// The maximum number of queued writes. When the queue is full, new writes are rejected with 503.
    private static let queueLength = 8_192

    /// Opens a database directory. Creates the directory, the secret, the file and the tables if they are missing.
    ///
    /// - Parameters:
    ///   - administrator: The hash of the administrator's token; `nil` for none.
    ///   - administrators: The named administrators; `nil` for none.
    ///   - indexBuilding: The sizes of the time slices for building indexes.
    ///   - checkpoints: When the WAL is copied into the database file.
    ///   - assets: The options for serving assets.
    ///   - writeLimits: How fast the jobs of callers may write.
    ///   - drivers: Replacements for the SQLite driver, for tests.
    /// - Throws: An error with a sentence for the operator.
    package init(
        directory path: String, environment: RecordEnvironment, limits: DatabaseLimits = DatabaseLimits(),
        administrator: Digest? = nil, administrators: Administrators? = nil, passwords: PasswordWorkers,
        indexBuilding: IndexBuildOptions = IndexBuildOptions(),
        checkpoints: CheckpointPolicy = CheckpointPolicy(), assets: AssetOptions = AssetOptions(),
        writeLimits: WriteLimits = WriteLimits(), drivers: StoreDrivers = StoreDrivers()
    ) throws {
        let directory = try DataDirectory(opening: path)
        let keys = try DatabaseKeys(secret: try directory.secret())
        let store = try StoreWriter(
            in: directory, observer: statistics, checkpoints: checkpoints,
            longestQuery: .milliseconds(limits.queryMilliseconds), driver: drivers.writer, clock: drivers.clock)
        readerDriver = drivers.reader
        let (transaction, hasIndexWork, hasRemovals, hasDetachedZones, leavesLists, lastJob, confusableNames, samples) =
            try store.explaining {
                let transaction = try WriteTransaction(
                    store, environment: environment, limits: limits, indexBuilding: indexBuilding, keys: keys,
                    addressing: assets.addressing, administrators: administrators)
                return (
                    transaction, try transaction.indexWork.isLeft(), try store.removals.hasWork(),
                    try store.zones.firstDetached() != nil, try store.hierarchies.firstUpdate() != nil,
                    try transaction.jobs.areWaiting() ? store.jobs.last() : nil,
                    try store.accounts.confusableNames(), try store.indexStatistics.load()
                )
            }
        self.confusableNames = confusableNames.map { $0.map(\.name) }
        slices = SliceScheduler(firstPause: indexBuilding.retryPause)
        jobRunner = JobRunner(firstPause: indexBuilding.retryPause)
        self.directory = consume directory
        self.directoryPath = path
        self.environment = environment
        self.limits = limits
        self.administrator = administrator
        self.administrators = administrators
        self.passwords = passwords
        self.keys = keys
        self.writeLimits = writeLimits
        assetStore = AssetStore(directory: AssetDirectory(database: path), options: assets)
        queries.load(samples)
        publishedSchema = Locked(PublishedSchema(schema: transaction.schema, commit: 0))
        let hasFormerNames = transaction.schema.hasFormerNames
        status = store.status
        executor = ThreadExecutor(name: "fog-writer")
        self.transaction = transaction
        // Continue the work that was interrupted when the database was closed or the process ended.
        if hasIndexWork { indexes.build() }
        if hasFormerNames { slices.begin(renameWork, in: self) }
        if hasRemovals { accounts.finishRemovals() }
        if hasDetachedZones { zones.finishRemovals() }
        if leavesLists { slices.begin(HierarchyWork(), in: self) }
        if let lastJob { jobs.resume(after: lastJob) }
    }

    deinit {
        executor.shutdown()
    }

    /// Creates a reader for the calling thread. No other thread may use the reader.
    ///
    /// - Parameter length: How long the reader may keep a snapshot. Readers with long snapshots must wait while the WAL
    ///   is restarted.
    /// - Throws: The error of opening the file.
    package nonisolated func makeReader(_ length: SnapshotLifetime = .turn) throws -> RecordReader {
        try RecordReader(
            database: self, store: StoreReader(in: directoryPath, status: status, length: length, driver: readerDriver))
    }

    /// The schema as last committed.
    package nonisolated var schema: Schema {
        publishedSchema.withLock { $0.schema }
    }

    /// The version of callers' permissions as last committed.
    package nonisolated var rightsVersion: UInt64 { clock.rightsVersion }

    /// A version that changes when a caller of any kind may lose rights, or its key or session: `rightsVersion` and the
    /// version of the server's administrators, who are not in this database. Both only grow, so their sum shows every
    /// change of either.
    package nonisolated var callersVersion: UInt64 {
        clock.rightsVersion &+ (administrators?.rightsVersion ?? 0)
    }

    /// Whether writes are accepted; false after a failed fsync and while closing.
    package nonisolated var isHealthy: Bool {
        !status.hasFailedPermanently && !queue.withLock { $0.isClosed }
    }

    /// The number of queued writes.
    package nonisolated var queueDepth: Int {
        queue.withLock { $0.count }
    }

    // MARK: Writing

    /// Runs `work` in the transaction of the next group, and returns the result when the group is durable.
    ///
    /// `work` may run more than once if the store rolls back its group.
    ///
    /// - Parameters:
    ///   - operations: The number of operations, for the statistics.
    ///   - weight: How many operations the write counts for in its group; `operations` by default.
    ///   - isAlone: Whether the write gets a group of its own.
    ///   - startsLazily: Whether `work` calls `ensureSavepoint` itself before the first of several changes.
    ///   - frees: Whether `work` only deletes. On a full disk such writes may use the space reserved for deletions.
    /// - Throws: Any error of `work`; `RecordError.databaseUnavailable`, `.writerOverloaded`, or an error of the store.
    package nonisolated func write<Value: Sendable>(
        operations: Int = 1, weight: Int? = nil, isAlone: Bool = false, startsLazily: Bool = false,
        frees: Bool = false,
        _ work: @escaping @Sendable (WriteTransaction) throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        let result: Result<Value, RecordError> = await withUnsafeContinuation { continuation in
            submit(
                PendingValue(
                    operations: operations, weight: weight ?? operations, isAlone: isAlone,
                    startsLazily: startsLazily, frees: frees, continuation: continuation, work: work))
        }
        return try result.get()
    }

    /// Adds a write to the queue, and wakes the writer if needed. If the queue rejects the write, finishes the write
    /// with the error.
    nonisolated func submit(_ write: PendingWrite) {
        enum Verdict { case queued, wake, enough, closed, full }
        let verdict: Verdict = queue.withLock { queue in
            if queue.isClosed { return .closed }
            if queue.count >= Self.queueLength { return .full }
            queue.append(write)
            if queue.isDraining { return queue.awaited > 0 && queue.isEnough ? .enough : .queued }
            queue.isDraining = true
            return .wake
        }
        switch verdict {
        case .queued: break
        case .enough: queue.signal()
        case .wake: Task.detached(executorPreference: executor) { await self.drain() }
        case .closed: write.finish(.databaseUnavailable)
        case .full: write.finish(.writerOverloaded)
        }
    }

    /// Writes groups until the queue is empty.
    private func drain() {
        while true {
            let target = gathering.nextTarget()
            let group = nextGroup(target: target)
            if group.isEmpty {
                awaitIdleness()
                return
            }
            serve(group)
            gathering.didCommit(writes: group.count, waiting: queue.withLock { $0.count }, target: target)
            if transaction?.store.upkeep.afterCommit() == true { queue.withLock { $0.didHoldUp() } }
        }
    }

    /// Waits briefly for more writes, then takes the next group; empty if the queue is empty.
    private func nextGroup(target: Int) -> [PendingWrite] {
        let take = { (queue: inout WriteQueue) -> [PendingWrite] in
            queue.awaited = 0
            let group = queue.takeGroup(maxOperations: Self.groupOperations)
            if group.isEmpty { queue.isDraining = false }
            return group
        }
        guard target > 1 else { return queue.withLock(take) }
        return queue.wait(
            until: { queue in
                queue.awaited = target
                return queue.isEnough
            }, orUntil: Deadline.after(GroupCommitDelay.maxWait), then: take)
    }

    // MARK: Closing

    /// Rejects new writes, finishes the queued writes, and closes the file.
    ///
    /// The caller must release all readers first. Index building continues at the next start.
    package nonisolated func close() async {
        await webhookDispatcher.stop(self)
        try? await auditLog.writeAllNotes()
        try? await notificationTokens.storeAll()
        // Not set on the writer's thread, where slices of index work follow each other without a pause.
        queue.withLock { $0.isClosed = true }
        queue.broadcast()
        await inputs.close()
        clock.letIn(forGood: true)
        await queries.close()
        await assetStore.close()
        await closeFile()
    }

    private func closeFile() {
        drain()
        Copies.endAll(in: self)
        transaction?.store.close()
        transaction = nil
        directory = nil
    }

    /// The sizes of the database file and the WAL in bytes.
    package nonisolated var fileSizes: (database: Int, log: Int) {
        let path = DataDirectory.databasePath(in: directoryPath)
        return (DataDirectory.size(of: path), DataDirectory.size(of: path + "-wal"))
    }
}

/// The schema as last committed, and the commit that a snapshot must contain to be read with this schema.
struct PublishedSchema: Sendable {
    let schema: Schema
    /// The number of the commit in the commit clock.
    let commit: UInt64
}
