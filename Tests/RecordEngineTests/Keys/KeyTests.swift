import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// API keys below the routes: their lifetime, their scopes, and rights that cannot be given.
@Suite struct KeyTests {
    private static let posts = KeyScope(types: RecordTypeName("Post").map { [$0] }, permissions: [.read, .create])

    @Test func `a token is shown once, and the file has only its hash`() async throws {
        let test = try TestDatabase()
        let made = try await test.makeKey("sync", Self.posts)
        #expect(made.token.hasPrefix("fbk_") && made.token.utf8.count == 47)
        #expect(made.token.hasPrefix("fbk_" + made.key.prefix) && made.key.prefix.utf8.count == 8)
        guard case .service(let service) = try test.caller(made.token) else {
            Issue.record("no service")
            return
        }
        #expect(service.scope == Self.posts)
        let row = try test.raw("SELECT hex(hash), scope FROM api_key")
        #expect(!row.contains(made.token) && row.contains(#"{"types":["Post"],"actions":["read","create"]}"#))
        #expect(!String(decoding: made.key.json.bytes, as: UTF8.self).contains(String(made.token.dropFirst(13))))
    }

    @Test func `records that a key creates belong to its account, also after its revocation`() async throws {
        let test = try TestDatabase()
        let made = try await test.makeKey("sync", Self.posts)
        try await test.create("a", #""title":"x""#, as: try test.caller(made.token))
        try await test.database.apiKeys.revoke(made.key.id, by: .server)
        let record = try test.read("a")
        #expect(record.created?.userRecordName == made.key.userRecordName)
        #expect(made.key.userRecordName.utf8.count == 33)
    }

    @Test func `a revoked, an expired and an unknown token are rejected alike`() async throws {
        let test = try TestDatabase()
        let (revoked, expired) = (try await test.makeKey("a", Self.posts), try await test.makeKey("b", Self.posts))
        for made in [revoked, expired] { _ = try test.caller(made.token) }
        try await test.database.apiKeys.revoke(revoked.key.id, by: .server)
        try await test.database.travel("UPDATE api_key SET expires = 1 WHERE name = 'b'")
        let rejections = [revoked.token, expired.token, "fbk_" + String(repeating: "A", count: 43)].map { token in
            #expect(throws: RecordError.tokenRejected) { try test.caller(token) }
        }
        #expect(Set(rejections.map { $0?.reason }).count == 1)
        #expect(try test.reader.apiKeys.key(revoked.key.id).json["state"] == "revoked")
        #expect(try test.reader.apiKeys.key(expired.key.id).json["state"] == "expired")
        let again = await rejection { try await test.database.apiKeys.revoke(revoked.key.id, by: .server) }
        #expect(again?.code == .notFound)
        // A living key may have the name of a revoked one.
        _ = try await test.makeKey("a", Self.posts)
        #expect(await rejection { _ = try await test.makeKey("a", Self.posts) }?.cause == .nameTaken)
    }

    @Test func `a key that has ended is listed for ninety days, and what it created keeps its name`() async throws {
        let test = try TestDatabase()
        let (revoked, expired) = (try await test.makeKey("a", Self.posts), try await test.makeKey("b", Self.posts))
        let living = try await test.makeKey("c", Self.posts, expiry: .after(3_600))
        try await test.create("x", #""title":"x""#, as: try test.caller(revoked.token))
        try await test.database.apiKeys.revoke(revoked.key.id, by: .server)
        let day: Int64 = 86_400_000
        func count() throws -> String { try test.raw("SELECT group_concat(name) FROM api_key") }
        try test.reader.refresh()
        let now = try #require(try test.reader.apiKeys.key(revoked.key.id).revoked)
        try await test.database.travel(
            """
            UPDATE api_key SET revoked = \(now - 89 * day) WHERE name = 'a';
            UPDATE api_key SET expires = \(now - 89 * day) WHERE name = 'b';
            """)
        #expect(try await test.database.maintenance.run().keys == 0)
        // A key that had expired before its revocation is deleted when the revocation is old enough.
        try await test.database.travel(
            "UPDATE api_key SET revoked = revoked - 2 * \(day), expires = 1 WHERE name = 'a'")
        #expect(try await test.database.maintenance.run().keys == 1)
        #expect(try count() == "b,c")
        try await test.database.travel("UPDATE api_key SET expires = expires - 2 * \(day) WHERE name = 'b'")
        #expect(try await test.database.maintenance.run().keys == 1)
        #expect(try count() == "c")
        #expect(throws: RecordError.tokenRejected) { try test.caller(revoked.token) }
        #expect(throws: RecordError.tokenRejected) { try test.caller(expired.token) }
        _ = try test.caller(living.token)
        #expect(try test.read("x").created?.userRecordName == revoked.key.userRecordName)
        #expect(throws: RecordError.keyNotFound) { try test.reader.apiKeys.key(revoked.key.id) }
        #expect(try test.raw("SELECT count(*) FROM audit WHERE action = 'key.create'") == "3")
    }

    @Test func `after a rotation both tokens are valid until the overlap ends`() async throws {
        let test = try TestDatabase()
        let first = try await test.makeKey("sync", Self.posts)
        let second = try await test.database.apiKeys.rotate(first.key.id, overlap: 3_600, by: .server)
        #expect(second.token != first.token && second.key.id == first.key.id)
        #expect(second.key.overlaps ?? 0 > first.key.created)
        for token in [first.token, second.token] { _ = try test.caller(token) }
        try await test.database.travel("UPDATE api_key SET overlaps = 1")
        #expect(throws: RecordError.tokenRejected) { try test.caller(first.token) }
        _ = try test.caller(second.token)
        // The token before the previous one ends at once; without an overlap the previous one does too.
        let third = try await test.database.apiKeys.rotate(first.key.id, by: .server)
        let fourth = try await test.database.apiKeys.rotate(first.key.id, by: .server)
        #expect(throws: RecordError.tokenRejected) { try test.caller(second.token) }
        for token in [third.token, fourth.token] { _ = try test.caller(token) }
        let fifth = try await test.database.apiKeys.rotate(first.key.id, overlap: 0, by: .server)
        #expect(throws: RecordError.tokenRejected) { try test.caller(fourth.token) }
        _ = try test.caller(fifth.token)
        for overlap in [-1, 30 * 86_400 + 1] as [Int64] {
            let rejected = await rejection {
                _ = try await test.database.apiKeys.rotate(first.key.id, overlap: overlap, by: .server)
            }
            #expect(rejected?.code == .badRequest)
        }
    }

    @Test func `the last two tokens of fifty concurrent rotations are valid`() async throws {
        let test = try TestDatabase()
        let database = test.database
        let key = try await test.makeKey("sync", Self.posts).key
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask { try await database.apiKeys.rotate(key.id, overlap: 60, by: .server).token }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(tokens).count == 50)
        #expect(tokens.filter { (try? test.caller($0)) != nil }.count == 2)
        #expect(try test.raw("SELECT count(*) FROM audit WHERE action = 'key.rotate'") == "50")
    }

    @Test func `a caller cannot give a key rights that it lacks itself`() async throws {
        let test = try TestDatabase()
        func scope(_ json: String) throws -> KeyScope { try KeyScope(try JSONValue.parse(Array(json.utf8))) }
        let manager = try await test.makeKey(
            "manager", scope(#"{"types":["Post"],"actions":["read","create"],"rights":["manageKeys","readSchema"]}"#),
            expiry: .after(3_600))
        let strong = try await test.makeKey("strong", scope(#"{"actions":["read","write"]}"#))
        let actor = AuditActor(caller: try test.caller(manager.token))
        for (json, missing) in [
            (#"{"actions":["read"]}"#, "all types"), (#"{"types":["Post","Other"],"readOnly":true}"#, "Other"),
            (#"{"types":["Post"],"actions":["read","write"]}"#, "write"),
            (#"{"types":["Post"],"readOnly":true,"rights":["changeSchema"]}"#, "changeSchema"),
        ] {
            let wanted = try scope(json)
            let rejected = await rejection {
                _ = try await test.database.apiKeys.create(
                    APIKeyName("more"), scope: wanted, expiry: .after(60), by: actor)
            }
            #expect(rejected?.code == .accessDenied && rejected?.reason.contains(missing) == true, "\(json)")
        }
        let less = try scope(#"{"types":["Post"],"readOnly":true,"rights":["manageKeys"]}"#)
        #expect(
            await rejection { _ = try await test.database.apiKeys.create(APIKeyName("x"), scope: less, by: actor) }
                != nil)
        let made = try await test.database.apiKeys.create(APIKeyName("x"), scope: less, expiry: .after(60), by: actor)
        // No longer lifetime, no token of a key with more rights, and no more rights for a key that it created or for
        // itself.
        let all = try scope(#"{"actions":["read"]}"#)
        for attempt in [
            await rejection { _ = try await test.database.apiKeys.change(made.key.id, expiry: .never, by: actor) },
            await rejection {
                _ = try await test.database.apiKeys.change(manager.key.id, expiry: .after(7_200), by: actor)
            },
            await rejection { _ = try await test.database.apiKeys.rotate(strong.key.id, by: actor) },
            await rejection { _ = try await test.database.apiKeys.change(strong.key.id, scope: less, by: actor) },
            await rejection { _ = try await test.database.apiKeys.change(made.key.id, scope: all, by: actor) },
            await rejection { _ = try await test.database.apiKeys.change(manager.key.id, scope: all, by: actor) },
        ] { #expect(attempt?.code == .accessDenied) }
        // The rights of an actor at the time of the request do not count.
        _ = try await test.database.apiKeys.change(manager.key.id, scope: less, by: .server)
        let wide = try scope(#"{"types":["Post"],"actions":["create"]}"#)
        let rejected = await rejection {
            _ = try await test.database.apiKeys.create(APIKeyName("y"), scope: wide, expiry: .after(60), by: actor)
        }
        #expect(rejected?.reason.contains("create") == true)
        try await test.database.apiKeys.revoke(manager.key.id, by: .server)
        #expect(await rejection { try await test.database.apiKeys.revoke(made.key.id, by: actor) } == .tokenRejected)
    }

    @Test func `administrators give the rights of their role, and none gives rights over the server`() async throws {
        let test = try TestDatabase()
        func make(_ role: AdministratorRole, _ scope: KeyScope) async -> RecordError? {
            let actor = AuditActor(caller: .administrator(Administrator(id: 0, role: role)))
            return await rejection {
                _ = try await test.database.apiKeys.create(APIKeyName("of \(role)"), scope: scope, by: actor)
            }
        }
        let all = KeyScope(
            permissions: .all,
            operations: Set(AdministratorOperation.allCases).subtracting(KeyScope.withheldRights))
        #expect(await make(.owner, all) == nil)
        #expect(await make(.developer, all) == nil)
        #expect(await make(.editor, KeyScope(permissions: .read))?.code == .accessDenied)
        #expect(await make(.viewer, KeyScope(permissions: .read))?.code == .accessDenied)
        for right in KeyScope.withheldRights {
            #expect(throws: RecordError.self) {
                try KeyScope(["rights": .array([.string(right.rawValue)])])
            }
        }
    }

    @Test(arguments: [
        (#"{}"#, "scope"), (#"{"actions":[]}"#, "scope"), (#"{"action":["read"]}"#, "scope.action"),
        (#"{"actions":["read","eat"]}"#, "scope.actions[1]"), (#"{"actions":"read"}"#, "scope.actions"),
        (#"{"types":[],"readOnly":true}"#, "scope.types"), (#"{"types":["1"],"readOnly":true}"#, "scope.types[0]"),
        (#"{"types":"Post","readOnly":true}"#, "scope.types"), (#"{"readOnly":1}"#, "scope.readOnly"),
        (#"{"readOnly":true,"actions":["read"]}"#, "scope.readOnly"), (#"{"readOnly":false}"#, "scope"),
        (#"{"rights":["readAudit"]}"#, "scope.rights[0]"), (#"{"rights":["everything"]}"#, "scope.rights[0]"),
        (#"["read"]"#, "scope"),
    ])
    func `an invalid scope is rejected with the location`(json: String, path: String) throws {
        let value = try JSONValue.parse(Array(json.utf8))
        let error = #expect(throws: RecordError.self) { try KeyScope(value) }
        #expect(error?.details.first { $0.key == "path" }?.value == .text(path))
    }

    @Test(arguments: [
        #"{"actions":["read","create","write"]}"#, #"{"types":["A","B"],"actions":["read"]}"#,
        #"{"actions":[],"rights":["changeSchema","readSchema"]}"#,
    ])
    func `a scope round-trips`(json: String) throws {
        let scope = try KeyScope(try JSONValue.parse(Array(json.utf8)))
        #expect(String(decoding: scope.json.bytes, as: UTF8.self) == json)
        #expect(KeyScope(stored: scope.stored) == scope)
        #expect(KeyScope(stored: "nonsense") == KeyScope(types: [], permissions: []))
    }

    @Test func `a new scope applies from the next request, and the key's sync tokens start over`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""title":"x""#)
        let made = try await test.makeKey("sync", KeyScope(permissions: .read))
        let first = try test.changes(as: try test.caller(made.token))
        #expect(first.changes.count == 1)
        _ = try test.changes(since: first.token, as: try test.caller(made.token))
        let other = try #require(RecordTypeName("Other"))
        _ = try await test.database.apiKeys.change(
            made.key.id, scope: KeyScope(types: [other], permissions: .read), by: .server)
        let caller = try test.caller(made.token)
        let rejected = #expect(throws: RecordError.self) { try test.changes(since: first.token, as: caller) }
        #expect(rejected?.cause == .tokenExpired)
        #expect(try test.changes(as: caller).changes.isEmpty)
        // Another name is no other right.
        let second = try test.changes(as: caller)
        _ = try await test.database.apiKeys.change(made.key.id, name: APIKeyName("other"), by: .server)
        _ = try test.changes(since: second.token, as: try test.caller(made.token))
    }

    @Test func `a running bulk change ends with its key`() async throws {
        let test = try TestDatabase()
        for number in 0..<4 { try await test.create("r\(number)", #""title":"x""#) }
        let scope = KeyScope(permissions: [.read, .write])
        let made = try await test.makeKey("sync", scope)
        let caller = try test.caller(made.token)
        try await test.database.write { transaction throws(RecordError) in
            #expect(try transaction.callers.current(caller) == caller)
        }
        _ = try await test.database.apiKeys.change(made.key.id, scope: KeyScope(permissions: .read), by: .server)
        let type = try #require(RecordTypeName("Post").flatMap { test.database.schema[$0] })
        try await test.database.write { transaction throws(RecordError) in
            let current = try transaction.callers.current(caller)
            #expect(Authorization.authorize(current, .write, in: .publicDatabase, type: type, .new) == .denied)
        }
        try await test.database.travel("UPDATE api_key SET expires = 1")
        let expired = await rejection {
            try await test.database.write { transaction throws(RecordError) in
                _ = try transaction.callers.current(caller)
            }
        }
        #expect(expired == .tokenRejected)
        let condition = BulkRequest(
            query: try test.queryRequest("title == 'x'", [], as: caller), change: .delete, isForAll: false,
            isDryRun: false, maxAffected: nil, idempotency: nil)
        let ended = await rejection { _ = try await test.reader.bulkChanges.perform(condition) }
        #expect(ended?.code == .authenticationFailed)
        #expect(try test.list().names.count == 4)
    }

    @Test func `a key that is revoked between two slices of a bulk change changes no record of the second`()
        async throws
    {
        let test = try TestDatabase()
        try await test.createAll((0..<1_500).map { ("r\($0)", #""title":"x""#) })
        let made = try await test.makeKey("sync", KeyScope(permissions: [.read, .write]))
        let request = BulkRequest(
            query: try test.queryRequest("", [], as: try test.caller(made.token)), change: .delete, isForAll: true,
            isDryRun: false, maxAffected: nil, idempotency: nil)
        let (database, reader) = (test.database, try test.database.makeReader())
        let (arrived, release) = (Gate(), Gate())
        async let held: Void = database.write { _ throws(RecordError) in
            arrived.open()
            release.waitBlocking()
        }
        await arrived.wait()
        async let revoked: Void = {
            // The first slice waits in the queue; this comes after it.
            while database.queueDepth == 0 { await Task.yield() }
            async let revoking: Void = database.apiKeys.revoke(made.key.id, by: .server)
            while database.queueDepth == 1 { await Task.yield() }
            release.open()
            try await revoking
        }()
        let ended = await rejection { _ = try await reader.bulkChanges.perform(request) }
        try await held
        try await revoked
        #expect(ended?.code == .authenticationFailed)
        let changed = ended?.details.compactMap { detail -> Int64? in
            guard detail.key == "changed", case .number(let number) = detail.value else { return nil }
            return number
        }.first
        #expect((1...1_000).contains(changed ?? 0), "\(String(describing: ended))")
        #expect(try test.raw("SELECT count(*) FROM record WHERE deleted = 0") == "\(1_500 - (changed ?? 0))")
        reader.rest()
    }

    @Test func `the doctor reports a key without an account and a scope that cannot be read`() async throws {
        let patient = try await DoctorPatient { directory in
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            for name in ["a", "b"] { _ = try await test.makeKey(name, Self.posts) }
            await test.close()
        }
        #expect(patient.problems.isEmpty, "\(patient.problems)")
        try patient.injure("UPDATE api_key SET scope = '{}' WHERE name = 'a'")
        try patient.injure("UPDATE api_key SET account = 99 WHERE name = 'b'")
        #expect(patient.problems.contains { $0.contains("scope of the key a") })
        #expect(patient.problems.contains { $0.contains("key b has no service account") })
    }

    @Test func `the use of a key is noted once a minute`() async throws {
        let test = try TestDatabase()
        let made = try await test.makeKey("sync", Self.posts)
        for _ in 0..<5 { _ = try test.caller(made.token) }
        try await test.database.write { _ in }
        let used = try #require(try test.key(made.key.id).used)
        try await test.database.travel("UPDATE api_key SET used = used + 1")
        for _ in 0..<5 { _ = try test.caller(made.token) }
        try await test.database.write { _ in }
        #expect(try test.key(made.key.id).used == used + 1)
    }

    @Test func `at most a thousand keys are valid at a time`() async throws {
        let test = try TestDatabase()
        try await test.database.travel(
            """
            INSERT INTO api_key (public_id, name, prefix, hash, scope, account, created)
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            SELECT 'k' || i, 'k' || i, 'p', randomblob(32), '{"readOnly":true}', 1000 + i, 0 FROM n
            """)
        #expect(await rejection { _ = try await test.makeKey("more", Self.posts) }?.cause == .tooLarge)
        try await test.database.apiKeys.revoke("k7", by: .server)
        _ = try await test.makeKey("more", Self.posts)
        try test.reader.refresh()
        var (names, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try test.reader.apiKeys.list(after: cursor, limit: 300)
            names += page.keys.map(\.name)
            cursor = page.cursor
        } while cursor != nil
        #expect(names.count == 1_001 && names.last == "more")
        #expect(throws: RecordError.self) { try test.reader.apiKeys.list(after: "none", limit: 1) }
    }
}

extension TestDatabase {
    func makeKey(_ name: String, _ scope: KeyScope, expiry: APIKeyExpiry = .never) async throws -> NewAPIKey {
        try await database.apiKeys.create(APIKeyName(name), scope: scope, expiry: expiry, by: .server)
    }

    /// The present holder of a token.
    func caller(_ token: String) throws -> Caller {
        try reader.refresh()
        return try Array(token.utf8).withUnsafeBytes { try reader.callers.authenticate($0) }
    }

    func key(_ id: String) throws -> APIKey {
        try reader.refresh()
        return try reader.apiKeys.key(id)
    }

    /// The first row of a statement, its columns with a blank between them.
    func raw(_ sql: String) throws -> String {
        let connection = try Connection(path: DataDirectory.databasePath(in: directory), role: .reader)
        let statement = connection.prepare(SQL(sql))
        guard try statement.step() else { return "" }
        return statement.text(0) + (sql.contains(",") && !sql.contains("count") ? " " + statement.text(1) : "")
    }
}

extension RecordDatabase {
    /// Changes rows without the server, as the passing of time does.
    func travel(_ sql: String) async throws {
        try await write { transaction throws(RecordError) in
            try transaction.store.connection.execute(SQL(sql))
            transaction.rightsChanged = true
        }
    }
}
