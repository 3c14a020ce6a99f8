package import RecordModel

/// A stored administrator.
package struct AdministratorRow: Hashable, Sendable {
    /// The administrator's number; 0 before the administrator is stored.
    package var id: Int64
    /// The name, unique among administrators.
    package var name: String
    /// The name of the administrator's role.
    package var role: String
    /// The password's hash in PHC format.
    package var password: String
    /// When the administrator was created. All times of this type are in milliseconds since 1970.
    package var created: Int64
    /// When the administrator was disabled; `nil` if enabled.
    package var disabled: Int64?

    /// Creates a row to store, or a row that was read.
    package init(id: Int64 = 0, name: String, role: String, password: String, created: Int64, disabled: Int64? = nil) {
        self.id = id
        self.name = name
        self.role = role
        self.password = password
        self.created = created
        self.disabled = disabled
    }
}

/// A stored session of an administrator.
package struct AdministratorSessionRow: Hashable, Sendable {
    /// The SHA-256 of the session's token.
    package var hash: [UInt8]
    /// A random ID of the session for lists and URLs.
    package var id: String
    /// The administrator's number.
    package var administrator: Int64
    /// When the session began. All times of this type are in milliseconds since 1970.
    package var created: Int64
    /// When the session was last used.
    package var used: Int64
    /// When the session ends unless a request uses it before.
    package var expires: Int64
    /// When the session ends even if requests use it.
    package var ends: Int64
    /// A label that the client chose; `nil` for none.
    package var label: String?

    /// Creates a row to store, or a row that was read.
    package init(
        hash: [UInt8], id: String, administrator: Int64, created: Int64, used: Int64, expires: Int64, ends: Int64,
        label: String?
    ) {
        self.hash = hash
        self.id = id
        self.administrator = administrator
        self.created = created
        self.used = used
        self.expires = expires
        self.ends = ends
        self.label = label
    }
}

/// Named administrators and their sessions. The number of both is small; a running server keeps all of
/// them in memory.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class AdministratorTable {
    private let connection: Connection

    /// Uses `connection` for all reads and writes.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns all administrators.
    package func all() throws(RecordError) -> [AdministratorRow] {
        let statement = connection.prepare(
            "SELECT id, name, role, password, created, disabled FROM administrator ORDER BY id")
        return try statement.rows { row in
            AdministratorRow(
                id: row.next(), name: row.next(), role: row.next(), password: row.next(), created: row.next(),
                disabled: row.next())
        }
    }

    /// Returns all sessions.
    package func sessions() throws(RecordError) -> [AdministratorSessionRow] {
        let statement = connection.prepare(
            "SELECT hash, id, administrator, created, used, expires, ends, label FROM administrator_session")
        return try statement.rows { row in
            AdministratorSessionRow(
                hash: row.next(), id: row.next(), administrator: row.next(), created: row.next(), used: row.next(),
                expires: row.next(), ends: row.next(), label: row.next())
        }
    }

    /// Returns problems with administrators and sessions for the doctor, as sentences without a period.
    package func oddities(roles: [String]) throws(RecordError) -> [String] {
        var lines = try all().filter { !roles.contains($0.role) }.map {
            "The administrator \($0.name) has the role '\($0.role)', which there is not"
        }
        let stray = try connection.integer(
            "SELECT count(*) FROM administrator_session WHERE administrator NOT IN (SELECT id FROM administrator)")
        if let stray, stray > 0 { lines.append("\(stray) sessions are of no administrator") }
        return lines
    }

    /// Adds an administrator.
    ///
    /// - Returns: The number of the new administrator.
    /// - Throws: INTERNAL_ERROR if the name is taken.
    package func add(_ row: AdministratorRow) throws(RecordError) -> Int64 {
        try connection.prepare(
            "INSERT INTO administrator (name, role, password, created) VALUES (?1, ?2, ?3, ?4) RETURNING id"
        ).with(row.name, row.role, row.password, row.created).returnedNumber()
    }

    /// Replaces the stored role, password hash and disabled time of an administrator.
    package func update(_ row: AdministratorRow) throws(RecordError) {
        try connection.prepare(
            "UPDATE administrator SET role = ?2, password = ?3, disabled = ?4 WHERE id = ?1"
        ).with(row.id, row.role, row.password, row.disabled).run()
    }

    /// Deletes an administrator and its sessions. The administrator's number is never used
    /// again.
    package func remove(_ id: Int64) throws(RecordError) {
        for sql: SQL in [
            "DELETE FROM administrator_session WHERE administrator = ?1", "DELETE FROM administrator WHERE id = ?1",
        ] {
            try connection.prepare(sql).with(id).run()
        }
    }

    /// Adds a session.
    package func addSession(_ row: AdministratorSessionRow) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO administrator_session (hash, id, administrator, created, used, expires, ends, label)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        ).with(row.hash, row.id, row.administrator, row.created, row.used, row.expires, row.ends).with(
            from: 8, row.label
        ).run()
    }

    /// Replaces the stored times at which a session was last used and expires.
    package func slideSession(hash: [UInt8], used: Int64, expires: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE administrator_session SET used = ?2, expires = ?3 WHERE hash = ?1"
        ).with(hash, used, expires).run()
    }

    /// Ends a session.
    package func removeSession(hash: [UInt8]) throws(RecordError) {
        try connection.prepare("DELETE FROM administrator_session WHERE hash = ?1").with(hash).run()
    }
}
