internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Threads

/// A caller that was authenticated by its token.
package struct Authentication: Sendable {
    package let caller: Caller
    /// When to authenticate the caller again at the latest, in milliseconds since 1970: its key or session ends then,
    /// unless it is extended before; `.max` for never.
    package let expires: Int64

    /// Creates the authentication of a caller without an expiry, such as an anonymous one.
    package init(_ caller: Caller, expires: Int64 = .max) {
        self.caller = caller
        self.expires = expires
    }
}

extension CallerReader {
    /// Returns the caller that owns a token: an administrator, a user or a service.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the token is unknown, revoked or expired.
    package func authenticate(_ token: UnsafeRawBufferPointer) throws(RecordError) -> Caller {
        try authentication(token).caller
    }

    /// Returns the caller that owns a token, and when to authenticate it again.
    ///
    /// - Throws: As `authenticate`.
    package func authentication(_ token: UnsafeRawBufferPointer) throws(RecordError) -> Authentication {
        let database = reader.database
        let hash = reader.callerCache.hash(token)
        if let known = known(hash) { return known }
        // Check the server's own token before the prefixes, since it may be any text.
        if let administrator = database.administrator, hash.isEqualInConstantTime(to: administrator) {
            return Authentication(.administrator(.bootstrap))
        }
        if let administrators = database.administrators {
            if token.starts(with: AdministratorToken.prefix.utf8) {
                let (administrator, expires) = try administrators.authentication(hash)
                return Authentication(.administrator(administrator), expires: expires)
            }
            if administrators.isOperator(hash) { return Authentication(.administrator(.bootstrap)) }
        }
        try reader.refresh()
        return token.starts(with: APIKeyToken.prefix.utf8) ? try service(hash) : try user(hash)
    }

    /// Returns the caller of a web auth token.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the token is not one of this database, or its session has ended.
    package func authenticate(_ token: WebAuthToken) throws(RecordError) -> Caller {
        if let known = known(token.session) { return known.caller }
        try reader.refresh()
        return try user(token.session).caller
    }

    /// Returns the cached caller of a token with a hash; `nil` if the tables must be read.
    private func known(_ hash: Digest) -> Authentication? {
        guard let known = reader.callerCache.find(hash) else { return nil }
        let now = now
        guard known.expires > now else {
            reader.callerCache.forget(hash)
            return nil
        }
        if now >= known.slides { noteUse(of: hash, now: now) }
        return Authentication(known.caller, expires: known.expires)
    }

    /// Returns the user with a session whose token has a hash.
    private func user(_ hash: Digest) throws(RecordError) -> Authentication {
        let now = now
        guard let session = try reader.store.sessions.find(hash: hash.bytes), session.expires > now,
            let account = try accounts.find(id: session.account), account.disabled == nil
        else { throw .tokenRejected }
        let caller = Caller.user(account.id, roles: try accounts.roles(of: account.id))
        let pause = reader.database.limits.slideMilliseconds(of: session)
        let slides = session.used + pause
        reader.callerCache.remember(
            CallerCache.Entry(caller: caller, expires: session.expires, slides: slides, slidePause: pause), by: hash)
        if now >= slides { noteUse(of: hash, now: now) }
        return Authentication(caller, expires: session.expires)
    }

    /// Returns the service with an API key whose token has a hash. The cache entry expires after a minute, so that the
    /// key's next use is recorded.
    private func service(_ hash: Digest) throws(RecordError) -> Authentication {
        let now = now
        let found = try keys.find(hash: hash.bytes)
        guard let found, found.key.isAlive(at: now), found.expires > now else { throw .tokenRejected }
        reader.database.apiKeys.noteUse(of: found.key, now: now)
        let caller = Caller.service(
            ServiceKey(account: found.key.account, scope: KeyScope(stored: found.key.scope)))
        let expires = min(found.expires, now + APIKeys.useMilliseconds)
        reader.callerCache.remember(CallerCache.Entry(caller: caller, expires: expires, slides: .max), by: hash)
        return Authentication(caller, expires: expires)
    }

    /// Records the use of a session if the last recording is old enough.
    private func noteUse(of hash: Digest, now: Int64) {
        reader.callerCache.didNoteUse(of: hash, now: now)
        reader.database.sessions.noteUse(of: hash)
    }
}

extension RecordError {
    /// The error for a rejected token. Unknown, revoked and expired tokens get the same sentence, so that the error
    /// does not reveal which tokens once existed.
    static let tokenRejected = RecordError(
        .authenticationFailed,
        """
        The token is wrong or expired, or belongs to another container or environment. Sign in again, or send no \
        token to continue as a guest
        """)
}
