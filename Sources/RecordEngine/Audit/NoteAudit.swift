package import RecordModel
internal import RecordStorage
internal import Threads

/// What is told of by the minute.
extension AuditLogReader {
    /// Notes that somebody could not sign in. A name that no account has is not written down: it may be a password.
    package func noteFailedSignIn(name: String, address: String, requestID: String) {
        let account = try? reader.store.accounts.find(name: name)
        reader.database.auditNotes.note(
            AuditNotes.Subject(action: .signInFailed, target: account?.name ?? AuditNotes.unknownName),
            address: address, request: requestID)
    }

    /// Notes that a key was refused for what its scope does not cover, by itself or in a batch.
    ///
    /// - Parameter target: What it was about: a route, with a type.
    package func noteOutOfScope(_ key: ServiceKey, target: String, address: String, requestID: String) {
        let row = try? reader.store.keys.find(account: key.account)
        reader.database.auditNotes.note(
            AuditNotes.Subject(action: .keyOutOfScope, actorKind: "key", actor: row?.name ?? "", target: target),
            address: address, request: requestID)
    }

    /// Writes down, once an hour, that an administrator named whose private database it means. Nobody waits for it.
    package func noteOwner(_ owner: UserID, namedBy actor: AuditActor) {
        guard let administrator = actor.caller.administrator,
            reader.database.auditNotes.isNew(administrator: administrator.id, owner: owner)
        else { return }
        let name = (try? reader.userNames.name(of: owner)) ?? ""
        reader.database.submit(
            AuditWrite([
                AuditRow(
                    at: WallClock.milliseconds, actorKind: "administrator",
                    actor: reader.database.administrators?.name(of: administrator) ?? Administrators.bootstrapName,
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

extension AuditLog {
    /// Notes that somebody has made an account of its own.
    func noteSignUp(of account: AccountRow, by actor: AuditActor) {
        var subject = AuditNotes.Subject(action: .userSignUp, target: AuditNotes.anonymousAccount, outcome: .done)
        if account.kind == .person {
            (subject.actorKind, subject.actor, subject.target) = ("user", account.recordName, account.name)
        }
        database.auditNotes.note(subject, address: actor.address, request: actor.requestID)
    }
}

extension AuditNotes {
    /// The target of sign-ups without a name, which are counted together.
    static let anonymousAccount = "(anonymous account)"

    /// The target of a sign-in by a name that nobody has.
    static let unknownName = "(unknown name)"
}

extension AuditLog {
    /// Writes what was counted in minutes that are over. Nobody waits for it.
    package func writeNotes() {
        let rows = database.auditNotes.take(all: false)
        if !rows.isEmpty { database.submit(AuditWrite(rows)) }
    }

    /// The same with the running minute, before somebody reads the log or the file is closed.
    func writeAllNotes() async throws(RecordError) {
        let rows = database.auditNotes.take(all: true)
        guard !rows.isEmpty else { return }
        try await database.write { transaction throws(RecordError) in
            for row in rows { try transaction.store.audit.append(row) }
        }
    }

    /// Takes away entries that are past their time, a slice at once.
    ///
    /// - Returns: How many.
    func purge(limit: Int) async throws(RecordError) -> Int {
        let (seconds, entries) = (database.limits.auditSeconds, database.limits.auditEntries)
        return try await database.write(operations: limit, isAlone: true) { transaction throws(RecordError) in
            let moment = transaction.now - seconds * 1_000
            return try transaction.store.audit.purge(before: moment, keeping: entries, limit: limit)
        }
    }
}
