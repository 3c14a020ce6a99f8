internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Threads

/// The sessions of administrators. A session ends 12 hours after the last use, and at most 7 days after the sign-in.
extension Administrators {
    static var slidingMilliseconds: Int64 { 12 * 3_600_000 }
    static var longestMilliseconds: Int64 { 7 * 86_400_000 }
    /// The shortest time between two writes of a session's use, in milliseconds.
    private static var noteMilliseconds: Int64 { 600_000 }
    /// The maximum number of sessions per administrator. When a new session exceeds the maximum, the oldest session
    /// ends.
    private static var sessionsEach: Int { 50 }
    /// The longest label, in UTF-8 bytes.
    private static var labelBytes: Int { 100 }

    /// Returns the administrator whose token has a hash, and extends the session.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the session has ended, or the administrator is deleted or disabled.
    nonisolated func authenticate(_ hash: Digest) throws(RecordError) -> Administrator {
        try authentication(hash).administrator
    }

    /// As `authenticate`. Also returns when the session ends without another use, in milliseconds since 1970.
    nonisolated func authentication(
        _ hash: Digest
    ) throws(RecordError) -> (administrator: Administrator, expires: Int64) {
        let now = clock()
        let found = snapshot.withLock { snapshot -> (row: AdministratorRow, expires: Int64, notes: Bool)? in
            guard var session = snapshot.sessions[hash], session.expires > now,
                let row = snapshot.administrators[session.administrator]
            else { return nil }
            let notes = abs(now - (snapshot.noted[hash] ?? session.used)) >= Self.noteMilliseconds
            session.used = now
            session.expires = min(session.ends, now + Self.slidingMilliseconds)
            snapshot.sessions[hash] = session
            if notes { snapshot.noted[hash] = now } else if snapshot.noted[hash] == nil { snapshot.noted[hash] = now }
            return (row, session.expires, notes)
        }
        guard let found, let administrator = Administrator(found.row) else { throw .tokenRejected }
        if found.notes { Task.detached { await self.noteUse(hash) } }
        return (administrator, found.expires)
    }

    /// Stores the last use of a session. If the write fails, a later request repeats it.
    private func noteUse(_ hash: Digest) {
        guard let session = snapshot.withLock({ $0.sessions[hash] }) else { return }
        _ = try? write { store throws(RecordError) in
            try store.administrators.slideSession(
                hash: session.hash, used: session.used, expires: session.expires)
        }
    }

    /// Checks an administrator's password, and begins a session.
    ///
    /// - Throws: AUTHENTICATION_FAILED for a wrong name or password, in the same time whether or not the name exists;
    ///   BAD_REQUEST for a malformed label; TRY_AGAIN_LATER if too many passwords are being hashed.
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
        // Check again: during the hashing, the password may have changed or the administrator may have been deleted.
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
        if !ending.isEmpty { didChangeRights() }
        return AdministratorSession(token: token.text, expires: session.expires, administrator: info)
    }

    /// Returns the oldest sessions of an administrator, except the newest `count` sessions.
    private func oldest(of administrator: Int64, beyond count: Int) -> [Digest] {
        let own = snapshot.withLock { snapshot in snapshot.sessions.filter { $0.value.administrator == administrator } }
        return own.sorted { $0.value.created < $1.value.created }.prefix(max(0, own.count - count)).map(\.key)
    }

    /// Counts a failed sign-in. An unknown name is not logged, since a person may have typed the password as the name.
    nonisolated func noteFailure(of name: String, address: String, requestID: String) {
        let known = snapshot.withLock { $0.administrator(named: name) }
        notes.note(
            AuditCounter.Subject(
                action: .administratorSignInFailed, target: known?.name ?? AuditCounter.unknownName),
            address: address, request: requestID, now: clock())
    }

    /// Returns the sessions of an administrator, the newest first.
    ///
    /// - Parameter token: The token of the request, to mark the current session.
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
    /// - Throws: NOT_FOUND if this administrator has no session with this id.
    package func endSession(_ id: String, of administrator: Administrator, by actor: AuditActor) throws(RecordError) {
        let found = snapshot.withLock { snapshot in
            snapshot.sessions.first { $0.value.id == id && $0.value.administrator == administrator.id }?.key
        }
        guard let found else { throw .sessionNotFoundHere }
        try end(found, of: administrator, by: actor)
    }

    /// Ends the session with a token.
    ///
    /// - Throws: NOT_FOUND if this administrator has no session with this token.
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
        didChangeRights()
    }
}

extension RecordError {
    fileprivate static let sessionNotFoundHere = RecordError(.notFound, "There is no such session of yours")
}
