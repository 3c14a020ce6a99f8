internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

/// The writer's tables and the state of the group that is being written. Confined to the writer's thread.
///
/// Every write of the database runs as a closure that gets this object: inside one transaction with the others of its
/// group, in a savepoint of its own.
package final class WriteTransaction {
    let store: StoreWriter
    let indexes: IndexMaintainer
    let usage: UsageLedger
    let keys: DatabaseKeys
    /// The server's administrators by name, if it has them.
    let administrators: Administrators?
    let addressing: AssetAddressing
    let environment: RecordEnvironment
    let limits: DatabaseLimits
    let indexBuilding: IndexBuilding

    /// The schema as this transaction has it.
    var schema: Schema
    /// Set by whatever changes what callers may do: schema, grants, roles, sessions that end.
    var rightsChanged = false
    /// The writes of the group, for those who take less time if others wait.
    var groupSize = 0
    /// How long the last group's commit took, most of it the sync to the disk, in nanoseconds.
    private(set) var lastSync: UInt64 = 0
    /// How many entries this request may still give to new indexes before it leaves them to slices.
    var entriesAtOnce = 0
    /// Records with greater numbers were made when every index that is being built existed: their writes keep them in it.
    var lastUnindexed: Int64

    private var random = RandomPool()
    let userNames: UserNames

    init(
        _ store: StoreWriter, environment: RecordEnvironment, limits: DatabaseLimits, indexBuilding: IndexBuilding,
        keys: DatabaseKeys, addressing: AssetAddressing, administrators: Administrators? = nil
    ) throws(RecordError) {
        self.store = store
        userNames = UserNames(store.accounts)
        self.administrators = administrators
        self.environment = environment
        self.limits = limits
        self.indexBuilding = indexBuilding
        self.keys = keys
        self.addressing = addressing
        usage = UsageLedger(store.usage, quotas: limits.quotas)
        indexes = IndexMaintainer(store.indexEntries, audiences: store.audiences)
        lastUnindexed = store.head.sequence
        schema = try store.schemas.load(version: 1)
    }

    // MARK: Tables

    var records: RecordTable { store.records }
    var zones: ZoneTable { store.zones }
    var audiences: AudienceTable { store.audiences }
    var idempotency: IdempotencyTable { store.idempotency }
    var schemaTable: SchemaTable { store.schemas }
    var tombstones: TombstoneTable { store.tombstones }

    // MARK: The group

    /// Milliseconds since 1970; the same for all of a group.
    var now: Int64 { store.head.clock }
    /// The version of rights that was published before this group.
    var publishedRights: UInt64 { store.head.rights }

    /// Begins the transaction of a group.
    func beginGroup() throws(RecordError) {
        rightsChanged = false
        usage.begin()
        try store.begin()
    }

    /// Commits the group; what it returns from is durable.
    func commitGroup() throws(CommitFailure) {
        let ready = MonotonicClock.now
        try store.commit { () throws(RecordError) in try usage.write() }
        lastSync = MonotonicClock.now &- ready
        usage.didCommit()
    }

    /// Runs one request, undoing what it did if it throws.
    ///
    /// - Parameter startsLazily: The savepoint is set by `ensureSavepoint`.
    /// - Throws: What `body` threw. The transaction may be gone as well: ask `store.isInTransaction`.
    func request(startsLazily: Bool, _ body: () throws(RecordError) -> Void) throws(RecordError) {
        store.beginRequest()
        let schemaBefore = schema
        let rightsBefore = rightsChanged
        do throws(RecordError) {
            if !startsLazily { try store.ensureSavepoint() }
            try body()
            try store.keepRequest()
            usage.keep()
        } catch {
            usage.undo(to: 0)
            schema = schemaBefore
            rightsChanged = rightsBefore
            store.undoRequest()
            throw error
        }
    }

    /// Sets the request's savepoint, before the first of several writes.
    func ensureSavepoint() throws(RecordError) { try store.ensureSavepoint() }

    /// Runs one operation of a batch in a savepoint inside the request's.
    func item<Value>(_ body: () throws(RecordError) -> Value) throws(RecordError) -> Value {
        let schemaBefore = schema
        let usageBefore = usage.mark
        try store.beginItem()
        do throws(RecordError) {
            let value = try body()
            try store.keepItem()
            return value
        } catch {
            schema = schemaBefore
            usage.undo(to: usageBefore)
            // A failure of the store fails the request, which is rolled back as a whole.
            if store.failure == nil { try store.undoItem() }
            throw error
        }
    }

    /// Runs something inside a request with a savepoint, to see what comes of it, and undoes it.
    ///
    /// - Throws: What `body` threw; the request undoes it then.
    func tried<Value>(_ body: () throws(RecordError) -> Value) throws(RecordError) -> Value {
        let (schemaBefore, rightsBefore, usageBefore) = (schema, rightsChanged, usage.mark)
        try store.beginItem()
        let value = try body()
        (schema, rightsChanged) = (schemaBefore, rightsBefore)
        usage.undo(to: usageBefore)
        try store.undoItem()
        return value
    }

    // MARK: Numbers and names

    /// The next number of the one sequence.
    func nextSequence() throws(RecordError) -> Int64 { try store.nextSequence() }

    /// The last number given.
    var lastSequence: Int64 { store.head.sequence }

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
}
