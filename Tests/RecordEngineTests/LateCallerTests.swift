import RecordModel
import RecordWire
import Testing

@testable import RecordEngine

/// Rights that a caller has lost while its read waited for a thread.
@Suite struct LateCallerTests {
    /// Notes the caller on a thread of the pool.
    private struct Question: PageRequest {
        var caller: Caller

        func page(by reader: RecordReader, _ time: inout PageTimeLimit) -> RecordPage? {
            guard time.endsPage else { return nil }
            var page = RecordPage("")
            guard case .user(_, let roles) = caller else { return page }
            page.records.json += Array(roles.keys.map(\.text).sorted().joined(separator: ",").utf8)
            return page
        }
    }

    /// A moderator that alone reads a record, and its caller with the roles as they were known before.
    private static func moderated(
        _ environment: RecordEnvironment = .production, indexes: String = #"["QUERYABLE"]"#
    ) async throws -> (test: TestDatabase, caller: Caller, end: () async throws -> Void) {
        let test = try TestDatabase(environment)
        let name = try #require(RoleName("moderators"))
        let session = try await test.signUp("mod").session
        _ = try await test.database.roles.put(name, members: [session.user.recordName])
        try await test.putType(
            fields: #""t":{"type":"STRING","indexes":\#(indexes)}"#, grants: #"{"moderators":["READ","WRITE"]}"#)
        try await test.create("a", #""t":"x""#)
        try test.reader.refresh()
        let caller = try test.caller(session.token)
        return (test, caller, { _ = try await test.database.roles.put(name, members: []) })
    }

    @Test func `a long query and a bulk change find records with the caller's remaining roles`() async throws {
        let (test, caller, end) = try await Self.moderated()
        let long = [QueryArgument.list((0..<900).map { .string("text number \($0)") } + [.string("x")])]
        func found() async throws -> (names: [String], matched: String) {
            let set = BulkRequest(
                query: try test.queryRequest("t == 'x'", as: caller), change: .delete, isForAll: false, isDryRun: true,
                maxAffected: nil, idempotency: nil)
            let page = try await test.query("t IN %@", long, as: caller)
            #expect(page.names.isEmpty || page.json["plan"]?["ranOn"]?.string == "pool")
            return (
                page.names, String(decoding: try await test.reader.bulkChanges.perform(set).document, as: UTF8.self)
            )
        }
        let before = try await found()
        #expect(before.names == ["a"] && before.matched == #"{"matched":1,"deleted":0,"skipped":0,"dryRun":true}"#)
        try await end()
        let after = try await found()
        #expect(after.names == [] && after.matched == #"{"matched":0,"deleted":0,"skipped":0,"dryRun":true}"#)
        await test.close()
    }

    @Test func `a query that waited for its index uses the caller's remaining roles`() async throws {
        let (test, caller, end) = try await Self.moderated(.development, indexes: "[]")
        try await end()
        let page = try await test.query("t == 'x'", as: caller)
        // The index came with it.
        #expect(page.json["notices"] != nil)
        #expect(page.names.isEmpty)
        await test.close()
    }

    @Test func `a long page is made with the caller's remaining roles`() async throws {
        let (test, caller, end) = try await Self.moderated()
        #expect(try await test.reader.page(Question(caller: caller)).records.json == Array("moderators".utf8))
        try await end()
        #expect(try await test.reader.page(Question(caller: caller)).records.json.isEmpty)
        await test.close()
    }

    /// A write that waits in the writer's queue after a change of its caller's rights follows it in the sequence.
    @Test(arguments: [false, true])
    func `authorization is rechecked when a queued write executes`(isGone: Bool) async throws {
        let (test, caller, end) = try await Self.moderated()
        let known = test.reader.rightsVersion
        func write(_ version: UInt64?) async throws {
            let input = try RecordInput.readSingle(Array(#"{"fields":{"t":"y"}}"#.utf8))
            let operation = RecordOperation(
                .modify(createsMissing: false, replacesAll: false), typeName: RecordTypeName("Post"),
                isTypeInPath: true,
                recordName: RecordName("a"), input: input)
            _ = try await test.database.modify(
                WriteRequest(
                    caller: caller, rightsVersion: version, address: .publicDefault, shape: .single,
                    operations: [operation]))
        }
        try await write(known)
        if isGone {
            let user = try await test.signIn("mod").user
            _ = try await test.database.accounts.change(
                try #require(UserRecordName(user.recordName)), isDisabled: true, by: .shell)
        } else {
            try await end()
        }
        let rejected = await rejection { try await write(known) }
        #expect(rejected?.code == (isGone ? .authenticationFailed : .notFound))
        await test.close()
    }

    @Test func `a caller whose account was removed is not authenticated`() async throws {
        let test = try TestDatabase()
        let (caller, session) = try await test.signUp("ann")
        try await test.database.accounts.remove(
            try test.reader.accounts.lookUp(session.user.id), password: "correct horse",
            token: Array(session.token.utf8))
        let rejected = await rejection { _ = try await test.reader.page(Question(caller: caller)) }
        #expect(rejected?.code == .authenticationFailed)
        await test.close()
    }
}
