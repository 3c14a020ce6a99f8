package import RecordModel
internal import RecordStorage
internal import Threads

/// What is told of by the minute.
extension RecordReader {
    /// Notes that somebody could not sign in. A name that no account has is not written down: it may be a password.
    package func noteFailedSignIn(name: String, address: String, requestID: String) {
        let account = try? accounts.find(name: name)
        database.auditNotes.note(
            AuditNotes.Subject(action: .signInFailed, target: account?.name ?? AuditNotes.unknownName),
            address: address, request: requestID)
    }

    /// Notes that a key was refused for what its scope does not cover, by itself or in a batch.
    ///
    /// - Parameter target: What it was about: a route, with a type.
    package func noteOutOfScope(_ key: ServiceKey, target: String, address: String, requestID: String) {
        let name = store.keys.nameOfKey(account: key.account) ?? ""
        database.auditNotes.note(
            AuditNotes.Subject(action: .keyOutOfScope, actorKind: "key", actor: name, target: target),
            address: address, request: requestID)
    }

    /// Writes down, once an hour, that an administrator named whose private database it means. Nobody waits for it.
    package func noteOwner(_ owner: UserID, namedBy actor: AuditActor) {
        guard let administrator = actor.caller.administrator,
            database.auditNotes.isNew(administrator: administrator.id, owner: owner)
        else { return }
        let name = (try? userName(owner)) ?? ""
        database.submit(
            AuditWrite([
                AuditRow(
                    at: WallClock.milliseconds, actorKind: "administrator",
                    actor: database.administrators?.name(of: administrator) ?? Administrators.bootstrapName,
                    action: AuditAction.ownerNamed.rawValue, target: name, outcome: AuditOutcome.done.rawValue,
                    address: actor.address, request: actor.requestID, detail: nil)
            ]))
    }
}

extension RecordError {
    /// Whether a key was refused for its scope, or met nothing where its scope lets it see nothing.
    ///
    /// - Parameter type: Of what it asked for, if that was said.
    package func isBeyondScope(of key: ServiceKey, _ type: RecordTypeName?) -> Bool {
        switch code {
        case .accessDenied: true
        case .notFound: type.map { !(key.scope.types?.contains($0) ?? true) } ?? false
        default: false
        }
    }
}

extension RecordDatabase {
    /// Notes that somebody has made an account of its own.
    nonisolated func noteSignUp(of account: AccountRow, by actor: AuditActor) {
        var subject = AuditNotes.Subject(action: .userSignUp, target: AuditNotes.anonymousAccount, outcome: .done)
        if account.kind == .person {
            (subject.actorKind, subject.actor, subject.target) = ("user", account.recordName, account.name)
        }
        auditNotes.note(subject, address: actor.address, request: actor.requestID)
    }
}

extension AuditNotes {
    /// The target of sign-ups without a name, which are counted together.
    static let anonymousAccount = "(anonymous account)"

    /// The target of a sign-in by a name that nobody has.
    static let unknownName = "(unknown name)"
}

extension KeyTable {
    fileprivate func nameOfKey(account: UserID) -> String? {
        (try? find(account: account))?.name
    }
}

extension RecordDatabase {
    /// Writes what was counted in minutes that are over. Nobody waits for it.
    package nonisolated func writeAuditNotes() {
        let rows = auditNotes.take(all: false)
        if !rows.isEmpty { submit(AuditWrite(rows)) }
    }

    /// The same with the running minute, before somebody reads the log or the file is closed.
    nonisolated func writeAllAuditNotes() async throws(RecordError) {
        let rows = auditNotes.take(all: true)
        guard !rows.isEmpty else { return }
        try await write { transaction throws(RecordError) in
            for row in rows { try transaction.auditTable.append(row) }
        }
    }

    /// Takes away entries that are past their time, a slice at once.
    ///
    /// - Returns: How many.
    nonisolated func purgeAudit(limit: Int) async throws(RecordError) -> Int {
        let (seconds, entries) = (limits.auditSeconds, limits.auditEntries)
        return try await write(operations: limit, isAlone: true) { transaction throws(RecordError) in
            let moment = transaction.now - seconds * 1_000
            return try transaction.auditTable.purge(before: moment, keeping: entries, limit: limit)
        }
    }
}
