internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire

/// An account as its owner and administrators see it.
package struct User: Hashable, Sendable {
    package let id: UserID
    package let recordName: String
    package let name: String
    /// Whether it has no name and password of its own yet.
    package let isAnonymous: Bool
    /// Milliseconds since 1970.
    package let created: Int64
    /// Since when nobody signs in to it; `nil` for most.
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

/// An account as found before its password is checked; opaque to the routes.
package struct AccountLookup: Sendable {
    let row: AccountRow?
}

/// The accounts of a database: sign-up, sign-in, changes and removal, by their owners and by managers of users.
package struct Accounts: Sendable {
    let database: RecordDatabase

    /// Makes an account, its user record, and a session.
    ///
    /// - Parameters:
    ///   - invitation: Is used with it, or not at all. It was found good by `InvitationReader.check`.
    ///   - isForManagers: Whether nobody else may, as where sign-up is closed.
    ///   - actor: Whose request it is: an administrator makes it for somebody else.
    /// - Throws: EXISTS with cause NAME_TAKEN if the name is taken; ACCESS_DENIED if the invitation is not good any more.
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

    /// Makes an account for somebody who has not said a name, its user record, and a session, which alone opens it.
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

    /// Signs an account in, and gives it a user record if it is older than those.
    ///
    /// - Throws: AUTHENTICATION_FAILED, the same and after the same time whether or not the account exists and has a
    ///   password; ACCESS_DENIED with cause ACCOUNT_DISABLED to who knows the password of a disabled one.
    package func signIn(
        _ credentials: Credentials, account: AccountLookup, label: SessionLabel? = nil
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
                return .done(try transaction.sessions.open(token, for: current, label: label))
            }
            switch outcome {
            case .done(let session): return session
            case .changed(let current): account = current
            }
        }
        throw .signInFailed
    }

    /// How often a password is checked anew because the stored one has changed meanwhile. It does when somebody signs in
    /// whose hash was out of date, and then the same password is right again.
    static var passwordAttempts: Int { 3 }
}

/// What became of a write that was to rest on a password which was checked before.
enum PasswordOutcome<Value: Sendable>: Sendable {
    case done(Value)
    /// The stored password is another one by now: check again.
    case changed(AccountLookup)
}

extension AuditActor {
    /// Whether it makes accounts for others.
    var managesUsers: Bool { Authorization.authorize(caller, .manageUsers) == .allowed }
}

extension AccountRow {
    /// What a password is checked against; `nil` for accounts that have none, which takes as long.
    var signInPassword: String? { kind == .person ? password : nil }
}

/// Accounts as a reader finds them.
package struct AccountReader {
    let reader: RecordReader
    var table: AccountTable { reader.store.accounts }

    /// Finds the account that wants to sign in; one that does not exist is looked up all the same.
    package func lookUp(named name: String) throws(RecordError) -> AccountLookup {
        AccountLookup(row: try table.find(name: name))
    }

    /// Finds the account of somebody who is signed in.
    package func lookUp(_ id: UserID) throws(RecordError) -> AccountLookup {
        AccountLookup(row: try table.find(id: id))
    }

    /// An account as its owner sees it; `nil` if it is gone.
    package func user(_ id: UserID) throws(RecordError) -> User? {
        try table.find(id: id).map(User.init)
    }

    /// The number of the account with a public name, in the newest state; `nil` if there is none.
    package func id(of name: UserRecordName) throws(RecordError) -> UserID? {
        try reader.refresh()
        return try table.find(recordName: name.text)?.id
    }
}

/// What writes do to accounts and to what goes with them.
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

    /// Writes down that an administrator has made an account, or somebody with an invitation, of which there are few.
    /// Other sign-ups are noted by the minute.
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
    static let signInFailed = RecordError(.authenticationFailed, "The name or the password is wrong")

    static let accountDisabled = RecordError(
        .accessDenied, "This account is disabled. Ask an administrator", cause: .accountDisabled)
}
