package import Cryptography
package import RecordModel
package import RecordStorage
internal import RecordWire
internal import Synchronization
internal import Threads
internal import UnicodeText

/// The named administrators of one server, the server's audit log, and its list of backups.
///
/// Administrators, sessions and backups are kept in memory, so any event loop can authenticate a token without reading
/// the disk. A change takes effect with the next request after the change is durable. The server's own token always
/// stays valid, so even the last owner can be deleted.
package actor Administrators {
    /// The administrators and sessions in memory, for authentication.
    struct Snapshot: Sendable {
        var administrators: [Int64: AdministratorRow] = [:]
        /// Whether there was an administrator since the start.
        var isSetUp = false
        var sessions: [Digest: AdministratorSessionRow] = [:]
        /// When the last use of each session was written, in milliseconds since 1970.
        var noted: [Digest: Int64] = [:]
        /// The last backups, newest first.
        var backups: [BackupRow] = []

        /// Returns the administrator with a name. Names are compared like the names of accounts.
        func administrator(named name: String) -> AdministratorRow? {
            let key = name.nfkcCasefold
            return administrators.values.first { $0.name == key }
        }
    }

    nonisolated let snapshot: Locked<Snapshot>
    /// The threads that hash passwords.
    package nonisolated let passwords: PasswordWorkers
    nonisolated let notes = AuditCounter()
    /// Returns the current time in milliseconds since 1970.
    nonisolated let clock: @Sendable () -> Int64
    /// The hash of the token that the operator's commands use while this process runs.
    nonisolated let operatorToken: Digest?
    nonisolated let limits: DatabaseLimits

    private nonisolated let rights = Atomic<UInt64>(0)
    private nonisolated let executor: ThreadExecutor
    private nonisolated let hasFailed = Atomic<Bool>(false)
    /// Whether changes are accepted; false after a failed fsync.
    package nonisolated var isHealthy: Bool { !hasFailed.load(ordering: .relaxed) }
    /// The locked directory. The lock is held until the file is closed.
    private var directory: DataDirectory?
    private(set) var store: ServerStore?

    /// The name of the server's own token in the audit log.
    package static let bootstrapName = "_administrator"

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the administrators' file in a data directory, and locks the directory against a second server. Creates the
    /// directory and the file if they are missing.
    ///
    /// - Throws: An error with a sentence for the operator.
    package init(
        dataPath: String, passwords: PasswordWorkers, operatorToken: Digest? = nil,
        limits: DatabaseLimits = DatabaseLimits(), clock: @escaping @Sendable () -> Int64 = { WallClock.milliseconds },
        driver: DriverMaker? = nil
    ) throws {
        let directory = try DataDirectory(opening: dataPath)
        let store = try ServerStore(in: directory, driver: driver)
        let snapshot = try store.explaining {
            var snapshot = Snapshot()
            for row in try store.administrators.all() { snapshot.administrators[row.id] = row }
            for row in try store.administrators.sessions() {
                if let hash = Digest(row.hash) { snapshot.sessions[hash] = row }
            }
            snapshot.isSetUp = !snapshot.administrators.isEmpty
            snapshot.backups = try store.backups.all()
            return snapshot
        }
        self.directory = consume directory
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

    /// Writes pending log entries and closes the file.
    package func close() {
        try? writeNotes(all: true)
        store?.close()
        store = nil
        directory = nil
    }

    // MARK: Lookup

    /// A version that changes when an administrator or a session loses something: with a new role or password, when it
    /// is disabled, deleted or signed out.
    package nonisolated var rightsVersion: UInt64 { rights.load(ordering: .acquiring) }

    /// Makes everything that is open authenticate its administrator again. Called after a change of `snapshot`.
    nonisolated func didChangeRights() { rights.add(1, ordering: .releasing) }

    /// Returns whether a hash belongs to the token of the operator's commands.
    package nonisolated func isOperator(_ hash: Digest) -> Bool {
        operatorToken.map { hash.isEqualInConstantTime(to: $0) } ?? false
    }

    /// Returns the current state of an administrator; `nil` if the administrator is deleted or disabled.
    nonisolated func current(_ id: Int64) -> Administrator? {
        snapshot.withLock { $0.administrators[id] }.flatMap(Administrator.init)
    }

    /// Returns the name of an administrator in the audit log.
    package nonisolated func name(of administrator: Administrator) -> String {
        guard administrator.id != 0 else { return Self.bootstrapName }
        return snapshot.withLock { $0.administrators[administrator.id]?.name } ?? "#\(administrator.id)"
    }

    /// Returns all administrators, sorted by name.
    package nonisolated func list() -> [AdministratorInfo] {
        snapshot.withLock { Array($0.administrators.values) }.compactMap(AdministratorInfo.init)
            .sorted { $0.name < $1.name }
    }

    /// Returns the administrator with a name.
    ///
    /// - Throws: NOT_FOUND if no administrator has the name.
    package nonisolated func find(_ name: String) throws(RecordError) -> AdministratorInfo {
        let row = snapshot.withLock { $0.administrator(named: name) }
        guard let info = row.flatMap(AdministratorInfo.init) else { throw .administratorNotFound }
        return info
    }

    // MARK: Writing

    /// Runs `body` in a transaction, which includes the audit entries of the change. `body` may run twice.
    ///
    /// - Throws: Any error of `body`; TRY_AGAIN_LATER after `close` or a failed fsync.
    func write<Value>(_ body: (ServerStore) throws(RecordError) -> Value) throws(RecordError) -> Value {
        guard let store else { throw .databaseUnavailable }
        defer {
            if store.hasFailedPermanently {
                self.store = nil
                hasFailed.store(true, ordering: .relaxed)
            }
        }
        return try store.write(body)
    }

    /// Checks that an actor currently may manage administrators.
    ///
    /// - Throws: AUTHENTICATION_FAILED, AUTHENTICATION_REQUIRED or ACCESS_DENIED.
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

    /// Writes an entry about an administrator to the server's audit log.
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

    // MARK: The audit log

    /// Writes the counted events of past minutes.
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

    /// Returns a page of the server's audit log as JSON, the newest entry first.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for a malformed cursor; TRY_AGAIN_LATER after `close`.
    package func auditLog(_ request: AuditRequest) throws(RecordError) -> [UInt8] {
        try writeNotes(all: true)
        guard let store else { throw .databaseUnavailable }
        return try AuditPage.compose(request) { position, limit throws(RecordError) in
            try store.audit.list(request.filter, before: position, limit: limit)
        }
    }

    /// Deletes ended sessions and expired audit entries.
    ///
    /// - Throws: TRY_AGAIN_LATER after `close`.
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
    /// `nil` for a disabled administrator, or one with a role that this version does not know.
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
    /// The error for an unknown name.
    static let administratorNotFound = RecordError(.notFound, "There is no administrator with this name")
}
