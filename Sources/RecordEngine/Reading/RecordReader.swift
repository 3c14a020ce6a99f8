internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Reads a database on one thread of an event loop or worker pool.
///
/// A reader has its own connection, a snapshot that it keeps between reads, and caches that are valid for one rights
/// version of the database. Not `Sendable`: a reader stays on the thread that created it.
package final class RecordReader {
    /// The database that the reader reads.
    package let database: RecordDatabase
    /// The schema with which the reader reads records.
    private(set) package var schema: Schema
    let store: StoreReader
    /// The rights version with which this reader authenticates and authorizes callers.
    package private(set) var rightsVersion: UInt64 = 0
    /// The version of callers with which this reader authenticates; see `RecordDatabase.callersVersion`.
    package var callersVersion: UInt64 { rightsVersion &+ (database.administrators?.rightsVersion ?? 0) }
    /// The commit that a snapshot must contain before `schema` can be used to read it.
    private var schemaCommit: UInt64 = 0
    /// The sequence number up to which the reader knows types, grants and roles. The snapshot may contain newer ones.
    private(set) var knownSequence: Int64 = 0
    let callerCache = CallerCache()
    /// The texts of web auth tokens.
    package let webAuthTokens: WebAuthTokenCache
    let userNames: UserNameCache
    private var zoneIDs: [DatabaseAddress: ZoneID] = [:]
    /// Whether the order of record ids is the order of creation times in the snapshot.
    private(set) var createdFollowsIDs: Bool
    /// Whether any record had a parent or a share in a snapshot, and the number of that snapshot.
    private var sharing: (isUsed: Bool, snapshot: UInt64)?
    /// The bound queries and plans for `schema`.
    var queryCache = QueryCache()
    /// The uses of indexes that this thread has counted.
    var indexUses = PendingIndexUses()
    /// The live streams of this thread that get the same events.
    let feedGroups = FeedGroups()
    /// The time that this reader's event loop can spare for one query or page; `nil` for the default. Set by tests.
    package var spareTime: Duration?
    /// When a query last took longer than an event loop can spare, in nanoseconds of the monotonic clock.
    var lastOverrun: UInt64 = 0
    /// When a page last took longer than an event loop can spare, in nanoseconds of the monotonic clock.
    var lastLongPage: UInt64 = 0

    /// The number of entries at which the zone cache is cleared.
    private static let cacheEntries = 10_000

    init(database: RecordDatabase, store: StoreReader) {
        self.database = database
        self.store = store
        userNames = UserNameCache(store.accounts)
        webAuthTokens = WebAuthTokenCache(database)
        // Read the version before the schema. If a schema is published between the two, it is loaded once more.
        rightsVersion = database.clock.rightsVersion
        createdFollowsIDs = database.createdFollowsIDs
        let published = database.publishedSchema.withLock { $0 }
        schema = published.schema
        schemaCommit = published.commit
    }

    /// Refreshes the snapshot for read-your-writes consistency. The snapshot then contains every write acknowledged
    /// before this call. Each request calls this first.
    ///
    /// - Throws: The store's error.
    package func refresh() throws(RecordError) {
        // Read the version before and after opening the snapshot, so that the caches match the version.
        var version = database.clock.rightsVersion
        while true {
            let openings = store.snapshotsOpened
            // Read the sequence number before the version that the caches are for.
            knownSequence = database.clock.publishedSequence
            try store.refresh()
            if store.snapshotsOpened != openings { database.statistics.didOpenSnapshot() }
            let now = database.clock.rightsVersion
            guard now == version else {
                version = now
                continue
            }
            adopt(version)
            if createdFollowsIDs, !database.createdFollowsIDs {
                createdFollowsIDs = false
                queryCache = QueryCache()
            }
            // A schema is published shortly before its commit. A snapshot from before the commit lacks the tables that
            // the schema names.
            if schemaCommit <= store.seenCommits { return }
            database.clock.waitForCommit(schemaCommit)
        }
    }

    /// Updates the caches of schema and callers without opening a snapshot. Opening a snapshot would cost a write as
    /// much as parsing it. Requests whose reads happen in the writer need no snapshot. Other lookups open a snapshot
    /// later, or read without one: an old one of an earlier request could lack a zone that was created since.
    package func refreshRights() {
        store.releaseOutdatedSnapshot()
        adopt(database.clock.rightsVersion)
    }

    private func adopt(_ version: UInt64) {
        guard version != rightsVersion else { return }
        rightsVersion = version
        // A zone may have been deleted.
        zoneIDs.removeAll(keepingCapacity: true)
        reloadSchema()
        callerCache.clear()
        userNames.clear()
    }

    /// Releases the snapshot. Called before the thread becomes idle.
    package func rest() {
        indexUses.publish(to: database.queries.indexUses)
        store.releaseSnapshot()
    }

    private func reloadSchema() {
        let published = database.publishedSchema.withLock { $0 }
        schema = published.schema
        schemaCommit = published.commit
        queryCache = QueryCache()
        store.indexes.forget(allBut: schema.indexIDs)
    }

    /// Returns the type of a stored row; `nil` if the reader does not know it. The snapshot may be newer than the
    /// schema.
    func type(_ id: TypeID) -> RecordTypeDefinition? {
        if let type = schema[id: id] { return type }
        reloadSchema()
        return schema[id: id]
    }

    // MARK: Storage

    /// Returns whether any record has a parent or a share.
    func usesSharing() throws(RecordError) -> Bool {
        if let sharing, sharing.isUsed || sharing.snapshot == store.snapshotsOpened { return sharing.isUsed }
        let isUsed = try store.hierarchies.isUsed()
        sharing = (isUsed, store.snapshotsOpened)
        return isUsed
    }

    /// The ids of the indexes that have prepared statements for queries.
    package var preparedIndexes: Set<IndexID> {
        store.indexes.preparedIndexes
    }

    /// Returns the creation time of the newest tombstone among those beyond the newest `count`, in milliseconds since
    /// 1970; `nil` if there are at most `count` tombstones.
    func newestTombstone(beyond count: Int) throws(RecordError) -> Int64? {
        try refresh()
        return try store.tombstones.newest(beyond: count)
    }

    /// Returns the number of a zone; `nil` for a default zone that has never had a write.
    ///
    /// - Throws: ZONE_NOT_FOUND for a custom zone that does not exist.
    func zoneID(_ address: DatabaseAddress) throws(RecordError) -> ZoneID? {
        if address == .publicDefault { return ZoneTable.publicDefault }
        if let id = zoneIDs[address] { return id }
        let found = try zoneRow(address)
        if let found {
            if zoneIDs.count >= Self.cacheEntries { zoneIDs.removeAll(keepingCapacity: true) }
            zoneIDs[address] = found.id
        }
        return found?.id
    }

    /// Returns a zone; `nil` for a default zone that has never had a write.
    ///
    /// - Throws: ZONE_NOT_FOUND for a custom zone that does not exist.
    func zoneRow(_ address: DatabaseAddress) throws(RecordError) -> ZoneRow? {
        let key = address.key
        let row = try store.zones.find(scope: key.scope, owner: key.owner, name: address.zone.text)
        guard row != nil || address.zone == .defaultZone else { throw .zoneNotFound }
        return row
    }

    /// Checks that a zone exists, before anything else of a request.
    ///
    /// - Throws: ZONE_NOT_FOUND.
    package func requireZone(_ address: DatabaseAddress) throws(RecordError) {
        if address.zone != .defaultZone { _ = try zoneID(address) }
    }
}
