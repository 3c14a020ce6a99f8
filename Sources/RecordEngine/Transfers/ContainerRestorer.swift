internal import Cryptography
internal import Encodings
internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension WriteTransaction {
    /// Returns what writes the parts of a container.
    func restorer(_ existing: ImportTask.Existing) -> ContainerRestorer {
        ContainerRestorer(transaction: self, existing: existing)
    }
}

/// Writes the accounts, roles and zones of a container in a transaction.
struct ContainerRestorer {
    let transaction: WriteTransaction
    let existing: ImportTask.Existing

    private var accounts: AccountTable { transaction.store.accounts }

    /// Writes a part of a container.
    ///
    /// - Throws: EXISTS for an account or a role that is there already and may not be changed; BAD_REQUEST for an invalid
    ///   part.
    func restore(_ part: ContainerPart) throws(RecordError) {
        switch part {
        case .account(let line): try restore(line)
        case .role(let name, let members): try restore(name, members)
        case .zone(let name, let owner, let created): try restore(name, owner, created)
        // The round that reads the schema applies it.
        case .schema: break
        }
    }

    /// Returns the zone of a record.
    ///
    /// - Throws: BAD_REQUEST if its owner does not exist.
    func address(of place: RecordPlace) throws(RecordError) -> DatabaseAddress {
        guard let owner = place.owner else { return .publicDefault }
        return DatabaseAddress(scope: .privateDatabase(owner: try account(of: owner)), zone: place.zone)
    }

    private func account(of owner: UserRecordName) throws(RecordError) -> UserID {
        if let account = try accounts.find(recordName: owner.text) { return account.id }
        throw .badRequest(
            "The owner \(owner.text) has no account. It comes before its zones and records", cause: .unknownName,
            details: [("owner", .text(owner.text))])
    }

    /// Returns the error of a user record that somebody has written already; `nil` if the operation may go on.
    func obstacle(to operation: RecordOperation) throws(RecordError) -> RecordError? {
        guard operation.typeName == .users, existing == .reject || existing == .skip, let name = operation.recordName,
            let row = try transaction.records.row(zone: ZoneTable.publicDefault, name: name.text)
        else { return nil }
        return row.modified == row.created ? nil : .recordExists(as: .users)
    }

    // MARK: Accounts

    private func restore(_ line: ContainerLine.AccountLine) throws(RecordError) {
        if let password = line.password, !PasswordHash.isSupported(password) {
            throw .badRequest(
                "The hash of the password is of another kind: PHC with argon2id or scrypt, or bcrypt. Without 'password', the account gets a new password by an administrator",
                details: [("path", .text("account.password"))])
        }
        let name: String =
            if let name = line.name { try Credentials.checked(newName: name) } else { line.recordName.text }
        if let known = try accounts.find(recordName: line.recordName.text) {
            guard existing == .replace || existing == .update else {
                throw RecordError(
                    .exists, "The account exists already", details: [("userRecordName", .text(known.recordName))])
            }
            guard (known.kind == .service) == (line.kind == .service) else {
                throw .badRequest(
                    "An account of an API key stays one, and others do not become one",
                    details: [("path", .text("account.kind"))])
            }
            if !known.name.utf8.elementsEqual(name.utf8) { try accounts.setName(name, account: known.id) }
            if let password = line.password { try accounts.setPassword(password, account: known.id) }
            try accounts.setKind(line.accountKind, account: known.id)
            // An update leaves alone what the line does not say.
            let disabled = existing == .update ? line.disabled ?? known.disabled : line.disabled
            try accounts.setDisabled(since: disabled, account: known.id)
            if disabled != nil || line.password.map({ $0 != known.password }) ?? false {
                try transaction.store.sessions.removeAll(account: known.id)
                try transaction.store.notificationTokens.remove(account: known.id)
            }
            transaction.rightsChanged = true
            return
        }
        let created = line.created ?? transaction.now
        let id = try accounts.add(
            recordName: line.recordName.text, name: name, password: line.password, created: created,
            kind: line.accountKind)
        if let disabled = line.disabled { try accounts.setDisabled(since: disabled, account: id) }
        // If the transaction is rolled back, the next account gets the same number.
        transaction.userNames.forget(id)
        guard line.kind != .service else { return }
        try transaction.accounts.ensureUserRecord(
            of: AccountRow(
                id: id, recordName: line.recordName.text, name: name, password: line.password, created: created,
                granted: 0, kind: line.accountKind, disabled: line.disabled), isRestoring: true)
    }

    // MARK: Roles and zones

    private func restore(_ name: RoleName, _ members: [String]) throws(RecordError) {
        guard !name.isBuiltIn else {
            throw .badRequest("The role \(name) is built in and has no list of members", cause: .readOnlyKey)
        }
        let roles = transaction.roles
        // A role may include a role of a later line.
        for member in members where member.hasPrefix("role:") {
            let other = String(member.dropFirst(5))
            guard try transaction.store.roles.find(other) == nil, let name = RoleName(other), !name.isBuiltIn else {
                continue
            }
            _ = try roles.put(name, members: [])
        }
        var members = members
        if let known = try transaction.store.roles.find(name.text) {
            let before = try transaction.store.roles.members(of: known)
            switch existing {
            case .reject where !before.isEmpty, .skip where !before.isEmpty:
                throw RecordError(.exists, "The role exists already", details: [("role", .text(name.text))])
            case .update: members = before + members.filter { !before.contains($0) }
            default: break
            }
        }
        _ = try roles.put(name, members: members)
    }

    private func restore(_ name: ZoneName, _ owner: UserRecordName, _ created: Int64?) throws(RecordError) {
        let account = try account(of: owner)
        guard !name.isReserved else {
            throw .badRequest(
                "Names of zones that begin with _ are the server's", details: [("zone", .text(name.text))])
        }
        guard try transaction.zones.find(scope: 1, owner: account, name: name.text) == nil else { return }
        _ = try transaction.zones.add(
            scope: 1, owner: account, name: name.text, generation: try transaction.nextSequence(),
            created: created ?? transaction.now)
        transaction.noteChange(ofZonesIn: .privateDatabase(owner: account))
    }
}

extension AccountWriter {
    /// Returns the number of a deleted account, for records whose writer has no account any more.
    func deletedAccount() throws(RecordError) -> UserID {
        let known = try transaction.store.deletedAccounts.numbers(limit: 1)
        if let id = known.first { return id }
        let name = "_" + Hex.encode(RandomBytes.make(16))
        let id = try table.add(
            recordName: name, name: name, password: nil, created: transaction.now, kind: .anonymous)
        try table.remove(account: id, mayAppearInRecords: true)
        transaction.userNames.forget(id)
        return id
    }
}

extension ContainerLine.AccountLine {
    fileprivate var accountKind: AccountKind {
        switch kind {
        case .person: .person
        case .anonymous: .anonymous
        case .service: .service
        }
    }
}

extension Assets {
    /// Registers a file that was in a container, and deletes it if its content is there already.
    ///
    /// Nobody needs an upload token for it: the records behind it in the container name its checksum. Until then it counts
    /// as an asset that no record has any more, which stays for some time.
    func restore(_ file: StoredAssetFile) async throws(RecordError) {
        defer { database.assetStore.end(file.name.text) }
        let directory = database.assetStore.directory
        let usesFile = try await database.write { transaction throws(RecordError) in
            try transaction.assets.register(file.content, file.name, in: directory).usesFile
        }
        guard !usesFile else { return }
        _ = try? await database.assetStore.run { () throws(RecordError) in directory.remove(file.name) }
    }
}
