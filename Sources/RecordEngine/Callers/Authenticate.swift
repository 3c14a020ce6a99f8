internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Threads

extension CallerReader {
    /// Who bears a token.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the token is unknown, revoked or expired.
    package func authenticate(_ token: UnsafeRawBufferPointer) throws(RecordError) -> Caller {
        let database = reader.database
        let hash = reader.knownCallers.hash(token)
        if let known = reader.knownCallers.find(hash) {
            let now = now
            if known.expires > now {
                if now >= known.slides { noteUse(of: hash, now: now) }
                return known.caller
            }
            reader.knownCallers.forget(hash)
        }
        // The server's own token may be any text, so it comes before all prefixes.
        if let administrator = database.administrator, hash.isEqualInConstantTime(to: administrator) {
            return .administrator(.bootstrap)
        }
        if let administrators = database.administrators {
            if token.starts(with: AdministratorToken.prefix.utf8) {
                return .administrator(try administrators.authenticate(hash))
            }
            if administrators.isOperator(hash) { return .administrator(.bootstrap) }
        }
        try reader.refresh()
        return token.starts(with: KeyToken.prefix.utf8) ? try service(hash) : try user(hash)
    }

    /// The user whose session has a token.
    private func user(_ hash: Digest) throws(RecordError) -> Caller {
        let now = now
        guard let session = try reader.store.sessions.find(hash: hash.bytes), session.expires > now,
            let account = try accounts.find(id: session.account), account.disabled == nil
        else { throw .tokenRejected }
        let caller = Caller.user(account.id, roles: try accounts.roles(of: account.id))
        let slides = session.used + reader.database.limits.slideMilliseconds
        reader.knownCallers.remember(
            KnownCallers.Entry(caller: caller, expires: session.expires, slides: slides), by: hash)
        if now >= slides { noteUse(of: hash, now: now) }
        return caller
    }

    /// The service whose key has a token. It is looked up again after a minute, so that its use is noted.
    private func service(_ hash: Digest) throws(RecordError) -> Caller {
        let now = now
        let found = try keys.find(hash: hash.bytes)
        guard let found, found.key.isAlive(at: now), found.expires > now else { throw .tokenRejected }
        reader.database.apiKeys.noteUse(of: found.key, now: now)
        let caller = Caller.service(
            ServiceKey(account: found.key.account, scope: KeyScope(stored: found.key.scope)))
        let expires = min(found.expires, now + APIKeys.useMilliseconds)
        reader.knownCallers.remember(KnownCallers.Entry(caller: caller, expires: expires, slides: .max), by: hash)
        return caller
    }

    /// Has the use of a session noted, once in a while.
    private func noteUse(of hash: Digest, now: Int64) {
        reader.knownCallers.didNoteUse(of: hash, again: now + reader.database.limits.slideMilliseconds)
        reader.database.sessions.noteUse(of: hash)
    }
}

extension RecordError {
    /// One sentence for every reason, so that nobody learns which tokens once existed.
    static let tokenRejected = RecordError(
        .authenticationFailed,
        """
        The token is not valid, or no longer, or it is of another container or environment. Drop it, then \
        sign in again, or go on as a guest without it
        """)
}
