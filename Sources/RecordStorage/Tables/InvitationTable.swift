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
        let statement = try connection.prepare("SELECT \(Self.columns) FROM invitation WHERE hash = ?1")
        statement.bind(1, blob: hash)
        return try statement.row(read)
    }

    /// All of them, the oldest first.
    package func list() throws(RecordError) -> [InvitationRow] {
        let statement = try connection.prepare("SELECT \(Self.columns) FROM invitation ORDER BY created, id")
        return try statement.rows(read)
    }

    /// How many are good for something.
    package func openCount(now: Int64) throws(RecordError) -> Int {
        let statement = try connection.prepare("SELECT count(*) FROM invitation WHERE expires > ?1 AND used < uses")
        statement.bind(1, now)
        return Int(try statement.row { $0.integer(0) } ?? 0)
    }

    /// The roles that an invitation gives, as far as they still exist: numbers and names, by name.
    package func roles(of id: String) throws(RecordError) -> [(id: Int64, name: String)] {
        let statement = try connection.prepare(
            """
            SELECT role.id, role.name FROM invitation_role JOIN role ON role.id = invitation_role.role
            WHERE invitation_role.invitation = ?1 ORDER BY role.name
            """)
        statement.bind(1, text: id)
        return try statement.rows { ($0.integer(0), $0.text(1)) }
    }

    private func read(_ statement: Statement) -> InvitationRow {
        InvitationRow(
            id: statement.text(0), name: statement.optionalText(1), created: statement.integer(2),
            expires: statement.integer(3), uses: statement.integer(4), used: statement.integer(5))
    }

    // MARK: Writing

    package func add(_ row: InvitationRow, hash: [UInt8], roles: [Int64]) throws(RecordError) {
        let insert = try connection.prepare(
            "INSERT INTO invitation (hash, id, name, created, expires, uses) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        insert.bind(1, blob: hash)
        insert.bind(2, text: row.id)
        insert.bind(3, optionalText: row.name)
        insert.bind(4, row.created)
        insert.bind(5, row.expires)
        insert.bind(6, row.uses)
        try insert.run()
        let addRole = try connection.prepare(
            "INSERT OR IGNORE INTO invitation_role (invitation, role) VALUES (?1, ?2)")
        for role in roles {
            addRole.bind(1, text: row.id)
            addRole.bind(2, role)
            try addRole.run()
        }
    }

    /// Uses an invitation once more.
    ///
    /// - Returns: Whether it was good for that.
    package func use(hash: [UInt8], now: Int64) throws(RecordError) -> Bool {
        let update = try connection.prepare(
            "UPDATE invitation SET used = used + 1, used_at = ?2 WHERE hash = ?1 AND used < uses AND expires > ?2")
        update.bind(1, blob: hash)
        update.bind(2, now)
        try update.run()
        return connection.changes > 0
    }

    /// - Returns: Whether there was such an invitation.
    package func remove(id: String) throws(RecordError) -> Bool {
        let roles = try connection.prepare("DELETE FROM invitation_role WHERE invitation = ?1")
        roles.bind(1, text: id)
        try roles.run()
        let statement = try connection.prepare("DELETE FROM invitation WHERE id = ?1")
        statement.bind(1, text: id)
        try statement.run()
        return connection.changes > 0
    }

    /// Takes away invitations that had expired, or were used up, before a moment.
    ///
    /// - Returns: How many.
    package func removeEnded(before moment: Int64, limit: Int) throws(RecordError) -> Int {
        let find = try connection.prepare(
            """
            SELECT id FROM invitation WHERE expires < ?1 OR (used >= uses AND coalesce(used_at, created) < ?1) LIMIT ?2
            """)
        find.bind(1, moment)
        find.bind(2, Int64(limit))
        let found = try find.rows { $0.text(0) }
        for id in found { _ = try remove(id: id) }
        return found.count
    }
}
