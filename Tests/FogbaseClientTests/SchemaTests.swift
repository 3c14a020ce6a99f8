import FogbaseClient
import Foundation
import RecordModel
import Testing

@Suite struct SchemaTests {
    private static let document = #"""
        {"types":{"Post":{
          "fields":{"title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},"tags":{"type":"STRING_LIST"}},
          "indexes":[{"fields":["title","-createdTimestamp"]},{"fields":["title"],"unique":true}]}}}
        """#

    @Test func `a schema is put, read, and put again only where it has not changed`() async throws {
        let server = try LiveServer()
        let container = server.administrator
        let dry = try await container.putSchema(Self.document, isDryRun: true)
        #expect(dry.types.added == ["Post"])
        #expect(try await container.schema().types["Post"] == nil)

        let put = try await container.putSchema(Self.document)
        #expect(put.types.added == ["Post"] && put.types.removed.isEmpty)
        let schema = try await container.schema()
        #expect(put.schema?.types == schema.types)
        let post = try #require(schema.types["Post"])
        let (title, tags) = (try #require(post.fields["title"]), try #require(post.fields["tags"]))
        #expect(title.type == .string && title.isQueryable && title.isSortable)
        #expect(tags.type == .stringList && !tags.isQueryable && !tags.isSortable)
        #expect(post.indexes.contains { $0.fields == ["title", "-createdTimestamp"] && !$0.isUnique && $0.isReady })
        #expect(post.indexes.contains { $0.fields == ["title"] && $0.isUnique })

        let version = try #require(schema.version)
        let text = Self.document.replacingOccurrences(of: "STRING_LIST", with: #"STRING_LIST"},"body":{"type":"STRING"#)
        let change = try await container.putSchema(text, ifUnchanged: version, keepsRights: true)
        #expect(change.fields.added == ["Post.body"])
        let late = await #expect(throws: FogbaseError.self) {
            try await container.putSchema(Self.document, ifUnchanged: version)
        }
        guard case .conflict? = late else { throw late ?? CancellationError() }
        let rejected = await #expect(throws: FogbaseError.self) { try await server.client().schema() }
        guard case .notAuthenticated? = rejected else { throw rejected ?? CancellationError() }
    }

    @Test func `the limits are those of the server`() async throws {
        let server = try LiveServer(settings: ["FOGBASE_LIMITS_BATCH_OPERATIONS": "17"])
        let limits = try await server.client().limits()
        #expect(limits.batchOperations == 17 && limits.recordBytes == 1_048_576)
        #expect(limits.pageSize == 1_000 && limits.bodyBytes == 8_388_608 && limits.assetBytes == 5_000_000_000)
        #expect(limits.all["batchOperations"] == 17)
    }
}
