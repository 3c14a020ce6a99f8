internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire

/// The properties of an account for its owner and for administrators.
package struct User: Hashable, Sendable {
    /// The number of the account.
    package let id: UserID
    /// The name of the account's user record, such as `_0f…`.
    package let recordName: String
    /// The name to sign in with.
    package let name: String
    /// Whether the account has no name and password of its own yet.
    package let isAnonymous: Bool
    /// When the account was created, in milliseconds since 1970.
    package let created: Int64
    /// When sign-in was disabled, in milliseconds since 1970; `nil` if sign-in is enabled.
    package let disabled: Int64?

    init(_ row: AccountRow) {
        id = row.id
        recordName = row.recordName
        name = row.name
        isAnonymous = row.kind == .anonymous
        created = row.created
        disabled = row.disabled
    }
}

/// The account found for a sign-in, before the password is checked. Opaque to the routes.
package struct AccountLookup: Sendable {
    let row: AccountRow?
}

/// The accounts of a database: sign-up, sign-in, changes and removal, by their owners and by administrators.
package struct Accounts: Sendable {
    let database: RecordDatabase

    /// Creates an account, its user record, and a session.
    ///
    /// - Parameters:
    ///   - invitation: An invitation that `InvitationReader.check` has accepted. The invitation counts as used only if
    ///     the account is created.
    ///   - isForManagers: Whether sign-up is closed, so that only callers that manage users may create accounts.
    ///   - actor: The caller of the request. An administrator creates the account for another person.
    /// - Throws: EXISTS with cause NAME_TAKEN; BAD_REQUEST for a malformed name or password; ACCESS_DENIED if the
    ///   invitation has become invalid or the caller may not manage users; TRY_AGAIN_LATER if too many passwords are
    ///   being hashed.
    package func signUp(
        _ credentials: Credentials, label: SessionLabel? = nil, invitation: Invitation? = nil,
        isForManagers: Bool = false, by actor: AuditActor? = nil
    ) async throws(RecordError) -> Session {
        let name = try Credentials.checked(newName: credentials.name)
        let password = try await database.passwords.hash(try Credentials.checked(newPassword: credentials.password))
        let recordName = Self.makeUserRecordName()
        let token = SecretToken(.session)
        let actor = actor ?? AuditActor(caller: .anonymous)
        let (row, session) = try await database.write { transaction throws(RecordError) in
            if isForManagers { try transaction.callers.require(.manageUsers, of: actor) }
            let row = try transaction.accounts.add(
                recordName: recordName, name: name, password: password, kind: .person)
            let invited = try invitation.map { invitation throws(RecordError) in
                try transaction.invitations.use(invitation, for: row)
            }
            try transaction.accounts.auditSignUp(of: row, invitation: invited, by: actor)
            return (row, try transaction.sessions.open(token, for: row, label: label))
        }
        if !actor.managesUsers, invitation == nil { database.auditLog.noteSignUp(of: row, by: actor) }
        return session
    }

    /// Creates an account without a name, its user record, and a session. The session is the only way to use the
    /// account.
    ///
    /// - Throws: TRY_AGAIN_LATER if the database accepts no writes.
    package func signUpAnonymously(
        label: SessionLabel? = nil, by actor: AuditActor? = nil
    ) async throws(RecordError) -> Session {
        let recordName = Self.makeUserRecordName()
        let token = SecretToken(.session)
        let (row, session) = try await database.write { transaction throws(RecordError) in
            let row = try transaction.accounts.add(
                recordName: recordName, name: recordName, password: nil, kind: .anonymous)
            return (row, try transaction.sessions.open(token, for: row, label: label))
        }
        database.auditLog.noteSignUp(of: row, by: actor ?? AuditActor(caller: .anonymous))
        return session
    }

    private static func makeUserRecordName() -> String { "_" + Hex.encode(RandomBytes.make(16)) }

    /// Begins a session of an account, and creates the user record if the account has none.
    ///
    /// - Parameter lifetime: The lifetime of the session if it is unused, in milliseconds; `nil` for the server's
    ///   setting, which is also the maximum.
    /// - Throws: AUTHENTICATION_FAILED for a wrong name or password, in the same time whether or not the account exists
    ///   and has a password; ACCESS_DENIED with cause ACCOUNT_DISABLED for the right password of a disabled account;
    ///   TRY_AGAIN_LATER if too many passwords are being hashed.
    package func signIn(
        _ credentials: Credentials, account: AccountLookup, label: SessionLabel? = nil, lifetime: Int64? = nil
    ) async throws(RecordError) -> Session {
        let token = SecretToken(.session)
        var account = account
        for _ in 0..<Self.passwordAttempts {
            let verdict = try await database.passwords.verify(
                credentials.password, against: account.row?.signInPassword)
            guard verdict.isRight, let checked = account.row else { throw .signInFailed }
            let outcome = try await database.write { transaction throws(RecordError) -> PasswordOutcome<Session> in
                let current = try transaction.store.accounts.find(id: checked.id)
                guard let current, current.name == checked.name else { throw .signInFailed }
                guard current.password == checked.password else { return .changed(AccountLookup(row: current)) }
                guard current.disabled == nil else { throw .accountDisabled }
                if let better = verdict.better {
                    try transaction.store.accounts.setPassword(better, account: current.id)
                }
                try transaction.accounts.ensureUserRecord(of: current)
                return .done(
                    try transaction.sessions.open(token, for: current, label: label, lifetime: lifetime))
            }
            switch outcome {
            case .done(let session): return session
            case .changed(let current): account = current
            }
        }
        throw .signInFailed
    }

    /// The maximum number of checks of a password if the stored hash changes during a check. A concurrent sign-in
    /// replaces an outdated hash; the same password then matches the new hash.
    static var passwordAttempts: Int { 3 }
}

/// The result of a write that depends on an earlier password check.
enum PasswordOutcome<Value: Sendable>: Sendable {
    /// The write is done.
    case done(Value)
    /// The stored hash changed after the check. The caller must check the password again.
    case changed(AccountLookup)
}

extension AuditActor {
    /// Whether the caller may create accounts for other people.
    var managesUsers: Bool { Authorization.authorize(caller, .manageUsers) == .allowed }
}

extension AccountRow {
    /// The hash to check a password against; `nil` for accounts without a password. A check against `nil` takes as
    /// long.
    var signInPassword: String? { kind == .person ? password : nil }
}

/// Reads accounts.
package struct AccountReader {
    let reader: RecordReader
    var table: AccountTable { reader.store.accounts }

    /// Returns the account with a name for a sign-in. For a missing account, returns a lookup that fails every
    /// password.
    ///
    /// - Throws: The store's error.
    package func lookUp(named name: String) throws(RecordError) -> AccountLookup {
        AccountLookup(row: try table.find(name: name))
    }

    /// Returns the account of a signed-in user, to check its password.
    ///
    /// - Throws: The store's error.
    package func lookUp(_ id: UserID) throws(RecordError) -> AccountLookup {
        AccountLookup(row: try table.find(id: id))
    }

    /// Returns the properties of an account; `nil` for a deleted account.
    ///
    /// - Throws: The store's error.
    package func user(_ id: UserID) throws(RecordError) -> User? {
        try table.find(id: id).map(User.init)
    }

    /// Returns the number of the account with a record name in the latest committed state; `nil` if no account has the
    /// name.
    ///
    /// - Throws: The store's error.
    package func id(of name: UserRecordName) throws(RecordError) -> UserID? {
        try reader.refresh()
        return try table.find(recordName: name.text)?.id
    }
}

/// Writes accounts and their user records.
struct AccountWriter {
    let transaction: WriteTransaction
    var table: AccountTable { transaction.store.accounts }

    /// Adds an account and its user record.
    func add(
        recordName: String, name: String, password: String?, kind: AccountKind
    ) throws(RecordError) -> AccountRow {
        let now = transaction.now
        let id = try table.add(recordName: recordName, name: name, password: password, created: now, kind: kind)
        let row = AccountRow(
            id: id, recordName: recordName, name: name, password: password, created: now, granted: 0, kind: kind)
        try ensureUserRecord(of: row)
        return row
    }

    /// Writes an audit entry for a sign-up by an administrator or with an invitation, since both are rare. Other
    /// sign-ups are counted per minute.
    fileprivate func auditSignUp(
        of row: AccountRow, invitation: String?, by actor: AuditActor
    ) throws(RecordError) {
        var detail = row.auditDetail
        if let invitation { detail["invitation"] = .string(invitation) }
        if actor.managesUsers {
            try transaction.auditLog.append(.userCreate, row.name, by: actor, detail: detail)
        } else if invitation != nil {
            try transaction.auditLog.append(
                .userSignUp, row.name, by: actor.with(.user(row.id, roles: [:])), detail: detail)
        }
    }
}

extension RecordError {
    /// The error for a wrong name or password.
    static let signInFailed = RecordError(.authenticationFailed, "The name or the password is wrong")

    /// The error for signing in to a disabled account.
    static let accountDisabled = RecordError(
        .accessDenied, "This account is disabled. Ask an administrator", cause: .accountDisabled)
}
