import HTTP
import RecordWire
import TestSupport
import Testing

/// A request that comes again with its idempotency key shows its caller nothing that it may not read any more.
@Suite struct ReplayTests {
    private static let key = [("Idempotency-Key", "k")]
    private static let vote = #"{"fields":{"good":{"increment":1}}}"#

    /// A record that the stranger may write; its answer once, and again after `change`.
    private func replay(
        after change: (TestDatabase) async throws -> Void, title: String = "private words",
        by list: String = #","acl":{"{stranger}":["read","write"]}"#
    ) async throws -> (first: Answer, again: Answer) {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let made = await database.call(
            .put, "/records/Post/shared", as: .administrator,
            body: #"{"fields":{"title":"\#(title)"}\#(list)}"#)
        try #require(made.status == 201, "\(made.text)")
        let grants = #"{"grants":{"_icloud":["READ","CREATE","WRITE"]}}"#
        #expect(await database.call(.put, "/grants/Post", as: .administrator, body: grants).status == 200)
        let first = await database.call(
            .patch, "/records/Post/shared", as: .stranger, body: Self.vote, headers: Self.key)
        #expect(first.status == 200 && first.text.contains("private words"), "\(first.text)")
        try await change(database)
        let again = await database.call(
            .patch, "/records/Post/shared", as: .stranger, body: Self.vote, headers: Self.key)
        #expect(again.status == 200 && again.field("Idempotency-Replayed") == "true", "\(again.text)")
        #expect(again.field("ETag") == first.field("ETag"))
        #expect(again.json?["recordName"] == "shared" && again.json?["recordType"] == "Post")
        #expect(again.json?["recordChangeTag"] == first.json?["recordChangeTag"])
        return (first, again)
    }

    private func expectNothing(_ answer: Answer) {
        #expect(!answer.text.contains("private words") && !answer.text.tells("acl"), "\(answer.text)")
        #expect(answer.json?["fields"] == nil, "\(answer.text)")
    }

    @Test(arguments: [0, 8_000]) func `nobody took anything away`(padding: Int) async throws {
        let title = "private words" + String(repeating: ".", count: padding)
        let (first, again) = try await replay(after: { _ in }, title: title)
        #expect(first.bytes == again.bytes)
    }

    @Test(arguments: [
        #"{"acl":{"{creator}":["read","write"]}}"#, #"{"acl":{"{stranger}":["write"]}}"#,
    ])
    func `the access list names the caller no more`(body: String) async throws {
        let (_, again) = try await replay { database in
            let taken = await database.call(.patch, "/records/Post/shared", as: .administrator, body: body)
            #expect(taken.status == 200)
        }
        expectNothing(again)
    }

    @Test func `the caller reads the record but sees its access list no more`() async throws {
        let (_, again) = try await replay { database in
            let taken = await database.call(
                .patch, "/records/Post/shared", as: .administrator, body: #"{"acl":{"{stranger}":["read"]}}"#)
            #expect(taken.status == 200)
        }
        #expect(!again.text.tells("acl"))
    }

    @Test(arguments: [false, true]) func `the type is no longer for the caller`(isGone: Bool) async throws {
        let (_, again) = try await replay(
            after: { database in
                let taken = await database.call(
                    .put, "/grants/Post", as: .administrator, body: #"{"grants":{"editors":["READ","WRITE"]}}"#)
                #expect(taken.status == 200)
                guard isGone else { return }
                #expect(await database.call(.delete, "/records/Post/shared", as: .administrator).status == 204)
            }, by: "")
        expectNothing(again)
    }

    @Test(arguments: [false, true], [0, 8_000])
    func `the field is no longer for the caller`(isChanged: Bool, padding: Int) async throws {
        let title = "private words" + String(repeating: ".", count: padding)
        let (_, again) = try await replay(
            after: { database in
                let schema = await database.call(.get, "/schema", as: .administrator)
                let narrower = schema.text.replacing(
                    #""title":{"type":"STRING""#, with: #""title":{"read":["editors"],"type":"STRING""#)
                #expect(narrower != schema.text)
                let taken = await database.call(.put, "/schema", as: .administrator, body: narrower)
                #expect(taken.status == 200, "\(taken.text)")
                if isChanged {
                    let changed = await database.call(
                        .patch, "/records/Post/shared", as: .administrator, body: #"{"fields":{"good":7}}"#)
                    #expect(changed.status == 200)
                }
            }, title: title)
        #expect(!again.text.contains("private words"), "\(again.text)")
    }

    @Test func `the record was deleted after its list was changed`() async throws {
        let (_, again) = try await replay { database in
            await database.call(
                .patch, "/records/Post/shared", as: .administrator,
                body: #"{"acl":{"{creator}":["read","write"]}}"#)
            #expect(await database.call(.delete, "/records/Post/shared", as: .administrator).status == 204)
        }
        expectNothing(again)
    }
}
