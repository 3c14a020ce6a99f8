internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

extension RecordError {
    /// The error if the link for the first administrator is no longer needed.
    package static let setUpEnded = RecordError(
        .accessDenied, "This server has an administrator already. Sign in, or ask an owner to add you")
    /// The error if the link was needed once, and the administrators have been deleted since.
    fileprivate static let setUpSpent = RecordError(
        .accessDenied,
        "The link is spent: an administrator was added since the server's start. The next start prints another one")
}

extension Administrators {
    /// Whether there is no administrator.
    package nonisolated var hasNone: Bool { snapshot.withLock { $0.administrators.isEmpty } }

    /// The maximum number of administrators.
    private static var count: Int { 1_000 }

    /// Writes an audit entry about a new server token. The server prints the token at its start.
    ///
    /// - Throws: TRY_AGAIN_LATER after `close`.
    package func noteNewToken() throws(RecordError) {
        try write { store throws(RecordError) in
            try audit(.administratorToken, Self.bootstrapName, by: .server, in: store)
        }
    }

    /// Writes an audit entry about the download of a backup.
    ///
    /// - Throws: TRY_AGAIN_LATER after `close`.
    package func noteDownload(of name: String, by actor: AuditActor) throws(RecordError) {
        try write { store throws(RecordError) in try audit(.backupDownload, name, by: actor, in: store) }
    }

    /// Adds the first administrator, an owner.
    ///
    /// - Throws: ACCESS_DENIED if there is an administrator, or was one since the start; TRY_AGAIN_LATER if too many
    ///   passwords are being hashed.
    package func addFirst(
        _ name: AdministratorName, password: AdministratorPassword, by actor: AuditActor
    ) async throws(RecordError) -> AdministratorInfo {
        try requireSetUp()
        return try await add(name, password: password, role: .owner, isFirst: true, by: .setUp(actor))
    }

    /// Checks that nobody has been an administrator since the start. The link stays in the logs: it must not make another
    /// owner after the administrators have been deleted.
    ///
    /// - Throws: ACCESS_DENIED.
    private nonisolated func requireSetUp() throws(RecordError) {
        guard hasNone else { throw .setUpEnded }
        guard snapshot.withLock({ !$0.isSetUp }) else { throw .setUpSpent }
    }

    /// Adds an administrator.
    ///
    /// - Parameter isFirst: Whether there must be no other administrator.
    /// - Throws: EXISTS with cause NAME_TAKEN; BAD_REQUEST with cause TOO_LARGE if there are too many administrators;
    ///   ACCESS_DENIED or AUTHENTICATION_REQUIRED; TRY_AGAIN_LATER if too many passwords are being hashed.
    package func add(
        _ name: AdministratorName, password: AdministratorPassword, role: AdministratorRole, isFirst: Bool = false,
        by actor: AuditActor
    ) async throws(RecordError) -> AdministratorInfo {
        try requireManager(actor)
        let hash = try await passwords.hash(password.text)
        // Check again, since the actor's role may have changed during the hashing.
        try requireManager(actor)
        if isFirst { try requireSetUp() }
        guard snapshot.withLock({ $0.administrators.count }) < Self.count else {
            throw .badRequest(
                "There is the full number of administrators", cause: .tooLarge,
                details: [("limit", .number(Int64(Self.count)))])
        }
        guard snapshot.withLock({ $0.administrator(named: name.text) }) == nil else {
            throw RecordError(.exists, "An administrator has this name already. Choose another", cause: .nameTaken)
        }
        let made = AdministratorRow(name: name.text, role: role.rawValue, password: hash, created: clock())
        let id = try write { store throws(RecordError) in
            try audit(
                .administratorCreate, name.text, by: actor, detail: JSONObject([("role", .string(role.rawValue))]),
                in: store)
            return try store.administrators.add(made)
        }
        var row = made
        row.id = id
        snapshot.withLock { [row] snapshot in
            snapshot.administrators[id] = row
            snapshot.isSetUp = true
        }
        return AdministratorInfo(id: id, name: name.text, role: role, created: row.created, disabled: nil)
    }

    /// Changes an administrator; `nil` keeps the current setting. A new role, a new password, or disabling ends the
    /// administrator's sessions.
    ///
    /// - Throws: NOT_FOUND; BAD_REQUEST for the caller's own password; ACCESS_DENIED or AUTHENTICATION_REQUIRED;
    ///   TRY_AGAIN_LATER if too many passwords are being hashed.
    package func change(
        _ name: String, role: AdministratorRole? = nil, password: AdministratorPassword? = nil,
        isDisabled: Bool? = nil, by actor: AuditActor
    ) async throws(RecordError) -> AdministratorInfo {
        try requireManager(actor)
        let target = try find(name)
        if password != nil, actor.caller.administrator?.id == target.id {
            throw .badRequest("Change your own password with PATCH /administrators/me, which asks for the one you have")
        }
        var hash: String?
        if let password { hash = try await passwords.hash(password.text) }
        try requireManager(actor)
        guard let before = snapshot.withLock({ $0.administrators[target.id] }) else { throw .administratorNotFound }
        var row = before
        if let role { row.role = role.rawValue }
        if let hash { row.password = hash }
        if let isDisabled, isDisabled != (row.disabled != nil) { row.disabled = isDisabled ? clock() : nil }
        guard row != before, let info = AdministratorInfo(row) else { return target }
        var detail = JSONObject()
        if row.role != before.role {
            detail["role"] = .string(row.role)
            detail["roleBefore"] = .string(before.role)
        }
        if hash != nil { detail["password"] = true }
        if row.disabled != before.disabled { detail["disabled"] = .bool(row.disabled != nil) }
        try replace(row, endingSessionsBut: nil, by: actor, .administratorChange, detail: detail)
        return info
    }

    /// Deletes an administrator and the administrator's sessions. Even the last owner can be deleted, since the
    /// server's own token stays valid.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED or AUTHENTICATION_REQUIRED.
    package func remove(_ name: String, by actor: AuditActor) throws(RecordError) {
        try requireManager(actor)
        let target = try find(name)
        try write { store throws(RecordError) in
            try audit(
                .administratorDelete, target.name, by: actor,
                detail: JSONObject([("role", .string(target.role.rawValue))]),
                in: store)
            try store.administrators.remove(target.id)
        }
        snapshot.withLock { snapshot in
            snapshot.administrators[target.id] = nil
            snapshot.endAll(of: target.id)
        }
        didChangeRights()
    }

    /// Changes an administrator's own password, and ends the administrator's other sessions.
    ///
    /// - Parameter token: The token of the session to keep.
    /// - Throws: ACCESS_DENIED with cause WRONG_PASSWORD; AUTHENTICATION_FAILED if another request changed the
    ///   administrator during the check; TRY_AGAIN_LATER if too many passwords are being hashed.
    package func changePassword(
        of administrator: Administrator, from old: String, to new: AdministratorPassword, token: [UInt8],
        by actor: AuditActor
    ) async throws(RecordError) {
        guard let before = snapshot.withLock({ $0.administrators[administrator.id] }) else { throw .tokenRejected }
        guard try await passwords.verify(old, against: before.password).isRight else {
            noteFailure(of: before.name, address: actor.address, requestID: actor.requestID)
            throw .passwordWrong
        }
        let hash = try await passwords.hash(new.text)
        // Check again: during the hashing, the password may have changed or the administrator may have been deleted.
        guard var row = snapshot.withLock({ $0.administrators[administrator.id] }), row.password == before.password,
            row.disabled == nil
        else { throw .tokenRejected }
        row.password = hash
        try replace(row, endingSessionsBut: token, by: actor, .administratorPassword)
    }

    /// Stores an administrator and ends its sessions.
    private func replace(
        _ row: AdministratorRow, endingSessionsBut token: [UInt8]?, by actor: AuditActor, _ action: AuditAction,
        detail: JSONObject = JSONObject()
    ) throws(RecordError) {
        let kept = token.map { SHA256.hash($0) }
        let ending = snapshot.withLock { snapshot in
            snapshot.sessions.filter { $0.value.administrator == row.id && $0.key != kept }.map(\.key)
        }
        try write { store throws(RecordError) in
            try audit(action, row.name, by: actor, detail: detail, in: store)
            try store.administrators.update(row)
            for hash in ending { try store.administrators.removeSession(hash: hash.bytes) }
        }
        snapshot.withLock { snapshot in
            snapshot.administrators[row.id] = row
            snapshot.endAll(of: row.id, but: kept)
        }
        didChangeRights()
    }
}
