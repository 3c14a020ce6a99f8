internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Access lists as answers show them: to those only who may change them, since a list names other users.
extension RecordReader {
    /// - Returns: JSON text; `nil` for a record without a list, or one whose list the caller does not see.
    func shownAccess(
        of row: RecordRow, _ type: RecordTypeDefinition, for caller: Caller, in scope: DatabaseScope
    ) throws(RecordError) -> [UInt8]? {
        guard let access = row.access,
            Authorization.authorize(caller, .write, in: scope, type: type, row.facts) == .allowed
        else { return nil }
        return try StoredAccess.shown(
            access, user: { id throws(RecordError) in try userName(id) },
            role: { id throws(RecordError) in try store { () throws(StoreError) in try roleTable.name(of: id) } })
    }
}

extension RecordWriter {
    func shownAccess(of row: RecordRow, _ type: RecordTypeDefinition) throws(RecordError) -> [UInt8]? {
        guard let access = row.access, authorizeWriting(row, type) == .allowed else { return nil }
        return try StoredAccess.shown(
            access, user: { id throws(RecordError) in try transaction.userName(id) },
            role: { id throws(RecordError) in
                try store { () throws(StoreError) in try transaction.roles.name(of: id) }
            })
    }
}

extension StoredAccess {
    /// A list as JSON text: `{"*":["read"],"role:editors":["read","write"]}`.
    ///
    /// - Parameters:
    ///   - user: The record name of a user.
    ///   - role: The name of a role; `nil` for one that is gone, which is left out as users are that are gone.
    fileprivate static func shown(
        _ access: [UInt8], user: (UserID) throws(RecordError) -> String,
        role: (RoleID) throws(RecordError) -> String?
    ) throws(RecordError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(access.count / entryBytes * 64 + 2)
        text.append(UInt8(ascii: "{"))
        try forEach(access) { number, rights throws(RecordError) in
            guard let principal = Principal(number: number) else { return }
            let name: String
            switch principal {
            case .everyone: name = "*"
            case .user(let id):
                name = try user(id)
                if name == SystemUser.deleted { return }
            case .role(let id):
                guard let role = try role(id) else { return }
                name = "role:" + role
            }
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.appendString(name)
            text.append(UInt8(ascii: ":"))
            text.appendLiteral(rights.jsonText)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}
