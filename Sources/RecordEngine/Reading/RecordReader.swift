internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Reads on one thread: an event loop's, or a pool's. It has a connection of its own, a snapshot that outlives the
/// single read, and caches that hang on the database's rights version.
///
/// Not `Sendable`: it stays on the thread that made it.
package final class RecordReader {
    package let database: RecordDatabase
    private(set) package var schema: Schema
    let store: StoreReader
    /// The version of rights by which callers are found and judged here.
    package private(set) var rightsVersion: UInt64 = 0
    /// The commit that a view must hold to be read by `schema`.
    private var schemaCommit: UInt64 = 0
    /// The types, grants and roles that came with numbers of the one sequence up to this one are known here. The view may
    /// show newer ones.
    private(set) var knownSequence: Int64 = 0
    let knownCallers = KnownCallers()
    let userNames: UserNames
    private var zoneIDs: [DatabaseAddress: ZoneID] = [:]
    /// By `schema`.
    var knownQueries = KnownQueries()
    /// When a query took more time than a loop has, on the monotonic clock.
    var lastOverrun: UInt64 = 0
    /// The same of a page.
    var lastLongPage: UInt64 = 0

    /// The cache of zones is cleared when it reaches this many entries.
    private static let cacheEntries = 10_000

    init(database: RecordDatabase, store: StoreReader) {
        self.database = database
        self.store = store
        userNames = UserNames(store.accounts)
        // The version first: a schema that comes between the two is loaded once more.
        rightsVersion = database.clock.rightsVersion
        let published = database.publishedSchema.withLock { $0 }
        schema = published.schema
        schemaCommit = published.commit
    }

    /// Brings the view up to everything that was acknowledged before this call. Each request starts with it.
    package func refresh() throws(RecordError) {
        // The version is loaded on both sides of the snapshot: caches are then neither older nor newer than it.
        var version = database.clock.rightsVersion
        while true {
            let openings = store.snapshotsOpened
            // Before the version that is adopted.
            knownSequence = database.clock.publishedSequence
            try store.refresh()
            if store.snapshotsOpened != openings { database.statistics.didOpenSnapshot() }
            let now = database.clock.rightsVersion
            guard now == version else {
                version = now
                continue
            }
            adopt(version)
            // A schema is there a moment before its commit is published. Tables that it names are not in an older view.
            if schemaCommit <= store.seenCommits { return }
            database.clock.waitForCommit(schemaCommit)
        }
    }

    /// Brings the caches of schema and callers up to date without opening a view, which costs a write as much as its
    /// parsing does. Enough for a request that leaves its reading to the writer; what must be looked up all the same
    /// opens a view then.
    package func refreshRights() {
        adopt(database.clock.rightsVersion)
    }

    private func adopt(_ version: UInt64) {
        guard version != rightsVersion else { return }
        rightsVersion = version
        reloadSchema()
        knownCallers.clear()
        userNames.clear()
    }

    /// Lets go of the snapshot, before the thread waits.
    package func rest() {
        store.releaseSnapshot()
    }

    private func reloadSchema() {
        let published = database.publishedSchema.withLock { $0 }
        schema = published.schema
        schemaCommit = published.commit
        knownQueries = KnownQueries()
        store.indexes.forget(allBut: schema.indexIDs)
    }

    /// The type of a stored row. The snapshot may be newer than the schema that was read before it.
    func type(_ id: TypeID) -> RecordTypeDefinition? {
        if let type = schema[id: id] { return type }
        reloadSchema()
        return schema[id: id]
    }

    // MARK: Storage

    /// The indexes that queries have statements for.
    package var preparedIndexes: Set<IndexID> {
        store.indexes.preparedIndexes
    }

    /// When the newest tombstone was made of those that are more than may be kept, in milliseconds since 1970.
    func newestTombstone(beyond count: Int) throws(RecordError) -> Int64? {
        try refresh()
        return try store.tombstones.newest(beyond: count)
    }

    /// The number of a zone; `nil` if nothing was ever written to it.
    func zoneID(_ address: DatabaseAddress) throws(RecordError) -> ZoneID? {
        if address == .publicDefault { return ZoneTable.publicDefault }
        if let id = zoneIDs[address] { return id }
        guard address.zone == .defaultZone else { throw .zoneNotFound }
        let found = try zoneRow(address)
        if let found {
            if zoneIDs.count >= Self.cacheEntries { zoneIDs.removeAll(keepingCapacity: true) }
            zoneIDs[address] = found.id
        }
        return found?.id
    }

    func zoneRow(_ address: DatabaseAddress) throws(RecordError) -> ZoneRow? {
        let key = address.key
        return try store.zones.find(scope: key.scope, owner: key.owner, name: address.zone.text)
    }
}
