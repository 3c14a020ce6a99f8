import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@Suite struct IndexSchemaTests {
    private static let document =
        #"{"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},"#
        + #""tags":{"type":"STRING_LIST","indexes":["QUERYABLE"]},"n":{"type":"INT64"}},"#
        + #""indexes":[{"fields":["title","-createdTimestamp"]},{"fields":["n"],"unique":true}],"#
        + #""grants":{"_world":["READ"]}}}}"#

    @Test func `a schema with indexes is read and put as one document`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.document)
        #expect(test.schemaText == Self.document)
        let indexes = try test.indexes()
        #expect(indexes.map(\.isDeclared) == [true, true, false, false])
        #expect(indexes.map(\.kind) == [.ordered, .ordered, .ordered, .members])
        try await test.putSchema(test.schemaText)
        #expect(try test.indexes() == indexes)
        try IndexOracle(test).check()
    }

    @Test func `the schema that is read again after a restart is the same`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.document)
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .reader)
        let again = try SchemaTable(connection).load(version: test.database.schema.version)
        #expect(again == test.database.schema)
    }

    @Test func `a document keeps the indexes that it omits, and an empty list drops them`() async throws {
        let test = try TestDatabase()
        try await test.fill(5) { #""title":"t\#($0)","tags":["a","b"],"n":\#($0)"# }
        try await test.putSchema(Self.document)
        let before = try test.indexes()
        try await test.putSchema(
            #"{"types":{"Post":{"fields":{"title":{"type":"STRING"},"tags":{"type":"STRING_LIST"},"n":{"type":"INT64"}}}}}"#
        )
        #expect(try test.indexes() == before)
        try await test.putSchema(
            #"{"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":[]},"tags":{"type":"STRING_LIST"},"n":{"type":"INT64"}},"indexes":[]}}}"#
        )
        #expect(try test.indexes() == before.filter { $0.kind == .members })
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
    }

    @Test func `an index that the options made may be declared and back`() async throws {
        let test = try TestDatabase()
        let options = #"{"types":{"Post":{"fields":{"n":{"type":"INT64","indexes":["SORTABLE"]}},"indexes":[]}}}"#
        try await test.putSchema(options)
        let made = try #require(try test.indexes().first)
        #expect(!made.isDeclared)
        try await test.putSchema(#"{"types":{"Post":{"fields":{"n":{"type":"INT64"}},"indexes":[{"fields":["n"]}]}}}"#)
        #expect(try test.indexes().map(\.id) == [made.id])
        #expect(try test.indexes().map(\.isDeclared) == [true])
        try await test.putSchema(options)
        #expect(try test.indexes() == [made])
        // UNIQUE is a separate index, which serves the options too.
        try await test.putSchema(
            #"{"types":{"Post":{"fields":{"n":{"type":"INT64"}},"indexes":[{"fields":["n"],"unique":true}]}}}"#)
        #expect(try test.indexes().map(\.isUnique) == [true])
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
    }

    @Test func `fields and types are deleted with their indexes`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.document)
        try await test.putSchema(
            #"{"types":{"Post":{"fields":{"title":{"type":"STRING"},"tags":{"type":"STRING_LIST"}}}}}"#)
        #expect(try test.indexes().count == 3)
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
        try await test.create("a", #""title":"t","tags":["x"]"#)
        try await test.delete("a")
        try await test.putSchema(#"{"types":{}}"#)
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
        // A new type of the same name has no indexes.
        try await test.create("a", #""title":"t""#)
        #expect(try test.indexes().isEmpty)
    }

    @Test func `an index on a field that cannot be indexed is rejected`() async throws {
        let test = try TestDatabase()
        try await test.create(
            "a", #""b":{"value":"QUJD","type":"BYTES"},"l":["x"],"n":1,"p":{"latitude":1,"longitude":2}"#)
        let type = try #require(RecordTypeName("Post"))
        let definition = try #require(test.database.schema[type])
        let (b, l, n) = (definition["b"]?.id ?? 0, definition["l"]?.id ?? 0, definition["n"]?.id ?? 0)
        typealias Column = IndexDefinition.Column
        let wishes: [IndexRequest] = [
            IndexRequest(options: [b: .queryable]), IndexRequest(options: [l: .sortable]),
            IndexRequest(options: [99: .queryable]),
            IndexRequest(indexes: [.init(kind: .ordered, columns: [])]),
            IndexRequest(indexes: [.init(kind: .ordered, columns: [Column(.field(b))])]),
            IndexRequest(indexes: [.init(kind: .ordered, columns: [Column(.field(l))])]),
            IndexRequest(indexes: [.init(kind: .members, columns: [Column(.field(n))])]),
            IndexRequest(indexes: [.init(kind: .members, columns: [Column(.field(l))], isUnique: true)]),
            IndexRequest(indexes: [.init(kind: .ordered, columns: [Column(.field(n)), Column(.field(n))])]),
            IndexRequest(indexes: [.init(kind: .ordered, columns: [Column(.system(.recordName))])]),
            IndexRequest(indexes: [.init(kind: .ordered, columns: [Column(.field(99))])]),
        ]
        for request in wishes {
            #expect(await rejection { _ = try await test.database.indexes.add(request, to: type) }?.code == .badRequest)
        }
        #expect(try test.indexes().isEmpty)
        let none = try #require(RecordTypeName("None"))
        #expect(
            await rejection { _ = try await test.database.indexes.add(IndexRequest(), to: none) }?.code == .notFound)
    }

    @Test func `the number of indexes of a type is limited`() async throws {
        let test = try TestDatabase()
        let fields = (0...IndexDefinition.maxPerType).map { #""f\#($0)":1"# }.joined(separator: ",")
        try await test.create("a", fields)
        let type = try #require(RecordTypeName("Post"))
        let all = Dictionary(
            uniqueKeysWithValues: (1...IndexDefinition.maxPerType).map { ($0, IndexOptions.queryable) })
        #expect(try await test.database.indexes.add(IndexRequest(options: all), to: type).new.count == all.count)
        let one = IndexRequest(options: [IndexDefinition.maxPerType + 1: .queryable])
        #expect(await rejection { _ = try await test.database.indexes.add(one, to: type) }?.cause == .tooLarge)
        try IndexOracle(test).check()
    }

    @Test func `an update that changes no indexed value writes no entry`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.document)
        try await test.create("a", #""title":"t","tags":["x","y"],"n":1"#)
        try await test.create("b", #""title":"u","n":2"#)
        // The tables are gone: any access to them would fail.
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        for index in try test.indexes() { try connection.execute("DROP TABLE \(IndexTable.name(index.id))") }
        try await test.change("a", #""title":"t","tags":["x","y","x"],"n":1"#)
        #expect(await rejection { try await test.change("a", #""tags":["x"]"#) }?.code == .internalError)
        #expect(await rejection { try await test.change("b", #""n":3"#) }?.code == .internalError)
        #expect(try test.read("b").fields["n"] == .int64(2))
    }
}
