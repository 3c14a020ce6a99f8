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
    private var callers: [Digest: KnownCaller] = [:]
    /// One for all tokens: to make one costs more than to hash one.
    private let tokenHasher = SHA256Hasher()
    private var userNames: [UserID: String] = [:]
    /// The name that was asked for last: the records of a page are often by one writer.
    private var lastUserName: (id: UserID, name: String)?
    private var zoneIDs: [DatabaseAddress: ZoneID] = [:]
    /// By `schema`.
    var knownQueries = KnownQueries()
    /// When a query took more time than a loop has, on the monotonic clock.
    var lastOverrun: UInt64 = 0
    /// The same of a page.
    var lastLongPage: UInt64 = 0

    struct KnownCaller {
        let caller: Caller
        /// When it is to be looked up anew, in milliseconds since 1970: the session may have ended, or been put off.
        let expires: Int64
        /// From when on its use is to be noted.
        var slides: Int64
    }

    /// Caches are cleared when they reach this many entries.
    private static let cacheEntries = 10_000

    init(database: RecordDatabase, store: StoreReader) {
        self.database = database
        self.store = store
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
        callers.removeAll(keepingCapacity: true)
        userNames.removeAll(keepingCapacity: true)
        lastUserName = nil
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

    // MARK: Callers

    /// Who bears a token.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the token is unknown, revoked or expired.
    package func authenticate(_ token: UnsafeRawBufferPointer) throws(RecordError) -> Caller {
        tokenHasher.update(token)
        let hash = tokenHasher.finalize()
        if let known = callers[hash] {
            let now = WallClock.milliseconds
            if known.expires > now {
                if now >= known.slides { noteUse(of: hash, now: now) }
                return known.caller
            }
            callers[hash] = nil
        }
        // The server's own token may be any text, so it comes before all prefixes.
        if let administrator = database.administrator, hash.isEqualInConstantTime(to: administrator) {
            return .administrator(.bootstrap)
        }
        if let administrators = database.administrators {
            if token.starts(with: AdministratorToken.prefix.utf8) {
                return .administrator(try administrators.authenticate(hash))
            }
            if administrators.isOperator(hash) { return .administrator(.bootstrap) }
        }
        if token.starts(with: KeyToken.prefix.utf8) { return remember(try service(hash), hash) }
        try refresh()
        let now = WallClock.milliseconds
        guard let session = try store.sessions.find(hash: hash.bytes), session.expires > now,
            let account = try store.accounts.find(id: session.account), account.disabled == nil
        else { throw .tokenRejected }
        let caller = Caller.user(account.id, roles: try store.accounts.roles(of: account.id))
        let slides = session.used + database.limits.slideMilliseconds
        let known = remember(KnownCaller(caller: caller, expires: session.expires, slides: slides), hash)
        if now >= slides { noteUse(of: hash, now: now) }
        return known
    }

    private func remember(_ known: KnownCaller, _ hash: Digest) -> Caller {
        if callers.count >= Self.cacheEntries { callers.removeAll(keepingCapacity: true) }
        callers[hash] = known
        return known.caller
    }

    /// Has the use of a session noted, once in a while.
    private func noteUse(of hash: Digest, now: Int64) {
        callers[hash]?.slides = now + database.limits.slideMilliseconds
        database.noteUse(ofSession: hash)
    }

    /// The account with a public name.
    package func userID(_ name: UserRecordName) throws(RecordError) -> UserID? {
        try refresh()
        return try store.accounts.find(recordName: name.text)?.id
    }

    /// The public name of whoever wrote a record.
    func userName(_ id: UserID) throws(RecordError) -> String {
        if let last = lastUserName, last.id == id { return last.name }
        if let special = SystemUser.name(id) { return special }
        if let name = userNames[id] {
            lastUserName = (id, name)
            return name
        }
        let account = try store.accounts.find(id: id)
        guard let account else { return SystemUser.deleted }
        if userNames.count >= Self.cacheEntries { userNames.removeAll(keepingCapacity: true) }
        userNames[id] = account.recordName
        return account.recordName
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

extension RecordError {
    /// One sentence for every reason, so that nobody learns which tokens once existed.
    static let tokenRejected = RecordError(
        .authenticationFailed,
        """
        The token is not valid, or no longer, or it is of another container or environment. Drop it, then \
        sign in again, or go on as a guest without it
        """)
}
