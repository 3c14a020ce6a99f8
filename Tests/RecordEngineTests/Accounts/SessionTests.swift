import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@Suite struct SessionTests {
    private static let hour: Int64 = 3_600_000

    /// Changes rows without the idle database, and makes readers read them again.
    private static func run(_ sql: String, on test: TestDatabase) async throws {
        test.reader.rest()
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        try connection.execute(SQL(sql))
        try await test.database.sessions.endAll(of: 1, but: nil)
        try test.reader.refresh()
    }

    private static func row(of session: Session, on test: TestDatabase) throws -> [Int64] {
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .reader)
        return try ["created", "used", "expires", "ends"].map { column in
            try #require(try connection.integer("SELECT \(column) FROM session WHERE account = \(session.user.id)"))
        }
    }

    private static func bearer(_ session: Session, on test: TestDatabase) -> Caller? {
        // As each request begins.
        try? test.reader.refresh()
        return try? Array(session.token.utf8).withUnsafeBytes { try test.reader.callers.authenticate($0) }
    }

    /// Lets queued writes execute.
    private static func settle(_ test: TestDatabase) async throws {
        try await test.database.sessions.endAll(of: 1, but: nil)
    }

    @Test func `use extends a session, at most once an hour`() async throws {
        let test = try TestDatabase()
        let session = try await test.signUp("ann").session
        let fresh = try Self.row(of: session, on: test)
        #expect(fresh[2] - fresh[0] == 30 * 24 * Self.hour && fresh[3] - fresh[0] == 180 * 24 * Self.hour)
        // Within the hour nothing is written.
        #expect(Self.bearer(session, on: test) != nil)
        try await Self.settle(test)
        #expect(try Self.row(of: session, on: test) == fresh)
        // Ten days ago.
        let past = 240 * Self.hour
        try await Self.run(
            "UPDATE session SET created = created - \(past), used = used - \(past), expires = expires - \(past), ends = ends - \(past)",
            on: test)
        #expect(Self.bearer(session, on: test) != nil)
        try await Self.settle(test)
        let slid = try Self.row(of: session, on: test)
        #expect(slid[0] == fresh[0] - past && slid[3] == fresh[3] - past)
        #expect(slid[1] >= fresh[1] && slid[2] >= fresh[2])
        #expect(slid[2] - slid[1] == 30 * 24 * Self.hour)
        for _ in 0..<3 { #expect(Self.bearer(session, on: test) != nil) }
        try await Self.settle(test)
        #expect(try Self.row(of: session, on: test) == slid)
    }

    @Test(arguments: [(false, 30 * 60_000), (true, 14 * 24 * 3_600_000)])
    func `use extends a web session by its own lifetime`(_ stays: Bool, _ lifetime: Int64) async throws {
        let test = try TestDatabase()
        let session = try await test.signUp("ann").session
        let account = try test.reader.accounts.lookUp(session.user.id)
        let text = try await test.database.webSessions.signIn(
            try Credentials(name: "ann", password: "correct horse"), account: account, label: SessionLabel("App"),
            staysSignedIn: stays)
        try await test.database.sessions.signOut(Array(session.token.utf8))
        let fresh = try Self.row(of: session, on: test)
        #expect(fresh[2] - fresh[0] == lifetime && fresh[3] - fresh[0] == 180 * 24 * Self.hour)
        let past = lifetime / 2
        try await Self.run("UPDATE session SET used = used - \(past), expires = expires - \(past)", on: test)
        let token = try #require(WebAuthToken(text, of: test.database))
        #expect(try test.reader.callers.authenticate(token).userID == session.user.id)
        try await Self.settle(test)
        let slid = try Self.row(of: session, on: test)
        #expect(slid[1] >= fresh[1] && slid[2] - slid[1] == lifetime)
        // No bearer token has the session.
        let bytes = Array(text.utf8)
        #expect((try? bytes.withUnsafeBytes { try test.reader.callers.authenticate($0) }) == nil)
        try await Self.run("UPDATE session SET expires = 1", on: test)
        #expect(await rejection { _ = try test.reader.callers.authenticate(token) }?.code == .authenticationFailed)
    }

    @Test func `a changed web auth token, or one of another database, is none`() async throws {
        let (test, other) = (try TestDatabase(), try TestDatabase())
        let session = try await test.signUp("ann").session
        let account = try test.reader.accounts.lookUp(session.user.id)
        let text = try await test.database.webSessions.signIn(
            try Credentials(name: "ann", password: "correct horse"), account: account, label: nil, staysSignedIn: false)
        #expect(WebAuthToken(text, of: test.database) != nil && WebAuthToken(text, of: other.database) == nil)
        let letters = Array(text)
        for index in letters.indices {
            var changed = letters
            changed[index] = letters[index] == "A" ? "B" : "A"
            #expect(WebAuthToken(String(changed), of: test.database) == nil, "\(index)")
        }
        #expect(WebAuthToken("", of: test.database) == nil && WebAuthToken(text + "A", of: test.database) == nil)
    }

    @Test func `use does not extend a session beyond its last end`() async throws {
        let test = try TestDatabase()
        let session = try await test.signUp("ann").session
        let fresh = try Self.row(of: session, on: test)
        try await Self.run(
            "UPDATE session SET used = used - \(2 * Self.hour), ends = created + \(Self.hour)", on: test)
        #expect(Self.bearer(session, on: test) != nil)
        try await Self.settle(test)
        #expect(try Self.row(of: session, on: test)[2] == fresh[0] + Self.hour)
    }

    @Test func `an unused session expires, also for a reader that has cached it`() async throws {
        let test = try TestDatabase()
        let session = try await test.signUp("ann").session
        func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
        var end: Int64 = 0
        // For a machine of any speed: until the reader has met the session in its last second.
        repeat {
            end = now() + 1_000
            try await Self.run("UPDATE session SET expires = \(end)", on: test)
        } while Self.bearer(session, on: test) == nil
        // Another loop extends the session: this loop's cached end does not count.
        test.reader.rest()
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        try connection.execute("UPDATE session SET expires = \(end + 86_400_000)")
        while now() <= end { await Task.yield() }
        #expect(Self.bearer(session, on: test) != nil)
        try await Self.run("UPDATE session SET expires = 1", on: test)
        #expect(Self.bearer(session, on: test) == nil)
        #expect(try test.reader.sessions.list(of: session.user.id, token: []).isEmpty)
    }

    @Test func `a late use does not extend an expired session`() async throws {
        let test = try TestDatabase()
        let session = try await test.signUp("ann").session
        try await Self.run("UPDATE session SET used = 0", on: test)
        #expect(Self.bearer(session, on: test) != nil)
        try await test.database.sessions.signOut(Array(session.token.utf8))
        try await Self.settle(test)
        #expect(Self.bearer(session, on: test) == nil)
    }

    @Test func `two concurrent rotations of one session get one token`() async throws {
        let test = try TestDatabase()
        let token = Array(try await test.signUp("ann").session.token.utf8)
        let tokens = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask { [database = test.database] in try? await database.sessions.rotate(token).token }
            }
            return await group.reduce(into: [String]()) { if let token = $1 { $0.append(token) } }
        }
        #expect(tokens.count == 1)
        let id = try #require(try await test.signUpID("bob"))
        #expect(try test.reader.sessions.list(of: id, token: []).count == 1)
    }

    @Test func `sessions of an older file are kept`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var session: Session?
        do {
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            session = try await test.signUp("ann").session
            await test.close()
        }
        let connection = try Connection(path: DataDirectory.databasePath(in: directory), role: .writer)
        for sql in [
            """
            CREATE TABLE old (hash BLOB PRIMARY KEY, account INTEGER NOT NULL, created INTEGER NOT NULL,
            expires INTEGER NOT NULL) WITHOUT ROWID
            """, "INSERT INTO old SELECT hash, account, created, expires FROM session", "DROP TABLE session",
            "ALTER TABLE old RENAME TO session", "CREATE INDEX session_by_account ON session (account)",
            "CREATE INDEX session_by_expiry ON session (expires)", "DROP TABLE invitation",
            "DROP TABLE invitation_role", "DROP TABLE account_removal", "DROP TABLE removal_cascade",
            "DROP INDEX asset_claim_by_uploader",
            "CREATE TRIGGER asset_claim_used AFTER UPDATE ON asset_claim BEGIN SELECT 1; END",
            "CREATE TRIGGER asset_claim_gone AFTER DELETE ON asset_claim BEGIN SELECT 1; END",
            "DELETE FROM record", "DELETE FROM type", "DELETE FROM type_grant",
            "DROP INDEX account_by_name_key", "ALTER TABLE account DROP COLUMN name_key",
            "DROP TABLE look_alike_account",
            "DROP TABLE schema_snapshot", "ALTER TABLE type DROP COLUMN former", "ALTER TABLE field DROP COLUMN former",
            "ALTER TABLE type DROP COLUMN renamed", "ALTER TABLE type DROP COLUMN renaming",
            "DROP TABLE job", "DROP TABLE schedule", "DROP TABLE webhook", "DROP TABLE webhook_delivery",
            "DROP TABLE hierarchy", "DROP TABLE access_update", "DROP TABLE job_rejection", "DROP TABLE share",
            "DROP TABLE participant",
            "DROP TABLE subscription", "DROP TABLE notification_token",
            "DROP TABLE lost_zone", "DROP INDEX zone_by_change", "ALTER TABLE zone DROP COLUMN changed",
            "ALTER TABLE zone DROP COLUMN created",
            "DROP TABLE api_key", "DROP TABLE cloudkit_token",
            "DROP TABLE gone_account",
            "DROP TABLE opening",
            "ALTER TABLE record DROP COLUMN received", "ALTER TABLE type DROP COLUMN has_preserved",
            "ALTER TABLE type DROP COLUMN acl_required",
            "DROP TABLE audit", "DROP TABLE audit_retention", "DROP TABLE audit_count",
            "DROP TABLE usage",
            "ALTER TABLE account DROP COLUMN disabled",
            "DROP TABLE idempotency", "DROP TABLE idempotency_sum", "CREATE TABLE idempotency (a)",
            """
            DELETE FROM migration
            WHERE position >= (SELECT position FROM migration WHERE name = 'sliding sessions')
            """,
        ] { try connection.execute(SQL(sql)) }
        #expect(try AccountTable(connection).find(name: "ann") != nil)
        let test = try TestDatabase(directory: directory, keepsDirectory: true)
        let old = try #require(session)
        #expect(Self.bearer(old, on: test) == .user(old.user.id, roles: [:]))
        let known = try #require(try test.reader.sessions.list(of: old.user.id, token: Array(old.token.utf8)).first)
        #expect(known.isCurrent && known.expires == old.expires && known.id.utf8.count == 32)
        // The account is older than user records, and gets one when it signs in.
        let type = "Users"
        #expect(await rejection { _ = try test.read(old.user.recordName, type: type) }?.code == .notFound)
        _ = try await test.signIn("ann")
        #expect(try test.read(old.user.recordName, type: type).recordName.text == old.user.recordName)
        await test.close()
    }
}

extension TestDatabase {
    func signUpID(_ name: String) async throws -> UserID? { try await signUp(name).caller.userID }

    @discardableResult
    func signIn(_ name: String, _ password: String = "correct horse") async throws -> Session {
        try reader.refresh()
        return try await database.accounts.signIn(
            Credentials(name: name, password: password), account: try reader.accounts.lookUp(named: name))
    }
}
