package import RecordModel

/// Custom roles, their direct members, and the roles that they include.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class RoleTable {
    private let connection: Connection

    /// Uses `connection` for all reads and writes.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the role with a name; `nil` if there is none.
    package func find(_ name: String) throws(RecordError) -> RoleID? {
        try connection.prepare("SELECT id FROM role WHERE name = ?1").with(name).id()
    }

    /// Returns the name of a role; `nil` if there is no such role.
    package func name(of role: RoleID) throws(RecordError) -> String? {
        try connection.prepare("SELECT name FROM role WHERE id = ?1").with(role).row { $0.next() }
    }

    /// Returns the names of all roles, sorted.
    package func names() throws(RecordError) -> [String] {
        try connection.prepare("SELECT name FROM role ORDER BY name").rows { $0.next() }
    }

    /// Returns the names of a role's direct members. First come the users, then the roles in the form `role:<name>`.
    package func members(of role: RoleID) throws(RecordError) -> [String] {
        let accounts: [String] = try connection.prepare(
            """
            SELECT account.record_name FROM role_member JOIN account ON account.id = role_member.account
            WHERE role_member.role = ?1 ORDER BY account.id
            """
        ).with(role).rows { $0.next() }
        let roles: [String] = try connection.prepare(
            """
            SELECT 'role:' || role.name FROM role_inclusion JOIN role ON role.id = role_inclusion.member
            WHERE role_inclusion.role = ?1 ORDER BY role.name
            """
        ).with(role).rows { $0.next() }
        return accounts + roles
    }

    /// Returns the accounts that have a role, directly or through other roles.
    package func holders(of role: RoleID) throws(RecordError) -> Set<UserID> {
        let statement = connection.prepare(
            """
            WITH RECURSIVE included (id) AS (
                VALUES (?1)
                UNION SELECT role_inclusion.member FROM role_inclusion JOIN included ON role_inclusion.role = included.id
            )
            SELECT DISTINCT account FROM role_member JOIN included ON role_member.role = included.id
            """)
        return Set(try statement.with(role).rows { $0.next() })
    }

    /// Adds a role without members.
    package func add(_ name: String) throws(RecordError) -> RoleID {
        try connection.prepare("INSERT INTO role (name) VALUES (?1) RETURNING id").with(name).returnedID()
    }

    /// Replaces the members of a role.
    package func setMembers(role: RoleID, accounts: [UserID], roles: [RoleID]) throws(RecordError) {
        for sql: SQL in ["DELETE FROM role_member WHERE role = ?1", "DELETE FROM role_inclusion WHERE role = ?1"] {
            try connection.prepare(sql).with(role).run()
        }
        let addMember = connection.prepare("INSERT OR IGNORE INTO role_member (role, account) VALUES (?1, ?2)")
        for account in accounts {
            try addMember.with(role, account).run()
        }
        let addRole = connection.prepare("INSERT OR IGNORE INTO role_inclusion (role, member) VALUES (?1, ?2)")
        for member in roles {
            try addRole.with(role, member).run()
        }
    }

    /// Adds an account to a role. Does nothing if the account is a member already.
    package func addMember(_ account: UserID, to role: RoleID) throws(RecordError) {
        try connection.prepare("INSERT OR IGNORE INTO role_member (role, account) VALUES (?1, ?2)").with(role, account)
            .run()
    }

    /// Adds an account to a role, or removes the account from the role.
    ///
    /// - Returns: Whether the membership changed.
    package func set(isMember: Bool, account: UserID, of role: RoleID) throws(RecordError) -> Bool {
        try change(
            isMember
                ? "INSERT OR IGNORE INTO role_member (role, account) VALUES (?1, ?2)"
                : "DELETE FROM role_member WHERE role = ?1 AND account = ?2", role, account)
    }

    /// Adds the role `member` to another role, or removes `member` from the other role.
    ///
    /// - Returns: Whether the membership changed.
    package func set(isMember: Bool, role member: RoleID, of role: RoleID) throws(RecordError) -> Bool {
        try change(
            isMember
                ? "INSERT OR IGNORE INTO role_inclusion (role, member) VALUES (?1, ?2)"
                : "DELETE FROM role_inclusion WHERE role = ?1 AND member = ?2", role, member)
    }

    private func change(_ sql: SQL, _ role: RoleID, _ member: some StoredID & Bindable) throws(RecordError) -> Bool {
        try connection.prepare(sql).with(role, member).changedRows() > 0
    }

    /// Deletes a role and its memberships.
    package func remove(_ role: RoleID) throws(RecordError) {
        for sql: SQL in [
            "DELETE FROM role_member WHERE role = ?1",
            "DELETE FROM role_inclusion WHERE role = ?1 OR member = ?1",
            "DELETE FROM role WHERE id = ?1",
        ] {
            try connection.prepare(sql).with(role).run()
        }
    }

    /// Stores that the roles of accounts changed at `sequence`. The server then rejects sync tokens of these accounts
    /// that are older than this sequence number.
    package func markChanged(accounts: Set<UserID>, sequence: Int64) throws(RecordError) {
        let statement = connection.prepare("UPDATE account SET granted = ?2 WHERE id = ?1")
        for account in accounts {
            try statement.with(account, sequence).run()
        }
    }
}
