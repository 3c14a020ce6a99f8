import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

/// A snapshot that opens in the microseconds between COMMIT and its publication shows types, grants and roles that the
/// reader's thread does not know yet. Here another connection commits to the file, and none of its commits is ever
/// published.
@Suite struct UnpublishedCommitTests {
    /// With a type that anonymous callers may not read, so that the feed looks up types by name.
    private static func makeTest() async throws -> TestDatabase {
        let test = try TestDatabase()
        try await test.create("a")
        try await test.create("hidden", type: "Hidden")
        try await test.database.schemas.setGrants(Grants(), of: try #require(RecordTypeName("Hidden")))
        return test
    }

    private static func commit(_ sql: String, to test: TestDatabase) throws {
        try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer).execute(SQL(sql))
    }

    @Test(arguments: [Caller.anonymous, .administrator(.bootstrap)])
    func `a record of an unpublished type is not skipped`(_ caller: Caller) async throws {
        let test = try await Self.makeTest()
        let token = try test.changes(as: caller).token
        try Self.commit(
            """
            INSERT INTO type (id, name) VALUES (1000, 'Late');
            INSERT INTO record (zone, name, type, sequence, revision, creator, created, modifier, modified, layout, fields)
            SELECT zone, 'late', 1000, (SELECT max(sequence) FROM record) + 10, revision, creator, created, modifier,
                modified, layout, fields FROM record WHERE name = 'a'
            """, to: test)
        for since in [token, nil] {
            let page = try test.changes(since: since, as: caller)
            #expect(page.moreComing)
            #expect(!page.changes.contains { $0["recordName"]?.string == "late" })
            // Also from there on.
            let next = try test.changes(since: page.token, as: caller)
            #expect(next.moreComing && next.changes.isEmpty)
        }
    }

    @Test func `an unpublished change of rights expires the tokens issued before its publication`()
        async throws
    {
        let test = try await Self.makeTest()
        try Self.commit("UPDATE type SET granted = (SELECT max(granted) FROM type) + 1 WHERE name = 'Hidden'", to: test)
        let page = try test.changes(as: .anonymous)
        try await test.create("b")
        let error = await rejection { _ = try test.changes(since: page.token, as: .anonymous) }
        #expect(error?.cause == .tokenExpired)
        #expect(try test.changes(as: .anonymous).changes.count == 2)
    }
}
