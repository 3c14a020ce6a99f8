package import RecordModel
internal import RecordStorage
internal import RecordWire

/// A page of accounts.
package struct UserPage: Sendable {
    /// With their custom roles, held directly or through others.
    package let users: [(user: User, roles: [RoleName])]
    /// Where the next page goes on; `nil` at the end.
    package let cursor: String?
}

/// Accounts, as those see and change them who manage users. Accounts of keys are none of them.
extension Accounts {
    /// Gives an account another password, disables or enables it; what is `nil` stays. All of its sessions end, unless it
    /// is only enabled.
    ///
    /// - Parameters:
    ///   - isDisabled: Nobody signs in to the account, and all else stays: its records, roles and memberships.
    ///   - actor: Whoever gives an account a password can enter its private database, so it takes that right too.
    /// - Throws: NOT_FOUND; ACCESS_DENIED; BAD_REQUEST for a password that is not well formed, and for the password of an
    ///   account that nobody signs in to by name.
    package func change(
        _ name: UserRecordName, password: String? = nil, isDisabled: Bool? = nil, by actor: AuditActor
    ) async throws(RecordError) -> User {
        let checked = try password.map { text throws(RecordError) in try Credentials.checked(newPassword: text) }
        var hash: String?
        if let checked { hash = try await database.passwords.hash(checked) }
        let hashed = hash
        return try await database.write { transaction throws(RecordError) in
            var row = try transaction.accounts.managed(name, by: actor)
            if let hashed { try transaction.accounts.setPassword(hashed, of: row, by: actor) }
            if let isDisabled, isDisabled != (row.disabled != nil) {
                row.disabled = isDisabled ? transaction.now : nil
                try transaction.accounts.setDisabled(of: row, by: actor)
            }
            return User(row)
        }
    }

    /// Removes an account, as its owner could.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED for who may not manage users any more.
    package func remove(_ name: UserRecordName, by actor: AuditActor) async throws(RecordError) {
        try await database.write(isAlone: true, frees: true) { transaction throws(RecordError) in
            let row = try transaction.accounts.managed(name, by: actor)
            try transaction.accounts.remove(row)
            try transaction.auditLog.append(.userDelete, row.name, by: actor, detail: row.auditDetail)
        }
        finishRemovals()
    }
}

extension AccountWriter {
    /// An account that somebody is about to manage, who may do so at this moment: it may have waited for its turn.
    fileprivate func managed(_ name: UserRecordName, by actor: AuditActor) throws(RecordError) -> AccountRow {
        try transaction.callers.require(.manageUsers, of: actor)
        let row = try table.find(recordName: name.text)
        guard let row, row.kind != .service else { throw .noSuchUser }
        return row
    }

    fileprivate func setPassword(_ hash: String, of row: AccountRow, by actor: AuditActor) throws(RecordError) {
        guard Authorization.mayEnterPrivateDatabase(try transaction.callers.current(actor.caller), of: row.id) else {
            throw .passwordsAreOwners
        }
        guard row.kind == .person else {
            throw .badRequest("Only accounts with a name have a password", details: [("name", .text(row.name))])
        }
        try table.setPassword(hash, account: row.id)
        try transaction.store.sessions.removeAll(account: row.id)
        transaction.rightsChanged = true
        try transaction.auditLog.append(.userPassword, row.name, by: actor, detail: row.auditDetail)
    }

    fileprivate func setDisabled(of row: AccountRow, by actor: AuditActor) throws(RecordError) {
        try table.setDisabled(since: row.disabled, account: row.id)
        if row.disabled != nil { try transaction.store.sessions.removeAll(account: row.id) }
        transaction.rightsChanged = true
        try transaction.auditLog.append(
            row.disabled == nil ? .userEnable : .userDisable, row.name, by: actor, detail: row.auditDetail)
    }
}

extension AccountRow {
    /// What the log says of an account besides its name, which is the target.
    var auditDetail: JSONObject {
        JSONObject([("userRecordName", .string(recordName))])
    }
}

extension AccountReader {
    /// A page of accounts in the order in which they were made.
    ///
    /// - Parameter cursor: Of the page before. The account that it ended with may have gone meanwhile.
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for what is no cursor.
    package func list(after cursor: String?, limit: Int) throws(RecordError) -> UserPage {
        var start = UserID.unassigned
        if let cursor {
            guard let number = Int64(cursor), number > 0 else {
                throw .badRequest("The cursor is none of this list. Ask for the first page again", cause: .tokenInvalid)
            }
            start = UserID(rawValue: number)
        }
        let rows = try table.list(after: start, limit: limit + 1)
        let shown = rows.prefix(limit)
        return UserPage(
            users: try withRoles(Array(shown)), cursor: rows.count > limit ? shown.last.map { "\($0.id)" } : nil)
    }

    /// The account that signs in by a name, as a page; an empty one if there is none.
    package func list(named name: String) throws(RecordError) -> UserPage {
        let row = try table.find(name: name)
        return UserPage(users: try withRoles(row.flatMap { $0.kind == .service ? nil : [$0] } ?? []), cursor: nil)
    }

    private func withRoles(_ rows: [AccountRow]) throws(RecordError) -> [(user: User, roles: [RoleName])] {
        try rows.map { row throws(RecordError) in
            (User(row), try table.roles(of: row.id).keys.sorted { $0.text < $1.text })
        }
    }
}

extension RecordError {
    static let noSuchUser = RecordError(.notFound, "There is no user with this record name")

    package static let passwordsAreOwners = RecordError(
        .accessDenied,
        "Whoever gives an account a password can enter its private database. Only owners of the server may do that")
}
