import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// Fields that are called `parent` and `share`, beside the parent and the share of the record itself.
@Suite struct CloudKitFieldNameTests {
    private static let schema = """
        {"types":{"Folder":{"fields":{"title":{"type":"STRING"},"parent":{"type":"REFERENCE","indexes":["QUERYABLE"]},
        "share":{"type":"DOUBLE","indexes":["QUERYABLE","SORTABLE"]}},
        "indexes":[{"fields":["parent","-share"]}]}}}
        """

    private func modify(_ record: String, _ kind: String = "create") -> String {
        #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"\#(kind)","record":{"recordType":"Folder",\#(record)}}]}"#
    }

    @Test func `a client of CloudKit writes, finds and syncs them, and the record's own parent too`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        func call(_ operation: String, _ body: String) async -> Response {
            await client.call(.post, "private/\(operation)", user: user, body: body)
        }
        _ = await call(
            "zones/modify", #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
        // The type is inferred, as of any other field.
        let root = await call("records/modify", modify(#""recordName":"root","fields":{"share":{"value":0.5}}"#))
        #expect(root.records.first?["fields"]?["share"]?["value"] == 0.5, "\(root.text)")
        #expect(root.records.first?["share"] == nil && root.records.first?["parent"] == nil)
        let fields =
            #""fields":{"parent":{"value":{"recordName":"root","action":"DELETE_SELF"},"type":"REFERENCE"},"share":{"value":0.25,"type":"DOUBLE"}}"#
        let field = await call("records/modify", modify(#""recordName":"a",\#(fields)"#))
        #expect(field.records.first?["fields"]?["parent"]?["value"]?["recordName"] == "root", "\(field.text)")
        #expect(field.records.first?["parent"] == nil, "\(field.text)")
        let both = await call(
            "records/modify", modify(#""recordName":"b","parent":{"recordName":"a"},\#(fields)"#))
        #expect(both.records.first?["parent"]?["recordName"] == "a", "\(both.text)")
        #expect(both.records.first?["fields"]?["parent"]?["value"]?["recordName"] == "root", "\(both.text)")
        let query = await call(
            "records/query",
            """
            {"zoneID":{"zoneName":"Z"},"query":{"recordType":"Folder","filterBy":[{"fieldName":"parent",
            "comparator":"EQUALS","fieldValue":{"value":{"recordName":"root"},"type":"REFERENCE"}}],
            "sortBy":[{"fieldName":"share","ascending":false}]},"desiredKeys":["parent"]}
            """)
        #expect(query.records.map { $0["recordName"]?.string } == ["a", "b"], "\(query.text)")
        #expect(query.records.first?["fields"]?.object?.keys == ["parent"], "\(query.text)")
        let changes = await call("changes/zone", #"{"zones":[{"zoneID":{"zoneName":"Z"}}]}"#)
        let last = changes.json?["zones"]?.array?.first?["records"]?.array?.last
        #expect(last?["parent"]?["recordName"] == "a", "\(changes.text)")
        #expect(last?["fields"]?["parent"]?["value"]?["recordName"] == "root", "\(changes.text)")
        // The system's fields cannot be queried, by any of their names.
        for filter in [
            #""systemFieldName":"parent""#, #""systemFieldName":"share""#, #""fieldName":"___parent""#,
            #""systemFieldName":"___share""#,
        ] {
            let denied = await call(
                "records/query",
                #"{"query":{"recordType":"Folder","filterBy":[{\#(filter),"comparator":"EQUALS","fieldValue":{"value":{"recordName":"a"}}}]}}"#
            )
            #expect(denied.status == 400 && denied.text.contains("cannot be queried"), "\(filter): \(denied.text)")
        }
    }

    @Test func `the native interface takes the field in 'fields' and conditions, and the system's beside them`()
        async throws
    {
        let test = try await TestDatabase.make()
        let put = await test.call(.put, "/schema", as: .administrator, body: Self.schema)
        #expect(put.status == 200, "\(put.text)")
        for (name, share) in [("root", "1"), ("a", "0.5"), ("b", "0.25")] {
            let made = await test.call(
                .put, "/records/Folder/\(name)", as: .creator,
                body: #"{"fields":{"title":"\#(name)","parent":{"recordName":"root"},"share":\#(share)}}"#)
            #expect(made.status == 201, "\(made.text)")
        }
        for (query, names) in [
            ("where=parent%20==%20%27root%27&sort=share", ["b", "a", "root"]),
            ("where=share%20%3E%200.3&sort=-share", ["root", "a"]),
            ("where=parent.title%20==%20%27root%27&sort=share", ["b", "a", "root"]),
            ("where=parent%20==%20%27root%27&sort=share&expand=parent&fields=parent", ["b", "a", "root"]),
        ] {
            let found = await test.call(.get, "/query/Folder?\(query)", as: .creator)
            #expect(
                found.status == 200 && found.records.map { $0["recordName"]?.string } == names,
                "\(query): \(found.text)")
        }
        let own = await test.call(.get, "/query/Folder?where=___parent%20==%20%27root%27", as: .creator)
        #expect(own.status == 400 && own.text.contains("'___parent' cannot be queried"), "\(own.text)")
        let none = await test.call(.get, "/query/Users?where=share%20==%201", as: .creator)
        #expect(none.text.contains("The share of the record itself cannot be queried"), "\(none.text)")
        let moved = await test.call(
            .patch, "/records/Folder/a", as: .creator, body: #"{"fields":{"parent":null,"share":{"increment":1}}}"#)
        #expect(moved.json?["fields"]?["parent"] == nil && moved.json?["fields"]?["share"]?["value"] == 1.5)
    }

    @Test func `they pass export, import, indexes, promotion and removal`() async throws {
        let one = try await TestDatabase.make(withUsers: false)
        #expect(await one.call(.put, "/schema", as: .administrator, body: Self.schema).status == 200)
        let text = await one.call(.get, "/schema", as: .administrator, headers: [("Accept", "text/x-ckdb")])
        #expect(text.text.contains("parent") && text.text.contains("share"), "\(text.text)")
        // What CloudKit's console exports has both.
        let ckdb = """
            DEFINE SCHEMA
                RECORD TYPE Folder (
                    "___createTime" TIMESTAMP,
                    "___parent"     REFERENCE,
                    "___share"      REFERENCE,
                    parent          REFERENCE QUERYABLE,
                    share           DOUBLE QUERYABLE SORTABLE,
                    title           STRING,
                    GRANT WRITE TO "_creator",
                    GRANT CREATE TO "_icloud",
                    GRANT READ TO "_world"
                );
            """
        let other = try await TestDatabase.make(withUsers: false)
        for source in [ckdb, text.text] {
            let imported = await other.call(
                .put, "/schema", as: .administrator, body: source, headers: [("Content-Type", "text/x-ckdb")])
            #expect(imported.status == 200, "\(imported.text)")
            let again = await other.call(.get, "/schema", as: .administrator, headers: [("Accept", "text/x-ckdb")])
            let kept = await other.call(
                .put, "/schema?dryRun=true", as: .administrator, body: again.text,
                headers: [("Content-Type", "text/x-ckdb")])
            #expect(kept.status == 200, "\(kept.text)")
            let words = again.text.split(whereSeparator: \.isWhitespace)
            #expect(words.contains("parent") && words.contains("share"), "\(again.text)")
        }
        let promoted = await one.call(.post, "/schema/promotion?environment=production", as: .administrator)
        #expect(promoted.status == 200, "\(promoted.text)")
        let production = await one.call(.get, "/schema?environment=production", as: .administrator)
        let type = production.json?["types"]?["Folder"]
        #expect(type?["fields"]?["parent"]?["type"] == "REFERENCE", "\(production.text)")
        #expect(type?["fields"]?["share"]?["type"] == "DOUBLE", "\(production.text)")
    }
}
