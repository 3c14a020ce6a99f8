package import RecordModel

/// A stored invitation.
package struct InvitationRow: Hashable, Sendable {
    /// A random ID. Lists of invitations show the ID instead of the token.
    package var id: String
    /// The only account name that the invitation can be used for; `nil` for any name.
    package var name: String?
    /// When the invitation was created, in milliseconds since 1970.
    package var created: Int64
    /// When the invitation expires, in milliseconds since 1970.
    package var expires: Int64
    /// The number of accounts that can be created with the invitation.
    package var uses: Int64
    /// The number of accounts that were created with the invitation.
    package var used: Int64

    /// Creates a row to store, or a row that was read.
    package init(id: String, name: String?, created: Int64, expires: Int64, uses: Int64, used: Int64 = 0) {
        self.id = id
        self.name = name
        self.created = created
        self.expires = expires
        self.uses = uses
        self.used = used
    }
}

/// Invitations by the hashes of their tokens. Each reader and the writer have their own
/// `InvitationTable` on their own connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class InvitationTable {
    private let connection: Connection

    private static let columns = "id, name, created, expires, uses, used"

    /// Uses `connection` for all reads and writes.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the invitation whose token has this hash, even if the invitation has expired; `nil` if there is none.
    package func find(hash: [UInt8]) throws(RecordError) -> InvitationRow? {
        try connection.prepare("SELECT \(Self.columns) FROM invitation WHERE hash = ?1").with(hash).row(read)
    }

    /// Returns all invitations, oldest first.
    package func list() throws(RecordError) -> [InvitationRow] {
        let statement = connection.prepare("SELECT \(Self.columns) FROM invitation ORDER BY created, id")
        return try statement.rows(read)
    }

    /// Returns the number of valid invitations.
    package func openCount(now: Int64) throws(RecordError) -> Int {
        try connection.prepare("SELECT count(*) FROM invitation WHERE expires > ?1 AND used < uses").with(now)
            .row { $0.next() } ?? 0
    }

    /// Returns the roles that an invitation grants and that still exist, ordered by name.
    package func roles(of id: String) throws(RecordError) -> [(id: RoleID, name: String)] {
        try connection.prepare(
            """
            SELECT role.id, role.name FROM invitation_role JOIN role ON role.id = invitation_role.role
            WHERE invitation_role.invitation = ?1 ORDER BY role.name
            """
        ).with(id).rows { ($0.next(), $0.next()) }
    }

    private func read(_ row: inout Columns) -> InvitationRow {
        InvitationRow(
            id: row.next(), name: row.next(), created: row.next(), expires: row.next(), uses: row.next(),
            used: row.next())
    }

    // MARK: Writing

    /// Adds an invitation with its roles.
    package func add(_ row: InvitationRow, hash: [UInt8], roles: [RoleID]) throws(RecordError) {
        try connection.prepare(
            "INSERT INTO invitation (hash, id, name, created, expires, uses) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        ).with(hash, row.id, row.name, row.created, row.expires, row.uses).run()
        let addRole = connection.prepare(
            "INSERT OR IGNORE INTO invitation_role (invitation, role) VALUES (?1, ?2)")
        for role in roles {
            try addRole.with(row.id, role).run()
        }
    }

    /// Counts a use of an invitation.
    ///
    /// - Returns: Whether the invitation was valid.
    package func use(hash: [UInt8], now: Int64) throws(RecordError) -> Bool {
        try connection.prepare(
            "UPDATE invitation SET used = used + 1, used_at = ?2 WHERE hash = ?1 AND used < uses AND expires > ?2"
        ).with(hash, now).changedRows() > 0
    }

    /// Deletes an invitation.
    ///
    /// - Returns: Whether the invitation existed.
    package func remove(id: String) throws(RecordError) -> Bool {
        try connection.prepare("DELETE FROM invitation_role WHERE invitation = ?1").with(id).run()
        return try connection.prepare("DELETE FROM invitation WHERE id = ?1").with(id).changedRows() > 0
    }

    /// Deletes invitations that expired or were used up before `moment` (milliseconds since 1970).
    ///
    /// - Returns: The number of deleted invitations.
    package func removeEnded(before moment: Int64, limit: Int) throws(RecordError) -> Int {
        let find = connection.prepare(
            """
            SELECT id FROM invitation WHERE expires < ?1 OR (used >= uses AND coalesce(used_at, created) < ?1) LIMIT ?2
            """)
        let found: [String] = try find.with(moment, limit).rows { $0.next() }
        for id in found { _ = try remove(id: id) }
        return found.count
    }
}
