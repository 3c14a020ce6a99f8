import RecordEngine
import RecordModel
import RecordWire
import Testing

/// What a reset of the schema does to records, in the tables.
@Suite struct ResetSchemaTests {
    private static let kept = #"{"types":{"Keep":{"fields":{"ref":{"type":"REFERENCE"}}}}}"#

    /// Records of the type `Post` with all that belongs to a record: index entries, large values, files, access lists,
    /// references, and records of a private database.
    private static func fill(_ test: TestDatabase) async throws -> Caller {
        let ann = try await test.signUp("ann").caller
        let users = SchemaDocument.TypeEntry(try #require(test.database.schema[.users]))
        var document = try SchemaDocument.read(
            Array(
                #"""
                {"types":{"Keep":{"fields":{"ref":{"type":"REFERENCE"}}},
                "Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE","SEARCHABLE"]},"n":{"type":"INT64"},
                "file":{"type":"ASSET"},"tags":{"type":"STRING_LIST","indexes":["QUERYABLE"]}},
                "indexes":[{"fields":["n","-title"]},{"fields":["n"],"unique":true}]}}}
                """#.utf8))
        document.types.append(users)
        try await test.database.schemas.put(document)
        for number in 0..<20 {
            let asset = try await test.upload(sampleBytes(number, count: 2_000), as: ann)
            let long = String(repeating: "word ", count: number == 3 ? 40_000 : 2)
            _ = try await test.perform(
                .create, "Post", "p\(number)",
                #"""
                {"fields":{"title":"\#(long)\#(number)","n":\#(number),"file":\#(asset.json()),"tags":["a","b\#(number)"]}
                \#(number.isMultiple(of: 2) ? #","acl":{"*":["read"]}"# : "")}
                """#, as: ann)
        }
        let own = DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.userID)))
        for number in 0..<5 { try await test.create("q\(number)", #""n":\#(number)"#, as: ann, in: own) }
        try await test.create(
            "follows", #""ref":{"value":{"recordName":"p1","action":"DELETE_SELF"}}"#, type: "Keep", as: ann)
        try await test.create("stays", #""ref":{"value":{"recordName":"p1","action":"NONE"}}"#, type: "Keep", as: ann)
        return ann
    }

    @Test func `deleted records leave nothing behind, and a dry run changes nothing`() async throws {
        let patient = try await DoctorPatient { directory in
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            _ = try await Self.fill(test)
            let production = try SchemaDocument.read(Array(Self.kept.utf8))
            let before = test.schemaText
            var options = SchemaOptions()
            options.isDryRun = true
            let tried = try await test.database.schemas.reset(to: production, deletesRecords: true, options)
            #expect(tried.deletedRecords == 25)
            #expect(test.schemaText == before)
            #expect(try test.changes().changes.count >= 22)
            let done = try await test.database.schemas.reset(to: production, deletesRecords: true)
            #expect(done.deletedRecords == 25)
            #expect(done.changes == tried.changes)
            await test.database.accounts.removalsAreDone()
            await test.database.indexes.waitUntilBuilt()
            let names = try test.changes().changes.filter { $0["deleted"] != true }.compactMap {
                $0["recordName"]?.string
            }
            #expect(names.contains("stays"), "\(names)")
            #expect(!names.contains("follows") && !names.contains("p1"), "\(names)")
            await test.close()
        }
        #expect(patient.problems == [])
    }

    @Test func `more records than the limit are not deleted`() async throws {
        var limits = DatabaseLimits()
        limits.setRecords = 24
        let test = try TestDatabase(limits: limits)
        _ = try await Self.fill(test)
        let before = test.schemaText
        let production = try SchemaDocument.read(Array(Self.kept.utf8))
        let error = await rejection {
            _ = try await test.database.schemas.reset(to: production, deletesRecords: true)
        }
        #expect(error?.cause == .tooLarge)
        #expect(test.schemaText == before)
    }

    @Test func `a promotion is only for production, and a reset for development`() async throws {
        let production = try SchemaDocument.read(Array(Self.kept.utf8))
        let development = try TestDatabase()
        #expect(
            await rejection { try await development.database.schemas.promote(from: production) }?.code == .badRequest)
        let live = try TestDatabase(.production)
        #expect(
            await rejection { try await live.database.schemas.reset(to: production, deletesRecords: true) }?.code
                == .badRequest)
        let document = try await live.database.schemas.documentToMove()
        #expect(document == document.complete)
    }
}
