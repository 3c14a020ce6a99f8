import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// The audit log below the routes.
@Suite struct AuditTests {
    private static func log(_ test: TestDatabase, _ request: AuditRequest = AuditRequest()) async throws -> [JSONValue]
    {
        try JSONValue.parse(try await test.database.auditLog.page(request))["entries"]?.array ?? []
    }

    private static func actions(_ entries: [JSONValue]) -> [String] { entries.compactMap { $0["action"]?.string } }

    @Test func `a change of rights is logged with actor, database and details`() async throws {
        let test = try TestDatabase()
        let post = try #require(RecordTypeName("Post"))
        let editors = try #require(RoleName("editors"))
        let actor = AuditActor(caller: .administrator(.bootstrap), address: "192.0.2.7", requestID: "r-1")
        try await test.create("a", #""title":"x""#)
        let ann = try await test.signUp("ann").session.user.recordName
        _ = try await test.database.roles.put(editors, members: [ann], by: actor)
        try await test.database.schemas.setGrants(Grants([editors: .all]), of: post, by: actor)
        let key = try await test.database.apiKeys.create(
            APIKeyName("sync"), scope: KeyScope(permissions: .read), by: actor)
        try await test.database.apiKeys.revoke(key.key.id, by: actor)
        try await test.database.roles.remove(editors, by: actor)
        let entries = try await Self.log(test).filter { $0["action"] != "user.signUp" }
        #expect(Self.actions(entries) == ["role.delete", "key.revoke", "key.create", "grants.put", "role.put"])
        for entry in entries {
            #expect(entry["actor"] == ["kind": "administrator", "name": "_administrator"])
            #expect(entry["address"] == "192.0.2.7" && entry["request"] == "r-1" && entry["outcome"] == "done")
        }
        #expect(entries[4]["detail"]?["added"] == [.string(ann)])
        #expect(entries[3]["target"] == "Post")
        #expect(entries[3]["detail"]?["after"]?["editors"] == ["CREATE", "READ", "WRITE"])
        #expect(!entries.contains { String(decoding: $0.bytes, as: UTF8.self).contains(key.token.dropFirst(12)) })
    }

    @Test func `a rejected action has no entry, and every executed action has one`() async throws {
        let test = try TestDatabase()
        let editors = try #require(RoleName("editors"))
        _ = await rejection { _ = try await test.database.roles.put(editors, members: ["_nobody"], by: .server) }
        #expect(try await Self.log(test).isEmpty)
        try await test.database.travel("DROP TABLE audit")
        #expect(await rejection { _ = try await test.database.roles.put(editors, members: [], by: .server) } != nil)
        try test.reader.refresh()
        #expect(try test.reader.roles.list().isEmpty)
    }

    @Test func `the name of a rolled-back account is not logged for a later one`() async throws {
        let test = try TestDatabase()
        let undone = await rejection {
            try await test.database.write { transaction throws(RecordError) in
                let id = try transaction.store.accounts.add(
                    recordName: "_undone", name: "_undone", password: nil, created: 0, kind: .anonymous)
                try transaction.auditLog.append(.userSignUp, "", by: AuditActor(caller: .user(id, roles: [:])))
                throw .signInFailed
            }
        }
        #expect(undone == .signInFailed)
        // Its account gets the same number.
        let key = try await test.database.apiKeys.create(
            APIKeyName("k"), scope: KeyScope(permissions: .read), by: .server
        ).key
        let rotated = try await test.database.apiKeys.rotate(key.id, by: .server).key
        #expect(rotated.userRecordName == key.userRecordName)
    }

    @Test func `no statement changes an entry or deletes it early`() async throws {
        let test = try TestDatabase()
        for number in 0..<5 { _ = try await test.makeKey("k\(number)", KeyScope(permissions: .read)) }
        for sql in [
            "UPDATE audit SET actor = 'nobody'", "DELETE FROM audit", "DELETE FROM audit WHERE id = 3",
            "UPDATE audit_retention SET before = -1",
        ] {
            #expect(await rejection { try await test.database.travel(sql) } != nil, "\(sql)")
        }
        #expect(try await Self.log(test).count == 5)
    }

    @Test func `only old or surplus entries are deleted`() async throws {
        var limits = DatabaseLimits()
        limits.auditEntries = 4
        let test = try TestDatabase(limits: limits)
        for number in 0..<6 { _ = try await test.makeKey("k\(number)", KeyScope(permissions: .read)) }
        #expect(try await test.database.maintenance.run().entries == 2)
        #expect(try await Self.log(test).compactMap { $0["target"]?.string } == ["k5", "k4", "k3", "k2"])
        #expect(try await test.database.maintenance.run().entries == 0)
        let old = test.database.limits.auditSeconds * 1_000 + 60_000
        try await test.database.travel(
            """
            DROP TRIGGER audit_is_final;
            UPDATE audit SET at = at - \(old) WHERE target IN ('k2', 'k3', 'k5');
            """)
        // The last entry is old by a clock that was set back, and follows one that is not.
        #expect(try await test.database.maintenance.run().entries == 2)
        #expect(try await Self.log(test).compactMap { $0["target"]?.string } == ["k4", "k5"])
    }

    @Test func `rejections fill at most half of the log and evict no actions`() async throws {
        var limits = DatabaseLimits()
        limits.auditEntries = 8
        let test = try TestDatabase(limits: limits)
        for number in 0..<4 { _ = try await test.makeKey("k\(number)", KeyScope(permissions: .read)) }
        let key = try test.caller(try await test.makeKey("k4", KeyScope(permissions: .read)).token)
        guard case .service(let service) = key else { throw RecordError.recordNotFound }
        for number in 0..<20 {
            test.reader.auditLog.noteOutOfScope(service, target: "t\(number)", address: "", requestID: "")
        }
        #expect(try await Self.log(test).count == 25)
        #expect(try await test.database.maintenance.run().entries == 17)
        let left = try await Self.log(test)
        #expect(left.count { $0["outcome"] == "refused" } == 3)
        #expect(Self.targets(left.filter { $0["outcome"] == "done" }) == ["k4", "k3", "k2", "k1", "k0"])
        #expect(
            await rejection { try await test.database.travel("DELETE FROM audit WHERE outcome = 'refused'") } != nil)
        for number in 5..<9 { _ = try await test.makeKey("k\(number)", KeyScope(permissions: .read)) }
        #expect(try await test.database.maintenance.run().entries == 4)
        // Nine deeds are one too many by themselves.
        #expect(Self.targets(try await Self.log(test)) == (1...8).reversed().map { "k\($0)" })
        #expect(try await test.database.maintenance.run().entries == 0)
    }

    private static func targets(_ entries: [JSONValue]) -> [String] { entries.compactMap { $0["target"]?.string } }

    @Test func `pages follow each other without a gap, also by actor, action and time`() async throws {
        let test = try TestDatabase()
        let manager = try await test.makeKey(
            "manager", KeyScope(permissions: .read, operations: [.manageKeys]))
        let actor = AuditActor(caller: try test.caller(manager.token))
        for number in 0..<9 {
            _ = try await test.database.apiKeys.create(
                APIKeyName("k\(number)"), scope: KeyScope(permissions: .read),
                by: number.isMultiple(of: 3) ? .shell : actor)
        }
        var (targets, cursor): ([String], String?) = ([], nil)
        repeat {
            var request = AuditRequest(limit: 2, cursor: cursor)
            request.actor = "manager"
            let page = try JSONValue.parse(try await test.database.auditLog.page(request))
            targets += (page["entries"]?.array ?? []).compactMap { $0["target"]?.string }
            cursor = page["cursor"]?.string
        } while cursor != nil
        #expect(targets == ["k8", "k7", "k5", "k4", "k2", "k1"])
        var shell = AuditRequest(action: .keyCreate)
        shell.actor = "_shell"
        #expect(try await Self.log(test, shell).count == 3)
        #expect(try await Self.log(test, AuditRequest(action: .keyRevoke)).isEmpty)
        var never = AuditRequest()
        never.until = 1
        #expect(try await Self.log(test, never).isEmpty)
        #expect(
            await rejection { _ = try await test.database.auditLog.page(AuditRequest(cursor: "x")) }?.cause
                == .tokenInvalid)
        let plan = try test.plan(
            "SELECT * FROM audit WHERE at BETWEEN 1 AND 9 AND actor = 'a' ORDER BY at DESC, id DESC")
        #expect(plan.contains("audit_by_actor") && !plan.contains("TEMP B-TREE"), "\(plan)")
    }

    @Test func `a flood is counted per minute and name, and unknown names are not kept`() async throws {
        let test = try TestDatabase()
        _ = try await test.signUp("ann")
        try test.reader.refresh()
        for number in 0..<1_000 {
            test.reader.auditLog.noteFailedSignIn(
                name: "ann", address: "192.0.2.\(number % 20)", requestID: "r\(number)")
            test.reader.auditLog.noteFailedSignIn(
                name: "hunter\(number)", address: "192.0.2.1", requestID: "r\(number)")
        }
        let entries = try await Self.log(test, AuditRequest(action: .signInFailed))
        // A minute may have ended in between.
        #expect((2...4).contains(entries.count))
        #expect(Set(entries.compactMap { $0["target"]?.string }) == ["ann", "(unknown name)"])
        #expect(entries.compactMap { $0["detail"]?["count"]?.integer }.reduce(0, +) == 2_000)
        #expect(!entries.contains { String(decoding: $0.bytes, as: UTF8.self).contains("hunter") })
        #expect(entries.allSatisfy { ($0["detail"]?["addresses"]?.array?.count ?? 0) <= 8 })
    }

    @Test func `subjects per minute are limited, and past minutes are written automatically`() {
        let notes = AuditCounter()
        for number in 0..<1_000 {
            notes.note(
                AuditCounter.Subject(action: .keyOutOfScope, target: "t\(number)"), address: "", request: "", now: 5)
        }
        #expect(notes.take(all: false, now: 59_999).isEmpty)
        let rows = notes.take(all: false, now: 60_000)
        #expect(rows.count == 257)
        #expect(rows.contains { $0.target == AuditCounter.others && $0.detail == #"{"count":744}"# })
        #expect(notes.take(all: true, now: 60_000).isEmpty)
        // A flood of one sort hides nothing of another.
        for number in 0..<1_000 {
            let subject = AuditCounter.Subject(action: .userSignUp, target: "t\(number)", outcome: .done)
            notes.note(subject, address: "", request: "", now: 60_000)
        }
        notes.note(AuditCounter.Subject(action: .signInFailed, target: "ann"), address: "", request: "", now: 60_000)
        let last = notes.take(all: true, now: 60_001)
        #expect(last.count == 258 && last.count { $0.target == "ann" } == 1)
        #expect(last.contains { $0.target == AuditCounter.others && $0.outcome == "done" })
        #expect(notes.isNew(administrator: 1, owner: 2, now: 0) && !notes.isNew(administrator: 1, owner: 2, now: 9))
        #expect(notes.isNew(administrator: 1, owner: 2, now: 3_600_000))
    }
}

extension TestDatabase {
    fileprivate func plan(_ sql: String) throws -> String {
        let connection = try Connection(path: DataDirectory.databasePath(in: directory), role: .reader)
        let statement = connection.prepare("EXPLAIN QUERY PLAN \(sql)")
        var lines = ""
        while try statement.step() { lines += statement.text(3) + "\n" }
        return lines
    }
}
