package import RecordModel

/// Custom roles, their members, and the roles whose members they include.
package final class RoleTable {
    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    package func find(_ name: String) throws(RecordError) -> RoleID? {
        try connection.prepare("SELECT id FROM role WHERE name = ?1").with(name).id()
    }

    package func name(of role: RoleID) throws(RecordError) -> String? {
        try connection.prepare("SELECT name FROM role WHERE id = ?1").with(role).row { $0.next() }
    }

    package func names() throws(RecordError) -> [String] {
        try connection.prepare("SELECT name FROM role ORDER BY name").rows { $0.next() }
    }

    /// The public names of a role's own members, users first, then `role:` names.
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

    /// The accounts that hold a role, directly or through others.
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

    package func addMember(_ account: UserID, to role: RoleID) throws(RecordError) {
        try connection.prepare("INSERT OR IGNORE INTO role_member (role, account) VALUES (?1, ?2)").with(role, account)
            .run()
    }

    /// Takes an account into a role or out of it.
    ///
    /// - Returns: Whether that was not so before.
    package func set(isMember: Bool, account: UserID, of role: RoleID) throws(RecordError) -> Bool {
        try change(
            isMember
                ? "INSERT OR IGNORE INTO role_member (role, account) VALUES (?1, ?2)"
                : "DELETE FROM role_member WHERE role = ?1 AND account = ?2", role, account)
    }

    /// Takes the members of one role into another or out of it.
    ///
    /// - Returns: Whether that was not so before.
    package func set(isMember: Bool, role member: RoleID, of role: RoleID) throws(RecordError) -> Bool {
        try change(
            isMember
                ? "INSERT OR IGNORE INTO role_inclusion (role, member) VALUES (?1, ?2)"
                : "DELETE FROM role_inclusion WHERE role = ?1 AND member = ?2", role, member)
    }

    private func change(_ sql: SQL, _ role: RoleID, _ member: some StoredID & Bindable) throws(RecordError) -> Bool {
        try connection.prepare(sql).with(role, member).changedRows() > 0
    }

    package func remove(_ role: RoleID) throws(RecordError) {
        for sql: SQL in [
            "DELETE FROM role_member WHERE role = ?1",
            "DELETE FROM role_inclusion WHERE role = ?1 OR member = ?1",
            "DELETE FROM role WHERE id = ?1",
        ] {
            try connection.prepare(sql).with(role).run()
        }
    }

    /// Marks accounts whose roles have changed: their older sync tokens are refused.
    package func markChanged(accounts: Set<UserID>, sequence: Int64) throws(RecordError) {
        let statement = connection.prepare("UPDATE account SET granted = ?2 WHERE id = ?1")
        for account in accounts {
            try statement.with(account, sequence).run()
        }
    }
}
