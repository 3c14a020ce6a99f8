internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire

/// A change of an account by its owner.
package struct AccountChange: Sendable {
    /// The new name; `nil` to keep the current name.
    package let name: String?
    let password: String?
    let currentPassword: String?
    /// The invitation for giving an anonymous account a name. Required if sign-up requires an invitation.
    package var invitation: Invitation?

    /// Checks the requested change; `nil` keeps the current name or password.
    ///
    /// - Throws: BAD_REQUEST if neither name nor password changes, or for a malformed name or password.
    package init(name: String?, password: String?, currentPassword: String?) throws(RecordError) {
        guard name != nil || password != nil else {
            throw .badRequest("There is nothing to change. Send 'name' or 'password', or both")
        }
        self.name = try name.map { name throws(RecordError) in try Credentials.checked(newName: name) }
        self.password = try password.map { text throws(RecordError) in try Credentials.checked(newPassword: text) }
        self.currentPassword = currentPassword
    }
}

/// An account after a change by its owner.
package struct ChangedAccount: Sendable {
    /// The account.
    package let user: User
    /// The request's session with a new token, if the password has changed; otherwise `nil`.
    package let session: Session?
}

extension Accounts {
    /// Changes the name or the password of an account.
    ///
    /// A new password ends all sessions of the account except the request's session, which gets a new token. An
    /// anonymous account gets a name and a password, and keeps all its data.
    ///
    /// - Parameters:
    ///   - token: The session token of the request.
    ///   - actor: The caller of the request, by default the account itself.
    /// - Throws: ACCESS_DENIED with cause WRONG_PASSWORD; ACCESS_DENIED for an invalid invitation; EXISTS with cause
    ///   NAME_TAKEN; BAD_REQUEST for missing or superfluous passwords; AUTHENTICATION_FAILED if the session has ended;
    ///   TRY_AGAIN_LATER if too many passwords are being hashed.
    package func change(
        _ change: AccountChange, of account: AccountLookup, token: [UInt8], by actor: AuditActor? = nil
    ) async throws(RecordError) -> ChangedAccount {
        let hash = SHA256.hash(token).bytes
        let new = SecretToken(.session)
        var account = account
        var password: String?
        for _ in 0..<Self.passwordAttempts {
            guard let checked = account.row else { throw .tokenRejected }
            try await check(change, of: checked)
            if password == nil, let text = change.password { password = try await database.passwords.hash(text) }
            let hashed = password
            let outcome = try await database.write {
                transaction throws(RecordError) -> PasswordOutcome<ChangedAccount> in
                let current = try transaction.sessions.require(hash: hash, of: checked.id)
                guard current.password == checked.password, current.kind == checked.kind else {
                    return .changed(AccountLookup(row: current))
                }
                try transaction.accounts.audit(
                    change, of: current, by: actor ?? AuditActor(caller: .user(current.id, roles: [:])))
                return .done(
                    try transaction.accounts.change(current, change, password: hashed, session: hash, token: new))
            }
            switch outcome {
            case .done(let changed): return changed
            case .changed(let current): account = current
            }
        }
        throw .passwordWrong
    }

    private func check(_ change: AccountChange, of account: AccountRow) async throws(RecordError) {
        if account.kind == .anonymous {
            guard change.currentPassword == nil else {
                throw .badRequest(
                    "This account has no password yet. Leave 'currentPassword' out",
                    details: [("field", .text("currentPassword"))])
            }
            guard change.name != nil, change.password != nil else {
                throw .badRequest("This account has neither a name nor a password yet. Send 'name' and 'password'")
            }
            return
        }
        guard let current = change.currentPassword else {
            throw .badRequest(
                "Send the account's password in 'currentPassword'", details: [("field", .text("currentPassword"))])
        }
        try await requirePassword(current, of: account)
    }

    /// Checks the password of an account.
    ///
    /// - Throws: ACCESS_DENIED with cause WRONG_PASSWORD; TRY_AGAIN_LATER.
    func requirePassword(_ password: String, of account: AccountRow) async throws(RecordError) {
        let verdict = try await database.passwords.verify(password, against: account.signInPassword)
        guard verdict.isRight else { throw .passwordWrong }
    }
}

extension AccountWriter {
    /// Writes audit entries about changes by the owner. Each change needs the current or a new password, so the entries
    /// are rare.
    fileprivate func audit(
        _ change: AccountChange, of row: AccountRow, by actor: AuditActor
    ) throws(RecordError) {
        var detail = row.auditDetail
        if row.kind == .anonymous {
            return try transaction.auditLog.append(.userUpgrade, change.name ?? row.name, by: actor, detail: detail)
        }
        if change.password != nil {
            try transaction.auditLog.append(.userPassword, row.name, by: actor, detail: detail)
        }
        if let name = change.name, !name.utf8.elementsEqual(row.name.utf8) {
            detail["name"] = .string(name)
            try transaction.auditLog.append(.userRename, row.name, by: actor, detail: detail)
        }
    }

    fileprivate func change(
        _ row: AccountRow, _ change: AccountChange, password: String?, session: [UInt8], token: SecretToken
    ) throws(RecordError) -> ChangedAccount {
        var row = row
        if row.kind == .anonymous {
            if let invitation = change.invitation {
                _ = try transaction.invitations.use(invitation, for: row, newName: change.name)
            }
            row.kind = .person
            try table.setKind(.person, account: row.id)
        }
        if let name = change.name, !name.utf8.elementsEqual(row.name.utf8) {
            try table.setName(name, account: row.id)
            row.name = name
        }
        guard let password else { return ChangedAccount(user: User(row), session: nil) }
        row.password = password
        try table.setPassword(password, account: row.id)
        try transaction.store.sessions.removeAll(account: row.id, but: session)
        try transaction.store.notificationTokens.remove(account: row.id)
        let rotated = try transaction.sessions.rotate(session, to: token, account: row)
        return ChangedAccount(user: User(row), session: rotated)
    }
}

extension RecordError {
    /// The error for a wrong current password. The status is 403 instead of 401, since the session is still valid and
    /// clients must keep its token.
    static let passwordWrong = RecordError(.accessDenied, "The current password is wrong", cause: .wrongPassword)
}
