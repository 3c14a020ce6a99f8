package import RecordModel
internal import RecordStorage
package import RecordWire

/// A custom role and who is in it.
package struct Role: Hashable, Sendable {
    package let name: String
    /// User record names, then `role:` names.
    package let members: [String]

    /// `{"name","members"}`.
    package var json: JSONValue {
        ["name": .string(name), "members": .array(members.map(JSONValue.string))]
    }

    /// What `If-Match` names.
    package var tag: String { DocumentTag.text(of: json) }
}

extension RecordDatabase {
    /// The members that one role may list.
    static var roleMembers: Int { 100_000 }
    static var roleCount: Int { 10_000 }

    /// Makes a role, or replaces its members.
    ///
    /// - Parameter members: User record names, and `role:name` for all members of another role.
    /// - Returns: The role, and whether it is new.
    /// - Throws: BAD_REQUEST for a built-in role, or a member that does not exist; CONFLICT with cause
    ///   PRECONDITION_FAILED.
    @discardableResult
    package nonisolated func putRole(
        _ name: RoleName, members: [String], if writeGuard: WriteGuard = .none, by actor: AuditActor = .server
    ) async throws(RecordError) -> (role: Role, isNew: Bool) {
        guard !name.isBuiltIn else {
            throw .badRequest("The role \(name) is built in and has no list of members", cause: .readOnlyKey)
        }
        guard members.count <= Self.roleMembers else {
            throw .badRequest(
                "The role would have more members than one may", cause: .tooLarge,
                details: [("limit", .number(Int64(Self.roleMembers)))])
        }
        return try await write(isAlone: true) { transaction throws(RecordError) in
            try transaction.require(.changeRights, of: actor)
            try writeGuard.check { () throws(RecordError) in try transaction.role(name)?.tag }
            let before = try transaction.members(of: name)
            let isNew = try transaction.putRole(name, members: members)
            let (old, new) = (Set(before), Set(members))
            try transaction.audit(
                .rolePut, name.text, by: actor,
                detail: JSONObject(
                    [("members", .integer(Int64(new.count)))]
                        + AuditText.names(new.subtracting(old).sorted(), of: "added")
                        + AuditText.names(old.subtracting(new).sorted(), of: "removed")))
            return (Role(name: name.text, members: try transaction.members(of: name)), isNew)
        }
    }

    /// Takes one member into a role that exists, or out of it; nothing happens if that is so already.
    ///
    /// - Parameter member: The record name of a user, or `role:name`.
    /// - Returns: The role as it is then.
    /// - Throws: NOT_FOUND for an unknown role; BAD_REQUEST for a member that does not exist and is to come in; CONFLICT with
    ///   cause PRECONDITION_FAILED.
    package nonisolated func setMember(
        _ member: String, of name: RoleName, isMember: Bool, if writeGuard: WriteGuard = .none,
        by actor: AuditActor = .server
    ) async throws(RecordError) -> Role {
        try await write(isAlone: true) { transaction throws(RecordError) in
            try transaction.require(.changeRights, of: actor)
            try writeGuard.check { () throws(RecordError) in try transaction.role(name)?.tag }
            let hasChanged = try transaction.setMember(member, of: name, isMember: isMember)
            let role = Role(name: name.text, members: try transaction.members(of: name))
            guard hasChanged else { return role }
            guard role.members.count <= Self.roleMembers else {
                throw .badRequest(
                    "The role has as many members as one may have", cause: .tooLarge,
                    details: [("limit", .number(Int64(Self.roleMembers)))])
            }
            try transaction.audit(
                .rolePut, name.text, by: actor,
                detail: JSONObject(
                    [("members", .integer(Int64(role.members.count)))]
                        + AuditText.names([member], of: isMember ? "added" : "removed")))
            return role
        }
    }

    /// Takes a role away, with what it was granted.
    package nonisolated func removeRole(
        _ name: RoleName, if writeGuard: WriteGuard = .none, by actor: AuditActor = .server
    ) async throws(RecordError) {
        try await write(isAlone: true) { transaction throws(RecordError) in
            try transaction.require(.changeRights, of: actor)
            try writeGuard.check { () throws(RecordError) in try transaction.role(name)?.tag }
            let members = try transaction.members(of: name)
            try transaction.removeRole(name)
            try transaction.audit(
                .roleDelete, name.text, by: actor, detail: JSONObject(AuditText.names(members, of: "removed")))
        }
    }
}

extension WriteTransaction {
    fileprivate func putRole(_ name: RoleName, members: [String]) throws(RecordError) -> Bool {
        var accountIDs: [UserID] = []
        var roleIDs: [RoleID] = []
        let known = try roles.find(name.text)
        let holdersBefore = try holders(of: known)
        if known == nil {
            guard try roles.names().count < RecordDatabase.roleCount else {
                throw .badRequest(
                    "There is the full number of roles", cause: .tooLarge,
                    details: [("limit", .number(Int64(RecordDatabase.roleCount)))])
            }
        }
        let role: RoleID
        if let known {
            role = known
        } else {
            role = try roles.add(name.text)
        }
        for member in members {
            switch try self.member(member, of: name) {
            case .role(let id): roleIDs.append(id)
            case .account(let id): accountIDs.append(id)
            case nil: throw .unknownMember(member)
            }
        }
        try roles.setMembers(role: role, accounts: accountIDs, roles: roleIDs)
        try mark(try holders(of: role).symmetricDifference(holdersBefore))
        return known == nil
    }

    /// Who a role can have in it.
    private enum Member {
        case account(UserID)
        case role(RoleID)
    }

    /// Whom a name means; `nil` for nobody, and for the role itself.
    private func member(_ text: String, of name: RoleName) throws(RecordError) -> Member? {
        guard text.hasPrefix("role:") else {
            guard UserRecordName(text) != nil else { return nil }
            return try accounts.find(recordName: text).map { .account($0.id) }
        }
        let other = String(text.dropFirst(5))
        return other == name.text ? nil : try roles.find(other).map { .role($0) }
    }

    /// - Returns: Whether that was not so before.
    fileprivate func setMember(_ text: String, of name: RoleName, isMember: Bool) throws(RecordError) -> Bool {
        guard let role = try roles.find(name.text) else {
            throw .unknownRoleToChange(name)
        }
        guard let member = try member(text, of: name) else {
            if isMember { throw .unknownMember(text) }
            return false
        }
        let holdersBefore = try holders(of: role)
        let hasChanged =
            switch member {
            case .account(let id): try roles.set(isMember: isMember, account: id, of: role)
            case .role(let id): try roles.set(isMember: isMember, role: id, of: role)
            }
        if hasChanged { try mark(try holders(of: role).symmetricDifference(holdersBefore)) }
        return hasChanged
    }

    fileprivate func removeRole(_ name: RoleName) throws(RecordError) {
        guard let role = try roles.find(name.text) else {
            throw .unknownRoleToChange(name)
        }
        let holders = try holders(of: role)
        try roles.remove(role)
        try apply(.removing(name, from: schema))
        try mark(holders)
    }

    /// The names of a role's own members; empty if there is no such role.
    fileprivate func members(of name: RoleName) throws(RecordError) -> [String] {
        try roles.find(name.text).map { role throws(RecordError) in try roles.members(of: role) } ?? []
    }

    fileprivate func role(_ name: RoleName) throws(RecordError) -> Role? {
        guard try roles.find(name.text) != nil else { return nil }
        return Role(name: name.text, members: try members(of: name))
    }

    private func holders(of role: RoleID?) throws(RecordError) -> Set<UserID> {
        guard let role else { return [] }
        return try roles.holders(of: role)
    }

    /// Sync tokens of accounts whose roles have changed start again, and cached callers are looked up anew.
    private func mark(_ accounts: Set<UserID>) throws(RecordError) {
        let sequence = try nextSequence()
        try roles.markChanged(accounts: accounts, sequence: sequence)
        rightsChanged = true
    }
}

extension RecordReader {
    /// All roles by name.
    package func roles() throws(RecordError) -> [Role] {
        try store.roles.names().map { name throws(RecordError) in
            Role(
                name: name,
                members: try store.roles.find(name).map { id throws(RecordError) in try store.roles.members(of: id) }
                    ?? [])
        }
    }

    package func role(_ name: RoleName) throws(RecordError) -> Role? {
        guard let id = try store.roles.find(name.text) else { return nil }
        return Role(name: name.text, members: try store.roles.members(of: id))
    }
}

extension RecordError {
    package static func unknownRoleToChange(_ name: RoleName) -> RecordError {
        RecordError(
            .notFound,
            name.isBuiltIn
                ? "The role \(name) is built in: it has no list of members, and stays"
                : "There is no role with this name. PUT /roles/\(name) with its members makes it",
            details: [("role", .text(name.text))])
    }

    static func unknownMember(_ member: String) -> RecordError {
        .badRequest(
            "A member of a role is the record name of a user, or role: and the name of another role, that exists",
            cause: .unknownName, details: [("member", .text(member))])
    }
}
