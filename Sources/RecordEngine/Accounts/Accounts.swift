internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Threads

/// What signing up and signing in give.
package struct Session: Hashable, Sendable {
    /// The bearer token; shown once, stored as a hash.
    package let token: String
    /// Milliseconds since 1970.
    package let expires: Int64
    package let user: User
}

/// An account as its owner and administrators see it.
package struct User: Hashable, Sendable {
    package let id: UserID
    package let recordName: String
    package let name: String
    /// Milliseconds since 1970.
    package let created: Int64

    init(_ row: AccountRow) {
        id = row.id
        recordName = row.recordName
        name = row.name
        created = row.created
    }
}

/// A name and a password that are well formed.
package struct Credentials: Sendable {
    let name: String
    let password: String

    /// - Throws: BAD_REQUEST unless the name has 1 to 128 UTF-8 bytes without control characters or spaces at its ends,
    ///   and the password 8 to 256 bytes. Nothing is cut off.
    package init(name: String, password: String) throws(RecordError) {
        self.name = try Self.checked(name: name)
        self.password = try Self.checked(password: password)
    }

    static func checked(name: String) throws(RecordError) -> String {
        guard RecordName(name) != nil, name.utf8.count <= 128, name.first?.isWhitespace == false,
            name.last?.isWhitespace == false
        else {
            throw .badRequest(
                "A user's name has 1 to 128 bytes, no control characters, and no space at its ends",
                details: [("field", .text("name"))])
        }
        return name
    }

    static func checked(password: String) throws(RecordError) -> String {
        guard (8...256).contains(password.utf8.count) else {
            throw .badRequest("A password has 8 to 256 bytes", details: [("field", .text("password"))])
        }
        return password
    }
}

extension RecordDatabase {
    /// How long a session lasts, in milliseconds: 30 days.
    static var sessionMilliseconds: Int64 { 30 * 86_400_000 }
    /// The sessions that one account may have at once; the oldest ends.
    static var sessionsPerAccount: Int { 100 }

    /// Makes an account and signs it in.
    ///
    /// - Throws: EXISTS with cause NAME_TAKEN if the name is taken.
    package nonisolated func signUp(_ credentials: Credentials) async throws(RecordError) -> Session {
        let password = try await passwords.hash(credentials.password)
        let recordName = "_" + Hex.encode(RandomBytes.make(16))
        let token = SessionToken()
        return try await write { transaction throws(RecordError) in
            let account: AccountRow
            do throws(StoreError) {
                let id = try transaction.accounts.add(
                    recordName: recordName, name: credentials.name, password: password, created: transaction.now)
                account = AccountRow(
                    id: id, recordName: recordName, name: credentials.name, password: password,
                    created: transaction.now, granted: 0)
            } catch {
                if error.isUniqueViolation { throw .nameTaken }
                throw try transaction.store { () throws(StoreError) in throw error }
            }
            return try transaction.open(token, for: account)
        }
    }

    /// Signs an account in.
    ///
    /// - Throws: AUTHENTICATION_FAILED, the same and after the same time whether or not the account exists.
    package nonisolated func signIn(
        _ credentials: Credentials, account: AccountLookup
    ) async throws(RecordError) -> Session {
        let verdict = try await passwords.verify(credentials.password, against: account.row?.password)
        guard verdict.isRight, let row = account.row else { throw .signInFailed }
        let token = SessionToken()
        return try await write { transaction throws(RecordError) in
            // The password may have changed, or the account gone, while it was being checked.
            let current = try transaction.store { () throws(StoreError) in try transaction.accounts.find(id: row.id) }
            guard let current, current.password == row.password else { throw .signInFailed }
            if let better = verdict.better {
                try transaction.store { () throws(StoreError) in
                    try transaction.accounts.setPassword(better, account: row.id)
                }
            }
            return try transaction.open(token, for: current)
        }
    }

    /// Ends the session of a token.
    package nonisolated func signOut(_ token: [UInt8]) async throws(RecordError) {
        let hash = SHA256.hash(token).bytes
        try await write { transaction throws(RecordError) in
            let ended = try transaction.store { () throws(StoreError) in
                try transaction.accounts.removeSession(hash: hash)
            }
            if ended { transaction.rightsChanged = true }
        }
    }

    /// Makes an account from the operator's shell, without a session.
    package nonisolated func addUser(_ credentials: Credentials) async throws(RecordError) -> User {
        let session = try await signUp(credentials)
        let id = session.user.id
        try await write { transaction throws(RecordError) in
            try transaction.store { () throws(StoreError) in try transaction.accounts.removeSessions(account: id) }
        }
        return session.user
    }

    /// Gives an account another password and ends all of its sessions.
    package nonisolated func setPassword(_ credentials: Credentials) async throws(RecordError) {
        let password = try await passwords.hash(credentials.password)
        try await write { transaction throws(RecordError) in
            let row = try transaction.account(named: credentials.name)
            try transaction.store { () throws(StoreError) in
                try transaction.accounts.setPassword(password, account: row.id)
                try transaction.accounts.removeSessions(account: row.id)
            }
            transaction.rightsChanged = true
        }
    }

    /// Takes away an account, its sessions and its memberships. Its records stay and lose their owner.
    package nonisolated func removeUser(named name: String) async throws(RecordError) {
        try await write(isAlone: true) { transaction throws(RecordError) in
            let row = try transaction.account(named: name)
            try transaction.store { () throws(StoreError) in try transaction.accounts.remove(account: row.id) }
            transaction.forgetUserName(row.id)
            transaction.rightsChanged = true
        }
    }
}

/// An account as found before its password is checked; opaque to the routes.
package struct AccountLookup: Sendable {
    let row: AccountRow?
}

extension RecordReader {
    /// Finds the account that wants to sign in; one that does not exist is looked up all the same.
    package func account(named name: String) throws(RecordError) -> AccountLookup {
        AccountLookup(row: try store { () throws(StoreError) in try accounts.find(name: name) })
    }

    package func user(_ id: UserID) throws(RecordError) -> User? {
        try store { () throws(StoreError) in try accounts.find(id: id) }.map(User.init)
    }

    /// A page of accounts in the order in which they were made.
    package func users(after id: UserID, limit: Int) throws(RecordError) -> [User] {
        try store { () throws(StoreError) in try accounts.list(after: id, limit: limit) }.map(User.init)
    }
}

extension WriteTransaction {
    fileprivate func open(_ token: SessionToken, for account: AccountRow) throws(RecordError) -> Session {
        let expires = now + RecordDatabase.sessionMilliseconds
        let hash = token.hash
        let hasEnded = try store { () throws(StoreError) in
            try accounts.addSession(hash: hash, account: account.id, created: now, expires: expires)
            return try accounts.trimSessions(
                account: account.id, keeping: RecordDatabase.sessionsPerAccount, with: hash)
        }
        // Loops that know the bearer of the oldest session forget it.
        if hasEnded { rightsChanged = true }
        return Session(token: token.text, expires: expires, user: User(account))
    }

    fileprivate func account(named name: String) throws(RecordError) -> AccountRow {
        guard let row = try store({ () throws(StoreError) in try accounts.find(name: name) }) else {
            throw RecordError(.notFound, "There is no user with this name", details: [("name", .text(name))])
        }
        return row
    }
}

/// A new bearer token: 256 random bits behind a prefix by which leaked ones are found.
private struct SessionToken: Sendable {
    let text: String
    let hash: [UInt8]

    init() {
        text = "fog_" + Base64URL.encode(RandomBytes.make(32))
        hash = SHA256.hash(utf8: text).bytes
    }
}

extension RecordError {
    static let nameTaken = RecordError(
        .exists, "An account with this name exists already. Choose another name", cause: .nameTaken)

    static let signInFailed = RecordError(.authenticationFailed, "The name or the password is wrong")
}
