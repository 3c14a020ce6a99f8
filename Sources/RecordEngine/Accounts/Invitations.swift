internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads
internal import UnicodeText

/// The token of an invitation as somebody brings it.
package struct Invitation: Sendable {
    let hash: [UInt8]

    package init(token: String) {
        hash = SHA256.hash(utf8: token).bytes
    }
}

/// An invitation that is to be made.
package struct InvitationWish: Sendable {
    let name: String?
    let seconds: Int64
    let uses: Int64
    let roles: [RoleName]

    /// - Parameters:
    ///   - name: Whom it is for; `nil` for anybody.
    ///   - seconds: How long it is good; a week unless given.
    ///   - uses: How many accounts may be made with it; one unless given.
    ///   - roles: Those that each of the accounts gets.
    /// - Throws: BAD_REQUEST for what is out of bounds.
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

/// An invitation as administrators see it.
package struct InvitationInfo: Hashable, Sendable {
    package let id: String
    package let name: String?
    /// Milliseconds since 1970.
    package let created: Int64
    package let expires: Int64
    package let uses: Int64
    package let used: Int64
    package let roles: [String]

    /// What it is good for at a moment: `open`, `used` or `expired`.
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

    /// What the log says of it besides its id, which is the target.
    fileprivate var auditDetail: JSONObject {
        var detail = JSONObject([("uses", .integer(uses)), ("expiresAt", .integer(expires))])
        if let name { detail["name"] = .string(name) }
        for (key, value) in AuditText.names(roles, of: "roles") { detail[key] = value }
        return detail
    }
}

/// The invitations with which people sign up.
package struct Invitations: Sendable {
    let database: RecordDatabase

    /// The invitations that may be open at once.
    fileprivate static var most: Int { 1_000 }

    /// Makes an invitation.
    ///
    /// - Returns: Its token, shown this once, and the rest.
    /// - Throws: BAD_REQUEST for a role that does not exist, or too many invitations.
    package func create(
        _ wish: InvitationWish, by actor: AuditActor
    ) async throws(RecordError) -> (token: String, info: InvitationInfo) {
        let token = SecretToken(.invitation)
        let info = try await database.write { transaction throws(RecordError) in
            try transaction.callers.require(.manageUsers, of: actor)
            // Nobody gives roles by an invitation who may not give them otherwise.
            if !wish.roles.isEmpty { try transaction.callers.require(.changeRights, of: actor) }
            let info = try transaction.invitations.add(wish, token: token)
            try transaction.auditLog.append(.invitationCreate, info.id, by: actor, detail: info.auditDetail)
            return info
        }
        return (token.text, info)
    }

    /// Takes an invitation back.
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
    package var invitations: InvitationReader { InvitationReader(table: store.invitations) }
}

/// Invitations as a reader finds them.
package struct InvitationReader {
    let table: InvitationTable

    /// All invitations, the oldest first.
    package func list() throws(RecordError) -> [InvitationInfo] {
        try table.list().map { row throws(RecordError) in
            InvitationInfo(row, roles: try table.roles(of: row.id).map(\.name))
        }
    }

    /// Refuses an invitation that is not good, before a password is hashed for it.
    ///
    /// - Throws: ACCESS_DENIED, the same whatever is wrong with it.
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

/// What writes do to invitations.
struct InvitationWriter {
    let transaction: WriteTransaction
    private var table: InvitationTable { transaction.store.invitations }
    private var roles: RoleTable { transaction.store.roles }

    fileprivate func add(_ wish: InvitationWish, token: SecretToken) throws(RecordError) -> InvitationInfo {
        let now = transaction.now
        guard try table.openCount(now: now) < Invitations.most else {
            throw .badRequest(
                "There is the full number of invitations. Take some away first", cause: .tooLarge,
                details: [("limit", .number(Int64(Invitations.most)))])
        }
        var roleIDs: [RoleID] = []
        for role in wish.roles {
            guard let id = try roles.find(role.text) else {
                throw .unknownRole(role)
            }
            roleIDs.append(id)
        }
        let row = InvitationRow(
            id: SecretToken.makePublicID(), name: wish.name, created: now, expires: now + wish.seconds * 1_000,
            uses: wish.uses)
        try table.add(row, hash: token.hash, roles: roleIDs)
        return InvitationInfo(row, roles: try table.roles(of: row.id).map(\.name))
    }

    /// Uses an invitation for an account, which gets the roles that it gives.
    ///
    /// - Parameter newName: The name that the account is about to get; its own unless given.
    /// - Returns: The invitation's id.
    /// - Throws: ACCESS_DENIED if it is not good any more: somebody was faster.
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
    static let invitationRejected = RecordError(
        .accessDenied, "The invitation is not valid, or no longer. Ask for another one")
}
