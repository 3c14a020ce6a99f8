import Foundation
@testable import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

/// Conditions on the creator or modifier of a record compare with the name in responses, also after the account was
/// removed.
@Suite struct DeletedAccountTests {
    /// Three records: one of Ann, two of removed accounts; the administrator has changed one of each kind since.
    private static func filled(byNumber: Int, directory: String? = nil) async throws -> (
        test: TestDatabase, ann: Session
    ) {
        var limits = DatabaseLimits()
        limits.deletedAccountsByNumber = byNumber
        let test = try TestDatabase(.production, limits: limits, directory: directory, keepsDirectory: directory != nil)
        try await test.putType(
            fields: #""g":{"type":"INT64","indexes":["QUERYABLE"]}"#,
            indexes: #"[{"fields":["createdUserRecordName"]},{"fields":["modifiedUserRecordName","g"]}]"#,
            grants: #"{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}"#)
        var sessions: [Session] = []
        for name in ["ann", "spam", "junk"] {
            let (caller, session) = try await test.signUp(name)
            try await test.createAll([(name, #""g":1"#), (name + "2", #""g":1"#)], as: caller)
            sessions.append(session)
        }
        for name in ["ann2", "junk2"] {
            try await test.perform(
                .modify(createsMissing: false, replacesAll: false), "Post", name, #"{"fields":{"g":2}}"#,
                as: .administrator(.bootstrap))
        }
        for session in sessions.dropFirst() {
            try await test.database.accounts.remove(#require(UserRecordName(session.user.recordName)), by: .shell)
        }
        return (test, sessions[0])
    }

    @Test(arguments: [500, 0])
    func `conditions find deleted accounts by the name that is shown`(_ byNumber: Int) async throws {
        let (test, ann) = try await Self.filled(byNumber: byNumber)
        let all = ["ann", "ann2", "spam", "spam2", "junk", "junk2"]
        func names(_ condition: String, _ arguments: [QueryArgument] = []) async throws -> [String] {
            let page = try await test.query(condition, arguments)
            #expect(page.count == Int64(page.names.count), "\(condition)")
            return page.names
        }
        #expect(try await names("createdUserRecordName == '_deleted'") == ["spam", "spam2", "junk", "junk2"])
        #expect(try await names("createdUserRecordName != '_deleted'") == ["ann", "ann2"])
        #expect(try await names("createdUserRecordName IN {'_deleted', '_administrator'}") == Array(all[2...]))
        let both = QueryArgument.list([.string("_deleted"), .string(ann.user.recordName)])
        #expect(try await names("createdUserRecordName IN %@", [both]) == all)
        #expect(try await names("NOT createdUserRecordName IN {'_deleted'}") == ["ann", "ann2"])
        #expect(try await names("modifiedUserRecordName == '_deleted'") == ["spam", "spam2", "junk"])
        #expect(try await names("modifiedUserRecordName != '_deleted'") == ["ann", "ann2", "junk2"])
        #expect(try await names("modifiedUserRecordName == '_deleted' AND g == 1") == ["spam", "spam2", "junk"])
        #expect(try await names("createdUserRecordName == '_deleted' AND g == 2") == ["junk2"])
        #expect(try await names("createdUserRecordName == '_deleted' OR g == 2") == ["ann2"] + all[2...])
        #expect(
            try await test.pages("createdUserRecordName == '_deleted'", limit: 1) == ["spam", "spam2", "junk", "junk2"])
    }

    @Test func `the index finds records of deleted accounts`() async throws {
        let (test, _) = try await Self.filled(byNumber: 500)
        try await test.createAll((0..<50).map { ("mine\($0)", #""g":3"#) })
        for condition in ["createdUserRecordName == '_deleted'", "modifiedUserRecordName == '_deleted' AND g == 1"] {
            let page = try await test.query(condition)
            // For the page and for the count.
            #expect((page.examined ?? 99) <= 12, "\(page.plan)")
        }
    }

    @Test func `no plan and no advice shows other callers the number of deleted accounts`() async throws {
        let (test, ann) = try await Self.filled(byNumber: 500)
        let callers = [Caller.anonymous, .user(ann.user.id, roles: [:])]
        for condition in ["createdUserRecordName == '_deleted'", "modifiedUserRecordName == '_deleted' AND g == 1"] {
            var plans: [JSONValue?] = []
            for caller in callers {
                let page = try await test.query(condition, as: caller)
                #expect(page.plan.contains("may read the schema") && !page.plan.contains("IN {"), "\(page.plan)")
                #expect(page.json["plan"]?["access"] == [])
                plans.append(page.json["plan"]?["residual"])
            }
            #expect(plans[0] == plans[1] && plans[0] != nil)
            #expect(try await test.query(condition).plan.contains("merge of 2"))
            let prepared = try #require(try test.reader.queries.bind(test.queryRequest(condition)))
            #expect(!prepared.shape.condition.contains("IN {"), "\(prepared.shape.condition)")
        }
    }

    /// The choice of the scanned index must not depend on the number of records in the private databases of others.
    @Test func `a plan of a private database shows its scans to administrators alone`() async throws {
        let (test, ann) = try await Self.filled(byNumber: 1)
        let own = DatabaseAddress(scope: .privateDatabase(owner: ann.user.id))
        let caller = Caller.user(ann.user.id, roles: [:])
        try await test.create("mine", #""g":1"#, as: caller, in: own)
        let page = try await test.query("g == 1", as: caller, in: own)
        #expect(page.names == ["mine"] && page.plan.contains("may read the schema"), "\(page.plan)")
        #expect(page.json["plan"]?["access"] == [] && page.json["plan"]?["ranOn"] == nil)
        let open = try await test.query("g == 1", as: caller)
        #expect(open.json["plan"]?["access"] != [] && open.json["plan"]?["ranOn"] != nil, "\(open.plan)")
    }

    @Test func `an account without public records is not listed as deleted`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (test, _) = try await Self.filled(byNumber: 500, directory: directory)
        func gone() throws -> Int64? {
            try Connection(path: DataDirectory.databasePath(in: directory), role: .reader)
                .integer("SELECT count(*) FROM gone_account")
        }
        func leave(after action: (Caller) async throws -> Void) async throws {
            let (caller, session) = try await test.signUp("brief")
            try await action(caller)
            try await test.database.accounts.remove(#require(UserRecordName(session.user.recordName)), by: .shell)
        }
        #expect(try gone() == 2)
        for _ in 0..<5 { try await leave { _ in } }
        try await leave { caller in
            try await test.createAll([("short", #""g":1"#)], as: caller)
            try await test.delete("short", as: caller)
        }
        try await leave { caller in
            let id = try #require(caller.userID)
            try await test.createAll(
                [("own", #""g":1"#)], as: caller, in: DatabaseAddress(scope: .privateDatabase(owner: id)))
        }
        #expect(try gone() == 2)
        // One account has created a record, the other has changed an existing one.
        try await leave { caller in try await test.createAll([("left", #""g":1"#)], as: caller) }
        #expect(try gone() == 3)
        try await test.database.schemas.setGrants(
            Grants([.world: .read, .authenticated: [.create, .write], .creator: .write]),
            of: try #require(
                RecordTypeName("Post")))
        try await leave { caller in try await test.change("ann", #""g":9"#, as: caller) }
        #expect(try gone() == 4)
        #expect(try await test.query("createdUserRecordName == '_deleted' AND g == 1").names.contains("left"))
        #expect(try await test.query("modifiedUserRecordName == '_deleted' AND g == 9").names == ["ann"])
        await test.close()
    }

    @Test(arguments: [500, 0])
    func `bulk changes select records of deleted accounts`(_ byNumber: Int) async throws {
        let (test, _) = try await Self.filled(byNumber: byNumber)
        func change(_ condition: String, _ change: BulkRequest.Change) async throws {
            let request = BulkRequest(
                query: try test.queryRequest(condition), change: change, isForAll: false, isDryRun: false,
                maxAffected: nil, idempotency: nil)
            try test.reader.refresh()
            _ = try await test.reader.bulkChanges.perform(request)
        }
        let input = try RecordInput.readSingle(Array(#"{"fields":{"g":7}}"#.utf8))
        try await change("modifiedUserRecordName == '_deleted'", .modify(input))
        #expect(try await test.query("g == 7").names == ["spam", "spam2", "junk"])
        try await change("createdUserRecordName == '_deleted'", .delete)
        #expect(try test.list().names == ["ann", "ann2"])
    }

    @Test func `a new database has no deleted accounts`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""g":{"type":"INT64"}"#)
        try await test.createAll([("a", #""g":1"#)])
        #expect(try await test.query("createdUserRecordName == '_deleted'").names == [])
        #expect(try await test.query("createdUserRecordName != '_deleted'").names == ["a"])
        #expect(try await test.query("createdUserRecordName IN {'_deleted', '_administrator'}").names == ["a"])
        // Queries that are rejected after an account was removed are rejected before it too.
        let condition = "modifiedUserRecordName == '_deleted'"
        #expect(await rejection { _ = try await test.query(condition) }?.cause == .notIndexed)
        let ann = try await test.signUp("ann").session.user
        try await test.database.accounts.remove(#require(UserRecordName(ann.recordName)), by: .shell)
        #expect(await rejection { _ = try await test.query(condition) }?.cause == .notIndexed)
    }

    @Test func `an older file is migrated to list deleted accounts`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (before, _) = try await Self.filled(byNumber: 500, directory: directory)
        await before.close()
        do {
            let connection = try Connection(path: DataDirectory.databasePath(in: directory), role: .writer)
            try connection.execute(
                """
                DROP INDEX account_by_name_key; ALTER TABLE account DROP COLUMN name_key; DROP TABLE look_alike_account;
                DROP TABLE gone_account; DROP TABLE opening; ALTER TABLE type DROP COLUMN acl_required;
                ALTER TABLE record DROP COLUMN received; ALTER TABLE type DROP COLUMN has_preserved;
                DROP TABLE cloudkit_token; DROP INDEX api_key_by_key_id; ALTER TABLE api_key DROP COLUMN key_id;
                ALTER TABLE api_key DROP COLUMN public_key; ALTER TABLE session DROP COLUMN lifetime;
                DROP TABLE schema_snapshot; ALTER TABLE type DROP COLUMN former; ALTER TABLE field DROP COLUMN former;
                ALTER TABLE type DROP COLUMN renamed; ALTER TABLE type DROP COLUMN renaming;
                DROP TABLE job; DROP TABLE schedule; DROP TABLE webhook; DROP TABLE webhook_delivery;
                DROP TABLE hierarchy; DROP TABLE access_update; DROP TABLE job_rejection; DROP TABLE share; DROP TABLE participant;
                DROP TABLE lost_zone; DROP INDEX zone_by_change;
                DROP TABLE subscription; DROP TABLE notification_token;
                ALTER TABLE zone DROP COLUMN changed; ALTER TABLE zone DROP COLUMN created;
                DELETE FROM migration WHERE position >= (SELECT position FROM migration WHERE name = 'gone accounts')
                """)
        }
        let test = try TestDatabase(.production, directory: directory)
        #expect(
            try await test.query("createdUserRecordName == '_deleted'").names == ["spam", "spam2", "junk", "junk2"])
    }
}
