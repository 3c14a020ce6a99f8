package import RecordModel
internal import UnicodeText

/// Whose an account is. The numbers are part of the storage format.
package enum AccountKind: Int64, Sendable {
    /// Somebody with a name and a password.
    case person = 0
    /// Somebody who has not said a name yet; its name is its record name.
    case anonymous = 1
    /// A service with an API key; its name is its record name.
    case service = 2
}

/// An account as stored.
package struct AccountRow: Hashable, Sendable {
    package var id: UserID
    package var recordName: String
    package var name: String
    /// The password's hash in PHC format; `nil` for an account that cannot sign in by password.
    package var password: String?
    /// Milliseconds since 1970.
    package var created: Int64
    /// The sequence number of the last change of its roles.
    package var granted: Int64
    package var kind: AccountKind
    /// Since when nobody signs in to it, in milliseconds since 1970.
    package var disabled: Int64?

    package init(
        id: UserID, recordName: String, name: String, password: String?, created: Int64, granted: Int64,
        kind: AccountKind = .person, disabled: Int64? = nil
    ) {
        self.id = id
        self.recordName = recordName
        self.name = name
        self.password = password
        self.created = created
        self.granted = granted
        self.kind = kind
        self.disabled = disabled
    }
}

/// Accounts. Readers and the writer each have one on their own connection.
///
/// Names are compared by their keys (NFKC_Casefold), as usernames are by RFC 8265 §3.3: a name that differs only in case,
/// width, encoding or invisible characters is taken. Files from before that rule may have accounts that share a key: each
/// of them is found by its exact spelling, and by no other.
package final class AccountTable {
    private let connection: Connection
    private let byName: Statement
    /// `nil` in a file that has no keys yet.
    private let byKey: Statement?
    private let byID: Statement
    private let byRecordName: Statement
    private let rolesOf: Statement
    private let columns: String
    private let kind: String

    package init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        // The command line also reads files that no newer server has opened yet.
        let applied = try Migrations.applied(on: connection)
        kind = applied >= Migrations.withAccountKinds ? "kind" : "0"
        let disabled = applied >= Migrations.withDisabledAccounts ? "disabled" : "NULL"
        columns = "id, record_name, name, password, created, granted, \(kind), \(disabled)"
        byName = connection.prepare("SELECT \(columns) FROM account WHERE name = ?1")
        byKey =
            applied >= Migrations.withNameKeys
            ? connection.prepare("SELECT \(columns) FROM account WHERE name_key = ?1 LIMIT 2") : nil
        byID = connection.prepare("SELECT \(columns) FROM account WHERE id = ?1")
        byRecordName = connection.prepare("SELECT \(columns) FROM account WHERE record_name = ?1")
        // Membership is inherited: who is in an included role is in the including one. UNION stops at circles.
        rolesOf = connection.prepare(
            """
            WITH RECURSIVE held (id) AS (
                SELECT role FROM role_member WHERE account = ?1
                UNION SELECT role_inclusion.role FROM role_inclusion JOIN held ON role_inclusion.member = held.id
            )
            SELECT role.name, role.id FROM held JOIN role ON role.id = held.id
            """)
    }

    /// The account that a name means: the one that is spelled so, else the only one whose name has the same key.
    package func find(name: String) throws(RecordError) -> AccountRow? {
        if let row = try byName.with(name).row(read) { return row }
        guard let byKey else { return nil }
        let rows = try byKey.with(name.nfkcCasefold).rows(read)
        return rows.count == 1 ? rows.first : nil
    }

    /// Accounts whose names have had the same key since before keys were compared, those of one key together.
    package func lookAlikes() throws(RecordError) -> [[AccountRow]] {
        guard byKey != nil else { return [] }
        let statement = connection.prepare(
            """
            SELECT \(columns), name_key FROM look_alike_account JOIN account AS own ON own.id = account
            WHERE EXISTS (SELECT 1 FROM account AS other WHERE other.name_key = own.name_key AND other.id != own.id)
            ORDER BY name_key, id LIMIT 1000
            """)
        var groups: [[AccountRow]] = []
        var last: String?
        for (row, key) in try statement.rows({ (self.read(&$0), $0.next(String.self)) }) {
            if key == last, !groups.isEmpty { groups[groups.count - 1].append(row) } else { groups.append([row]) }
            last = key
        }
        return groups
    }

    package func find(id: UserID) throws(RecordError) -> AccountRow? {
        try byID.with(id).row(read)
    }

    package func find(recordName: String) throws(RecordError) -> AccountRow? {
        try byRecordName.with(recordName).row(read)
    }

    /// Whether there is any.
    package func isEmpty() throws(RecordError) -> Bool {
        try connection.integer("SELECT 1 FROM account LIMIT 1") == nil
    }

    /// The custom roles of an account, directly or through other roles.
    package func roles(of account: UserID) throws(RecordError) -> [RoleName: RoleID] {
        var roles: [RoleName: RoleID] = [:]
        for (name, id) in try rolesOf.with(account).rows({ (RoleName($0.next()), $0.next(RoleID.self)) }) {
            if let name { roles[name] = id }
        }
        return roles
    }

    /// A page of accounts by number, without those of services.
    package func list(after id: UserID, limit: Int) throws(RecordError) -> [AccountRow] {
        try connection.prepare(
            "SELECT \(columns) FROM account WHERE id > ?1 AND \(kind) != 2 ORDER BY id LIMIT ?2"
        ).with(id, limit).rows(read)
    }

    private func read(_ row: inout Columns) -> AccountRow {
        AccountRow(
            id: row.next(), recordName: row.next(), name: row.next(), password: row.next(), created: row.next(),
            granted: row.next(), kind: AccountKind(rawValue: row.next()) ?? .person, disabled: row.next())
    }

    // MARK: Writing

    /// Adds an account.
    ///
    /// - Throws: EXISTS with cause NAME_TAKEN if its name is taken, in whatever spelling.
    package func add(
        recordName: String, name: String, password: String?, created: Int64, kind: AccountKind = .person
    ) throws(RecordError) -> UserID {
        let key = try freeKey(of: name)
        return try connection.prepare(
            """
            INSERT INTO account (record_name, name, password, created, kind, name_key)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id
            """
        ).with(recordName, name, password, created, kind.rawValue, key).returnedID()
    }

    /// The key of a name that an account is about to get.
    ///
    /// - Throws: EXISTS with cause NAME_TAKEN if that of another is the same.
    private func freeKey(of name: String, for account: UserID = .unassigned) throws(RecordError) -> String {
        let key = name.nfkcCasefold
        let others = connection.prepare("SELECT 1 FROM account WHERE name_key = ?1 AND id != ?2 LIMIT 1")
        guard try !others.with(key, account).exists() else { throw .nameTaken }
        return key
    }

    package func setPassword(_ password: String, account: UserID) throws(RecordError) {
        try connection.prepare("UPDATE account SET password = ?2 WHERE id = ?1").with(account, password).run()
    }

    /// Gives an account another name.
    ///
    /// - Throws: EXISTS with cause NAME_TAKEN if another account has it, in whatever spelling.
    package func setName(_ name: String, account: UserID) throws(RecordError) {
        let key = try freeKey(of: name, for: account)
        try connection.prepare("UPDATE account SET name = ?2, name_key = ?3 WHERE id = ?1").with(account, name, key)
            .run()
    }

    package func setKind(_ kind: AccountKind, account: UserID) throws(RecordError) {
        try connection.prepare("UPDATE account SET kind = ?2 WHERE id = ?1").with(account, kind.rawValue).run()
    }

    /// - Parameter since: `nil` lets it sign in again.
    package func setDisabled(since: Int64?, account: UserID) throws(RecordError) {
        try connection.prepare("UPDATE account SET disabled = ?2 WHERE id = ?1").with(account, since).run()
    }

    /// Takes away an account, its sessions and its memberships. Its records keep its number, which is never given again.
    ///
    /// - Parameter mayStandInRecords: Whether there may be any, so that conditions on `_deleted` must mean the number.
    package func remove(account: UserID, mayStandInRecords: Bool) throws(RecordError) {
        var steps: [SQL] = [
            "DELETE FROM session WHERE account = ?1", "DELETE FROM role_member WHERE account = ?1",
            "DELETE FROM account WHERE id = ?1",
        ]
        if mayStandInRecords { steps.append("INSERT OR IGNORE INTO gone_account (account) VALUES (?1)") }
        for sql in steps {
            try connection.prepare(sql).with(account).run()
        }
    }
}

extension RecordError {
    fileprivate static let nameTaken = RecordError(
        .exists, "An account has this name already, or one that looks the same. Choose another name", cause: .nameTaken)
}
