package import RecordModel
internal import RecordStorage

/// A custom role and who is in it.
package struct Role: Hashable, Sendable {
    package let name: String
    /// User record names, then `role:` names.
    package let members: [String]
}

extension RecordDatabase {
    /// The members that one role may list.
    static var roleMembers: Int { 100_000 }
    static var roleCount: Int { 10_000 }

    /// Makes a role, or replaces its members.
    ///
    /// - Parameter members: User record names, and `role:name` for all members of another role.
    /// - Returns: Whether the role is new.
    /// - Throws: BAD_REQUEST for a built-in role, or a member that does not exist.
    package nonisolated func putRole(
        _ name: RoleName, members: [String]
    ) async throws(RecordError) -> Bool {
        guard !name.isBuiltIn else {
            throw .badRequest("The role \(name) is built in and has no list of members", cause: .readOnlyKey)
        }
        guard members.count <= Self.roleMembers else {
            throw .badRequest(
                "The role would have more members than one may", cause: .tooLarge,
                details: [("limit", .number(Int64(Self.roleMembers)))])
        }
        return try await write(isAlone: true) { transaction throws(RecordError) in
            try transaction.putRole(name, members: members)
        }
    }

    /// Takes a role away, with what it was granted.
    package nonisolated func removeRole(_ name: RoleName) async throws(RecordError) {
        try await write(isAlone: true) { transaction throws(RecordError) in try transaction.removeRole(name) }
    }
}

extension WriteTransaction {
    fileprivate func putRole(_ name: RoleName, members: [String]) throws(RecordError) -> Bool {
        var accountIDs: [Int64] = []
        var roleIDs: [Int64] = []
        let known = try store { () throws(StoreError) in try roles.find(name.text) }
        let holdersBefore = try holders(of: known)
        if known == nil {
            guard try store({ () throws(StoreError) in try roles.names().count }) < RecordDatabase.roleCount else {
                throw .badRequest(
                    "There is the full number of roles", cause: .tooLarge,
                    details: [("limit", .number(Int64(RecordDatabase.roleCount)))])
            }
        }
        let role: Int64
        if let known {
            role = known
        } else {
            role = try store { () throws(StoreError) in try roles.add(name.text) }
        }
        for member in members {
            if member.hasPrefix("role:") {
                let other = String(member.dropFirst(5))
                guard other != name.text, let id = try store({ () throws(StoreError) in try roles.find(other) })
                else { throw .unknownMember(member) }
                roleIDs.append(id)
            } else {
                guard UserRecordName(member) != nil,
                    let account = try store({ () throws(StoreError) in try accounts.find(recordName: member) })
                else { throw .unknownMember(member) }
                accountIDs.append(account.id)
            }
        }
        try store { () throws(StoreError) in
            try roles.setMembers(role: role, accounts: accountIDs, roles: roleIDs)
        }
        try mark(try holders(of: role).symmetricDifference(holdersBefore))
        return known == nil
    }

    fileprivate func removeRole(_ name: RoleName) throws(RecordError) {
        guard let role = try store({ () throws(StoreError) in try roles.find(name.text) }) else {
            throw RecordError(.notFound, "There is no role with this name", details: [("role", .text(name.text))])
        }
        let holders = try holders(of: role)
        try store { () throws(StoreError) in try roles.remove(role) }
        for var type in Array(schema.types.values) {
            if type.grants.byRole[name] != nil {
                var grants = type.grants
                grants.byRole[name] = nil
                try setGrants(grants, of: &type)
            }
            // A field that only this role read is nobody's then, not everybody's.
            let fields = type.fields.filter {
                $0.readers?.contains(name) ?? false || $0.writers?.contains(name) ?? false
            }
            let rid = fields.map { field in
                var field = field
                field.readers?.remove(name)
                field.writers?.remove(name)
                return field
            }
            try setGrants(of: rid, in: &type)
        }
        try mark(holders)
    }

    private func holders(of role: Int64?) throws(RecordError) -> Set<Int64> {
        guard let role else { return [] }
        return try store { () throws(StoreError) in try roles.holders(of: role) }
    }

    /// Sync tokens of accounts whose roles have changed start again, and cached callers are looked up anew.
    private func mark(_ accounts: Set<Int64>) throws(RecordError) {
        let sequence = try nextSequence()
        try store { () throws(StoreError) in try roles.markChanged(accounts: accounts, sequence: sequence) }
        rightsChanged = true
    }
}

extension RecordReader {
    /// All roles by name.
    package func roles() throws(RecordError) -> [Role] {
        try store { () throws(StoreError) in
            try roleTable.names().map { name throws(StoreError) in
                Role(
                    name: name,
                    members: try roleTable.find(name).map { id throws(StoreError) in try roleTable.members(of: id) }
                        ?? [])
            }
        }
    }

    package func role(_ name: RoleName) throws(RecordError) -> Role? {
        try store { () throws(StoreError) in
            guard let id = try roleTable.find(name.text) else { return nil }
            return Role(name: name.text, members: try roleTable.members(of: id))
        }
    }
}

extension RecordError {
    static func unknownMember(_ member: String) -> RecordError {
        .badRequest(
            "A member of a role is the record name of a user, or role: and the name of another role, that exists",
            cause: .unknownName, details: [("member", .text(member))])
    }
}
