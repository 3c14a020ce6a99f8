import Foundation
import HTTP
import RecordAPI
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Names that end their context and start something else.
@Suite struct PastInjections {
    static let numbers = [1, 2, 3, 4, 24]

    static let names = [
        "title'; DROP TABLE record; --", "title\" OR \"1\"=\"1", "title.sub", "title\\", "title\u{0}",
        "a) UNION SELECT 1--",
        "title%27", "%2527", "title`", "[title]", "\u{FF07}", "ti\u{200B}tle", "$where", "__proto__", "constructor",
        "prototype", "toString", "title AS x", "/*", "rowid", "1=1",
    ]

    private static func forum() async throws -> TestDatabase {
        let database = try await TestDatabase.make(.production, withUsers: false)
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},
                "n":{"type":"INT64"}},"grants":{"_world":["READ"]}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        let made = await database.call(
            .put, "/records/Post/a", as: .administrator, body: #"{"fields":{"title":"sea","n":1}}"#)
        try #require(made.status == 201, "\(made.text)")
        return database
    }

    private static func expectWhole(_ database: TestDatabase, _ name: String) async {
        let all = await database.call(.get, "/query/Post?count=true", as: .administrator)
        #expect(all.status == 200 && all.count == 1, "\(name.debugDescription): \(all.text)")
        #expect(all.records.first?["fields"]?["n"]?["value"]?.integer == 1, "\(name.debugDescription): \(all.text)")
    }

    private static func json(_ text: String) -> String {
        String(decoding: JSONValue.string(text).bytes, as: UTF8.self)
    }

    @Test(arguments: names.indices)
    func `1, 2, 4: names in conditions, sorts, projections and indexes are taken literally or rejected`(_ index: Int)
        async throws
    {
        let (database, name) = (try await Self.forum(), Self.names[index])
        let quoted = Self.json(name)
        let escaped = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        var rejected: [Response] = []
        for items in [
            [("where", "\(name) == 1")], [("where", "title == 'sea' OR \(name) == 1")], [("sort", name)],
            [("sort", "-\(name)")], [("sort", "title,\(name)")],
        ] { rejected.append(await database.call(.get, queryTarget("Post", items))) }
        for body in [
            #"{"recordType":"Post","sortBy":[{"fieldName":\#(quoted)}]}"#,
            #"{"recordType":"Post","filterBy":[{"fieldName":\#(quoted),"comparator":"EQUALS","fieldValue":{"value":1}}]}"#,
            #"{"recordType":"Post","filterBy":[{"fieldName":"title","comparator":\#(quoted),"fieldValue":{"value":"x"}}]}"#,
            #"{"recordType":\#(quoted)}"#,
        ] { rejected.append(await database.call(.post, "/query", body: body)) }
        rejected.append(
            await database.call(
                .post, "/schema/types/Post/indexes", as: .administrator, body: #"{"fields":[\#(quoted)]}"#))
        rejected.append(await database.call(.get, "/query/\(escaped)"))
        for response in rejected {
            // A missing type is like a type that the caller may not read.
            #expect(
                [400, 401, 404].contains(response.status),
                "\(name.debugDescription): \(response.status) \(response.text)")
            #expect(response.records.isEmpty, "\(response.text)")
            for word in ["sqlite", "SQL ", "syntax error", "no such column"] {
                #expect(!response.text.contains(word) || name.contains(word), "\(response.text)")
            }
        }
        // A projection by an unknown field shows no field.
        let projected = await database.call(.get, "/records/Post/a?fields=\(escaped)")
        #expect([200, 400].contains(projected.status) && !projected.text.tells("sea"), "\(projected.text)")
        await Self.expectWhole(database, name)
    }

    @Test(arguments: names.indices)
    func `1, 4: names of types, zones, roles, keys, owners and containers are taken literally or rejected`(
        _ index: Int
    ) async throws {
        let (database, name) = (try await Self.forum(), Self.names[index])
        let quoted = Self.json(name)
        let escaped = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        for (method, target, body) in [
            (HTTPMethod.get, "/records/Post?zone=\(escaped)", nil),
            (.get, "/records/Post?container=\(escaped)", nil), (.get, "/records/Post?environment=\(escaped)", nil),
            (.get, "/records/Post?database=private&owner=\(escaped)", nil), (.get, "/records/\(escaped)", nil),
            (.get, "/schema/types/\(escaped)", nil), (.put, "/roles/\(escaped)", #"{"members":[]}"#),
            (.put, "/roles/x", #"{"members":[\#(quoted)]}"#), (.get, "/keys/\(escaped)", nil),
            (.delete, "/keys/\(escaped)", nil), (.post, "/keys", #"{"name":"k","scope":{"types":[\#(quoted)]}}"#),
            (.put, "/grants/Post", #"{"grants":{\#(quoted):["READ"]}}"#),
            (.put, "/schema", #"{"types":{\#(quoted):{"fields":{}}}}"#),
            (.put, "/schema", #"{"types":{"Post":{"fields":{\#(quoted):{"type":"STRING"}}}}}"#),
            (.get, "/audit?actor=\(escaped)", nil), (.get, "/changes?since=\(escaped)", nil),
            (.get, "/administrators/\(escaped)", nil), (.delete, "/sessions/\(escaped)", nil),
            (.get, "/assets/uploads/\(escaped)", nil), (.get, "/assets/\(escaped)", nil),
        ] as [(HTTPMethod, String, String?)] {
            let response = await database.call(method, target, as: .administrator, body: body)
            #expect((200..<500).contains(response.status), "\(method.text) \(target): \(response.text)")
            #expect(!response.text.tells("sea"), "\(method.text) \(target): \(response.text)")
        }
        await Self.expectWhole(database, name)
    }

    @Test(arguments: names.indices) func `3: an operation on a field has no sub-keys`(_ index: Int) async throws {
        let (database, name) = (try await Self.forum(), Self.names[index])
        let quoted = Self.json(name)
        for fields in [
            #"{"n":{"increment":{\#(quoted):1}}}"#, #"{"n":{"increment":1,\#(quoted):1}}"#,
            #"{"n":{"increment":\#(quoted)}}"#, #"{\#(quoted):{"increment":1}}"#, #"{"n":{\#(quoted):1}}"#,
            #"{"n":{"append":[{\#(quoted):1}]}}"#,
        ] {
            let response = await database.call(
                .patch, "/records/Post/a", as: .administrator, body: #"{"fields":\#(fields)}"#)
            #expect(response.status == 400, "\(fields): \(response.text)")
            let set = await database.call(
                .patch, "/query/Post?all=true", as: .administrator, body: #"{"fields":\#(fields)}"#)
            #expect(set.status == 400, "\(fields): \(set.text)")
        }
        await Self.expectWhole(database, name)
    }

    @Test func `24: names that languages reserve are plain data`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for name in ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "$where", "$ne", "$regex"] {
            let path = "/records/Post/\(name)"
            let made = await database.call(
                .put, path, as: .administrator, body: #"{"fields":{"title":"\#(name)"}}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(await database.call(.get, path).json?["fields"]?["title"]?["value"]?.string == name)
            // An object instead of a value is no operator.
            for body in [
                #"{"recordType":"Post","where":"title == %@","args":[{"\#(name)":"x"}]}"#,
                #"{"recordType":"Post","where":{"title":{"\#(name)":"x"}}}"#,
            ] {
                let response = await database.call(.post, "/query", as: .administrator, body: body)
                #expect(response.status == 400, "\(body): \(response.text)")
            }
            for body in [
                #"{"\#(name)":{"isAdministrator":true}}"#, #"{"name":{"\#(name)":""},"password":"correct horse"}"#,
            ] {
                #expect(await database.call(.post, "/users", body: body).status == 400)
                #expect(await database.call(.post, "/sessions", body: body).status == 400)
            }
        }
    }
}
