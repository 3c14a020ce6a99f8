internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// User records: of type `Users`, one per account, made and taken away with it, in the public database under the name that
/// the account has in `createdUserRecordName`. What is in their fields is their users' to write.
extension AccountWriter {
    /// Makes the user record of an account unless it is there; with the first one, the type.
    ///
    /// - Parameter account: New, or older than user records are. Where a record of another kind has taken the name, the
    ///   account stays without.
    func ensureUserRecord(of account: AccountRow) throws(RecordError) {
        let zone = ZoneTable.publicDefault
        let isTaken = try transaction.records.row(zone: zone, name: account.recordName) != nil
        if isTaken { return }
        try transaction.schemas.apply(.extending(transaction.schema, .users, .users))
        let writer = RecordWriter(
            transaction,
            WriteRequest(
                caller: .user(account.id, roles: [:]), address: .publicDefault, shape: .single, operations: []))
        let operation = RecordOperation(
            .create, typeName: .users, isTypeInPath: true, recordName: RecordName(account.recordName),
            input: try RecordInput.readSingle(Array("{}".utf8)))
        var ignored: [UInt8] = []
        _ = try writer.insert(operation, .users, transaction.schema[.users], zone: zone, into: &ignored)
        // If this is rolled back, the next account gets the number.
        transaction.userNames.forget(account.id)
    }
}

extension WriteContext {
    /// Refuses to make what only accounts bring with them, whatever is granted, and to take the names of user records.
    func allowMaking(_ typeName: RecordTypeName, named name: RecordName?) throws(RecordError) {
        if typeName == .users { throw .userRecordsComeWithAccounts }
        guard let name, address.scope == .publicDatabase, UserRecordName(name.text) != nil else { return }
        throw .badRequest(
            "Names of an underscore and 32 hexadecimal digits are those of user records. Choose another name",
            details: [("recordName", .text(name.text))])
    }

    /// Whether a record is that of an account.
    func isUserRecord(_ record: StoredRecord, _ type: RecordTypeDefinition) throws(RecordError) -> Bool {
        guard type.name == .users, address.scope == .publicDatabase else { return false }
        let name = String(decoding: record.name, as: UTF8.self)
        return try transaction.store.accounts.find(recordName: name) != nil
    }

    /// Refuses references with which a user record would go before its account.
    func checkUserRecord(_ fields: StoredFields) throws(RecordError) {
        let references = try fields.withView { view throws(RecordError) in
            try view.references(includingNone: false)
        }
        guard references.contains(where: { $0.reference.action == .deleteSelf }) else { return }
        throw .badRequest(
            "A user record goes with its account alone and has no references with DELETE_SELF. Use NONE or VALIDATE",
            details: [("recordType", .text(RecordTypeName.users.text))])
    }
}

extension RecordError {
    static let userRecordsComeWithAccounts = RecordError(
        .accessDenied, "Records of type Users are made with their accounts, by nobody else. Sign up instead",
        details: [("recordType", .text(RecordTypeName.users.text))])

    static let userRecordStays = RecordError(
        .accessDenied, "A user record goes with its account alone. Delete the account with DELETE /users/me",
        details: [("recordType", .text(RecordTypeName.users.text))])
}
