package import RecordModel
internal import UnicodeText

/// The kind of an account. The raw values are part of the storage format.
package enum AccountKind: Int64, Sendable {
    /// A person with a name and a password.
    case person = 0
    /// A person without a name yet; the account's name is its record name.
    case anonymous = 1
    /// A service with an API key; the account's name is its record name.
    case service = 2
}

/// A stored account.
package struct AccountRow: Hashable, Sendable {
    /// The account's number.
    package var id: UserID
    /// The name of the account's user record.
    package var recordName: String
    /// The name to sign in with.
    package var name: String
    /// The password's hash in PHC format; `nil` if the account has no password.
    package var password: String?
    /// When the account was created, in milliseconds since 1970.
    package var created: Int64
    /// The sequence number of the last change of the account's roles.
    package var granted: Int64
    /// The kind of the account.
    package var kind: AccountKind
    /// When the account was disabled, in milliseconds since 1970; `nil` if the account
    /// is enabled.
    package var disabled: Int64?

    /// Creates the row of an account that was read.
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

/// Accounts. Each reader and the writer have their own `AccountTable` on their own connection.
///
/// Names are compared by their keys (NFKC_Casefold), as RFC 8265 §3.3 does for usernames: names that differ only in
/// case, width, encoding or invisible characters are equal. Accounts that are older than this rule can share a key.
/// Each of these accounts is found only by the exact spelling of its name.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class AccountTable {
    private let connection: Connection
    private let byName: Statement
    /// `nil` if the file lacks the column of name keys.
    private let byKey: Statement?
    private let byID: Statement
    private let byRecordName: Statement
    private let rolesOf: Statement
    private let columns: String
    private let kind: String

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        // The command line also reads files with an older layout.
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
        // A member of an included role is a member of the including role. UNION ends cycles.
        rolesOf = connection.prepare(
            """
            WITH RECURSIVE held (id) AS (
                SELECT role FROM role_member WHERE account = ?1
                UNION SELECT role_inclusion.role FROM role_inclusion JOIN held ON role_inclusion.member = held.id
            )
            SELECT role.name, role.id FROM held JOIN role ON role.id = held.id
            """)
    }

    /// Returns the account with this exact name. If there is none, returns the account whose name has the same key;
    /// `nil` if no account or more than one has this key.
    package func find(name: String) throws(RecordError) -> AccountRow? {
        if let row = try byName.with(name).row(read) { return row }
        guard let byKey else { return nil }
        let rows = try byKey.with(name.nfkcCasefold).rows(read)
        return rows.count == 1 ? rows.first : nil
    }

    /// Returns groups of accounts that share a name key. Such accounts are older than the comparison of keys.
    package func confusableNames() throws(RecordError) -> [[AccountRow]] {
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

    /// Returns the account with a number; `nil` if there is none.
    package func find(id: UserID) throws(RecordError) -> AccountRow? {
        try byID.with(id).row(read)
    }

    /// Returns the account with a user record's name; `nil` if there is none.
    package func find(recordName: String) throws(RecordError) -> AccountRow? {
        try byRecordName.with(recordName).row(read)
    }

    /// Returns whether there are no accounts.
    package func isEmpty() throws(RecordError) -> Bool {
        try connection.integer("SELECT 1 FROM account LIMIT 1") == nil
    }

    /// Returns the custom roles that an account has directly or through other roles.
    package func roles(of account: UserID) throws(RecordError) -> [RoleName: RoleID] {
        var roles: [RoleName: RoleID] = [:]
        for (name, id) in try rolesOf.with(account).rows({ (RoleName($0.next()), $0.next(RoleID.self)) }) {
            if let name { roles[name] = id }
        }
        return roles
    }

    /// Returns a page of accounts in the order of their numbers, without service accounts.
    package func list(after id: UserID, limit: Int) throws(RecordError) -> [AccountRow] {
        try connection.prepare(
            "SELECT \(columns) FROM account WHERE id > ?1 AND \(kind) != 2 ORDER BY id LIMIT ?2"
        ).with(id, limit).rows(read)
    }

    /// Returns a page of accounts in the order of their numbers, with service accounts.
    package func listAll(after id: UserID, limit: Int) throws(RecordError) -> [AccountRow] {
        try connection.prepare("SELECT \(columns) FROM account WHERE id > ?1 ORDER BY id LIMIT ?2").with(id, limit)
            .rows(read)
    }

    /// Returns accounts of people whose name keys begin with a key, in the order of these keys.
    ///
    /// - Parameter position: The name key and the number of the account before the first one; `nil` for the beginning.
    package func search(
        _ prefix: String, after position: (key: String, id: UserID)?, limit: Int
    ) throws(RecordError) -> [(row: AccountRow, key: String)] {
        // U+10FFFF is not assigned, so no key contains it.
        try connection.prepare(
            """
            SELECT \(columns), name_key FROM account
            WHERE name_key >= ?1 AND name_key < ?2 AND (name_key, id) > (?3, ?4) AND \(kind) = 0
            ORDER BY name_key, id LIMIT ?5
            """
        ).with(prefix, prefix + "\u{10FFFF}", position?.key ?? "", position?.id ?? .unassigned, limit)
            .rows({ (self.read(&$0), $0.next(String.self)) })
    }

    private func read(_ row: inout Columns) -> AccountRow {
        AccountRow(
            id: row.next(), recordName: row.next(), name: row.next(), password: row.next(), created: row.next(),
            granted: row.next(), kind: AccountKind(rawValue: row.next()) ?? .person, disabled: row.next())
    }

    // MARK: Writing

    /// Adds an account.
    ///
    /// - Returns: The number of the new account.
    /// - Throws: EXISTS with cause NAME_TAKEN if the name of another account has the same key.
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

    /// Returns the key of an account's new name.
    ///
    /// - Throws: EXISTS with cause NAME_TAKEN if the name of another account has the same key.
    private func freeKey(of name: String, for account: UserID = .unassigned) throws(RecordError) -> String {
        let key = name.nfkcCasefold
        let others = connection.prepare("SELECT 1 FROM account WHERE name_key = ?1 AND id != ?2 LIMIT 1")
        guard try !others.with(key, account).exists() else { throw .nameTaken }
        return key
    }

    /// Replaces the password hash (PHC format) of an account.
    package func setPassword(_ password: String, account: UserID) throws(RecordError) {
        try connection.prepare("UPDATE account SET password = ?2 WHERE id = ?1").with(account, password).run()
    }

    /// Changes an account's name.
    ///
    /// - Throws: EXISTS with cause NAME_TAKEN if the name of another account has the same key.
    package func setName(_ name: String, account: UserID) throws(RecordError) {
        let key = try freeKey(of: name, for: account)
        try connection.prepare("UPDATE account SET name = ?2, name_key = ?3 WHERE id = ?1").with(account, name, key)
            .run()
    }

    /// Changes the kind of an account.
    package func setKind(_ kind: AccountKind, account: UserID) throws(RecordError) {
        try connection.prepare("UPDATE account SET kind = ?2 WHERE id = ?1").with(account, kind.rawValue).run()
    }

    /// Disables or enables an account.
    ///
    /// - Parameter since: When the account was disabled, in milliseconds since 1970; `nil` enables the account.
    package func setDisabled(since: Int64?, account: UserID) throws(RecordError) {
        try connection.prepare("UPDATE account SET disabled = ?2 WHERE id = ?1").with(account, since).run()
    }

    /// Deletes an account, its sessions and its memberships. The account's number stays in records and is never used
    /// again.
    ///
    /// - Parameter mayAppearInRecords: Whether records can have the account's number as creator or modifier. Predicates
    ///   on `_deleted` must then match the number.
    package func remove(account: UserID, mayAppearInRecords: Bool) throws(RecordError) {
        var steps: [SQL] = [
            "DELETE FROM session WHERE account = ?1", "DELETE FROM role_member WHERE account = ?1",
            "DELETE FROM subscription WHERE account = ?1", "DELETE FROM notification_token WHERE account = ?1",
            "DELETE FROM account WHERE id = ?1",
        ]
        if mayAppearInRecords { steps.append("INSERT OR IGNORE INTO gone_account (account) VALUES (?1)") }
        for sql in steps {
            try connection.prepare(sql).with(account).run()
        }
    }
}

extension RecordError {
    fileprivate static let nameTaken = RecordError(
        .exists, "An account has this name already, or one that looks the same. Choose another name", cause: .nameTaken)
}
