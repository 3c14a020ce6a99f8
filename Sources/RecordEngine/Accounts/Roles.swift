package import RecordModel
internal import RecordStorage
package import RecordWire

/// A custom role and its members.
package struct Role: Hashable, Sendable {
    /// The name of the role.
    package let name: String
    /// The record names of users, then `role:` names.
    package let members: [String]

    /// The role as JSON: `{"name","members"}`.
    package var json: JSONValue {
        ["name": .string(name), "members": .array(members.map(JSONValue.string))]
    }

    /// The change tag for `If-Match`.
    package var tag: String { DocumentTag.text(of: json) }
}

/// The custom roles of a database and their members.
package struct Roles: Sendable {
    let database: RecordDatabase

    /// The maximum number of direct members of a role.
    private static var mostMembers: Int { 100_000 }
    /// The maximum number of roles.
    fileprivate static var most: Int { 10_000 }

    /// Creates a role, or replaces its members.
    ///
    /// - Parameter members: The record names of users, and `role:name` for all members of another role.
    /// - Returns: The role, and whether the role is new.
    /// - Throws: BAD_REQUEST for a built-in role, an unknown member, or with cause TOO_LARGE; CONFLICT with cause
    ///   PRECONDITION_FAILED; ACCESS_DENIED.
    @discardableResult
    package func put(
        _ name: RoleName, members: [String], if precondition: WritePrecondition = .none, by actor: AuditActor = .server
    ) async throws(RecordError) -> (role: Role, isNew: Bool) {
        guard !name.isBuiltIn else {
            throw .badRequest("The role \(name) is built in and has no list of members", cause: .readOnlyKey)
        }
        guard members.count <= Self.mostMembers else {
            throw .badRequest(
                "The role would have more members than one may", cause: .tooLarge,
                details: [("limit", .number(Int64(Self.mostMembers)))])
        }
        return try await database.write(isAlone: true) { transaction throws(RecordError) in
            try transaction.callers.require(.changeRights, of: actor)
            try precondition.check { () throws(RecordError) in try transaction.roles.find(name)?.tag }
            let before = try transaction.roles.members(of: name)
            let isNew = try transaction.roles.put(name, members: members)
            let (old, new) = (Set(before), Set(members))
            try transaction.auditLog.append(
                .rolePut, name.text, by: actor,
                detail: JSONObject(
                    [("members", .integer(Int64(new.count)))]
                        + AuditText.names(new.subtracting(old).sorted(), of: "added")
                        + AuditText.names(old.subtracting(new).sorted(), of: "removed")))
            return (Role(name: name.text, members: try transaction.roles.members(of: name)), isNew)
        }
    }

    /// Adds one member to an existing role, or removes the member. Does nothing if the role already has the wanted
    /// state.
    ///
    /// - Parameter member: The record name of a user, or `role:name`.
    /// - Returns: The role after the change.
    /// - Throws: NOT_FOUND for an unknown role; BAD_REQUEST for adding an unknown member, or with cause TOO_LARGE;
    ///   CONFLICT with cause PRECONDITION_FAILED; ACCESS_DENIED.
    package func setMember(
        _ member: String, of name: RoleName, isMember: Bool, if precondition: WritePrecondition = .none,
        by actor: AuditActor = .server
    ) async throws(RecordError) -> Role {
        try await database.write(isAlone: true) { transaction throws(RecordError) in
            try transaction.callers.require(.changeRights, of: actor)
            try precondition.check { () throws(RecordError) in try transaction.roles.find(name)?.tag }
            let hasChanged = try transaction.roles.setMember(member, of: name, isMember: isMember)
            let role = Role(name: name.text, members: try transaction.roles.members(of: name))
            guard hasChanged else { return role }
            guard role.members.count <= Self.mostMembers else {
                throw .badRequest(
                    "The role has as many members as one may have", cause: .tooLarge,
                    details: [("limit", .number(Int64(Self.mostMembers)))])
            }
            try transaction.auditLog.append(
                .rolePut, name.text, by: actor,
                detail: JSONObject(
                    [("members", .integer(Int64(role.members.count)))]
                        + AuditText.names([member], of: isMember ? "added" : "removed")))
            return role
        }
    }

    /// Deletes a role, including all grants to the role.
    ///
    /// - Throws: NOT_FOUND for an unknown role; CONFLICT with cause PRECONDITION_FAILED; ACCESS_DENIED.
    package func remove(
        _ name: RoleName, if precondition: WritePrecondition = .none, by actor: AuditActor = .server
    ) async throws(RecordError) {
        try await database.write(isAlone: true) { transaction throws(RecordError) in
            try transaction.callers.require(.changeRights, of: actor)
            try precondition.check { () throws(RecordError) in try transaction.roles.find(name)?.tag }
            let members = try transaction.roles.members(of: name)
            try transaction.roles.remove(name)
            try transaction.auditLog.append(
                .roleDelete, name.text, by: actor, detail: JSONObject(AuditText.names(members, of: "removed")))
        }
    }
}

/// Writes roles.
struct RoleWriter {
    let transaction: WriteTransaction
    private var table: RoleTable { transaction.store.roles }

    /// Creates a role, or replaces its members.
    ///
    /// - Returns: Whether the role is new.
    func put(_ name: RoleName, members: [String]) throws(RecordError) -> Bool {
        var accountIDs: [UserID] = []
        var roleIDs: [RoleID] = []
        let known = try table.find(name.text)
        let holdersBefore = try holders(of: known)
        if known == nil {
            guard try table.names().count < Roles.most else {
                throw .badRequest(
                    "There is the full number of roles", cause: .tooLarge,
                    details: [("limit", .number(Int64(Roles.most)))])
            }
        }
        let role: RoleID
        if let known {
            role = known
        } else {
            role = try table.add(name.text)
        }
        for member in members {
            switch try self.member(member, of: name) {
            case .role(let id): roleIDs.append(id)
            case .account(let id): accountIDs.append(id)
            case nil: throw .unknownMember(member)
            }
        }
        try table.setMembers(role: role, accounts: accountIDs, roles: roleIDs)
        try mark(try holders(of: role).symmetricDifference(holdersBefore))
        return known == nil
    }

    /// A member of a role.
    private enum Member {
        case account(UserID)
        case role(RoleID)
    }

    /// Returns the member with a name; `nil` for an unknown name, and for the name of the role itself.
    private func member(_ text: String, of name: RoleName) throws(RecordError) -> Member? {
        guard text.hasPrefix("role:") else {
            guard UserRecordName(text) != nil else { return nil }
            return try transaction.store.accounts.find(recordName: text).map { .account($0.id) }
        }
        let other = String(text.dropFirst(5))
        return other == name.text ? nil : try table.find(other).map { .role($0) }
    }

    /// Adds or removes one member.
    ///
    /// - Returns: Whether the role has changed.
    /// - Throws: NOT_FOUND for an unknown role; BAD_REQUEST for adding an unknown member.
    fileprivate func setMember(_ text: String, of name: RoleName, isMember: Bool) throws(RecordError) -> Bool {
        guard let role = try table.find(name.text) else {
            throw .unknownRoleToChange(name)
        }
        guard let member = try self.member(text, of: name) else {
            if isMember { throw .unknownMember(text) }
            return false
        }
        let holdersBefore = try holders(of: role)
        let hasChanged =
            switch member {
            case .account(let id): try table.set(isMember: isMember, account: id, of: role)
            case .role(let id): try table.set(isMember: isMember, role: id, of: role)
            }
        if hasChanged { try mark(try holders(of: role).symmetricDifference(holdersBefore)) }
        return hasChanged
    }

    fileprivate func remove(_ name: RoleName) throws(RecordError) {
        guard let role = try table.find(name.text) else {
            throw .unknownRoleToChange(name)
        }
        let holders = try holders(of: role)
        try table.remove(role)
        try transaction.schemas.apply(.removing(name, from: transaction.schema))
        try mark(holders)
    }

    /// Returns the names of a role's direct members; empty if the role does not exist.
    fileprivate func members(of name: RoleName) throws(RecordError) -> [String] {
        try table.find(name.text).map { role throws(RecordError) in try table.members(of: role) } ?? []
    }

    fileprivate func find(_ name: RoleName) throws(RecordError) -> Role? {
        try table.role(name.text)
    }

    /// Returns all accounts that are members of a role, directly or through other roles.
    private func holders(of role: RoleID?) throws(RecordError) -> Set<UserID> {
        guard let role else { return [] }
        return try table.holders(of: role)
    }

    /// Invalidates the sync tokens of accounts whose roles have changed, and the cached callers.
    private func mark(_ accounts: Set<UserID>) throws(RecordError) {
        let sequence = try transaction.nextSequence()
        try table.markChanged(accounts: accounts, sequence: sequence)
        transaction.rightsChanged = true
    }
}

extension RecordReader {
    /// Reads roles.
    package var roles: RoleReader { RoleReader(table: store.roles) }
}

/// Reads roles.
package struct RoleReader {
    let table: RoleTable

    /// Returns all roles, sorted by name.
    ///
    /// - Throws: The store's error.
    package func list() throws(RecordError) -> [Role] {
        var roles: [Role] = []
        for name in try table.names() {
            if let role = try table.role(name) { roles.append(role) }
        }
        return roles
    }

    /// Returns the names of all roles.
    ///
    /// - Throws: The store's error.
    package func names() throws(RecordError) -> Set<RoleName> {
        Set(try table.names().compactMap(RoleName.init))
    }

    /// Returns a role with its members; `nil` if the role does not exist.
    ///
    /// - Throws: The store's error.
    package func find(_ name: RoleName) throws(RecordError) -> Role? {
        try table.role(name.text)
    }
}

extension RoleTable {
    fileprivate func role(_ name: String) throws(RecordError) -> Role? {
        guard let id = try find(name) else { return nil }
        return Role(name: name, members: try members(of: id))
    }
}

extension RecordError {
    /// The error for changing an unknown or built-in role.
    package static func unknownRoleToChange(_ name: RoleName) -> RecordError {
        RecordError(
            .notFound,
            name.isBuiltIn
                ? "The role \(name) is built in: it has no list of members, and stays"
                : "There is no role with this name. PUT /roles/\(name) with its members makes it",
            details: [("role", .text(name.text))])
    }

    /// The error for an unknown member.
    static func unknownMember(_ member: String) -> RecordError {
        .badRequest(
            "A member of a role is the record name of a user, or role: and the name of another role, that exists",
            cause: .unknownName, details: [("member", .text(member))])
    }
}
