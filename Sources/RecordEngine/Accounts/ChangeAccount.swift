internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire

/// What an account's owner changes of it.
package struct AccountChange: Sendable {
    package let name: String?
    let password: String?
    let currentPassword: String?
    /// With which somebody anonymous becomes somebody with a name, where sign-up is by invitation.
    package var invitation: Invitation?

    /// - Throws: BAD_REQUEST if nothing is to be changed, or a name or a password is not well formed.
    package init(name: String?, password: String?, currentPassword: String?) throws(RecordError) {
        guard name != nil || password != nil else {
            throw .badRequest("There is nothing to change. Send 'name' or 'password', or both")
        }
        self.name = try name.map { name throws(RecordError) in try Credentials.checked(newName: name) }
        self.password = try password.map { text throws(RecordError) in try Credentials.checked(newPassword: text) }
        self.currentPassword = currentPassword
    }
}

/// An account after its owner has changed it.
package struct ChangedAccount: Sendable {
    package let user: User
    /// The session of the request with its new token, if the password has changed.
    package let session: Session?
}

extension Accounts {
    /// Changes the name or the password of an account. A new password ends all of its sessions but that of the request,
    /// which gets a new token. An account of somebody anonymous becomes one with a name, and keeps all it has.
    ///
    /// - Parameters:
    ///   - token: That of the request.
    ///   - actor: Whose request it is: the account itself.
    /// - Throws: ACCESS_DENIED if the current password is wrong; EXISTS with cause NAME_TAKEN; AUTHENTICATION_FAILED if
    ///   the session has ended meanwhile.
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

    /// - Throws: ACCESS_DENIED unless the password is the account's.
    func requirePassword(_ password: String, of account: AccountRow) async throws(RecordError) {
        let verdict = try await database.passwords.verify(password, against: account.signInPassword)
        guard verdict.isRight else { throw .passwordWrong }
    }
}

extension AccountWriter {
    /// Writes down what an account's owner does with it. Each takes the password or a new one, so nobody does it often.
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
        let rotated = try transaction.sessions.rotate(session, to: token, account: row)
        return ChangedAccount(user: User(row), session: rotated)
    }
}

extension RecordError {
    /// 403 and not 401: the session is good, and clients need not throw its token away.
    static let passwordWrong = RecordError(.accessDenied, "The current password is wrong", cause: .wrongPassword)
}
