import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// A cached query is used again for the same text, unless something that it depends on has changed.
@Suite struct QueryCacheTests {
    private static func ask(
        _ condition: String, on test: TestDatabase, sort: String = "", as caller: Caller = .administrator(.bootstrap)
    ) async throws -> [String] {
        var request = try test.queryRequest(condition, sort: sort, limit: 10, as: caller)
        request.input.explain = false
        request.input.count = false
        try test.reader.refresh()
        return QueryPage(json: try await test.reader.queries.run(request).object).names
    }

    private static func words(
        _ condition: String, _ arguments: [QueryArgument] = [], type: TypeID = 1
    ) -> QueryCache.Words? {
        var input = QueryInput()
        input.condition = condition
        input.arguments = arguments
        return QueryCache.Words(input, identity: input.identity, type: type)
    }

    private static func words(_ condition: String, on test: TestDatabase) throws -> QueryCache.Words {
        let name = try #require(RecordTypeName("Post"))
        let type = try #require(test.reader.schema[name])
        return try #require(words(condition, type: type.id))
    }

    private static func filled(grants: String = #"{"_world":["READ"]}"#) async throws -> TestDatabase {
        let test = try TestDatabase()
        try await test.putType(
            fields: #"""
                "author":{"type":"STRING","indexes":["QUERYABLE"]},"at":{"type":"INT64","indexes":["SORTABLE","QUERYABLE"]}
                """#, grants: grants)
        try await test.createAll([
            ("a", #""author":"ann","at":1"#), ("b", #""author":"bob","at":2"#), ("c", #""author":"ann","at":3"#),
        ])
        return test
    }

    @Test func `a plan that depends only on the query text is cached and finds later writes`() async throws {
        let test = try await Self.filled()
        let condition = "author == 'ann'"
        #expect(try await Self.ask(condition, on: test) == ["a", "c"])
        let words = try Self.words(condition, on: test)
        #expect(test.reader.queryCache.plan(words) != nil)
        try await test.createAll([("d", #""author":"ann","at":0"#)])
        #expect(try await Self.ask(condition, on: test) == ["a", "c", "d"])
    }

    @Test func `a schema change discards all cached queries`() async throws {
        let test = try await Self.filled()
        let condition = "author == 'ann'"
        #expect(try await Self.ask(condition, on: test, sort: "-at") == ["c", "a"])
        #expect(try await Self.ask(condition, on: test) == ["a", "c"])
        let words = try Self.words(condition, on: test)
        #expect(test.reader.queryCache.plan(words) != nil)
        try await test.putType(
            fields: #"""
                "author":{"type":"STRING","indexes":["QUERYABLE"]},"at":{"type":"INT64","indexes":[]}
                """#)
        try test.reader.refresh()
        #expect(test.reader.queryCache.bound(words) == nil)
        await #expect(throws: RecordError.self) {
            try await Self.ask(condition, on: test, sort: "-at", as: .anonymous)
        }
    }

    @Test func `permissions are checked each time`() async throws {
        let test = try await Self.filled()
        let condition = "author == 'ann'"
        #expect(try await Self.ask(condition, on: test) == ["a", "c"])
        #expect(try await Self.ask(condition, on: test, as: .anonymous) == ["a", "c"])
        let (ann, _) = try await test.signUp("ann")
        try await test.putType(
            fields: #"""
                "author":{"type":"STRING","indexes":["QUERYABLE"]},"at":{"type":"INT64","indexes":["SORTABLE","QUERYABLE"]}
                """#, grants: #"{"_creator":["READ"]}"#)
        #expect(try await Self.ask(condition, on: test) == ["a", "c"])
        #expect(try await Self.ask(condition, on: test, as: ann) == [])
        await #expect(throws: RecordError.self) { try await Self.ask(condition, on: test, as: .anonymous) }
    }

    @Test func `an account that a condition names is looked up each time`() async throws {
        let test = try await Self.filled(grants: #"{"_world":["READ"],"_icloud":["CREATE"]}"#)
        let (ann, session) = try await test.signUp("ann")
        let condition = "createdUserRecordName == '\(session.user.recordName)'"
        #expect(try await Self.ask(condition, on: test) == [])
        try await test.create("e", #""author":"eve""#, as: ann)
        #expect(try await Self.ask(condition, on: test) == ["e"])
        let words = try Self.words(condition, on: test)
        #expect(test.reader.queryCache.bound(words) == nil)
    }

    @Test func `queries that depend on the time and long queries are not cached`() {
        for condition in ["at > now()", "at > NOW ( )", "author == 'known'", "nOw"] {
            #expect(Self.words(condition) == nil, "\(condition)")
        }
        for condition in ["", "no", "at > 1", "n o w", "author == 'no', 'w'"] {
            #expect(Self.words(condition) != nil, "\(condition)")
        }
        #expect(Self.words("author == '" + String(repeating: "x", count: 1_024) + "'") == nil)
        #expect(Self.words("author == %@", [.string("ann")]) != Self.words("author == %@", [.string("bob")]))
    }

    @Test func `the cache is bounded, and recently used queries stay`() throws {
        var known = QueryCache()
        let (again, once) = (try #require(Self.words("at == -1")), try #require(Self.words("at == -2")))
        for words in [again, once] { known.keep(BoundQuery(predicate: .constant(true)), for: words) }
        for number in 0..<2_000 {
            let words = try #require(Self.words("at == \(number)"))
            known.keep(BoundQuery(predicate: .constant(true)), for: words)
            #expect(known.bound(words) != nil)
            #expect(known.bound(again) != nil)
        }
        #expect(known.bound(once) == nil)
    }

    @Test func `long queries evict others sooner`() throws {
        var known = QueryCache()
        let first = try #require(Self.words("at == -1"))
        known.keep(BoundQuery(predicate: .constant(true)), for: first)
        for number in 100..<240 {
            let long = "author == '" + String(repeating: "x", count: 950) + "\(number)'"
            known.keep(BoundQuery(predicate: .constant(true)), for: try #require(Self.words(long)))
        }
        #expect(known.bound(first) == nil)
    }
}
