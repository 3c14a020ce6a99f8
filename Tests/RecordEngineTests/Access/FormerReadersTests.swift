import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// Callers that no longer read a record: the tombstones in their feeds, and the limits of their number.
@Suite struct FormerReadersTests {
    private static let shut = #"{"acl":{"_creator":["read","write"]}}"#
    private static let modify = RecordOperation.Verb.modify(createsMissing: false, replacesAll: false)

    /// The names that a page reports as deleted.
    private static func gone(_ page: (changes: [JSONValue], token: String, moreComing: Bool)) -> [String] {
        page.changes.filter { $0["deleted"] == .bool(true) }.compactMap { $0["recordName"]?.string }
    }

    /// A record that everyone could read, and now only its creator.
    private static func hidden() async throws -> (test: TestDatabase, creator: Caller, before: String) {
        let test = try TestDatabase()
        try await test.create("first")
        let creator = Caller.user(16, roles: [:])
        try await test.create("x", #""n":1"#, as: creator)
        try await test.create("other")
        let before = try test.changes(as: .anonymous).token
        try await test.perform(modify, "Post", "x", shut, as: creator)
        return (test, creator, before)
    }

    @Test func `a caller that loses a record gets one tombstone and none of its later changes`() async throws {
        let (test, creator, before) = try await Self.hidden()
        var page = try test.changes(since: before, as: .anonymous)
        #expect(Self.gone(page) == ["x"])
        for _ in 0..<2 {
            try await test.change("x", #""n":2"#, as: creator)
            page = try test.changes(since: page.token, as: .anonymous)
            #expect(page.changes.isEmpty && !page.moreComing)
        }
        // A caller that reads its feed later gets its tombstone then.
        #expect(Self.gone(try test.changes(since: before, as: .anonymous)) == ["x"])
        // To read it again, and to lose it again, is something new.
        try await test.perform(Self.modify, "Post", "x", #"{"acl":null}"#, as: creator)
        page = try test.changes(since: page.token, as: .anonymous)
        #expect(page.changes.count == 1 && Self.gone(page).isEmpty)
        try await test.perform(Self.modify, "Post", "x", Self.shut, as: creator)
        page = try test.changes(since: page.token, as: .anonymous)
        #expect(Self.gone(page) == ["x"])
        try await test.delete("x", as: creator)
        #expect(try test.changes(since: page.token, as: .anonymous).changes.isEmpty)
    }

    /// The record moves ahead in the feed while a client reads page after page.
    @Test func `a client gets a tombstone for a record that was lost and written while it read pages`() async throws {
        let (test, creator, before) = try await Self.hidden()
        for number in 0..<3 { try await test.create("later\(number)") }
        var page = try test.changes(since: before, as: .anonymous, limit: 2)
        #expect(Self.gone(page) == ["x"] && page.moreComing)
        // Between two pages, so that its token has a number after the loss.
        try await test.change("x", #""n":2"#, as: creator)
        page = try test.changes(since: page.token, as: .anonymous, limit: 1)
        #expect(page.changes.count == 1 && page.moreComing)
        page = try test.changes(since: page.token, as: .anonymous, limit: 10)
        #expect(Self.gone(page) == ["x"] && !page.moreComing)
    }

    @Test func `losses without a number are reported at every write of the record`() async throws {
        let (test, creator, before) = try await Self.hidden()
        var page = try test.changes(since: before, as: .anonymous)
        await test.close()
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        let store = connection.prepare("UPDATE record SET former = ?1 WHERE name = 'x'")
        store.bind(1, blob: [0, 0, 0, 0, 0, 0, 0, 0x80])
        try store.run()
        let again = try TestDatabase(directory: test.directory, keepsDirectory: true)
        for _ in 0..<2 {
            try await again.change("x", #""n":2"#, as: creator)
            page = try again.changes(since: page.token, as: .anonymous)
            #expect(Self.gone(page) == ["x"])
        }
        await again.close()
    }

    /// A record of Ann's that as many have ceased to read as it may remember.
    private static func fill(_ directory: String) async throws {
        let test = try TestDatabase(directory: directory, keepsDirectory: true)
        try await test.putType(
            fields: #""n":{"type":"INT64"}"#, grants: #"{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}"#)
        let ann = try await test.signUp("ann").caller
        _ = try await test.signUp("bob")
        try await test.perform(
            .create, "Post", "x", #"{"fields":{"n":1},"acl":{"_creator":["read","write"],"*":["read"]}}"#, as: ann)
        await test.close()
        let connection = try Connection(path: DataDirectory.databasePath(in: directory), role: .writer)
        let former = StoredFormerReaders.encode(
            Dictionary(
                uniqueKeysWithValues: (1...Limits.formerReaders).map {
                    (.principal(.user(UserID(rawValue: Int64(1_000 + $0)))), 1)
                })
        )
        let store = connection.prepare("UPDATE record SET former = ?1 WHERE name = 'x'")
        store.bind(1, blob: former)
        try store.run()
    }

    private func caller(_ name: String, _ test: TestDatabase) async throws -> Caller {
        let session = try await test.signIn(name)
        return try Array(session.token.utf8).withUnsafeBytes { try test.reader.callers.authenticate($0) }
    }

    /// Otherwise a client whose database was replaced by a restored copy would keep deleted records.
    @Test func `a token in a private database that was never written has expired`() async throws {
        let test = try TestDatabase()
        let ann = try await test.signUp("ann").caller
        let bob = try await test.signUp("bob").caller
        func address(_ caller: Caller) throws -> DatabaseAddress {
            DatabaseAddress(scope: .privateDatabase(owner: try #require(caller.userID)))
        }
        try await test.create("x", as: ann, in: try address(ann))
        let token = try test.changes(as: ann, in: try address(ann)).token
        #expect(try test.changes(as: bob, in: try address(bob)).token.isEmpty)
        let rejected = await rejection { _ = try test.changes(since: token, as: bob, in: try address(bob)) }
        #expect(rejected?.cause == .tokenExpired)
    }

    @Test func `a user cannot expire the tokens of all others this way`() async throws {
        let patient = try await DoctorPatient { try await Self.fill($0) }
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        let bob = try await caller("bob", test)
        let ann = try await caller("ann", test)
        let token = try test.changes(as: bob).token
        let rejected = await rejection { try await test.perform(Self.modify, "Post", "x", Self.shut, as: ann) }
        #expect(rejected?.cause == .tooLarge && rejected?.reason.contains("create it again") == true)
        _ = try test.changes(since: token, as: bob)
        // A caller that may change the rights of types could expire all tokens anyway.
        try await test.perform(Self.modify, "Post", "x", Self.shut)
        let expired = await rejection { _ = try test.changes(since: token, as: bob) }
        #expect(expired?.cause == .tokenExpired && expired?.reason.contains("rights have changed") == true)
        await test.close()
    }
}
