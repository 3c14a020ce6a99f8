import HTTP
import RecordWire
import TestSupport
import Testing

/// A replayed request with an idempotency key shows its caller nothing that it may no longer read.
@Suite struct ReplayTests {
    private static let key = [("Idempotency-Key", "k")]
    private static let vote = #"{"fields":{"good":{"increment":1}}}"#

    /// A record that the stranger may write; its response once, and again after `change`.
    private func replay(
        after change: (TestDatabase) async throws -> Void, title: String = "private words",
        by list: String = #","acl":{"{stranger}":["read","write"]}"#
    ) async throws -> (first: Response, again: Response) {
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

    private func expectNothing(_ response: Response) {
        #expect(!response.text.contains("private words") && !response.text.tells("acl"), "\(response.text)")
        #expect(response.json?["fields"] == nil, "\(response.text)")
    }

    @Test(arguments: [0, 8_000]) func `no permission was removed`(padding: Int) async throws {
        let title = "private words" + String(repeating: ".", count: padding)
        let (first, again) = try await replay(after: { _ in }, title: title)
        #expect(first.bytes == again.bytes)
    }

    @Test(arguments: [
        #"{"acl":{"{creator}":["read","write"]}}"#, #"{"acl":{"{stranger}":["write"]}}"#,
    ])
    func `the access list no longer names the caller`(body: String) async throws {
        let (_, again) = try await replay { database in
            let taken = await database.call(.patch, "/records/Post/shared", as: .administrator, body: body)
            #expect(taken.status == 200)
        }
        expectNothing(again)
    }

    @Test func `the caller reads the record but no longer sees its access list`() async throws {
        let (_, again) = try await replay { database in
            let taken = await database.call(
                .patch, "/records/Post/shared", as: .administrator, body: #"{"acl":{"{stranger}":["read"]}}"#)
            #expect(taken.status == 200)
        }
        #expect(!again.text.tells("acl"))
    }

    @Test(arguments: [false, true]) func `the caller may no longer read the type`(isGone: Bool) async throws {
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
    func `the caller may no longer read the field`(isChanged: Bool, padding: Int) async throws {
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
