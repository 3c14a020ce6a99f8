internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Threads

/// Sessions of administrators: twelve hours from the last use, seven days at most.
extension Administrators {
    static var slidingMilliseconds: Int64 { 12 * 3_600_000 }
    static var longestMilliseconds: Int64 { 7 * 86_400_000 }
    /// How often the use of a session is written at most.
    private static var noteMilliseconds: Int64 { 600_000 }
    /// The sessions that one administrator may have at once; the oldest ends.
    private static var sessionsEach: Int { 50 }
    /// The longest label, in UTF-8 bytes.
    private static var labelBytes: Int { 100 }

    /// Who bears the token with a hash. Its session lasts longer for it.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the session has ended, or the administrator is gone or disabled.
    nonisolated func authenticate(_ hash: Digest) throws(RecordError) -> Administrator {
        let now = clock()
        let found = snapshot.withLock { snapshot -> (row: AdministratorRow, notes: Bool)? in
            guard var session = snapshot.sessions[hash], session.expires > now,
                let row = snapshot.administrators[session.administrator]
            else { return nil }
            let notes = now - (snapshot.noted[hash] ?? session.used) >= Self.noteMilliseconds
            session.used = now
            session.expires = min(session.ends, now + Self.slidingMilliseconds)
            snapshot.sessions[hash] = session
            if notes { snapshot.noted[hash] = now } else if snapshot.noted[hash] == nil { snapshot.noted[hash] = now }
            return (row, notes)
        }
        guard let found, let administrator = Administrator(found.row) else { throw .tokenRejected }
        if found.notes { Task.detached { await self.noteUse(hash) } }
        return administrator
    }

    /// Writes until when a session lasts. One that is lost comes again.
    private func noteUse(_ hash: Digest) {
        guard let session = snapshot.withLock({ $0.sessions[hash] }) else { return }
        _ = try? write { store throws(RecordError) in
            try store.administrators.slideSession(
                hash: session.hash, used: session.used, expires: session.expires)
        }
    }

    /// Signs an administrator in.
    ///
    /// - Throws: AUTHENTICATION_FAILED, the same and after the same time whether or not there is one with the name.
    package func signIn(
        name: String, password: String, label: String? = nil, by actor: AuditActor
    ) async throws(RecordError) -> AdministratorSession {
        if let label {
            guard RecordName(label) != nil, label.utf8.count <= Self.labelBytes else {
                throw .badRequest(
                    "A session's label has 1 to \(Self.labelBytes) bytes and no control characters",
                    details: [("field", .text("label"))])
            }
        }
        let row = snapshot.withLock { $0.administrator(named: name) }
        let verdict = try await passwords.verify(password, against: row?.password)
        // The password may have changed, or the administrator gone, while it was being checked.
        guard verdict.isRight, let row, let current = snapshot.withLock({ $0.administrators[row.id] }),
            current.password == row.password, Administrator(current) != nil, let info = AdministratorInfo(current)
        else {
            noteFailure(of: name, address: actor.address, requestID: actor.requestID)
            throw .signInFailed
        }
        let token = AdministratorToken()
        let now = clock()
        let session = AdministratorSessionRow(
            hash: token.hash.bytes, id: Hex.encode(RandomBytes.make(16)), administrator: row.id, created: now,
            used: now,
            expires: now + Self.slidingMilliseconds, ends: now + Self.longestMilliseconds, label: label)
        let ending = oldest(of: row.id, beyond: Self.sessionsEach - 1)
        var better = current
        if let hash = verdict.better { better.password = hash }
        let updated = better
        var by = actor
        if let administrator = Administrator(current) { by.caller = .administrator(administrator) }
        let signedIn = by
        try write { store throws(RecordError) in
            try audit(.administratorSignIn, current.name, by: signedIn, in: store)
            if updated != current { try store.administrators.update(updated) }
            for hash in ending { try store.administrators.removeSession(hash: hash.bytes) }
            try store.administrators.addSession(session)
        }
        snapshot.withLock { snapshot in
            snapshot.administrators[updated.id] = updated
            for hash in ending { snapshot.end(hash) }
            snapshot.sessions[token.hash] = session
        }
        return AdministratorSession(token: token.text, expires: session.expires, administrator: info)
    }

    /// The oldest sessions of an administrator beyond a number.
    private func oldest(of administrator: Int64, beyond count: Int) -> [Digest] {
        let own = snapshot.withLock { snapshot in snapshot.sessions.filter { $0.value.administrator == administrator } }
        return own.sorted { $0.value.created < $1.value.created }.prefix(max(0, own.count - count)).map(\.key)
    }

    /// Counts a failed sign-in. A name that nobody has is not written down: it may be a password.
    nonisolated func noteFailure(of name: String, address: String, requestID: String) {
        let known = snapshot.withLock { $0.administrator(named: name) }
        notes.note(
            AuditNotes.Subject(
                action: .administratorSignInFailed, target: known?.name ?? AuditNotes.unknownName),
            address: address, request: requestID, now: clock())
    }

    /// The sessions of an administrator, the newest first.
    package nonisolated func sessions(
        of administrator: Administrator, token: [UInt8]
    ) -> [AdministratorSessionInfo] {
        let current = SHA256.hash(token)
        let now = clock()
        let own = snapshot.withLock { snapshot in
            snapshot.sessions.filter { $0.value.administrator == administrator.id && $0.value.expires > now }
        }
        return own.sorted { ($1.value.created, $1.value.id) < ($0.value.created, $0.value.id) }.map { hash, row in
            AdministratorSessionInfo(
                id: row.id, label: row.label, created: row.created, used: row.used, expires: row.expires,
                isCurrent: hash == current)
        }
    }

    /// Ends a session of an administrator.
    ///
    /// - Throws: NOT_FOUND if it has none with this id, whether or not another has.
    package func endSession(_ id: String, of administrator: Administrator, by actor: AuditActor) throws(RecordError) {
        let found = snapshot.withLock { snapshot in
            snapshot.sessions.first { $0.value.id == id && $0.value.administrator == administrator.id }?.key
        }
        guard let found else { throw .sessionNotFoundHere }
        try end(found, of: administrator, by: actor)
    }

    /// Ends the session of a token.
    package func signOut(_ token: [UInt8], of administrator: Administrator, by actor: AuditActor) throws(RecordError) {
        let hash = SHA256.hash(token)
        guard snapshot.withLock({ $0.sessions[hash] })?.administrator == administrator.id else {
            throw .sessionNotFoundHere
        }
        try end(hash, of: administrator, by: actor)
    }

    private func end(_ hash: Digest, of administrator: Administrator, by actor: AuditActor) throws(RecordError) {
        try write { store throws(RecordError) in
            try audit(.administratorSignOut, name(of: administrator), by: actor, in: store)
            try store.administrators.removeSession(hash: hash.bytes)
        }
        snapshot.withLock { $0.end(hash) }
    }
}

extension RecordError {
    fileprivate static let sessionNotFoundHere = RecordError(.notFound, "There is no such session of yours")
}
