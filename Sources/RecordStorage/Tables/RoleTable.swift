package import RecordModel

/// Custom roles, their members, and the roles whose members they include.
package final class RoleTable {
    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    package func find(_ name: String) throws(RecordError) -> Int64? {
        let statement = try connection.prepare("SELECT id FROM role WHERE name = ?1")
        statement.bind(1, text: name)
        return try statement.step() ? statement.integer(0) : nil
    }

    package func name(of role: Int64) throws(RecordError) -> String? {
        let statement = try connection.prepare("SELECT name FROM role WHERE id = ?1")
        statement.bind(1, role)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    package func names() throws(RecordError) -> [String] {
        let statement = try connection.prepare("SELECT name FROM role ORDER BY name")
        var found: [String] = []
        while try statement.step() { found.append(statement.text(0)) }
        return found
    }

    /// The public names of a role's own members, users first, then `role:` names.
    package func members(of role: Int64) throws(RecordError) -> [String] {
        var found: [String] = []
        for sql in [
            """
            SELECT account.record_name FROM role_member JOIN account ON account.id = role_member.account
            WHERE role_member.role = ?1 ORDER BY account.id
            """,
            """
            SELECT 'role:' || role.name FROM role_inclusion JOIN role ON role.id = role_inclusion.member
            WHERE role_inclusion.role = ?1 ORDER BY role.name
            """,
        ] {
            let statement = try connection.prepare(sql)
            statement.bind(1, role)
            while try statement.step() { found.append(statement.text(0)) }
        }
        return found
    }

    /// The accounts that hold a role, directly or through others.
    package func holders(of role: Int64) throws(RecordError) -> Set<Int64> {
        let statement = try connection.prepare(
            """
            WITH RECURSIVE included (id) AS (
                VALUES (?1)
                UNION SELECT role_inclusion.member FROM role_inclusion JOIN included ON role_inclusion.role = included.id
            )
            SELECT DISTINCT account FROM role_member JOIN included ON role_member.role = included.id
            """)
        statement.bind(1, role)
        var accounts: Set<Int64> = []
        while try statement.step() { accounts.insert(statement.integer(0)) }
        return accounts
    }

    package func add(_ name: String) throws(RecordError) -> Int64 {
        let insert = try connection.prepare("INSERT INTO role (name) VALUES (?1) RETURNING id")
        insert.bind(1, text: name)
        return try insert.returnedNumber()
    }

    /// Replaces the members of a role.
    package func setMembers(role: Int64, accounts: [Int64], roles: [Int64]) throws(RecordError) {
        for sql in ["DELETE FROM role_member WHERE role = ?1", "DELETE FROM role_inclusion WHERE role = ?1"] {
            let clear = try connection.prepare(sql)
            clear.bind(1, role)
            try clear.run()
        }
        let addMember = try connection.prepare("INSERT OR IGNORE INTO role_member (role, account) VALUES (?1, ?2)")
        for account in accounts {
            addMember.bind(1, role)
            addMember.bind(2, account)
            try addMember.run()
        }
        let addRole = try connection.prepare("INSERT OR IGNORE INTO role_inclusion (role, member) VALUES (?1, ?2)")
        for member in roles {
            addRole.bind(1, role)
            addRole.bind(2, member)
            try addRole.run()
        }
    }

    package func addMember(_ account: Int64, to role: Int64) throws(RecordError) {
        let add = try connection.prepare("INSERT OR IGNORE INTO role_member (role, account) VALUES (?1, ?2)")
        add.bind(1, role)
        add.bind(2, account)
        try add.run()
    }

    /// Takes an account into a role or out of it.
    ///
    /// - Returns: Whether that was not so before.
    package func set(isMember: Bool, account: Int64, of role: Int64) throws(RecordError) -> Bool {
        try change(
            isMember
                ? "INSERT OR IGNORE INTO role_member (role, account) VALUES (?1, ?2)"
                : "DELETE FROM role_member WHERE role = ?1 AND account = ?2", role, account)
    }

    /// Takes the members of one role into another or out of it.
    ///
    /// - Returns: Whether that was not so before.
    package func set(isMember: Bool, role member: Int64, of role: Int64) throws(RecordError) -> Bool {
        try change(
            isMember
                ? "INSERT OR IGNORE INTO role_inclusion (role, member) VALUES (?1, ?2)"
                : "DELETE FROM role_inclusion WHERE role = ?1 AND member = ?2", role, member)
    }

    private func change(_ sql: String, _ role: Int64, _ member: Int64) throws(RecordError) -> Bool {
        let statement = try connection.prepare(sql)
        statement.bind(1, role)
        statement.bind(2, member)
        try statement.run()
        return connection.changes > 0
    }

    package func remove(_ role: Int64) throws(RecordError) {
        for sql in [
            "DELETE FROM role_member WHERE role = ?1",
            "DELETE FROM role_inclusion WHERE role = ?1 OR member = ?1",
            "DELETE FROM role WHERE id = ?1",
        ] {
            let statement = try connection.prepare(sql)
            statement.bind(1, role)
            try statement.run()
        }
    }

    /// Marks accounts whose roles have changed: their older sync tokens are refused.
    package func markChanged(accounts: Set<Int64>, sequence: Int64) throws(RecordError) {
        let statement = try connection.prepare("UPDATE account SET granted = ?2 WHERE id = ?1")
        for account in accounts {
            statement.bind(1, account)
            statement.bind(2, sequence)
            try statement.run()
        }
    }
}
