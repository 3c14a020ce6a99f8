internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

/// The writer's tables and the state of the group that is being written. Confined to the writer's thread.
///
/// Every write of the database runs as a closure that gets this object: inside one transaction with the others of its
/// group, in a savepoint of its own.
package final class WriteTransaction {
    let connection: Connection
    let records: RecordTable
    let zones: ZoneTable
    let accounts: AccountTable
    let sessions: SessionTable
    let invitations: InvitationTable
    let removals: RemovalTable
    let roles: RoleTable
    let audiences: AudienceTable
    let idempotency: IdempotencyTable
    let settings: SettingTable
    private let openings: OpeningTable
    let schemaTable: SchemaTable
    let tombstones: TombstoneTable
    let indexDefinitions: IndexDefinitionTable
    let indexes: IndexMaintainer
    let assets: AssetTable
    let usage: UsageLedger
    let apiKeys: KeyTable
    let auditTable: AuditTable
    let keys: DatabaseKeys
    /// The server's administrators by name, if it has them.
    let administrators: Administrators?
    private let addressing: AssetAddressing
    let environment: RecordEnvironment
    let limits: DatabaseLimits
    let indexBuilding: IndexBuilding

    /// Milliseconds since 1970; the same for all of a group.
    private(set) var now: Int64 = 0
    /// The schema as this transaction has it.
    var schema: Schema
    /// Set by whatever changes what callers may do: schema, grants, roles, sessions that end.
    var rightsChanged = false
    /// The version of rights that was published before this group.
    var publishedRights: UInt64 = 0
    /// The writes of the group, for those who take less time if others wait.
    var groupSize = 0
    /// How long the last group's commit took, most of it the sync to the disk, in nanoseconds.
    var lastSync: UInt64 = 0
    /// How many entries this request may still give to new indexes before it leaves them to slices.
    var entriesAtOnce = 0
    /// Records with greater numbers were made when every index that is being built existed: their writes keep them in it.
    var lastUnindexed: Int64
    private var hasSavepoint = false

    private var sequence: Int64
    private var reservedSequence: Int64
    private var nextReservation: Int64?
    /// Whether what is written has an epoch of its own, and whether the running group has begun it.
    private var hasEpoch = false
    private var beginsEpoch = false
    private var random = RandomPool()
    private var userNames: [UserID: String] = [:]

    private let begin: Statement
    private let commitStatement: Statement
    private let rollbackStatement: Statement
    private let savepoint: Statement
    private let releaseSavepoint: Statement
    private let rollbackToSavepoint: Statement
    private let itemSavepoint: Statement
    private let releaseItem: Statement
    private let rollbackToItem: Statement

    /// Sequence numbers are promised to the file in blocks, so that a commit need not write the counter. A crash skips
    /// what is left of a block.
    private static let sequenceBlock: Int64 = 1 << 20

    init(
        connection: Connection, environment: RecordEnvironment, limits: DatabaseLimits, indexBuilding: IndexBuilding,
        keys: DatabaseKeys, addressing: AssetAddressing, administrators: Administrators? = nil
    ) throws(RecordError) {
        self.administrators = administrators
        apiKeys = try KeyTable(connection)
        auditTable = try AuditTable(connection)
        self.connection = connection
        self.environment = environment
        self.limits = limits
        self.indexBuilding = indexBuilding
        self.keys = keys
        self.addressing = addressing
        assets = try AssetTable(connection)
        usage = UsageLedger(try UsageTable(connection), quotas: limits.quotas)
        records = try RecordTable(connection)
        zones = try ZoneTable(connection)
        accounts = try AccountTable(connection)
        sessions = try SessionTable(connection)
        invitations = InvitationTable(connection)
        removals = try RemovalTable(connection)
        roles = RoleTable(connection)
        audiences = try AudienceTable(connection)
        idempotency = try IdempotencyTable(connection)
        settings = try SettingTable(connection)
        openings = try OpeningTable(connection)
        schemaTable = SchemaTable(connection)
        tombstones = TombstoneTable(connection)
        indexDefinitions = IndexDefinitionTable(connection)
        indexes = IndexMaintainer(IndexTable(connection))
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commitStatement = try connection.prepare("COMMIT")
        rollbackStatement = try connection.prepare("ROLLBACK")
        savepoint = try connection.prepare("SAVEPOINT request")
        releaseSavepoint = try connection.prepare("RELEASE request")
        rollbackToSavepoint = try connection.prepare("ROLLBACK TO request")
        itemSavepoint = try connection.prepare("SAVEPOINT item")
        releaseItem = try connection.prepare("RELEASE item")
        rollbackToItem = try connection.prepare("ROLLBACK TO item")
        sequence = try settings.value(SettingTable.reservedSequence) ?? 0
        reservedSequence = sequence
        lastUnindexed = sequence
        schema = try schemaTable.load(version: 1)
    }

    /// Compares the clock with the newest record, before the first group. If it stands a little earlier, time stands still
    /// until it has caught up; if it was set back by more, that is written down for good.
    ///
    /// - Returns: Whether times of creation ascend with ids in all of the file.
    func checkClock() throws(RecordError) -> Bool {
        let newest =
            try connection.integer("SELECT coalesce(received, created) FROM record ORDER BY id DESC LIMIT 1") ?? 0
        let lag = newest - WallClock.milliseconds
        if lag > Self.forgivenLag {
            try settings.set(SettingTable.clockWentBack, 1)
        } else {
            now = newest
        }
        return try settings.value(SettingTable.clockWentBack) == nil
    }

    /// How far the clock may stand behind the newest record, in milliseconds.
    private static let forgivenLag: Int64 = 60_000

    // MARK: The group

    /// Opens the group's transaction.
    func beginGroup() throws(RecordError) {
        usage.begin()
        try begin.run()
        now = max(now, WallClock.milliseconds)
        nextReservation = nil
        beginsEpoch = false
        if !hasEpoch {
            try openings.add(epoch: .random(in: 1 ... .max), after: sequence)
            beginsEpoch = true
        }
        // Far more than one group can use, cascades included.
        if reservedSequence - sequence < Self.sequenceBlock / 2 {
            let reservation = sequence + Self.sequenceBlock
            try settings.set(SettingTable.reservedSequence, reservation)
            nextReservation = reservation
        }
    }

    func commitGroup() throws(RecordError) {
        try usage.write()
        try commitStatement.run()
        usage.didCommit()
        if let nextReservation { reservedSequence = nextReservation }
        if beginsEpoch { hasEpoch = true }
    }

    /// Writes something else where the pages of a failed commit begin in the log.
    ///
    /// SQLite writes a commit, with its mark, before it makes room for it in the log's index. If that fails the commit has
    /// failed and is nowhere to be seen, but a process that starts anew reads it from the log. What stands in its place
    /// breaks the chain of checksums.
    func overwriteFailedCommit() throws(RecordError) {
        do throws(RecordError) {
            try begin.run()
            try settings.set(SettingTable.failedCommits, (try settings.value(SettingTable.failedCommits) ?? 0) + 1)
            try commitStatement.run()
        } catch {
            rollbackGroup()
            throw error
        }
    }

    func rollbackGroup() {
        guard connection.isInTransaction else { return }
        try? connection.cleanUp { () throws(RecordError) in try rollbackStatement.run() }
    }

    /// Runs one request, undoing what it did if it throws.
    ///
    /// - Parameter startsLazily: The savepoint is set by `ensureSavepoint`. A request that writes by one statement, and
    ///   does nothing that can fail after it, needs none: a statement is atomic. It saves a twentieth of a create.
    /// - Throws: What `body` threw. The transaction may be gone as well: ask `isAlive`.
    func request(startsLazily: Bool, _ body: () throws(RecordError) -> Void) throws(RecordError) {
        connection.forgetFailure()
        hasSavepoint = false
        let schemaBefore = schema
        let rightsBefore = rightsChanged
        do {
            if !startsLazily { try ensureSavepoint() }
            try body()
            if hasSavepoint { try releaseSavepoint.run() }
            usage.keep()
        } catch {
            usage.undo(to: 0)
            schema = schemaBefore
            rightsChanged = rightsBefore
            if hasSavepoint, connection.isInTransaction {
                do {
                    try connection.cleanUp { () throws(RecordError) in
                        try rollbackToSavepoint.run()
                        try releaseSavepoint.run()
                    }
                } catch {
                    rollbackGroup()
                }
            }
            throw error
        }
    }

    /// Sets the request's savepoint, before the first of several writes.
    func ensureSavepoint() throws(RecordError) {
        guard !hasSavepoint else { return }
        try savepoint.run()
        hasSavepoint = true
    }

    /// Runs one operation of a batch in a savepoint inside the request's.
    func item<Value>(_ body: () throws(RecordError) -> Value) throws(RecordError) -> Value {
        let schemaBefore = schema
        let usageBefore = usage.mark
        try itemSavepoint.run()
        do {
            let value = try body()
            try releaseItem.run()
            return value
        } catch {
            schema = schemaBefore
            usage.undo(to: usageBefore)
            // A failure of the store fails the request, which is rolled back as a whole.
            if storeFailure == nil {
                try rollbackToItem.run()
                try releaseItem.run()
            }
            throw error
        }
    }

    /// The last failure of the store inside the request that is running.
    var storeFailure: StoreFailure? { connection.failure }

    /// Whether the group's transaction still exists. SQLite may roll all of it back by itself.
    var isAlive: Bool { connection.isInTransaction }

    // MARK: Numbers and names

    /// The next number of the one sequence.
    func nextSequence() throws(RecordError) -> Int64 {
        guard sequence + 1 < (nextReservation ?? reservedSequence) else { throw .writerOverloaded }
        sequence += 1
        return sequence
    }

    /// The last number given.
    var lastSequence: Int64 { sequence }

    /// Writes down where the sequence stands, when the database closes: the next start skips nothing.
    func saveSequence() throws(RecordError) {
        try settings.set(SettingTable.reservedSequence, sequence)
        reservedSequence = sequence
    }

    /// A time-ordered record name (RFC 9562, UUID version 7): ordered keys double the durable rows per second.
    func makeRecordName() -> String {
        random.makeUUIDv7(milliseconds: now)
    }

    /// The first revision of a record: a random start, so that a record that is made again under an old name never
    /// repeats a tag, and tags tell nobody how much others write.
    func makeRevision() -> Int64 {
        // 40 random bits: at a write per millisecond, each 20 bits on, the number stays positive for 500 years.
        Int64(random.next() >> 24)
    }

    /// The revision of a record's next state: a random distance on, so that a restored copy does not give the tag of a state
    /// that was lost to another one, and tags tell nobody how often a record was written.
    func revision(after revision: Int64) -> Int64 {
        revision + 1 + Int64(random.next() >> 44)
    }

    /// Signs the URLs of the assets in an answer.
    func assetURLs() -> AssetURLMaker {
        AssetURLMaker(
            keys: keys, addressing: addressing,
            expires: AssetURL.expiry(now: now / 1_000, seconds: limits.assetURLSeconds))
    }

    /// The public name of whoever wrote a record.
    func userName(_ id: UserID) throws(RecordError) -> String {
        if let special = SystemUser.name(id) { return special }
        if let name = userNames[id] { return name }
        let account = try accounts.find(id: id)
        let name = account?.recordName ?? SystemUser.deleted
        if userNames.count >= 10_000 { userNames.removeAll() }
        userNames[id] = name
        return name
    }

    /// Forgets a cached name, for an account that goes.
    func forgetUserName(_ id: UserID) {
        userNames[id] = nil
    }
}
