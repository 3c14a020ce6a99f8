import Foundation
import RecordModel
import RecordStorage
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
                name, try Self.definition("Post", more), in: .scope(.publicDatabase), by: ann)
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
                type, try Self.definition(type), in: .scope(.publicDatabase), by: key)
        }
        for type in ["Post", "Note", "Secret"] { try await test.create("new-\(type)", #""n":1"#, type: type) }
        #expect(try await Self.read(test, as: key).names == ["Post new-Post", "Note new-Note"])
        // A subscription that cannot be read is rejected when it is checked.
        let error = #expect(throws: RecordError.self) {
            try test.reader.subscriptions.check(try Self.definition("Secret"), in: .scope(.publicDatabase), for: key)
        }
        #expect(error?.code == .accessDenied)
        await test.close()
    }

    @Test func `subscriptions survive a restart and a copy, and a token of another copy starts over`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        let copy = directory + "-copy"
        defer {
            try? FileManager.default.removeItem(atPath: directory)
            try? FileManager.default.removeItem(atPath: copy)
        }
        /// Opens a directory, creates a record, and returns the notifications since a token, and the next token.
        func run(_ directory: String, creating name: String, since token: String?) async throws -> ([String?], String) {
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            if token == nil {
                _ = try await test.signUp("ann")
                try await test.create("old")
            }
            let ann = try #require(try test.reader.store.accounts.find(name: "ann"))
            let caller = Caller.user(ann.id, roles: [:])
            if token == nil {
                _ = try await test.database.subscriptions.put(
                    "s", try Self.definition("Post"), in: .scope(.publicDatabase), by: caller)
            }
            try await test.create(name)
            try test.reader.refresh()
            let watcher = test.database.commitBroadcast.makeWatcher(nil)
            let result: Result<NotificationFeed.Batch, any Error>
            do {
                let feed = try NotificationFeed(for: caller, since: FeedStart(token), by: test.reader, watcher: watcher)
                result = .success(try await feed.next(for: caller, limit: 10, by: test.reader))
            } catch { result = .failure(error) }
            test.database.commitBroadcast.remove(watcher)
            await test.close()
            let batch = try result.get()
            return (batch.notifications.map(\.recordName), batch.end)
        }
        let first = try await run(directory, creating: "a", since: nil)
        #expect(first.0 == ["a"])
        try FileManager.default.copyItem(atPath: directory, toPath: copy)
        let second = try await run(directory, creating: "b", since: first.1)
        #expect(second.0 == ["b"])
        #expect(try await run(copy, creating: "c", since: first.1).0 == ["c"])
        let error = await #expect(throws: RecordError.self) { try await run(copy, creating: "d", since: second.1) }
        #expect(error?.cause == .tokenExpired)
        let report = try await Self.subscriptions(in: directory)
        #expect(report == 1)
    }

    /// The number of subscriptions that the doctor counts.
    private static func subscriptions(in directory: String) async throws -> Int {
        let connection = try Connection(path: DataDirectory.databasePath(in: directory), role: .reader)
        return try InspectionTable(connection).totals().subscriptions
    }
}
