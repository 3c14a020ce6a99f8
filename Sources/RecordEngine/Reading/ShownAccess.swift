internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Access lists in responses. Access lists name other users, so only callers that may change a list see it. In private
/// databases the lists are the server's own.
extension RecordReader {
    /// Returns a record's access list as JSON; `nil` if the record has none or the caller may not see it.
    func shownAccess(of record: RecordSystemFields, _ visibility: Visibility) throws(RecordError) -> [UInt8]? {
        guard let access = record.access, visibility.scope == .publicDatabase,
            visibility.mayWrite(RecordFacts(creator: record.creator, access: access))
        else { return nil }
        return try StoredAccess.shown(access) { principal throws(RecordError) in try name(of: principal) }
    }

    /// Returns the name of a principal; `nil` for a deleted role.
    func name(of principal: Principal) throws(RecordError) -> String? {
        try principal.name(user: userNames.name) { id throws(RecordError) in
            try store.roles.name(of: id)
        }
    }
}

extension Principal {
    /// Returns the name of a principal, for access lists and explanations.
    ///
    /// - Parameter role: Returns the name of a role; `nil` for a deleted one.
    func name(
        user: (UserID) throws(RecordError) -> String, role: (RoleID) throws(RecordError) -> String?
    ) throws(RecordError) -> String? {
        switch self {
        case .everyone: "*"
        case .user(let id): try user(id)
        case .role(let id): try role(id).map { "role:" + $0 }
        case .share(let id): "share:\(id)"
        }
    }
}

extension StoredAccess {
    /// Returns an access list as JSON: `{"role:editors":["read","write"],"*":["read"]}`.
    ///
    /// - Parameter name: Returns the name of a principal; `nil` for a deleted one. The JSON omits deleted principals.
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
