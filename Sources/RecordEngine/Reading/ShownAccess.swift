internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Access lists as answers show them: to those only who may change them, since a list names other users.
extension RecordReader {
    /// - Returns: JSON text; `nil` for a record without a list, or one whose list the caller does not see.
    func shownAccess(of record: RecordSystemFields, _ visibility: Visibility) throws(RecordError) -> [UInt8]? {
        guard let access = record.access, visibility.mayWrite(RecordFacts(creator: record.creator, access: access))
        else { return nil }
        return try StoredAccess.shown(access) { principal throws(RecordError) in try name(of: principal) }
    }

    /// The public name of a principal; `nil` for a role that is gone.
    func name(of principal: Principal) throws(RecordError) -> String? {
        try principal.name(user: userNames.name) { id throws(RecordError) in
            try store.roles.name(of: id)
        }
    }
}

extension Principal {
    /// The name by which access lists and explanations know a principal.
    ///
    /// - Parameter role: The name of a role; `nil` for one that is gone.
    func name(
        user: (UserID) throws(RecordError) -> String, role: (RoleID) throws(RecordError) -> String?
    ) throws(RecordError) -> String? {
        switch self {
        case .everyone: "*"
        case .user(let id): try user(id)
        case .role(let id): try role(id).map { "role:" + $0 }
        }
    }
}

extension StoredAccess {
    /// A list as JSON text: `{"role:editors":["read","write"],"*":["read"]}`.
    ///
    /// - Parameter name: The public name of a principal; `nil` for one that is gone, which is left out.
    static func shown(
        _ access: [UInt8], name: (Principal) throws(RecordError) -> String?
    ) throws(RecordError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(access.count / entryBytes * 64 + 2)
        text.append(UInt8(ascii: "{"))
        try forEach(access) { principal, rights throws(RecordError) in
            guard let name = try name(principal), name != SystemUser.deleted else { return }
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.appendString(name)
            text.append(UInt8(ascii: ":"))
            text.appendLiteral(rights.jsonText)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}
