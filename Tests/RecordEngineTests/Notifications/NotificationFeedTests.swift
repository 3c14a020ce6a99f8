import RecordModel
import RecordWire
import Testing

@testable import RecordEngine

/// Notifications below the routes: long logs, other threads, and keys.
@Suite struct NotificationFeedTests {
    private static func definition(_ type: String, _ more: String = "") throws -> SubscriptionDefinition {
        let text = #"{"type":"query","recordType":"\#(type)"\#(more)}"#
        return try SubscriptionDefinition(try #require(try JSONValue.parse(Array(text.utf8)).object))
    }

    /// Reads all notifications in short, and counts the pages.
    private static func read(
        _ test: TestDatabase, as caller: Caller, limit: Int = 10
    ) async throws -> (names: [String], pages: Int) {
        let watcher = test.database.commitBroadcast.makeWatcher(nil)
        defer { test.database.commitBroadcast.remove(watcher) }
        try test.reader.refresh()
        let feed = try NotificationFeed(for: caller, since: .beginning, by: test.reader, watcher: watcher)
        var (names, pages): ([String], Int) = ([], 0)
        while true {
            try test.reader.refresh()
            let batch = try await feed.next(for: caller, limit: limit, by: test.reader)
            pages += 1
            names += batch.notifications.map { "\($0.subscription.name) \($0.recordName ?? "")" }
            guard batch.moreComing else { return (names, pages) }
        }
    }

    @Test func `a page examines a limited number of changes, and the next one goes on`() async throws {
        let test = try TestDatabase()
        let ann = try await test.signUp("ann").caller
        try await test.create("old", #""n":0"#)
        for (name, more) in [("all", ""), ("some", #","where":"n >= 2""#)] {
            _ = try await test.database.subscriptions.put(
                name, try Self.definition("Post", more), in: .publicDatabase, by: ann)
        }
        try await test.create("first", #""n":1"#)
        for batch in 0..<26 {
            let operations = (0..<200).map {
                #"{"operationType":"create","record":{"recordType":"Note","recordName":"n\#(batch)-\#($0)","fields":{}}}"#
            }
            _ = try await test.batch(#"{"operations":[\#(operations.joined(separator: ","))]}"#)
        }
        try await test.create("last", #""n":2"#)
        let expected = ["all first", "all last", "some last"]
        let here = try await Self.read(test, as: ann)
        #expect(here.names == expected && here.pages == 2)
        // The pool's threads find the same.
        test.reader.spareTime = .zero
        let there = try await Self.read(test, as: ann, limit: 1)
        #expect(there.names == expected)
        await test.close()
    }

    @Test func `a key's subscriptions report what its scope permits`() async throws {
        let test = try TestDatabase()
        let types = Set(["Post", "Note"].compactMap { RecordTypeName($0) })
        let made = try await test.makeKey("sync", KeyScope(types: types, permissions: [.read]))
        let key = try test.caller(made.token)
        for type in ["Post", "Note", "Secret"] {
            try await test.create("old-\(type)", #""n":0"#, type: type)
            _ = try await test.database.subscriptions.put(
                type, try Self.definition(type), in: .publicDatabase, by: key)
        }
        for type in ["Post", "Note", "Secret"] { try await test.create("new-\(type)", #""n":1"#, type: type) }
        #expect(try await Self.read(test, as: key).names == ["Post new-Post", "Note new-Note"])
        // A subscription that cannot be read is rejected when it is checked.
        let error = #expect(throws: RecordError.self) {
            try test.reader.subscriptions.check(try Self.definition("Secret"), in: .publicDatabase, for: key)
        }
        #expect(error?.code == .accessDenied)
        await test.close()
    }
}
