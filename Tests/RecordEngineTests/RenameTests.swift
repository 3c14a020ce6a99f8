import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// Fields and types with other names.
@Suite struct RenameTests {
    private static let schema = #"""
        {"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE","SEARCHABLE"]},
        "n":{"type":"INT64","indexes":["QUERYABLE"]},"long":{"type":"BYTES"}},
        "indexes":[{"fields":["n","-title"]}]}}}
        """#

    private static func fields(_ n: Int) -> String { #""title":"t\#(n % 7) x","n":\#(n)"# }

    private func name(_ text: String) throws -> FieldName { try #require(FieldName(text)) }
    private func type(_ text: String) throws -> RecordTypeName { try #require(RecordTypeName(text)) }

    private func rename(_ test: TestDatabase, _ from: String, to: String, of name: String = "Post") async throws {
        try await test.database.schemas.rename(try self.name(from), of: try type(name), to: try self.name(to))
    }

    private func definition(_ test: TestDatabase) throws -> RecordTypeDefinition {
        try #require(test.database.schema[try type("Post")])
    }

    @Test func `a rename is complete at once, before and after records are rewritten`() async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 5))
        try await test.putSchema(Self.schema)
        await test.database.indexes.waitUntilBuilt()
        try await test.fill(300, Self.fields)
        let tag = try test.read("Post7").recordChangeTag
        let indexes = try test.indexes().map(\.id)
        let (post, title, headline) = (try type("Post"), try name("title"), try name("headline"))
        try await test.holdingBackSlices { database in
            try await database.schemas.rename(title, of: post, to: headline)
        } during: { () async throws in
            #expect(try definition(test).hasFormerNames)
            #expect(try test.read("Post7").fields["headline"] == .string("t0 x"))
            #expect(try test.read("Post7").fields["title"] == nil)
            #expect(try test.read("Post7", fields: ["headline"]).fields.count == 1)
            #expect(try test.changes().changes.allSatisfy { $0["fields"]?["headline"] != nil })
        }
        for round in 0..<2 {
            #expect(try test.read("Post7").fields["headline"] == .string("t0 x"))
            #expect(try test.read("Post7").fields["title"] == nil)
            #expect(try test.read("Post299").fields["headline"] == .string("t5 x"))
            #expect(try test.read("Post7", fields: ["headline"]).fields.count == 1)
            #expect(try test.read("Post7").recordChangeTag == tag)
            #expect(try await test.query("headline == 't0 x' AND n < 8", sort: "headline").names == ["Post0", "Post7"])
            let error = await rejection { _ = try await test.query("title == 't0 x'") }
            #expect(error?.cause == .unknownName)
            #expect(error?.details.contains { $0.key == "renamedTo" && $0.value == .text("headline") } == true)
            let written = await rejection { try await test.change("Post8", #""title":"new""#) }
            #expect(written?.reason == "Field title of Post is now called headline")
            #expect(await rejection { try await test.change("Post8", #""title":null"#) } != nil)
            #expect(await rejection { try await test.create("new", #""title":"new""#) } != nil)
            try await test.change("Post9", #""headline":"r\#(round)""#)
            try await test.change("Post10", #""n":{"increment":1000}"#)
            #expect(try test.read("Post9").fields["headline"] == .string("r\(round)"))
            #expect(try test.read("Post10").fields["headline"] == .string("t3 x"))
            await test.database.schemas.renamesAreDone()
        }
        #expect(try !definition(test).hasFormerNames)
        // The query may have added one, which is built in slices.
        #expect(try Set(indexes).isSubset(of: test.indexes().map(\.id)))
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
    }

    @Test func `names form chains, come back and are exchanged`() async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 5))
        try await test.putSchema(#"{"types":{"Post":{"fields":{"a":{"type":"STRING"},"b":{"type":"STRING"}}}}}"#)
        try await test.fill(40) { #""a":"a\#($0)","b":"b\#($0)""# }
        for (from, to) in [("a", "c"), ("b", "a"), ("c", "b")] { try await rename(test, from, to: to) }
        #expect(try test.read("Post3").fields["a"] == .string("b3"))
        #expect(try test.read("Post3").fields["b"] == .string("a3"))
        #expect(
            await rejection { try await test.change("Post3", #""c":"x""#) }?.reason == "Field c of Post is now called b"
        )
        #expect(test.schemaText.contains(#""b":{"type":"STRING","formerly":["a","c"]}"#))
        await test.database.schemas.renamesAreDone()
        #expect(try test.read("Post39").fields["b"] == .string("a39"))
        try await rename(test, "b", to: "d")
        try await rename(test, "d", to: "b")
        try await rename(test, "a", to: "e")
        // On purpose, a name can be given again.
        #expect(
            await rejection { try await test.create("new", #""a":"x""#) }?.reason == "Field a of Post is now called e")
        var document = SchemaDocument(test.database.schema)
        let place = try #require(document.types.firstIndex { $0.name.text == "Post" })
        document.types[place].fields.append(SchemaDocument.FieldEntry(name: try name("a"), type: .int64))
        try await test.database.schemas.put(document)
        try await test.create("new", #""a":1,"e":"x","b":"y""#)
        #expect(try test.read("new").fields.count == 3)
        #expect(try test.read("Post3").fields["a"] == nil)
        #expect(await rejection { try await rename(test, "e", to: "a") }?.code == .badRequest)
        #expect(await rejection { try await rename(test, "x", to: "y") }?.code == .notFound)
    }

    @Test func `a type with another name keeps its records, and references to them`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.schema)
        try await test.fill(20, Self.fields)
        try await test.create("c", #""post":{"value":{"recordName":"Post3","action":"DELETE_SELF"}}"#, type: "Comment")
        try await test.delete("Post4")
        try await test.database.schemas.rename(try type("Post"), to: try type("Article"))
        #expect(try test.read("Post3", type: "Article").recordType?.text == "Article")
        #expect(await rejection { _ = try test.read("Post3") }?.reason == "The record type Post is now called Article")
        #expect(await rejection { _ = try test.list() }?.cause == .unknownName)
        #expect(await rejection { try await test.create("new", #""n":1"#) }?.cause == .unknownName)
        #expect(try test.changes().changes.contains { $0["recordType"] == "Post" } == false)
        try await test.delete("Post3", type: "Article")
        await test.database.accounts.removalsAreDone()
        #expect(await rejection { _ = try test.read("c", type: "Comment") }?.code == .notFound)
        let users = await rejection { try await test.database.schemas.rename(.users, to: try type("People")) }
        #expect(users?.code == .notFound || users?.code == .badRequest)
        let (article, comment) = (try type("Article"), try type("Comment"))
        let taken = await rejection { try await test.database.schemas.rename(article, to: comment) }
        #expect(taken?.code == .badRequest)
        // It can go back.
        try await test.database.schemas.rename(try type("Article"), to: try type("Post"))
        #expect(try test.read("Post5").fields["n"] == .int64(5))
    }

    @Test func `a rename makes sync tokens invalid, and no others`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.schema)
        try await test.fill(10, Self.fields)
        let token = try test.changes().token
        try await rename(test, "title", to: "headline")
        let error = await rejection { _ = try test.changes(since: token) }
        #expect(error?.cause == .tokenExpired)
        let first = try test.changes(limit: 4)
        let second = try test.changes(since: first.token, limit: 100)
        #expect(first.changes.count + second.changes.count == 10)
        #expect(second.changes.allSatisfy { $0["fields"]?["headline"] != nil })
        await test.database.schemas.renamesAreDone()
        #expect(try test.changes(since: second.token).changes.isEmpty)
    }

    @Test func `records are rewritten after a restart, usage stays exact, and the doctor finds nothing`() async throws {
        let patient = try await DoctorPatient { directory in
            let options = IndexBuildOptions.slices(of: 3)
            let first = try TestDatabase(directory: directory, keepsDirectory: true, indexBuilding: options)
            try await first.putSchema(Self.schema)
            await first.database.indexes.waitUntilBuilt()
            try await first.fill(500, Self.fields)
            let ann = try await first.signUp("ann").caller
            let own = DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.userID)))
            try await first.create(
                "mine", #""title":"mine","long":"\#(String(repeating: "QUJD", count: 3_000))""#, as: ann, in: own)
            try await rename(first, "title", to: "headline")
            await first.close()
        }
        #expect(patient.problems.isEmpty, "\(patient.problems)")
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true, indexBuilding: .slices(of: 3))
        #expect(try test.read("Post499").fields["headline"] == .string("t2 x"))
        await test.database.schemas.renamesAreDone()
        #expect(try test.read("Post499").fields["headline"] == .string("t2 x"))
        await test.close()
        #expect(patient.problems.isEmpty, "\(patient.problems)")
    }
}

extension TestDatabase {
    /// Changes the schema, and runs `body` before the first slice of the work that follows. Reads in `body` must not need a
    /// write, such as a query that adds an index.
    ///
    /// ```
    /// queue    | gate | change | gate | slice |
    /// ```
    func holdingBackSlices(
        _ change: @escaping @Sendable (RecordDatabase) async throws -> Void, during body: () async throws -> Void
    ) async throws {
        let gates = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let database = database
        let entered = DispatchSemaphore(value: 0)
        let first = Task {
            try await database.write { _ in
                entered.signal()
                gates.0.wait()
            }
        }
        while entered.wait(timeout: .now()) == .timedOut { await Task.yield() }
        let changed = Task { try await change(database) }
        while database.queueDepth < 1 { await Task.yield() }
        let second = Task { try await database.write { _ in gates.1.wait() } }
        while database.queueDepth < 2 { await Task.yield() }
        gates.0.signal()
        try await first.value
        try await changed.value
        do { try await body() } catch {
            gates.1.signal()
            throw error
        }
        gates.1.signal()
        try await second.value
    }
}
