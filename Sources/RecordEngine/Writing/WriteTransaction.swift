internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

/// The writer's tables and the state of the current group of writes. Confined to the writer's thread.
///
/// Every write of the database is a closure with this object as its argument. All writes of a group run inside one
/// transaction, each in a savepoint.
package final class WriteTransaction {
    let store: StoreWriter
    let indexes: IndexMaintainer
    let usage: UsageLedger
    let keys: DatabaseKeys
    /// The server's named administrators; `nil` for none.
    let administrators: Administrators?
    let addressing: AssetAddressing
    let environment: RecordEnvironment
    let limits: DatabaseLimits
    let indexBuilding: IndexBuildOptions

    /// The schema, including uncommitted changes of this transaction.
    var schema: Schema
    /// Whether a write of the group has changed callers' permissions: schema, grants, roles, ended sessions.
    var rightsChanged = false
    /// The topics of the group's changes, for streams that wait for them. Contains those of a failed write too.
    private(set) var changedTopics: [CommitTopic] = []
    /// The zone and type of the last change.
    private var lastChange: (zone: DatabaseAddress, type: TypeID)?
    /// The custom zones among them.
    private var changedCustomZones: Set<ZoneID> = []
    /// Whether any record has a parent or a share. Stays true if the first such write is undone.
    private(set) var usesSharing: Bool
    /// The number of writes in the group. Background work takes shorter time slices if other writes wait.
    var groupSize = 0
    /// The duration of the last group's commit in nanoseconds. The fsync takes most of this time.
    private(set) var lastSync: UInt64 = 0
    /// The number of records that the current request has rewritten or deleted because of another record: by cascades
    /// of DELETE_SELF, and below a record whose share or parent has changed. Work that was undone counts too.
    var followed = 0
    /// The number of records below a changed share or parent that the current request has looked at.
    var checkedLists = 0
    /// The records below which the current request leaves access lists to slices. Those of undone work too.
    var leftBelow: [RecordNumber] = []
    /// The maximum number of entries that this request may still add to new indexes. A job adds the remaining entries.
    var inlineEntries = 0
    /// The greatest record number that may lack entries in an index under construction. Writes of records with greater
    /// numbers maintain the entries themselves.
    var lastUnindexed: Int64

    private var random = RandomPool()
    let userNames: UserNameCache

    init(
        _ store: StoreWriter, environment: RecordEnvironment, limits: DatabaseLimits, indexBuilding: IndexBuildOptions,
        keys: DatabaseKeys, addressing: AssetAddressing, administrators: Administrators? = nil
    ) throws(RecordError) {
        self.store = store
        userNames = UserNameCache(store.accounts)
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
        usesSharing = try store.hierarchies.isUsed()
    }

    // MARK: Tables

    var records: RecordTable { store.records }
    var zones: ZoneTable { store.zones }
    var audiences: AudienceTable { store.audiences }
    var idempotency: IdempotencyTable { store.idempotency }
    var schemaTable: SchemaTable { store.schemas }
    var tombstones: TombstoneTable { store.tombstones }

    // MARK: The group

    /// The time of the group in milliseconds since 1970.
    var now: Int64 { store.head.clock }
    /// The version of callers' permissions that was published before this group.
    var publishedRights: UInt64 { store.head.rights }

    /// Begins the transaction of a group.
    func beginGroup() throws(RecordError) {
        rightsChanged = false
        changedTopics.removeAll(keepingCapacity: true)
        lastChange = nil
        changedCustomZones.removeAll(keepingCapacity: true)
        usage.begin()
        try store.begin()
    }

    /// Commits the group. When this returns, the group is durable.
    ///
    /// - Throws: `CommitFailure`.
    func commitGroup() throws(CommitFailure) {
        let ready = MonotonicClock.now
        try store.commit { () throws(RecordError) in
            try usage.write()
            for zone in changedCustomZones { try zones.noteChange(in: zone) }
        }
        lastSync = MonotonicClock.now &- ready
        usage.didCommit()
    }

    /// Runs one request. If `body` throws, undoes the request's changes.
    ///
    /// - Parameter startsLazily: Whether `body` sets the savepoint itself, with `ensureSavepoint`.
    /// - Throws: Any error of `body`. The whole transaction may have been rolled back: check `store.isInTransaction`.
    func request(startsLazily: Bool, _ body: () throws(RecordError) -> Void) throws(RecordError) {
        store.beginRequest()
        followed = 0
        checkedLists = 0
        if !leftBelow.isEmpty { leftBelow = [] }
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

    /// Runs one operation of a batch in a savepoint inside the request's savepoint.
    ///
    /// - Parameter inSavepoint: Whether there is a savepoint. Without one, the changes to the file stay after an error,
    ///   and `store.changes` tells whether there are any.
    /// - Throws: Any error of `body`, after undoing the operation's changes.
    func item<Value>(
        inSavepoint: Bool = true, _ body: () throws(RecordError) -> Value
    ) throws(RecordError) -> Value {
        let schemaBefore = schema
        let usageBefore = usage.mark
        if inSavepoint { try store.beginItem() }
        do throws(RecordError) {
            let value = try body()
            if inSavepoint { try store.keepItem() }
            return value
        } catch {
            schema = schemaBefore
            usage.undo(to: usageBefore)
            // After a failure of the store, the whole request fails and is rolled back.
            if inSavepoint, store.failure == nil { try store.undoItem() }
            throw error
        }
    }

    /// Runs `body` in a savepoint, then undoes the changes (dry run).
    ///
    /// - Throws: Any error of `body`. The request must then fail, which undoes the changes.
    func tried<Value>(_ body: () throws(RecordError) -> Value) throws(RecordError) -> Value {
        let (schemaBefore, rightsBefore, usageBefore) = (schema, rightsChanged, usage.mark)
        try store.beginItem()
        let value = try body()
        (schema, rightsChanged) = (schemaBefore, rightsBefore)
        usage.undo(to: usageBefore)
        try store.undoItem()
        return value
    }

    /// Notes that the feed of a zone has a new change, of a record of a type.
    func noteChange(in zone: DatabaseAddress, _ id: ZoneID, of type: TypeID) {
        if let lastChange, lastChange.zone == zone {
            if lastChange.type != type { changedTopics.append(.type(zone, type)) }
        } else {
            noteChange(ofZonesIn: zone.scope)
            changedTopics.append(.zone(zone))
            changedTopics.append(.type(zone, type))
            if zone.zone != .defaultZone { changedCustomZones.insert(id) }
        }
        lastChange = (zone, type)
    }

    /// Notes that the list of zones of a private database has a new change, or one of these zones.
    func noteChange(ofZonesIn scope: DatabaseScope) {
        guard case .privateDatabase = scope else { return }
        changedTopics.append(.zone(DatabaseAddress(scope: scope, zone: .everyZone)))
    }

    /// Notes that the subscriptions of an account have changed.
    func noteChange(ofSubscriptionsOf account: UserID) {
        changedTopics.append(.subscriptions(of: account))
    }

    /// Notes that a record gets a parent or a share.
    func noteSharing() {
        usesSharing = true
    }

    // MARK: Numbers and names

    /// Returns the next sequence number.
    func nextSequence() throws(RecordError) -> Int64 { try store.nextSequence() }

    /// The last sequence number that was assigned.
    var lastSequence: Int64 { store.head.sequence }

    /// Returns a time-ordered record name (UUID version 7, RFC 9562). Compared with random names, this doubles the
    /// number of durable creates per second.
    func makeRecordName() -> String {
        random.makeUUIDv7(milliseconds: now)
    }

    /// Returns a random first revision for a new record. Because of the randomness, a record that is created again
    /// under an old name does not repeat a change tag, and change tags do not reveal how much other callers write.
    func makeRevision() -> Int64 {
        // 40 random bits. At one write per ms, each adding 20 random bits, the revision stays positive for 500 years.
        Int64(random.next() >> 24)
    }

    /// Returns the revision of a record's next state: the given revision plus a random number. Because of the
    /// randomness, a restored copy does not reuse the change tags of lost states, and change tags do not reveal how
    /// often a record was written.
    func revision(after revision: Int64) -> Int64 {
        revision + 1 + Int64(random.next() >> 44)
    }
}
