import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Rights that change between the slices of a change by condition.
@Suite struct SetRightsTests {
    @Test(arguments: [false, true])
    func `a bulk change ends when its caller loses permission to query the field`(isRestrictedToOwn: Bool) async throws
    {
        let test = try TestDatabase(.production)
        func fields(read: String) -> String { #""g":{"type":"INT64","read":\#(read)},"n":{"type":"INT64"}"# }
        func schema(read: String) throws -> SchemaDocument {
            try SchemaDocument.read(Array(#"{"types":{"Post":{"fields":{\#(fields(read: read))}}}}"#.utf8))
        }
        try await test.putType(
            fields: fields(read: isRestrictedToOwn ? #"["_creator"]"# : "null"),
            grants: isRestrictedToOwn
                ? #"{"_icloud":["CREATE"],"_creator":["WRITE"]}"# : #"{"_icloud":["CREATE","READ","WRITE"]}"#)
        let ann = try await test.signUp("ann").caller
        try await test.createAll((0..<4).map { ("r\($0)", #""g":1,"n":0"#) }, as: ann)
        let ids = try test.raw("SELECT group_concat(id) FROM record WHERE name LIKE 'r_'").split(separator: ",")
            .compactMap { RecordNumber(text: $0) }
        let post = try #require(RecordTypeName("Post"))
        let type = try #require(test.database.schema[post])
        let predicate = try PredicateBinder(type: type, now: 0) { _ in nil }
            .bind(try PredicateSyntax.parse("g == 1"), positional: [])
        let set = BulkRequest(
            query: try test.queryRequest("g == 1", as: ann),
            change: .modify(try RecordInput.readSingle(Array(#"{"fields":{"n":5}}"#.utf8))), isForAll: false,
            isDryRun: false, maxAffected: nil, idempotency: nil)
        try test.reader.refresh()
        let change = BulkChange(
            set, type: type, predicate: predicate, isRestrictedToOwn: isRestrictedToOwn, reader: test.reader)
        func changed(_ ids: ArraySlice<RecordNumber>) async throws -> Int {
            var progress = BulkProgress(matched: ids.count)
            try await test.reader.bulkChanges.perform(change, on: Array(ids), &progress) { _, _, _ in }
            return progress.changed
        }
        #expect(try await changed(ids[..<2]) == 2)
        try await test.database.schemas.put(schema(read: "[]"))
        let rejected = await rejection { _ = try await changed(ids[2...]) }
        #expect(rejected?.code == .accessDenied && rejected?.reason.contains("permissions have changed") == true)
        try await test.database.schemas.put(schema(read: "null"))
        #expect(try await changed(ids[2...]) == 2)
        await test.close()
    }
}
