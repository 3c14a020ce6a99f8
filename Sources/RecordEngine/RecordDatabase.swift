package import Cryptography
package import RecordModel
package import RecordStorage
internal import Synchronization
internal import Threads

/// The database of one (container, environment): one folder, one file, one writer.
///
/// Writes go through `write`: they wait in a queue, run in groups on the writer's own thread, each in a savepoint inside
/// one transaction, and are answered after the commit that made them durable. Reads do not come here: each event loop
/// has a `RecordReader` on a connection of its own.
package actor RecordDatabase {
    package nonisolated let environment: RecordEnvironment
    package nonisolated let limits: DatabaseLimits
    package nonisolated let folderPath: String
    package nonisolated let statistics = WriterStatistics()

    nonisolated let status: StoreStatus
    nonisolated var clock: CommitClock { status.clock }
    private nonisolated let readerDriver: DriverMaker?
    nonisolated let keys: DatabaseKeys
    nonisolated let publishedSchema: Locked<PublishedSchema>
    nonisolated let passwords: PasswordWorkers
    nonisolated let administrator: Digest?
    /// The server's administrators by name, if it has them.
    package nonisolated let administrators: Administrators?
    /// What is on its way to the audit log.
    nonisolated let auditNotes = AuditNotes()
    /// When the use of each key was noted last, by its account.
    nonisolated let keyUses = Locked<[UserID: Int64]>([:])
    /// Shared by all its readers.
    package nonisolated let queries = QueryServices()
    /// Where long bodies of writes are read.
    package nonisolated let inputs = InputWorker()
    /// Whether a later record never has an earlier time of creation, so that ids answer for both.
    nonisolated let createdFollowsIDs: Bool
    nonisolated let jobs: JobScheduler
    nonisolated let indexJob = IndexJob()
    nonisolated let removalJob = RemovalJob()
    /// The names of accounts that have looked the same since before such names were refused, group by group.
    package nonisolated let lookAlikes: [[String]]
    /// The files of its assets.
    package nonisolated let assetStore: AssetStore

    nonisolated let executor: ThreadExecutor
    nonisolated let queue = Monitor(WriteQueue())
    /// Held for its lock, until the file is closed.
    private var folder: DataFolder?
    var transaction: WriteTransaction?
    private var gathering = Gathering()
    /// A copy of the file that is being made.
    var copying: DatabaseCopy?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Bounds of one group: a large batch or a cascade gets a group of its own.
    private static let groupOperations = 256
    static let groupNanoseconds: UInt64 = 2_000_000
    /// More waiting writes than this are refused with 503.
    private static let queueLength = 8_192

    /// Opens a folder, making what is missing: folder, secret, file, tables.
    ///
    /// - Parameters:
    ///   - administrator: The hash of the administrator's token; `nil` for none.
    ///   - administrators: Those with names; `nil` for none.
    ///   - indexBuilding: How large the pieces are in which indexes are built.
    ///   - checkpoints: When the log is copied into the file.
    ///   - assets: What it needs to serve assets.
    ///   - drivers: Run statements in SQLite's place.
    /// - Throws: A sentence for the operator.
    package init(
        folder path: String, environment: RecordEnvironment, limits: DatabaseLimits = DatabaseLimits(),
        administrator: Digest? = nil, administrators: Administrators? = nil, passwords: PasswordWorkers,
        indexBuilding: IndexBuilding = IndexBuilding(),
        checkpoints: CheckpointRules = CheckpointRules(), assets: AssetOptions = AssetOptions(),
        drivers: StoreDrivers = StoreDrivers()
    ) throws {
        let folder = try DataFolder(opening: path)
        let keys = try DatabaseKeys(secret: try folder.secret())
        let store = try StoreWriter(
            in: folder, observer: statistics, checkpoints: checkpoints,
            longestQuery: .milliseconds(limits.queryMilliseconds), driver: drivers.writer)
        readerDriver = drivers.reader
        let (transaction, hasIndexWork, hasRemovals, lookAlikes, samples) = try store.explaining {
            let transaction = try WriteTransaction(
                store, environment: environment, limits: limits, indexBuilding: indexBuilding, keys: keys,
                addressing: assets.addressing, administrators: administrators)
            return (
                transaction, try transaction.indexWork.isLeft(), try store.removals.hasWork(),
                try store.accounts.lookAlikes(), try store.indexStatistics.load()
            )
        }
        self.lookAlikes = lookAlikes.map { $0.map(\.name) }
        jobs = JobScheduler(firstPause: indexBuilding.retryPause)
        self.folder = consume folder
        self.folderPath = path
        self.environment = environment
        self.limits = limits
        self.administrator = administrator
        self.administrators = administrators
        self.passwords = passwords
        self.keys = keys
        assetStore = AssetStore(folder: AssetFolder(database: path), options: assets)
        createdFollowsIDs = store.createdFollowsIDs
        queries.load(samples)
        publishedSchema = Locked(PublishedSchema(schema: transaction.schema, commit: 0))
        status = store.status
        executor = ThreadExecutor(name: "fog-writer")
        self.transaction = transaction
        // What was under way when the database was closed, or its machine stopped, goes on.
        if hasIndexWork { indexes.build() }
        if hasRemovals { accounts.finishRemovals() }
    }

    deinit {
        executor.shutdown()
    }

    /// Makes a reader for the calling thread, which alone may use it.
    ///
    /// - Parameter length: How long it may keep a view of the file: what is kept long is kept out while the log begins anew.
    package nonisolated func makeReader(_ length: ViewLength = .turn) throws -> RecordReader {
        try RecordReader(
            database: self, store: StoreReader(in: folderPath, status: status, length: length, driver: readerDriver))
    }

    /// The schema as last committed.
    package nonisolated var schema: Schema {
        publishedSchema.withLock { $0.schema }
    }

    /// Whether writes are taken: false after a sync to the disk has failed, or while closing.
    package nonisolated var isHealthy: Bool {
        !status.hasFailedForGood && !queue.withLock { $0.isClosed }
    }

    /// The writes that wait.
    package nonisolated var queueDepth: Int {
        queue.withLock { $0.count }
    }

    // MARK: Writing

    /// Runs `work` inside the next group's transaction, and returns its value when that is committed and durable.
    ///
    /// `work` may run more than once, if the group it was in is rolled back by the store.
    ///
    /// - Parameters:
    ///   - operations: How many operations it has.
    ///   - weight: What it counts for in the size of a group; its operations unless given.
    ///   - isAlone: It gets a group of its own.
    ///   - startsLazily: It calls `ensureSavepoint` itself before the first of several writes.
    ///   - frees: It only deletes; on a full disk it gets what is kept for that.
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

    /// Writes groups until nothing waits.
    private func drain() {
        while true {
            let goal = gathering.nextGoal()
            let group = nextGroup(goal: goal)
            if group.isEmpty {
                awaitIdleness()
                return
            }
            serve(group)
            gathering.didCommit(writes: group.count, waiting: queue.withLock { $0.count }, goal: goal)
            if transaction?.store.upkeep.afterCommit() == true { queue.withLock { $0.didHoldUp() } }
        }
    }

    /// The writes of the next group, after a moment for those who are about to come; empty if there are none.
    private func nextGroup(goal: Int) -> [PendingWrite] {
        let take = { (queue: inout WriteQueue) -> [PendingWrite] in
            queue.awaited = 0
            let group = queue.takeGroup(maxOperations: Self.groupOperations)
            if group.isEmpty { queue.isDraining = false }
            return group
        }
        guard goal > 1 else { return queue.withLock(take) }
        return queue.wait(
            until: { queue in
                queue.awaited = goal
                return queue.isEnough
            }, orUntil: Deadline.after(Gathering.patience), then: take)
    }

    // MARK: Closing

    /// Takes no more writes, finishes those that wait, and closes the file. Readers must be gone. An index that is being
    /// built waits for the next start.
    package nonisolated func close() async {
        try? await auditLog.writeAllNotes()
        // At once, and not when the writer has time: slices of index work follow each other without a pause.
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
        Copies.end(in: self)
        transaction?.store.close()
        transaction = nil
        folder = nil
    }

    /// The bytes of the database file and of its log.
    package nonisolated var fileSizes: (database: Int, log: Int) {
        let path = DataFolder.databasePath(in: folderPath)
        return (DataFolder.size(of: path), DataFolder.size(of: path + "-wal"))
    }
}

/// The schema as last committed, and the commit that a view must hold to read by it.
struct PublishedSchema: Sendable {
    let schema: Schema
    /// By the commit clock.
    let commit: UInt64
}
