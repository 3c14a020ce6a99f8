import Foundation
import HTTP
import RecordWire
import Testing

@Suite struct HostileInputTests {
    /// Inputs that have broken other servers: SQL, paths, templates, control characters, reserved names.
    static let texts = [
        "'; DROP TABLE record; --", "\" OR \"\"=\"", "a.b.c", "..", "../../etc/passwd", "%2e%2e", "\\..\\", "__proto__",
        "constructor", "$where", "{{7*7}}", "\r\nSet-Cookie: a=b", "\u{0}", "\u{7F}", "é\u{301}", "🏝", "_world", "-1",
        "99999999999999999999", "null", "", " ", "*", String(repeating: "x", count: 3_000),
    ]

    @Test(arguments: texts) func `no text in any place of a request breaks the server or its headers`(text: String)
        async throws
    {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.put, "/records/Post/a", as: .administrator, body: #"{"fields":{"title":"sea"}}"#)
        let escaped = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        var responses: [Response] = []
        for target in [
            "/records/\(escaped)", "/records/\(escaped)/a", "/records/Post/\(escaped)", "/records/Post/a/\(escaped)",
            "/grants/\(escaped)", "/roles/\(escaped)", "/schema/types/\(escaped)", "/\(escaped)",
        ] {
            responses.append(await database.call(.get, target, as: .administrator))
        }
        for name in ["fields", "limit", "cursor", "container", "environment", "database", "zone", "owner", escaped] {
            responses.append(await database.call(.get, "/records/Post?\(name)=\(escaped)", as: .administrator))
            responses.append(
                await database.call(.get, "/records/Post?database=private&\(name)=\(escaped)", as: .administrator))
        }
        responses.append(await database.call(.get, "/changes?since=\(escaped)", as: .administrator))
        for name in [
            "Authorization", "Accept", "Content-Type", "If-Match", "If-None-Match", "Prefer", "Idempotency-Key",
        ] {
            responses.append(
                await database.call(
                    .patch, "/records/Post/a", as: .administrator, body: "{}", headers: [(name, text)]))
        }
        let json = String(decoding: JSONValue.string(text).bytes, as: UTF8.self)
        for body in [
            #"{"fields":{\#(json):1}}"#, #"{"fields":{"title":\#(json)}}"#, #"{"fields":{"other":{"type":\#(json)}}}"#,
            #"{"recordName":\#(json)}"#, #"{"recordType":\#(json)}"#, #"{\#(json):1}"#,
            #"{"fields":{"n":{\#(json):1}}}"#, json,
        ] {
            responses.append(await database.call(.post, "/records/Post", as: .administrator, body: body))
            responses.append(await database.call(.put, "/schema", as: .administrator, body: body))
            responses.append(await database.call(.put, "/roles/x", as: .administrator, body: body))
        }
        for response in responses {
            #expect((200..<500).contains(response.status), "\(response.text)")
            for (_, value) in response.fields { #expect(!value.utf8.contains { $0 < 0x20 || $0 == 0x7F }) }
            if response.status >= 400 { database.checkErrorShape(response, text) }
        }
        #expect(await database.call(.get, "/records/Post/a").status == 200)
    }

    @Test(arguments: texts) func `no text in any place of a query breaks the server or changes what it means`(
        text: String
    )
        async throws
    {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(
            .put, "/records/Post/a", as: .administrator, body: #"{"fields":{"title":"sea","tags":["x"],"n":1}}"#)
        let json = String(decoding: JSONValue.string(text).bytes, as: UTF8.self)
        var responses: [Response] = []
        for name in ["where", "arg", "sort", "limit", "fields", "cursor", "count", "explain"] {
            responses.append(await database.call(.get, queryTarget("Post", [(name, text)]), as: .administrator))
        }
        for condition in ["title == \(text)", "title \(text) 'sea'", "\(text) == 1", "title == '\(text)'"] {
            responses.append(await database.call(.get, queryTarget("Post", [("where", condition)]), as: .administrator))
        }
        for body in [
            #"{"recordType":"Post","where":\#(json)}"#, #"{"recordType":\#(json)}"#,
            #"{"recordType":"Post",\#(json):1}"#,
            #"{"recordType":"Post","sort":[\#(json)]}"#, #"{"recordType":"Post","cursor":\#(json)}"#,
            #"{"recordType":"Post","vars":{\#(json):1}}"#,
            #"{"recordType":"Post","filterBy":{"fieldName":\#(json),"comparator":\#(json),"fieldValue":\#(json)}}"#,
        ] {
            responses.append(await database.call(.post, "/query", as: .administrator, body: body))
        }
        for name in ["dryRun", "maxAffected", "all"] {
            responses.append(await database.call(.delete, queryTarget("Post", [(name, text)]), as: .administrator))
        }
        for response in responses {
            #expect((200..<500).contains(response.status), "\(response.text)")
            if response.status >= 400 { database.checkErrorShape(response, text) }
        }
        // As an argument it is a value, and only that.
        for condition in ["title == %@", "ANY tags == %@", "title IN {%@}", "title BEGINSWITH %@ AND title == %@"] {
            // Nothing begins with an empty text: that is rejected.
            if text.isEmpty, condition.contains("BEGINSWITH") { continue }
            let arguments = condition.split(separator: "%@", omittingEmptySubsequences: false).dropFirst().map { _ in
                json
            }
            let row = QueryRow(condition, arguments, text == "x" || text == "sea" ? ["a"] : [])
            await database.expect([row], of: "Post", as: .administrator)
        }
        #expect(await database.call(.get, "/query/Post?count=true").count == 1)
    }

    @Test(arguments: texts) func `no Range breaks a field`(text: String) async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(
            .put, "/records/Post/a", as: .administrator, body: #"{"fields":{"data":{"value":"MDEy","type":"BYTES"}}}"#)
        for range in [text, "bytes=\(text)", "bytes=\(text)-", "bytes=-\(text)", "bytes=0-\(text)"] {
            let response = await database.call(
                .get, "/records/Post/a/data", headers: [("Range", range), ("If-Range", text)])
            #expect([200, 206, 416].contains(response.status), "\(range)")
            let alone = await database.call(.get, "/records/Post/a/data", headers: [("Range", range)])
            #expect([200, 206, 416].contains(alone.status), "\(range)")
        }
    }

    @Test func `a thousand field names are accepted, and one more is rejected`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.put, "/records/Post/a", as: .administrator, body: #"{"fields":{"title":"sea"}}"#)
        let names = "title" + String(repeating: ",x", count: 999)
        for target in ["/records/Post/a", "/records/Post", "/changes"] {
            let response = await database.call(.get, "\(target)?fields=\(names)")
            #expect(response.status == 200)
            #expect(response.text.contains("sea"))
            let rejection = await database.call(.get, "\(target)?fields=\(names),x")
            #expect(rejection.status == 413)
            #expect(rejection.text.contains("TOO_LARGE"))
        }
        let write = await database.call(
            .patch, "/records/Post/a?fields=\(names),x", as: .administrator, body: #"{"fields":{"title":"fog"}}"#)
        #expect(write.status == 413)
        #expect(await database.call(.get, "/records/Post/a").text.contains("sea"), "The refused write did nothing")
    }
}
