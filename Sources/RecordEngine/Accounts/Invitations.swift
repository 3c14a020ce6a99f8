internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads
internal import UnicodeText

/// The hash of an invitation token that a client sent.
package struct Invitation: Sendable {
    let hash: [UInt8]

    /// Hashes a token.
    package init(token: String) {
        hash = SHA256.hash(utf8: token).bytes
    }
}

/// The properties of a new invitation.
package struct NewInvitation: Sendable {
    let name: String?
    let seconds: Int64
    let uses: Int64
    let roles: [RoleName]

    /// Checks the properties of a new invitation.
    ///
    /// - Parameters:
    ///   - name: The name that the account must have; `nil` for any name.
    ///   - seconds: How long the invitation is valid, in seconds; one week by default.
    ///   - uses: The maximum number of accounts to create with the invitation; 1 by default.
    ///   - roles: The roles that each new account gets.
    /// - Throws: BAD_REQUEST for values out of bounds, a malformed name or a built-in role.
    package init(
        name: String?, seconds: Int64?, uses: Int64?, roles: [RoleName]
    ) throws(RecordError) {
        self.name = try name.map { name throws(RecordError) in try Credentials.checked(newName: name) }
        self.seconds = seconds ?? 7 * 86_400
        self.uses = uses ?? 1
        self.roles = roles
        guard (1...Self.longestSeconds).contains(self.seconds) else {
            throw .badRequest(
                "An invitation is good for 1 to \(Self.longestSeconds) seconds",
                details: [("field", .text("expiresIn"))])
        }
        guard (1...Self.mostUses).contains(self.uses), name == nil || self.uses == 1 else {
            throw .badRequest(
                "An invitation is for 1 to \(Self.mostUses) accounts, and one with a name for one",
                details: [("field", .text("uses"))])
        }
        guard roles.count <= Self.mostRoles else {
            throw .badRequest(
                "An invitation gives at most \(Self.mostRoles) roles", details: [("field", .text("roles"))])
        }
        if let role = roles.first(where: \.isBuiltIn) {
            throw .badRequest("The role \(role) is built in and has no list of members", cause: .readOnlyKey)
        }
    }

    private static let longestSeconds: Int64 = 366 * 86_400
    private static let mostUses: Int64 = 1_000
    private static let mostRoles = 100
}

/// The properties of an invitation for administrators, without the token.
package struct InvitationInfo: Hashable, Sendable {
    /// The public id of the invitation.
    package let id: String
    /// The name that the account must have; `nil` for any name.
    package let name: String?
    /// When the invitation was created, in milliseconds since 1970.
    package let created: Int64
    /// When the invitation expires, in milliseconds since 1970.
    package let expires: Int64
    /// The maximum number of accounts to create with the invitation.
    package let uses: Int64
    /// The number of accounts created with the invitation.
    package let used: Int64
    /// The roles that each new account gets.
    package let roles: [String]

    /// Returns the state at a time in milliseconds since 1970: `open`, `used` or `expired`.
    package func state(at now: Int64) -> String {
        used >= uses ? "used" : expires <= now ? "expired" : "open"
    }

    init(_ row: InvitationRow, roles: [String]) {
        id = row.id
        name = row.name
        created = row.created
        expires = row.expires
        uses = row.uses
        used = row.used
        self.roles = roles
    }

    /// The details of audit entries about the invitation. The target of the entries is the invitation's id.
    fileprivate var auditDetail: JSONObject {
        var detail = JSONObject([("uses", .integer(uses)), ("expiresAt", .integer(expires))])
        if let name { detail["name"] = .string(name) }
        for (key, value) in AuditText.names(roles, of: "roles") { detail[key] = value }
        return detail
    }
}

/// The invitations for signing up.
package struct Invitations: Sendable {
    let database: RecordDatabase

    /// The maximum number of open invitations.
    fileprivate static var most: Int { 1_000 }

    /// Creates an invitation, with which people can sign up while sign-up requires an invitation.
    ///
    /// - Returns: The token and the invitation. The token cannot be read again later.
    /// - Throws: BAD_REQUEST for an unknown role, and with cause TOO_LARGE for too many invitations; ACCESS_DENIED if
    ///   the caller may not manage users or, for an invitation with roles, change rights.
    package func create(
        _ request: NewInvitation, by actor: AuditActor
    ) async throws(RecordError) -> (token: String, info: InvitationInfo) {
        let token = SecretToken(.invitation)
        let info = try await database.write { transaction throws(RecordError) in
            try transaction.callers.require(.manageUsers, of: actor)
            // Adding accounts to roles by an invitation needs the same right as adding them directly.
            if !request.roles.isEmpty { try transaction.callers.require(.changeRights, of: actor) }
            let info = try transaction.invitations.add(request, token: token)
            try transaction.auditLog.append(.invitationCreate, info.id, by: actor, detail: info.auditDetail)
            return info
        }
        return (token.text, info)
    }

    /// Deletes an invitation.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED.
    package func remove(_ id: String, by actor: AuditActor) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            try transaction.callers.require(.manageUsers, of: actor)
            let wasThere = try transaction.store.invitations.remove(id: id)
            guard wasThere else { throw RecordError(.notFound, "There is no invitation with this id") }
            try transaction.auditLog.append(.invitationDelete, id, by: actor)
        }
    }
}

extension RecordReader {
    /// Reads invitations.
    package var invitations: InvitationReader { InvitationReader(table: store.invitations) }
}

/// Reads invitations.
package struct InvitationReader {
    let table: InvitationTable

    /// Returns all invitations, the oldest first.
    ///
    /// - Throws: The store's error.
    package func list() throws(RecordError) -> [InvitationInfo] {
        try table.list().map { row throws(RecordError) in
            InvitationInfo(row, roles: try table.roles(of: row.id).map(\.name))
        }
    }

    /// Checks an invitation before a sign-up hashes the password, which is expensive.
    ///
    /// - Throws: ACCESS_DENIED, with the same sentence for all reasons.
    package func check(_ invitation: Invitation, name: String) throws(RecordError) {
        let row = try table.find(hash: invitation.hash)
        guard let row, row.expires > WallClock.milliseconds, row.used < row.uses, row.isFor(name) else {
            throw .invitationRejected
        }
    }
}

extension InvitationRow {
    fileprivate func isFor(_ other: String) -> Bool {
        name.map { $0.nfkcCasefold.utf8.elementsEqual(other.nfkcCasefold.utf8) } ?? true
    }
}

/// Writes invitations.
struct InvitationWriter {
    let transaction: WriteTransaction
    private var table: InvitationTable { transaction.store.invitations }
    private var roles: RoleTable { transaction.store.roles }

    fileprivate func add(_ request: NewInvitation, token: SecretToken) throws(RecordError) -> InvitationInfo {
        let now = transaction.now
        guard try table.openCount(now: now) < Invitations.most else {
            throw .badRequest(
                "There is the full number of invitations. Take some away first", cause: .tooLarge,
                details: [("limit", .number(Int64(Invitations.most)))])
        }
        var roleIDs: [RoleID] = []
        for role in request.roles {
            guard let id = try roles.find(role.text) else {
                throw .unknownRole(role)
            }
            roleIDs.append(id)
        }
        let row = InvitationRow(
            id: SecretToken.makePublicID(), name: request.name, created: now, expires: now + request.seconds * 1_000,
            uses: request.uses)
        try table.add(row, hash: token.hash, roles: roleIDs)
        return InvitationInfo(row, roles: try table.roles(of: row.id).map(\.name))
    }

    /// Uses an invitation for an account. The account gets the roles of the invitation.
    ///
    /// - Parameter newName: The new name of the account; its current name by default.
    /// - Returns: The invitation's id.
    /// - Throws: ACCESS_DENIED if the invitation is invalid, for example because another sign-up has used it.
    func use(
        _ invitation: Invitation, for account: AccountRow, newName: String? = nil
    ) throws(RecordError) -> String {
        guard let row = try table.find(hash: invitation.hash), row.isFor(newName ?? account.name),
            try table.use(hash: invitation.hash, now: transaction.now)
        else { throw .invitationRejected }
        let given = try table.roles(of: row.id).map(\.id)
        guard !given.isEmpty else { return row.id }
        let sequence = try transaction.nextSequence()
        for role in given { try roles.addMember(account.id, to: role) }
        try roles.markChanged(accounts: [account.id], sequence: sequence)
        transaction.rightsChanged = true
        return row.id
    }
}

extension RecordError {
    /// The error for an invalid invitation.
    static let invitationRejected = RecordError(
        .accessDenied, "The invitation is wrong, used or expired. Ask for another one")
}
