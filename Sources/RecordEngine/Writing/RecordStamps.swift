internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The dates and users that an operation says of a record.
struct RecordStamps {
    let context: WriteContext
    /// Which of them new records keep.
    let preserves: PreservedMetadata

    /// Gives a new record the dates and users that its writer says.
    ///
    /// - Returns: Whether its time of creation is not the server's.
    /// - Throws: READ_ONLY_KEY where the request does not say that they shall be preserved.
    func take(of operation: RecordOperation, into row: inout RecordRow) throws(RecordError) -> Bool {
        let input = operation.input
        if let token = input.created {
            guard preserves.contains(.created) else { throw .stampRefused("created") }
            let stamp = try input.stamp(token, "created")
            if let time = stamp.timestamp { row.created = time }
            if let user = stamp.userRecordName { row.creator = try writer(user, "created") }
        }
        if let token = input.modified {
            guard preserves.contains(.modified) else { throw .stampRefused("modified") }
            let stamp = try input.stamp(token, "modified")
            if let time = stamp.timestamp { row.modified = time }
            if let user = stamp.userRecordName { row.modifier = try writer(user, "modified") }
        }
        return row.created != context.transaction.now
    }

    /// Refuses other dates and users than a record has. Clients send back what they have read, so the same ones are passed
    /// over; and a `modified` without a tag beside it may be that of a version before.
    func check(
        of operation: RecordOperation, on row: RecordRow, _ visibility: Visibility
    ) throws(RecordError) {
        let input = operation.input
        // A caller that cannot read the record has nothing of it to send back, and must learn nothing by trying.
        guard visibility.mayRead(row.facts) else { throw .stampRefused(input.created == nil ? "modified" : "created") }
        if let token = input.created {
            let stamp = try input.stamp(token, "created")
            try compare(stamp, row.created, row.creator, "created")
        }
        if let token = input.modified, case .tags = operation.writeGuard {
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

    /// The number of the account that a stamp names.
    private func writer(_ name: String, _ key: String) throws(RecordError) -> UserID {
        for special in [UserID.nobody, .administrator] where SystemUser.name(special) == name {
            return special
        }
        if let name = UserRecordName(name),
            let account = try context.transaction.store.accounts.find(recordName: name.text)
        {
            return account.id
        }
        throw .badRequest(
            "'\(key)' names a user that does not exist. Make the account first and take its record name, or leave userRecordName out",
            cause: .unknownName, details: [("path", .text("\(key).userRecordName"))])
    }
}

extension RecordError {
    fileprivate static func stampRefused(_ key: String) -> RecordError {
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
