internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire

extension Accounts {
    /// Deletes the account of a signed-in user.
    ///
    /// When this function returns, the account cannot sign in, and no caller can read the account's private data. Sliced work
    /// then deletes the private database in time slices. The account's records in the public database stay.
    ///
    /// - Parameters:
    ///   - password: The account's password; anonymous accounts have none.
    ///   - token: The session token of the request.
    ///   - actor: The caller of the request, by default the account itself.
    /// - Throws: ACCESS_DENIED with cause WRONG_PASSWORD; BAD_REQUEST for a missing password; AUTHENTICATION_FAILED if
    ///   the session has ended; TRY_AGAIN_LATER if too many passwords are being hashed.
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
                // Write the audit entry before the account loses its name.
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

    /// Starts the work that deletes the data of removed accounts, and returns at once. Called when an account is
    /// deleted, and when the database is opened.
    package func finishRemovals() {
        database.slices.begin(database.removalWork, in: database)
    }

    /// Waits until the data of removed accounts is deleted, the work has failed or the database is closed.
    package func removalsAreDone() async {
        await database.slices.wait(for: database.removalWork)
    }
}

/// The work that deletes the data of removed accounts.
///
/// Unchecked `Sendable`: see `SlicedWork`.
final class AccountRemovalWork: SlicedWork, @unchecked Sendable {
    /// Whether the last time slice failed. After a failure, the next slice does as little work as possible.
    private var hasFailed = false

    var frees: Bool { true }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        if hasFailed { budget.limit(to: 1) }
        let hasMore = try AccountRemovalSlice(transaction).run(&budget)
        // Only the account whose data is being deleted, because many accounts may wait.
        let account = try transaction.store.removals.first()
        let jobs = try transaction.store.jobs.unfinished(.removeAccount)
        let done = jobs.first { $0.subject == account?.rawValue }?.progress.done ?? 0
        try transaction.jobs.show(
            .removeAccount, left: account.map { [$0.rawValue: (done + Int64(budget.done), nil)] } ?? [:])
        return SliceProgress(hasMore: hasMore, done: budget.done)
    }

    func didCommit(_ progress: SliceProgress) -> AfterCommit? {
        hasFailed = false
        return nil
    }

    func didFail(_ error: RecordError) -> SliceRetry {
        hasFailed = true
        return .later
    }
}

extension AccountWriter {
    /// Deletes the parts of an account that callers can see, and records the remaining work for the work.
    func remove(_ account: AccountRow) throws(RecordError) {
        let mayAppearInRecords = try mayAppearInRecords(account)
        try removeUserRecord(of: account)
        try removeShares(of: account)
        try table.remove(account: account.id, mayAppearInRecords: mayAppearInRecords)
        try transaction.store.removals.add(account: account.id, now: transaction.now)
        transaction.userNames.forget(account.id)
        transaction.rightsChanged = true
    }

    /// Returns whether an account may be the creator or modifier of a public record other than its user record.
    /// Accounts that wrote nothing are excluded, since each deleted account makes predicates on `_deleted` more
    /// expensive.
    private func mayAppearInRecords(_ account: AccountRow) throws(RecordError) -> Bool {
        // An account writes records only after its user record was created, unless the account is older than user
        // records.
        guard let own = try transaction.records.row(zone: ZoneTable.publicDefault, name: account.recordName),
            own.creator == account.id, own.created == account.created
        else { return true }
        return try transaction.store.removals.mayAppearInRecords(account.id, since: own.id)
    }

    /// Ends the shares of an account's zones, and its participations in the shares of others.
    private func removeShares(of account: AccountRow) throws(RecordError) {
        let scope = DatabaseScope.privateDatabase(owner: account.id)
        for zone in try transaction.store.shares.sharedZones(of: account.id) {
            guard let name = ZoneName(zone.name) else { continue }
            try ShareWriter.removeAll(in: zone.id, DatabaseAddress(scope: scope, zone: name), transaction)
        }
        try transaction.store.shares.removeParticipations(of: account.id)
    }

    /// Deletes the user record of an account. VALIDATE references to the user record must not prevent the deletion of
    /// the account, so they are ignored. The work deletes records that refer to the user record with DELETE_SELF.
    private func removeUserRecord(of account: AccountRow) throws(RecordError) {
        let zone = ZoneTable.publicDefault
        let found = try transaction.records.find(zone: zone, name: account.recordName)
        guard let found, let type = transaction.schema[id: found.row.type], type.name == .users else { return }
        let slice = AccountRemovalSlice(transaction)
        _ = try slice.remover(.publicDefault).writeTombstoneAlone(found, zone: zone)
        try slice.addCascade(from: account.recordName, zone: zone)
    }
}

/// One time slice of the work that deletes the data of removed accounts.
private struct AccountRemovalSlice {
    private let transaction: WriteTransaction
    private var records: RecordTable { transaction.records }
    private var removals: AccountRemovalTable { transaction.store.removals }

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Deletes some data of removed accounts.
    ///
    /// - Returns: Whether there is more data to delete.
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

    /// Deletes one record that refers with DELETE_SELF to a deleted name.
    ///
    /// Each deletion also deletes the record's own references, so that cycles of references end. VALIDATE references to
    /// deleted records lose their target, since they must not prevent the deletion of an account.
    private func follow(_ target: String, zone: ZoneID) throws(RecordError) {
        let source = try records.sources(
            zone: zone, target: target, action: ReferenceAction.deleteSelf.rawValue, limit: 1
        ).first
        // Another record may have been created with this name after the deletion.
        let isThere = try records.row(zone: zone, name: target) != nil
        guard let source, !isThere,
            let record = try records.find(id: source), !record.row.isDeleted
        else {
            return try removals.finishCascade(zone: zone, target: target)
        }
        let name = try remover(.publicDefault).writeTombstoneAlone(record, zone: zone)
        try addCascade(from: name, zone: zone)
    }

    /// Deletes some records of the account's private database. If the private database is empty, deletes the account's
    /// other rows.
    private func empty(_ account: UserID) throws(RecordError) {
        guard let zone = try removals.zone(of: account) else {
            if try removals.removeClaimsAndResponses(account: account, limit: Self.rowsAtOnce) == Self.rowsAtOnce {
                return
            }
            try removals.expireUploads(account: account)
            try transaction.store.lostZones.remove(account: account)
            try removals.finish(account: account)
            return
        }
        let next = try removals.records(zone: zone, limit: Self.inlineRecords)
        guard !next.isEmpty else {
            return try removals.removeZone(zone)
        }
        let writer = remover(DatabaseAddress(scope: .privateDatabase(owner: account)))
        for id in next {
            guard let record = try records.find(id: id) else { continue }
            try writer.erase(record, zone: zone)
        }
    }

    /// Queues a deleted name for the work if records refer to the name with DELETE_SELF.
    func addCascade(from target: String, zone: ZoneID) throws(RecordError) {
        let sources = try records.sources(
            zone: zone, target: target, action: ReferenceAction.deleteSelf.rawValue, limit: 1)
        if !sources.isEmpty { try removals.addCascade(zone: zone, target: target) }
    }

    /// Returns a writer that deletes records with all rights.
    func remover(_ address: DatabaseAddress) -> RecordWriter {
        RecordWriter(
            transaction,
            WriteRequest(caller: .administrator(.bootstrap), address: address, shape: .single, operations: []))
    }

    /// The number of small rows per step, such as upload tokens.
    private static let rowsAtOnce = 500
    /// The number of records per step, each with up to 1 MB.
    private static let inlineRecords = 8
}
