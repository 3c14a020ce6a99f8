internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Handles the `created` and `modified` stamps (dates and users) in operations.
struct RecordStamps {
    let context: WriteContext
    /// The stamps that records take from the operation.
    let preserves: PreservedMetadata
    /// Whether a stamp may name a deleted account.
    var isRestoring = false

    /// Sets the dates and users of a new record from the operation.
    ///
    /// - Returns: Whether the creation time comes from the operation instead of the server's clock.
    /// - Throws: BAD_REQUEST with cause READ_ONLY_KEY for a stamp that the request does not preserve, or with cause
    ///   UNKNOWN_NAME for an unknown user.
    func take(of operation: RecordOperation, into row: inout RecordRow) throws(RecordError) -> Bool {
        let input = operation.input
        if let token = input.created {
            guard preserves.contains(.created) else { throw .stampRejected("created") }
            let stamp = try input.stamp(token, "created")
            if let time = stamp.timestamp { row.created = time }
            if let user = stamp.userRecordName { row.creator = try writer(user, "created") }
        }
        if let token = input.modified {
            guard preserves.contains(.modified) else { throw .stampRejected("modified") }
            let stamp = try input.stamp(token, "modified")
            if let time = stamp.timestamp { row.modified = time }
            if let user = stamp.userRecordName { row.modifier = try writer(user, "modified") }
        }
        return row.created != context.transaction.now
    }

    /// Sets the date and user of a change from the operation.
    ///
    /// - Returns: Whether the operation has them, and the request preserves them.
    /// - Throws: BAD_REQUEST with cause UNKNOWN_NAME for an unknown user.
    func takeModification(of operation: RecordOperation, into row: inout RecordRow) throws(RecordError) -> Bool {
        guard preserves.contains(.modified), let token = operation.input.modified else { return false }
        let stamp = try operation.input.stamp(token, "modified")
        if let time = stamp.timestamp { row.modified = time }
        if let user = stamp.userRecordName { row.modifier = try writer(user, "modified") }
        return true
    }

    /// Rejects stamps that differ from the stamps of the stored record, except those that the request preserves.
    ///
    /// Clients send records back as they have read them, so equal stamps are ignored. If the operation has no change
    /// tag, its `modified` stamp may come from an older version of the record. Such a stamp is ignored too.
    ///
    /// - Throws: BAD_REQUEST with cause READ_ONLY_KEY.
    func check(
        of operation: RecordOperation, on row: RecordRow, _ visibility: Visibility
    ) throws(RecordError) {
        let input = operation.input
        // A caller that may not read the record must not be able to guess its stamps.
        guard visibility.mayRead(row.facts) else { throw .stampRejected(input.created == nil ? "modified" : "created") }
        if let token = input.created {
            let stamp = try input.stamp(token, "created")
            try compare(stamp, row.created, row.creator, "created")
        }
        if let token = input.modified, !preserves.contains(.modified), case .tags = operation.precondition {
            let stamp = try input.stamp(token, "modified")
            try compare(stamp, row.modified, row.modifier, "modified")
        }
    }

    private func compare(
        _ stamp: RecordStamp, _ time: Int64, _ user: UserID, _ key: String
    ) throws(RecordError) {
        let name = try context.transaction.userNames.name(of: user)
        guard stamp.timestamp ?? time == time, stamp.userRecordName ?? name == name else { throw .stampDiffers(key) }
    }

    /// Returns the number of the account with the record name in a stamp.
    private func writer(_ name: String, _ key: String) throws(RecordError) -> UserID {
        for special in [UserID.nobody, .administrator] where SystemUser.name(special) == name {
            return special
        }
        if let name = UserRecordName(name),
            let account = try context.transaction.store.accounts.find(recordName: name.text)
        {
            return account.id
        }
        if isRestoring, name == SystemUser.deleted { return try context.transaction.accounts.deletedAccount() }
        throw .badRequest(
            "'\(key)' names a user that does not exist. Make the account first and take its record name, or leave userRecordName out",
            cause: .unknownName, details: [("path", .text("\(key).userRecordName"))])
    }
}

extension RecordError {
    fileprivate static func stampRejected(_ key: String) -> RecordError {
        .badRequest(
            "'\(key)' of a new record is the server's to say. Leave it out; an import by administrators keeps it with \"preserve\":[\"created\",\"modified\"] in the batch",
            cause: .readOnlyKey, details: [("key", .text(key))])
    }

    fileprivate static func stampDiffers(_ key: String) -> RecordError {
        .badRequest(
            "'\(key)' is not what the record has, and does not change once a record is made. Leave it out, or send what was read",
            cause: .readOnlyKey, details: [("key", .text(key))])
    }
}
