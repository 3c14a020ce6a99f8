internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// User records, which have the type `Users`. Each account has one user record in the public database, which is created
/// and deleted with the account. The name of the user record is the account's name in `createdUserRecordName`. Users
/// write the fields of their user record.
extension AccountWriter {
    /// Creates the user record of an account if it is missing. The first user record also creates the type `Users`.
    ///
    /// - Parameter account: A new account, or an account that is older than user records. If another record has the
    ///   name, the account stays without a user record.
    func ensureUserRecord(of account: AccountRow, isRestoring: Bool = false) throws(RecordError) {
        let zone = ZoneTable.publicDefault
        let isTaken = try transaction.records.row(zone: zone, name: account.recordName) != nil
        if isTaken { return }
        try transaction.schemas.apply(.extending(transaction.schema, .users, .users))
        var request = WriteRequest(
            caller: .user(account.id, roles: [:]), address: .publicDefault, shape: .single, operations: [])
        var body = JSONObject()
        if isRestoring {
            request.isRestoring = true
            request.preserves = [.created, .modified]
            for key in ["created", "modified"] { body[key] = ["timestamp": .integer(account.created)] }
        }
        let writer = RecordWriter(transaction, request)
        let operation = RecordOperation(
            .create, typeName: .users, isTypeInPath: true, recordName: RecordName(account.recordName),
            input: try RecordInput.readSingle(JSONValue.object(body).bytes, takesStamps: isRestoring))
        var ignored: [UInt8] = []
        _ = try writer.insert(operation, .users, transaction.schema[.users], zone: zone, into: &ignored)
        // If the transaction is rolled back, the next account gets the same number.
        transaction.userNames.forget(account.id)
    }
}

extension WriteContext {
    /// Rejects the creation of records of type `Users`, independent of grants, and of records with names of user
    /// records.
    ///
    /// - Throws: ACCESS_DENIED for the type; BAD_REQUEST for the name.
    func allowMaking(_ typeName: RecordTypeName, named name: RecordName?) throws(RecordError) {
        if typeName == .users { throw .userRecordsComeWithAccounts }
        if typeName == .share { try allowSharing() }
        guard let name, address.scope == .publicDatabase, UserRecordName(name.text) != nil else { return }
        throw .badRequest(
            "Names of an underscore and 32 hexadecimal digits are those of user records. Choose another name",
            details: [("recordName", .text(name.text))])
    }

    /// Returns whether a record is the user record of an existing account.
    func isUserRecord(_ record: StoredRecord, _ type: RecordTypeDefinition) throws(RecordError) -> Bool {
        guard type.name == .users, address.scope == .publicDatabase else { return false }
        let name = String(decoding: record.name, as: UTF8.self)
        return try transaction.store.accounts.find(recordName: name) != nil
    }

    /// Rejects DELETE_SELF references in a user record. A cascade could otherwise delete the user record before its
    /// account.
    ///
    /// - Throws: BAD_REQUEST.
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
    /// The error for creating a record of type `Users`.
    static let userRecordsComeWithAccounts = RecordError(
        .accessDenied, "Records of type Users are created with their accounts only. Sign up instead",
        details: [("recordType", .text(RecordTypeName.users.text))])

    /// The error for deleting a user record.
    static let userRecordStays = RecordError(
        .accessDenied, "A user record goes with its account alone. Delete the account with DELETE /users/me",
        details: [("recordType", .text(RecordTypeName.users.text))])
}
