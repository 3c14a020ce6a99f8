package import RecordModel

/// A named administrator as stored.
package struct AdministratorRow: Hashable, Sendable {
    package var id: Int64
    package var name: String
    package var role: String
    /// The password's hash in PHC format.
    package var password: String
    /// Milliseconds since 1970, as all moments.
    package var created: Int64
    package var disabled: Int64?

    package init(id: Int64 = 0, name: String, role: String, password: String, created: Int64, disabled: Int64? = nil) {
        self.id = id
        self.name = name
        self.role = role
        self.password = password
        self.created = created
        self.disabled = disabled
    }
}

/// The session of an administrator as stored.
package struct AdministratorSessionRow: Hashable, Sendable {
    package var hash: [UInt8]
    /// Random, for lists and paths.
    package var id: String
    package var administrator: Int64
    package var created: Int64
    package var used: Int64
    package var expires: Int64
    package var ends: Int64
    package var label: String?

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

/// Named administrators and their sessions. There are few of both, and they are in memory while a server runs.
package final class AdministratorTable {
    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    package func all() throws(RecordError) -> [AdministratorRow] {
        let statement = connection.prepare(
            "SELECT id, name, role, password, created, disabled FROM administrator ORDER BY id")
        return try statement.rows { row in
            AdministratorRow(
                id: row.next(), name: row.next(), role: row.next(), password: row.next(), created: row.next(),
                disabled: row.next())
        }
    }

    package func sessions() throws(RecordError) -> [AdministratorSessionRow] {
        let statement = connection.prepare(
            "SELECT hash, id, administrator, created, used, expires, ends, label FROM administrator_session")
        return try statement.rows { row in
            AdministratorSessionRow(
                hash: row.next(), id: row.next(), administrator: row.next(), created: row.next(), used: row.next(),
                expires: row.next(), ends: row.next(), label: row.next())
        }
    }

    /// What the doctor finds wrong with administrators and sessions, as sentences without a full stop.
    package func oddities(roles: [String]) throws(RecordError) -> [String] {
        var lines = try all().filter { !roles.contains($0.role) }.map {
            "The administrator \($0.name) has the role '\($0.role)', which there is not"
        }
        let stray = try connection.integer(
            "SELECT count(*) FROM administrator_session WHERE administrator NOT IN (SELECT id FROM administrator)")
        if let stray, stray > 0 { lines.append("\(stray) sessions are of no administrator") }
        return lines
    }

    /// Adds an administrator and gives its number. Throws a unique violation if the name is taken.
    package func add(_ row: AdministratorRow) throws(RecordError) -> Int64 {
        try connection.prepare(
            "INSERT INTO administrator (name, role, password, created) VALUES (?1, ?2, ?3, ?4) RETURNING id"
        ).with(row.name, row.role, row.password, row.created).returnedNumber()
    }

    /// Writes role, password and whether it is disabled.
    package func update(_ row: AdministratorRow) throws(RecordError) {
        try connection.prepare(
            "UPDATE administrator SET role = ?2, password = ?3, disabled = ?4 WHERE id = ?1"
        ).with(row.id, row.role, row.password, row.disabled).run()
    }

    /// Takes away an administrator and its sessions. Its number is never given again.
    package func remove(_ id: Int64) throws(RecordError) {
        for sql: SQL in [
            "DELETE FROM administrator_session WHERE administrator = ?1", "DELETE FROM administrator WHERE id = ?1",
        ] {
            try connection.prepare(sql).with(id).run()
        }
    }

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

    /// Notes that a session was used, and until when it lasts now.
    package func slideSession(hash: [UInt8], used: Int64, expires: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE administrator_session SET used = ?2, expires = ?3 WHERE hash = ?1"
        ).with(hash, used, expires).run()
    }

    package func removeSession(hash: [UInt8]) throws(RecordError) {
        try connection.prepare("DELETE FROM administrator_session WHERE hash = ?1").with(hash).run()
    }
}
