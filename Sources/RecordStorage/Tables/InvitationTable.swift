package import RecordModel

/// An invitation as stored.
package struct InvitationRow: Hashable, Sendable {
    /// Random; what lists show in the place of the token.
    package var id: String
    /// Whose name it is for; `nil` for anybody's.
    package var name: String?
    /// Milliseconds since 1970.
    package var created: Int64
    package var expires: Int64
    /// How many accounts may be made with it.
    package var uses: Int64
    /// How many have been.
    package var used: Int64

    package init(id: String, name: String?, created: Int64, expires: Int64, uses: Int64, used: Int64 = 0) {
        self.id = id
        self.name = name
        self.created = created
        self.expires = expires
        self.uses = uses
        self.used = used
    }
}

/// Invitations by the hashes of their tokens. Readers and the writer each have one on their own connection.
package final class InvitationTable {
    private let connection: Connection

    private static let columns = "id, name, created, expires, uses, used"

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// The invitation of a token, whether or not it is good any more.
    package func find(hash: [UInt8]) throws(RecordError) -> InvitationRow? {
        try connection.prepare("SELECT \(Self.columns) FROM invitation WHERE hash = ?1").with(hash).row(read)
    }

    /// All of them, the oldest first.
    package func list() throws(RecordError) -> [InvitationRow] {
        let statement = connection.prepare("SELECT \(Self.columns) FROM invitation ORDER BY created, id")
        return try statement.rows(read)
    }

    /// How many are good for something.
    package func openCount(now: Int64) throws(RecordError) -> Int {
        try connection.prepare("SELECT count(*) FROM invitation WHERE expires > ?1 AND used < uses").with(now)
            .row { $0.next() } ?? 0
    }

    /// The roles that an invitation gives, as far as they still exist: numbers and names, by name.
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

    /// Uses an invitation once more.
    ///
    /// - Returns: Whether it was good for that.
    package func use(hash: [UInt8], now: Int64) throws(RecordError) -> Bool {
        try connection.prepare(
            "UPDATE invitation SET used = used + 1, used_at = ?2 WHERE hash = ?1 AND used < uses AND expires > ?2"
        ).with(hash, now).changedRows() > 0
    }

    /// - Returns: Whether there was such an invitation.
    package func remove(id: String) throws(RecordError) -> Bool {
        try connection.prepare("DELETE FROM invitation_role WHERE invitation = ?1").with(id).run()
        return try connection.prepare("DELETE FROM invitation WHERE id = ?1").with(id).changedRows() > 0
    }

    /// Takes away invitations that had expired, or were used up, before a moment.
    ///
    /// - Returns: How many.
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
