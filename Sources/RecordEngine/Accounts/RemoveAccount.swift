internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire

extension Accounts {
    /// Takes away the account of somebody who is signed in. From the answer on nobody signs in to it or reads what it had;
    /// its private database goes in slices afterwards. What it made in the public database stays.
    ///
    /// - Parameters:
    ///   - password: The account's; accounts of somebody anonymous have none.
    ///   - token: That of the request.
    ///   - actor: Whose request it is: the account itself.
    /// - Throws: ACCESS_DENIED if the password is wrong; AUTHENTICATION_FAILED if the session has ended meanwhile.
    package func remove(
        _ account: AccountLookup, password: String?, token: [UInt8], by actor: AuditActor? = nil
    ) async throws(RecordError) {
        let hash = SHA256.hash(token).bytes
        var account = account
        for _ in 0..<Self.passwordAttempts {
            guard let checked = account.row else { throw .tokenRejected }
            if checked.kind != .anonymous {
                guard let password else {
                    throw .badRequest(
                        "Send the account's password in 'password'", details: [("field", .text("password"))])
                }
                try await requirePassword(password, of: checked)
            }
            let outcome = try await database.write(isAlone: true, frees: true) {
                transaction throws(RecordError) -> PasswordOutcome<Bool> in
                let current = try transaction.sessions.require(hash: hash, of: checked.id)
                guard current.password == checked.password, current.kind == checked.kind else {
                    return .changed(AccountLookup(row: current))
                }
                // While it still has a name.
                try transaction.auditLog.append(
                    .userDelete, current.name, by: actor ?? AuditActor(caller: .user(current.id, roles: [:])),
                    detail: current.auditDetail)
                try transaction.accounts.remove(current)
                return .done(true)
            }
            switch outcome {
            case .done:
                finishRemovals()
                return
            case .changed(let current): account = current
            }
        }
        throw .passwordWrong
    }

    /// Sees to it that what removed accounts had is taken away, in slices among other writes. Returns at once. Happens by
    /// itself when an account goes and when the database opens.
    package func finishRemovals() {
        database.jobs.begin(database.removalJob, in: database)
    }

    /// Waits until nothing is left of removed accounts, or until that has failed or the database was closed.
    package func removalsAreDone() async {
        await database.jobs.wait(for: database.removalJob)
    }
}

/// Deletes what removed accounts had.
///
/// Unchecked: see `Job`.
final class RemovalJob: Job, @unchecked Sendable {
    /// Whether the last slice failed: the next one does as little as it can.
    private var hasFailed = false

    var frees: Bool { true }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> JobProgress {
        if hasFailed { budget.limit(to: 1) }
        return JobProgress(hasMore: try RemovalSlice(transaction).run(&budget), done: budget.done)
    }

    func didCommit(_ progress: JobProgress) -> AfterCommit? {
        hasFailed = false
        return nil
    }

    func didFail(_ error: RecordError) -> JobRetry {
        hasFailed = true
        return .later
    }
}

extension AccountWriter {
    /// Takes an account away as far as others can see, and notes what is left to do.
    func remove(_ account: AccountRow) throws(RecordError) {
        let mayStandInRecords = try mayStandInRecords(account)
        try removeUserRecord(of: account)
        try table.remove(account: account.id, mayStandInRecords: mayStandInRecords)
        try transaction.store.removals.add(account: account.id, now: transaction.now)
        transaction.userNames.forget(account.id)
        transaction.rightsChanged = true
    }

    /// Whether an account may be creator or modifier of public records besides its own. Those who come and go without a
    /// word must not make conditions on `_deleted` dear.
    private func mayStandInRecords(_ account: AccountRow) throws(RecordError) -> Bool {
        // What an account writes is newer than its user record, unless the account is older than these are.
        guard let own = try transaction.records.row(zone: ZoneTable.publicDefault, name: account.recordName),
            own.creator == account.id, own.created == account.created
        else { return true }
        return try transaction.store.removals.mayStandInRecords(account.id, since: own.id)
    }

    /// Takes the user record of an account away, whatever refers to it: nobody keeps an account from going. Records that
    /// refer to it with DELETE_SELF follow in slices.
    private func removeUserRecord(of account: AccountRow) throws(RecordError) {
        let zone = ZoneTable.publicDefault
        let found = try transaction.records.find(zone: zone, name: account.recordName)
        guard let found, let type = transaction.schema[id: found.row.type], type.name == .users else { return }
        let slice = RemovalSlice(transaction)
        _ = try slice.remover(.publicDefault).buryAlone(found, zone: zone)
        try slice.addCascade(from: account.recordName, zone: zone)
    }
}

/// A piece of the work that is left when accounts have gone.
private struct RemovalSlice {
    private let transaction: WriteTransaction
    private var records: RecordTable { transaction.records }
    private var removals: RemovalTable { transaction.store.removals }

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Takes away a piece of what removed accounts had.
    ///
    /// - Returns: Whether there is more.
    func run(_ budget: inout SliceBudget) throws(RecordError) -> Bool {
        repeat {
            if let (zone, target) = try removals.firstCascade() {
                try follow(target, zone: zone)
            } else if let account = try removals.first() {
                try empty(account)
            } else {
                return false
            }
            budget.spend()
        } while budget.hasMore
        return try removals.hasWork()
    }

    /// Takes away a record that refers with DELETE_SELF to a name that went.
    ///
    /// One at a time and from the top: each that goes takes its own edges along, so that circles end. VALIDATE references
    /// to what goes are left without a target, as nobody may keep an account from going.
    private func follow(_ target: String, zone: ZoneID) throws(RecordError) {
        let source = try records.sources(
            zone: zone, target: target, action: ReferenceAction.deleteSelf.rawValue, limit: 1
        ).first
        // Somebody may have made a record of this name anew.
        let isThere = try records.row(zone: zone, name: target) != nil
        guard let source, !isThere,
            let record = try records.find(id: source), !record.row.isDeleted
        else {
            return try removals.finishCascade(zone: zone, target: target)
        }
        let name = try remover(.publicDefault).buryAlone(record, zone: zone)
        try addCascade(from: name, zone: zone)
    }

    /// Takes away one record of a private database or, when there is none any more, what else an account had.
    private func empty(_ account: UserID) throws(RecordError) {
        guard let zone = try removals.zone(of: account) else {
            if try removals.removeClaimsAndAnswers(account: account, limit: Self.rowsAtOnce) == Self.rowsAtOnce {
                return
            }
            try removals.expireUploads(account: account)
            try removals.finish(account: account)
            return
        }
        let next = try removals.records(zone: zone, limit: Self.recordsAtOnce)
        guard !next.isEmpty else {
            return try removals.removeZone(zone)
        }
        let writer = remover(DatabaseAddress(scope: .privateDatabase(owner: account)))
        for id in next {
            guard let record = try records.find(id: id) else { continue }
            try writer.erase(record, zone: zone)
        }
    }

    /// Notes a name that went, if records are to follow it.
    func addCascade(from target: String, zone: ZoneID) throws(RecordError) {
        let sources = try records.sources(
            zone: zone, target: target, action: ReferenceAction.deleteSelf.rawValue, limit: 1)
        if !sources.isEmpty { try removals.addCascade(zone: zone, target: target) }
    }

    func remover(_ address: DatabaseAddress) -> RecordWriter {
        RecordWriter(
            transaction,
            WriteRequest(caller: .administrator(.bootstrap), address: address, shape: .single, operations: []))
    }

    /// Rows without anything that hangs on them, such as receipts.
    private static let rowsAtOnce = 500
    /// Records, of which each may have a megabyte.
    private static let recordsAtOnce = 8
}
