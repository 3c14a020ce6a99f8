package import RecordModel
internal import RecordStorage
internal import Threads

/// Notes of events that can repeat often. They are counted, or logged at most once per period.
extension AuditLogReader {
    /// Counts a failed sign-in. An unknown name is not logged, since a person may have typed the password as the name.
    package func noteFailedSignIn(name: String, address: String, requestID: String) {
        let account = try? reader.store.accounts.find(name: name)
        reader.database.auditNotes.note(
            AuditCounter.Subject(action: .signInFailed, target: account?.name ?? AuditCounter.unknownName),
            address: address, request: requestID)
    }

    /// Counts a request or batch item that was denied because of an API key's scope.
    ///
    /// - Parameter target: The route and the record type.
    package func noteOutOfScope(_ key: ServiceKey, target: String, address: String, requestID: String) {
        let row = try? reader.store.keys.find(account: key.account)
        reader.database.auditNotes.note(
            AuditCounter.Subject(action: .keyOutOfScope, actorKind: "key", actor: row?.name ?? "", target: target),
            address: address, request: requestID)
    }

    /// Logs that an administrator accessed the private database of a user, at most once per hour. Does not wait for the
    /// write.
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
    /// Returns whether an API key was denied because of its scope, or found nothing because its scope does not include
    /// the type.
    ///
    /// - Parameter type: The record type in the request; `nil` for none.
    package func isBeyondScope(of key: ServiceKey, _ type: RecordTypeName?) -> Bool {
        switch code {
        case .accessDenied: true
        case .notFound: type.map { !(key.scope.types?.contains($0) ?? true) } ?? false
        default: false
        }
    }
}

extension AuditLog {
    /// Counts a sign-up.
    func noteSignUp(of account: AccountRow, by actor: AuditActor) {
        var subject = AuditCounter.Subject(action: .userSignUp, target: AuditCounter.anonymousAccount, outcome: .done)
        if account.kind == .person {
            (subject.actorKind, subject.actor, subject.target) = ("user", account.recordName, account.name)
        }
        database.auditNotes.note(subject, address: actor.address, request: actor.requestID)
    }
}

extension AuditCounter {
    /// The target of anonymous sign-ups, which are counted together.
    static let anonymousAccount = "(anonymous account)"

    /// The target of sign-ins with an unknown name.
    static let unknownName = "(unknown name)"
}

extension AuditLog {
    /// Writes the counted events of past minutes. Does not wait for the write.
    package func writeNotes() {
        let rows = database.auditNotes.take(all: false)
        if !rows.isEmpty { database.submit(AuditWrite(rows)) }
    }

    /// Writes the counted events including the current minute, before the log is read or the file is closed.
    func writeAllNotes() async throws(RecordError) {
        let rows = database.auditNotes.take(all: true)
        guard !rows.isEmpty else { return }
        try await database.write { transaction throws(RecordError) in
            for row in rows { try transaction.store.audit.append(row) }
        }
    }

    /// Deletes expired entries, one slice at a time.
    ///
    /// - Returns: The number of deleted entries.
    func purge(limit: Int) async throws(RecordError) -> Int {
        let (seconds, entries) = (database.limits.auditSeconds, database.limits.auditEntries)
        return try await database.write(operations: limit, isAlone: true) { transaction throws(RecordError) in
            let moment = transaction.now - seconds * 1_000
            return try transaction.store.audit.purge(before: moment, keeping: entries, limit: limit)
        }
    }
}
