internal import Encodings
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import UnicodeText

/// A page of accounts.
package struct UserPage: Sendable {
    /// The accounts with their custom roles, both direct and through other roles.
    package let users: [(user: User, roles: [RoleName])]
    /// The cursor of the next page; `nil` at the end.
    package let cursor: String?
}

/// Changes of accounts by callers that manage users. Accounts of API keys are excluded.
extension Accounts {
    /// Sets an account's password, or disables or enables the account. `nil` keeps the current state. All sessions of
    /// the account end, unless the only change is to enable the account.
    ///
    /// - Parameters:
    ///   - isDisabled: Whether to disable sign-in. Records, roles and memberships of the account stay.
    ///   - actor: The caller of the request. Setting a password also needs the right to enter the account's private
    ///     database, since the password gives access to the private database.
    /// - Throws: NOT_FOUND; ACCESS_DENIED; BAD_REQUEST for a malformed password, or for an account without a name.
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

    /// Deletes an account, with the same effect as a deletion by the account's owner.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage users.
    package func remove(_ name: UserRecordName, by actor: AuditActor) async throws(RecordError) {
        try await database.write(isAlone: true, frees: true) { transaction throws(RecordError) in
            let row = try transaction.accounts.managed(name, by: actor)
            try transaction.accounts.remove(row)
            try transaction.auditLog.append(.userDelete, row.name, by: actor, detail: row.auditDetail)
        }
        finishRemovals()
    }

    /// Ends one session of an account, or all of them.
    ///
    /// - Parameter session: The public id of the session; `nil` for all.
    /// - Throws: NOT_FOUND for an unknown account or session; ACCESS_DENIED if the caller may not manage users.
    package func endSessions(
        of name: UserRecordName, _ session: String? = nil, by actor: AuditActor
    ) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            let row = try transaction.accounts.managed(name, by: actor)
            let sessions = transaction.store.sessions
            var detail = row.auditDetail
            if let session {
                guard try sessions.remove(id: session, account: row.id) else { throw .unknownSession }
            } else {
                let ended = try sessions.removeAll(account: row.id)
                try transaction.store.notificationTokens.remove(account: row.id)
                guard ended > 0 else { return }
                detail["sessions"] = .integer(Int64(ended))
            }
            transaction.rightsChanged = true
            try transaction.auditLog.append(
                session == nil ? .sessionsEnd : .sessionEnd, row.name, by: actor, detail: detail)
        }
    }
}

extension AccountWriter {
    /// Returns the account with a record name. Checks the caller's right again, since it may have changed while the
    /// request was queued.
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
        try transaction.store.notificationTokens.remove(account: row.id)
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
    /// The details of audit entries about an account. The target of the entries is the account's record name.
    var auditDetail: JSONObject {
        JSONObject([("userRecordName", .string(recordName))])
    }
}

extension AccountReader {
    /// Returns a page of accounts in the order of their creation.
    ///
    /// - Parameter cursor: The cursor from the previous page. The cursor stays valid if the last account of the
    ///   previous page is deleted.
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for a malformed cursor.
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

    /// Returns a page with the account that has a sign-in name; an empty page if no account has the name.
    ///
    /// - Throws: The store's error.
    package func list(named name: String) throws(RecordError) -> UserPage {
        let row = try table.find(name: name)
        return UserPage(users: try withRoles(row.flatMap { $0.kind == .service ? nil : [$0] } ?? []), cursor: nil)
    }

    /// Returns a page of accounts whose sign-in names begin with a text, without regard to case and width, in the order
    /// of their names.
    ///
    /// - Parameter cursor: The cursor from the previous page of the same search.
    /// - Throws: BAD_REQUEST for an empty text, or with cause TOKEN_INVALID for a malformed cursor.
    package func search(_ text: String, after cursor: String?, limit: Int) throws(RecordError) -> UserPage {
        let prefix = text.nfkcCasefold
        guard !prefix.isEmpty, prefix.utf8.count <= Limits.recordNameBytes else {
            throw .badRequest(
                "'search' is the beginning of a name", details: [("parameter", .text("search"))])
        }
        var position: (key: String, id: UserID)?
        if let cursor {
            let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let key = Base64URL.decode(String(parts[0])), let id = Int64(parts[1]) else {
                throw .badRequest("The cursor is none of this search. Search again", cause: .tokenInvalid)
            }
            position = (String(decoding: key, as: UTF8.self), UserID(rawValue: id))
        }
        let found = try table.search(prefix, after: position, limit: limit + 1)
        let shown = found.prefix(limit)
        return UserPage(
            users: try withRoles(shown.map(\.row)),
            cursor: found.count > limit
                ? shown.last.map { "\(Base64URL.encode(Array($0.key.utf8))).\($0.row.id)" } : nil)
    }

    /// Returns the account with a record name, and what it stores.
    ///
    /// - Throws: NOT_FOUND.
    package func account(
        _ name: UserRecordName
    ) throws(RecordError) -> (user: User, roles: [RoleName], usage: Usage) {
        guard let row = try table.find(recordName: name.text), row.kind != .service else { throw .noSuchUser }
        return (User(row), try withRoles([row])[0].roles, try reader.store.usage.usage(of: row.id).all)
    }

    /// Returns the sessions of the account with a record name, the newest first.
    ///
    /// - Throws: NOT_FOUND.
    package func sessions(of name: UserRecordName) throws(RecordError) -> [SessionInfo] {
        guard let row = try table.find(recordName: name.text), row.kind != .service else { throw .noSuchUser }
        return try reader.sessions.list(of: row.id)
    }

    private func withRoles(_ rows: [AccountRow]) throws(RecordError) -> [(user: User, roles: [RoleName])] {
        try rows.map { row throws(RecordError) in
            (User(row), try table.roles(of: row.id).keys.sorted { $0.text < $1.text })
        }
    }
}

extension RecordError {
    /// The error for an unknown record name of a user.
    static let noSuchUser = RecordError(.notFound, "There is no user with this record name")

    fileprivate static let unknownSession = RecordError(.notFound, "The account has no such session")

    /// The error for setting a password without the right to enter the account's private database.
    package static let passwordsAreOwners = RecordError(
        .accessDenied,
        "With a new password one can sign in and read the account's private database. Only owners of the server can set it"
    )
}
