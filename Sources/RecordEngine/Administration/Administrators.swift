package import Cryptography
package import RecordModel
package import RecordStorage
internal import RecordWire
internal import Synchronization
internal import Threads
internal import UnicodeText

/// The named administrators of one server, and the log of what concerns the server as a whole.
///
/// All of them and their sessions are in memory, so any loop can tell who bears a token without touching the disk; a
/// change is durable before it counts, and counts from the next request on. The bearer of the server's own token stays
/// whatever happens here, so the last owner may go too.
package actor Administrators {
    /// Everything that look-ups need.
    struct Snapshot: Sendable {
        var administrators: [Int64: AdministratorRow] = [:]
        var sessions: [Digest: AdministratorSessionRow] = [:]
        /// When the last use of a session was written.
        var noted: [Digest: Int64] = [:]

        /// Names are small ASCII letters, and found as those of accounts are.
        func administrator(named name: String) -> AdministratorRow? {
            let key = name.nfkcCasefold
            return administrators.values.first { $0.name == key }
        }
    }

    nonisolated let snapshot: Locked<Snapshot>
    package nonisolated let passwords: PasswordWorkers
    nonisolated let notes = AuditNotes()
    /// Milliseconds since 1970.
    nonisolated let clock: @Sendable () -> Int64
    /// The hash of the token that the operator's commands have while this process lives.
    nonisolated let operatorToken: Digest?
    nonisolated let limits: DatabaseLimits

    private nonisolated let executor: ThreadExecutor
    private nonisolated let hasFailed = Atomic<Bool>(false)
    /// Whether changes are taken: false after a sync to the disk has failed.
    package nonisolated var isHealthy: Bool { !hasFailed.load(ordering: .relaxed) }
    /// Held for its lock, until the file is closed.
    private var folder: DataFolder?
    private(set) var store: ServerStore?

    /// What the log calls the bearer of the server's own token.
    package static let bootstrapName = "_administrator"

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the file of a data folder, making what is missing, and locks the folder against a second server.
    ///
    /// - Throws: A sentence for the operator.
    package init(
        dataPath: String, passwords: PasswordWorkers, operatorToken: Digest? = nil,
        limits: DatabaseLimits = DatabaseLimits(), clock: @escaping @Sendable () -> Int64 = { WallClock.milliseconds },
        driver: DriverMaker? = nil
    ) throws {
        let folder = try DataFolder(opening: dataPath)
        let store = try ServerStore(in: folder, driver: driver)
        let snapshot = try store.explaining {
            var snapshot = Snapshot()
            for row in try store.administrators.all() { snapshot.administrators[row.id] = row }
            for row in try store.administrators.sessions() {
                if let hash = Digest(row.hash) { snapshot.sessions[hash] = row }
            }
            return snapshot
        }
        self.folder = consume folder
        self.passwords = passwords
        self.operatorToken = operatorToken
        self.limits = limits
        self.clock = clock
        self.snapshot = Locked(snapshot)
        self.store = store
        executor = ThreadExecutor(name: "fog-server")
    }

    deinit {
        executor.shutdown()
    }

    /// Writes what is left to write and closes the file.
    package func close() {
        try? writeNotes(all: true)
        store?.close()
        store = nil
        folder = nil
    }

    // MARK: Looking up

    /// Whether a token is that of the operator's commands.
    package nonisolated func isOperator(_ hash: Digest) -> Bool {
        operatorToken.map { hash.isEqualInConstantTime(to: $0) } ?? false
    }

    /// An administrator as it is now; `nil` if it is gone or disabled.
    nonisolated func current(_ id: Int64) -> Administrator? {
        snapshot.withLock { $0.administrators[id] }.flatMap(Administrator.init)
    }

    /// What the log calls an administrator.
    package nonisolated func name(of administrator: Administrator) -> String {
        guard administrator.id != 0 else { return Self.bootstrapName }
        return snapshot.withLock { $0.administrators[administrator.id]?.name } ?? "#\(administrator.id)"
    }

    /// All administrators by name.
    package nonisolated func list() -> [AdministratorInfo] {
        snapshot.withLock { Array($0.administrators.values) }.compactMap(AdministratorInfo.init)
            .sorted { $0.name < $1.name }
    }

    /// - Throws: NOT_FOUND if there is none with the name.
    package nonisolated func find(_ name: String) throws(RecordError) -> AdministratorInfo {
        let row = snapshot.withLock { $0.administrator(named: name) }
        guard let info = row.flatMap(AdministratorInfo.init) else { throw .administratorNotFound }
        return info
    }

    // MARK: Writing

    /// Runs `body` in a transaction, with the log's entries of the deed; perhaps twice.
    func write<Value>(_ body: (ServerStore) throws(RecordError) -> Value) throws(RecordError) -> Value {
        guard let store else { throw .databaseUnavailable }
        defer {
            if store.hasFailedForGood {
                self.store = nil
                hasFailed.store(true, ordering: .relaxed)
            }
        }
        return try store.write(body)
    }

    /// Refuses an actor who may not manage administrators, or not any more.
    func requireManager(_ actor: AuditActor) throws(RecordError) {
        var caller = actor.caller
        if case .administrator(let administrator) = caller, administrator.id != 0 {
            guard let now = current(administrator.id) else { throw .tokenRejected }
            caller = .administrator(now)
        }
        switch Authorization.authorize(caller, .manageAdministrators) {
        case .allowed: return
        case .authenticationRequired:
            throw RecordError(.authenticationRequired, "Only administrators may do this")
        case .denied: throw RecordError(.accessDenied, "Only owners manage administrators")
        }
    }

    /// Writes down who did what.
    func audit(
        _ action: AuditAction, _ target: String, by actor: AuditActor, detail: JSONObject = JSONObject(),
        in store: ServerStore
    ) throws(RecordError) {
        let (kind, name): (String, String)
        if let special = actor.name {
            (kind, name) = ("operator", special)
        } else if case .administrator(let administrator) = actor.caller {
            (kind, name) = ("administrator", self.name(of: administrator))
        } else {
            (kind, name) = ("anonymous", "")
        }
        let row = AuditRow(
            at: clock(), actorKind: kind, actor: name, action: action.rawValue, target: target,
            outcome: AuditOutcome.done.rawValue, address: actor.address, request: actor.requestID,
            detail: AuditText.detail(detail))
        try store.audit.append(row)
    }

    // MARK: The log

    /// Writes what was counted in minutes that are over.
    package func writeAuditNotes() {
        try? writeNotes(all: false)
    }

    private func writeNotes(all: Bool) throws(RecordError) {
        let rows = notes.take(all: all, now: clock())
        guard !rows.isEmpty else { return }
        try write { store throws(RecordError) in
            for row in rows { try store.audit.append(row) }
        }
    }

    /// A page of the server's log, the newest entry first.
    package func auditLog(_ request: AuditRequest) throws(RecordError) -> [UInt8] {
        try writeNotes(all: true)
        guard let store else { throw .databaseUnavailable }
        return try AuditPage.compose(request) { position, limit throws(RecordError) in
            try store.audit.list(request.filter, before: position, limit: limit)
        }
    }

    /// Takes away sessions that have ended and entries of the log that are past their time.
    package func maintain() throws(RecordError) {
        let now = clock()
        let ended = snapshot.withLock { snapshot in snapshot.sessions.filter { $0.value.expires <= now }.map(\.key) }
        let (limits, slice) = (limits, 500)
        var purged = slice
        while purged >= slice {
            purged = try write { store throws(RecordError) in
                for hash in ended { try store.administrators.removeSession(hash: hash.bytes) }
                return try store.audit.purge(
                    before: now - limits.auditSeconds * 1_000, keeping: limits.auditEntries, limit: slice)
            }
        }
        snapshot.withLock { snapshot in
            for hash in ended where (snapshot.sessions[hash]?.expires ?? .max) <= now { snapshot.end(hash) }
        }
    }
}

extension Administrators.Snapshot {
    mutating func end(_ hash: Digest) {
        sessions[hash] = nil
        noted[hash] = nil
    }

    /// Ends the sessions of an administrator.
    mutating func endAll(of administrator: Int64, but kept: Digest? = nil) {
        for (hash, session) in sessions where session.administrator == administrator && hash != kept { end(hash) }
    }
}

extension Administrator {
    /// `nil` for one who is disabled, or whose role this version does not know.
    init?(_ row: AdministratorRow) {
        guard row.disabled == nil, let role = AdministratorRole(rawValue: row.role) else { return nil }
        self.init(id: row.id, role: role)
    }
}

extension AdministratorInfo {
    init?(_ row: AdministratorRow) {
        guard let role = AdministratorRole(rawValue: row.role) else { return nil }
        self.init(id: row.id, name: row.name, role: role, created: row.created, disabled: row.disabled)
    }
}

extension RecordError {
    static let administratorNotFound = RecordError(.notFound, "There is no administrator with this name")
}
