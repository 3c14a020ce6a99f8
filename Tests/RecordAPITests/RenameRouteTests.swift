import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Renames by request, in documents and by promotion, and what they change besides records. Fields that are copied and
/// dropped.
@Suite struct RenameRouteTests {
    private static let production = "environment=production"

    private func start(_ fields: String, _ rest: String = "") async throws -> TestDatabase {
        let database = try await TestDatabase.make(withUsers: false)
        try await put(#"{"types":{"Post":{"fields":{\#(fields)}\#(rest)}}}"#, database)
        return database
    }

    @discardableResult
    private func put(
        _ schema: String, _ database: TestDatabase, _ query: String = "", expecting status: Int = 200
    ) async throws -> Response {
        let made = await database.call(.put, "/schema\(query)", as: .administrator, body: schema)
        try #require(made.status == status, "\(made.text)")
        return made
    }

    private func text(_ database: TestDatabase, _ query: String = "") async -> String {
        await database.call(.get, "/schema\(query)", as: .administrator, headers: [("Accept", "text/x-ckdb")]).text
    }

    @discardableResult
    private func rename(
        _ database: TestDatabase, _ path: String, to name: String, _ query: String = "", expecting status: Int = 200
    ) async throws -> Response {
        let response = await database.call(
            .patch, "/schema/types/\(path)\(query)", as: .administrator, body: #"{"name":"\#(name)"}"#)
        try #require(response.status == status, "\(response.text)")
        return response
    }

    @discardableResult
    private func promote(
        _ database: TestDatabase, _ query: String = "", body: String? = nil, expecting status: Int = 200
    ) async throws -> Response {
        let response = await database.call(
            .post, "/schema/promotion?\(Self.production)\(query)", as: .administrator, body: body)
        try #require(response.status == status, "\(response.text)")
        return response
    }

    private func write(_ database: TestDatabase, _ name: String, _ fields: String, _ query: String = "") async throws {
        let response = await database.call(
            .put, "/records/Post/\(name)\(query)", as: .administrator, body: #"{"fields":{\#(fields)}}"#)
        try #require(response.status < 300, "\(response.text)")
    }

    @Test func `bad renames are rejected with what to do`() async throws {
        let database = try await start(#""title":{"type":"STRING"},"n":{"type":"INT64"}"#)
        for (path, body, status, part) in [
            ("Post/fields/title", #"{"name":"n"}"#, 400, "has a field n already"),
            ("Post/fields/title", #"{"name":"9"}"#, 400, "A field's name"),
            ("Post/fields/title", #"{"name":"createdTimestamp"}"#, 400, "A field's name"),
            ("Post/fields/title", #"{"name":"a","type":"STRING"}"#, 400, "or {"),
            ("Post/fields/title", "{}", 400, "or {"),
            ("Post/fields/gone", #"{"name":"a"}"#, 404, "no field gone"),
            ("Gone/fields/title", #"{"name":"a"}"#, 404, "Unknown record type"),
            ("Gone", #"{"name":"a"}"#, 404, "Unknown record type"),
            ("Post", #"{"name":"-"}"#, 400, "A type's name"),
            ("Post", #"{"name":"Users"}"#, 400, "Users"),
            ("Post", #"{"type":"Users"}"#, 400, "Unknown key"),
        ] {
            let response = await database.call(.patch, "/schema/types/\(path)", as: .administrator, body: body)
            #expect(response.status == status && response.text.contains(part), "\(path) \(body): \(response.text)")
        }
        let denied = await database.call(.patch, "/schema/types/Post/fields/title", body: #"{"name":"a"}"#)
        #expect(denied.status == 401)
        try await rename(database, "Post/fields/title", to: "title")
        #expect(await !text(database).contains("formerly"))
    }

    @Test func `a cached record is not the same after a rename`() async throws {
        let database = try await start(#""title":{"type":"STRING"}"#)
        try await write(database, "a", #""title":"sea""#)
        let tag = try #require(await database.call(.get, "/records/Post/a", as: .administrator).field("ETag"))
        try await rename(database, "Post/fields/title", to: "headline")
        let read = await database.call(
            .get, "/records/Post/a", as: .administrator, headers: [("If-None-Match", tag)])
        #expect(read.status == 200 && read.text.contains("headline"))
        let changed = await database.call(
            .patch, "/records/Post/a", as: .administrator, body: #"{"fields":{"headline":"fog"}}"#,
            headers: [("If-Match", try #require(read.field("ETag")))])
        #expect(changed.status == 200, "\(changed.text)")
    }

    @Test func `a promotion renames what was renamed, and a rollback and a reset undo it`() async throws {
        let database = try await start(
            #""title":{"type":"STRING","indexes":["QUERYABLE"]},"n":{"type":"INT64"}"#,
            #","indexes":[{"fields":["n","-title"]}]"#)
        try await promote(database)
        for number in 0..<5 {
            try await write(database, "p\(number)", #""title":"t\#(number)","n":1"#, "?\(Self.production)")
        }
        try await write(database, "d", #""title":"dev""#)
        try await rename(database, "Post/fields/title", to: "heading")
        try await rename(database, "Post/fields/heading", to: "headline")
        // The name is given again, to another field.
        let again = await text(database).replacing(
            "        n ", with: "        title         STRING,\n        n ")
        let response = await database.call(
            .put, "/schema", as: .administrator, body: again, headers: [("Content-Type", "text/x-ckdb")])
        try #require(response.status == 200, "\(response.text)\n\(again)")
        try await rename(database, "Post", to: "Article")

        let plan = try await promote(database, "&dryRun=true")
        #expect(plan.json?["changes"]?["types"]?["renamed"] == [["from": "Post", "to": "Article"]])
        #expect(plan.json?["changes"]?["fields"]?["renamed"] == [["from": "Article.title", "to": "Article.headline"]])
        #expect(plan.json?["changes"]?["fields"]?["added"] == ["Article.title"])
        #expect(plan.json?["changes"]?["fields"]?["removed"] == [])
        #expect(plan.json?["changes"]?["indexes"] == ["added": [], "removed": []])
        try await promote(database)
        #expect(await text(database, "?\(Self.production)") == text(database))
        let read = await database.call(.get, "/records/Article/p3?\(Self.production)", as: .administrator)
        #expect(
            read.json?["fields"]?["headline"]?["value"] == "t3" && read.json?["fields"]?["title"] == nil, "\(read.text)"
        )
        let old = await database.call(.get, "/records/Post/p3?\(Self.production)", as: .administrator)
        #expect(old.status == 400 && old.json?["details"]?["renamedTo"] == "Article", "\(old.text)")
        #expect(try await promote(database).json?["changes"]?["fields"]?["renamed"] == nil)
    }

    @Test func `a rollback and a reset take renames back`() async throws {
        let database = try await start(#""title":{"type":"STRING"},"n":{"type":"INT64"}"#)
        try await promote(database)
        let before = await text(database)
        for query in ["", "?\(Self.production)"] { try await write(database, "a", #""title":"sea""#, query) }
        try await rename(database, "Post/fields/title", to: "headline")
        try await rename(database, "Post", to: "Article")
        try await promote(database)
        let back = await database.call(
            .post, "/schema/rollback?\(Self.production)", as: .administrator, body: #"{"snapshot":2}"#)
        #expect(
            back.json?["changes"]?["fields"]?["renamed"] == [["from": "Post.headline", "to": "Post.title"]],
            "\(back.text)")
        #expect(back.json?["changes"]?["kept"] == nil)
        let reset = await database.call(.post, "/schema/reset?environment=development", as: .administrator)
        #expect(reset.status == 200, "\(reset.text)")
        for query in ["", "?\(Self.production)"] {
            #expect(await text(database, query) == before)
            let read = await database.call(.get, "/records/Post/a\(query)", as: .administrator)
            #expect(read.json?["fields"]?["title"]?["value"] == "sea", "\(read.text)")
        }
    }

    @Test func `fields that exchange their names are promoted with their values`() async throws {
        let database = try await start(#""a":{"type":"STRING"},"b":{"type":"STRING"}"#)
        try await promote(database)
        try await write(database, "p", #""a":"first","b":"second""#, "?\(Self.production)")
        for (from, to) in [("a", "c"), ("b", "a"), ("c", "b")] {
            try await rename(database, "Post/fields/\(from)", to: to)
        }
        try await promote(database)
        try await promote(database)
        let read = await database.call(.get, "/records/Post/p?\(Self.production)", as: .administrator)
        #expect(
            read.json?["fields"]?["b"]?["value"] == "first" && read.json?["fields"]?["a"]?["value"] == "second",
            "\(read.text)")
    }

    @Test func `a file renames with the earlier name in a comment`() async throws {
        let database = try await start(#""title":{"type":"STRING"}"#)
        try await write(database, "a", #""title":"sea""#)
        let edited = await text(database).replacing(
            "        title ", with: "        -- fogbase: {\"formerly\":[\"title\"]}\n        headline ")
        func send(_ query: String) async -> Response {
            await database.call(
                .put, "/schema\(query)", as: .administrator, body: edited, headers: [("Content-Type", "text/x-ckdb")])
        }
        let plan = await send("?dryRun=true")
        #expect(
            plan.json?["changes"]?["fields"]?["renamed"] == [["from": "Post.title", "to": "Post.headline"]],
            "\(plan.text)")
        #expect(await !text(database).contains("headline"))
        let done = await send("")
        #expect(done.status == 200, "\(done.text)")
        let read = await database.call(.get, "/records/Post/a", as: .administrator)
        #expect(read.json?["fields"]?["headline"]?["value"] == "sea")
        let again = await send("")
        #expect(again.json?["changes"]?["fields"]?["renamed"] == nil)
        // A document that does not mention earlier names keeps them.
        try await put(#"{"types":{"Post":{"fields":{"headline":{"type":"STRING"}}}}}"#, database)
        #expect(await text(database).contains(#"{"formerly":["title"]}"#))
        let bad = try await put(
            #"{"types":{"Post":{"fields":{"headline":{"type":"STRING","formerly":"title"}}}}}"#, database,
            expecting: 400)
        #expect(bad.text.contains("types.Post.fields.headline.formerly"))
    }

    @Test func `stored conditions, scopes and tasks follow`() async throws {
        let database = try await TestDatabase.make(withUsers: false, webhookSender: WebhookReceiver())
        try await put(
            #"{"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"]},"n":{"type":"INT64","indexes":["QUERYABLE"]}}}}}"#,
            database)
        let schedule = await database.call(
            .put, "/schedules/clean", as: .administrator,
            body:
                #"{"cron":"0 3 * * *","task":{"kind":"updateRecords","recordType":"Post","where":"title == %@ AND #n > 3 AND %K != 'title'","args":["title","title"],"fields":{"title":{"value":"title"},"n":1}}}"#
        )
        try #require(schedule.status == 201, "\(schedule.text)")
        let webhook = await database.call(
            .post, "/webhooks", as: .administrator,
            body:
                #"{"url":"https://example.org/hook","types":["Post"],"fields":["title","n"],"where":"title BEGINSWITH 'title' OR n == 1"}"#
        )
        try #require(webhook.status == 201, "\(webhook.text)")
        let key = await database.call(
            .post, "/keys", as: .administrator,
            body: #"{"name":"k","scope":{"types":["Post","Log"],"actions":["read","write"]}}"#)
        try #require(key.status == 201, "\(key.text)")
        let token = try #require(key.json?["token"]?.string)
        let subscribed = await database.call(
            .put, "/subscriptions/s", token: token,
            body:
                #"{"type":"query","recordType":"Post","where":"title == 'title'","notification":{"additionalFields":["title"]}}"#
        )
        try #require(subscribed.status < 300, "\(subscribed.text)")

        try await rename(database, "Post/fields/title", to: "headline")
        try await rename(database, "Post", to: "Article")
        let task = await database.call(.get, "/schedules/clean", as: .administrator)
        for part in [
            #""where":"headline == %@ AND #n > 3 AND %K != 'title'""#, #""args":["title","headline"]"#,
            #""fields":{"headline":{"value":"title"},"n":1}"#, #""recordType":"Article""#,
        ] { #expect(task.text.contains(part), "\(part) in \(task.text)") }
        let hook = await database.call(.get, "/webhooks", as: .administrator)
        for part in [
            #""where":"headline BEGINSWITH 'title' OR n == 1""#, #""types":["Article"]"#, #""fields":["headline","n"]"#,
        ] { #expect(hook.text.contains(part), "\(part) in \(hook.text)") }
        let scope = await database.call(.get, "/keys", as: .administrator)
        #expect(scope.text.contains(#""types":["Article","Log"]"#), "\(scope.text)")
        #expect(await database.call(.get, "/records/Article", token: token).status == 200)
        let subscription = await database.call(.get, "/subscriptions/s", token: token)
        for part in [
            #""where":"headline == 'title'""#, #""recordType":"Article""#, #""additionalFields":["headline"]"#,
        ] {
            #expect(subscription.text.contains(part), "\(part) in \(subscription.text)")
        }
        // A path may mean a field of any type.
        let path = await database.call(
            .put, "/schedules/path", as: .administrator,
            body:
                #"{"cron":"0 3 * * *","task":{"kind":"deleteRecords","recordType":"Log","where":"post.headline == 'x'"}}"#
        )
        if path.status == 201 {
            let blocked = try await rename(database, "Article/fields/headline", to: "title", expecting: 409)
            #expect(blocked.json?["details"]?["schedule"] == "path", "\(blocked.text)")
        }
    }

    @Test func `a field is copied in all records that have it, with its type checked before`() async throws {
        let database = try await start(
            #""title":{"type":"STRING"},"headline":{"type":"STRING"},"n":{"type":"INT64","indexes":["QUERYABLE"]},"d":{"type":"DOUBLE"},"at":{"type":"TIMESTAMP"},"b":{"type":"BYTES"},"c":{"type":"BYTES"},"l":{"type":"STRING_LIST"}"#
        )
        let large = String(repeating: "QUJD", count: 3_000)
        try await write(database, "a", #""title":"sea","n":3,"b":"\#(large)""#)
        try await write(database, "b", #""n":4,"headline":"stays""#)
        func update(_ fields: String, expecting status: Int = 200) async throws -> Response {
            let response = await database.call(
                .patch, "/query/Post?all=true", as: .administrator, body: #"{"fields":{\#(fields)}}"#)
            try #require(response.status == status, "\(response.text)")
            return response
        }
        for (fields, part) in [
            (#""headline":{"copy":"at"}"#, "cannot be copied into 'headline'"),
            (#""n":{"copy":"d"}"#, "cannot be copied"),
            (#""l":{"copy":"title"}"#, "cannot be copied"), (#""n":{"copy":"gone"}"#, "Field gone not found"),
            (#""n":{"copy":3}"#, "needs the name of a field"),
        ] {
            let bad = try await update(fields, expecting: 400)
            #expect(bad.text.contains(part), "\(bad.text)")
        }
        let done = try await update(
            #""headline":{"copy":"title"},"d":{"copy":"n"},"c":{"copy":"b"},"title":{"copy":"n"}"#)
        #expect(done.json?["updated"] == 2, "\(done.text)")
        let a = await database.call(.get, "/records/Post/a", as: .administrator).json?["fields"]
        #expect(
            a?["headline"]?["value"] == "sea" && a?["title"]?["value"] == "3"
                && a?["d"]?["value"]?.double == 3 && a?["d"]?["type"] == "DOUBLE")
        #expect(a?["c"]?["value"]?.string == large)
        let b = await database.call(.get, "/records/Post/b", as: .administrator).json?["fields"]
        #expect(b?["headline"]?["value"] == "stays" && b?["c"] == nil && b?["title"]?["value"] == "4")
        // A new field in development gets the type of the other one.
        let new = await database.call(
            .patch, "/records/Post/a", as: .administrator, body: #"{"fields":{"fresh":{"copy":"n"}}}"#)
        #expect(new.json?["fields"]?["fresh"] == ["value": 3, "type": "INT64"], "\(new.text)")
    }

    @Test func `a caller cannot copy what it may not read`() async throws {
        let database = try await TestDatabase.make()
        try await put(
            #"{"types":{"Post":{"fields":{"pay":{"type":"INT64","read":["editors"]},"n":{"type":"INT64"}},"grants":{"_world":["READ"],"_icloud":["CREATE","WRITE"]}}}}"#,
            database)
        try await write(database, "a", #""pay":7,"n":1"#)
        let denied = await database.call(
            .patch, "/records/Post/a", as: .stranger, body: #"{"fields":{"n":{"copy":"pay"}}}"#)
        #expect(denied.status == 403 && denied.json?["details"]?["field"] == "pay", "\(denied.text)")
        // Nor learn the present name of a field that it may neither read nor write.
        try await rename(database, "Post/fields/n", to: "m")
        let told = await database.call(.patch, "/records/Post/a", as: .stranger, body: #"{"fields":{"n":2}}"#)
        #expect(told.json?["details"]?["renamedTo"] == "m")
        try await rename(database, "Post/fields/pay", to: "wage")
        let hidden = await database.call(.patch, "/records/Post/a", as: .stranger, body: #"{"fields":{"pay":2}}"#)
        #expect(hidden.status == 400 && !hidden.text.contains("wage"), "\(hidden.text)")
        let asked = await database.call(
            .post, "/query", as: .stranger, body: #"{"recordType":"Post","where":"pay == 7"}"#)
        #expect(asked.status == 400 && !asked.text.contains("wage"), "\(asked.text)")
    }

    @Test func `a field that no record has can be left out, also by promotion`() async throws {
        let database = try await start(#""title":{"type":"STRING"},"old":{"type":"STRING","indexes":["QUERYABLE"]}"#)
        try await promote(database)
        for query in ["", "?\(Self.production)"] {
            try await write(database, "a", #""title":"sea","old":"x""#, query)
            try await write(database, "b", #""title":"sea""#, query)
        }
        let less = #"{"types":{"Post":{"fields":{"title":{"type":"STRING"}}}}}"#
        let refused = try await put(less, database, expecting: 400)
        #expect(
            refused.text.contains("1 or more of them have it") && refused.text.contains("PATCH /query/Post"),
            "\(refused.text)")
        let emptied = await database.call(
            .patch, "/query/Post?where=old%20IS%20NOT%20NULL", as: .administrator, body: #"{"fields":{"old":null}}"#)
        #expect(emptied.json?["updated"] == 1, "\(emptied.text)")
        let plan = try await put(less, database, "?dryRun=true")
        #expect(plan.json?["changes"]?["fields"]?["removed"] == ["Post.old"])
        // An empty field can also get another type.
        try await put(#"{"types":{"Post":{"fields":{"title":{"type":"STRING"},"old":{"type":"INT64"}}}}}"#, database)
        try await put(less, database)
        try await write(database, "c", #""old":3"#)
        let again = await database.call(.get, "/records/Post/c", as: .administrator)
        #expect(again.json?["fields"]?["old"]?["type"] == "INT64")
        await database.call(.delete, "/records/Post/c", as: .administrator)
        try await put(less, database)

        let kept = try await promote(database, expecting: 400)
        #expect(kept.text.contains("dropFields"), "\(kept.text)")
        try await promote(database, body: #"{"dropFields":true}"#, expecting: 400)
        await database.call(
            .patch, "/query/Post?all=true&\(Self.production)", as: .administrator, body: #"{"fields":{"old":null}}"#)
        let done = try await promote(database, body: #"{"dropFields":true}"#)
        #expect(done.json?["changes"]?["fields"]?["removed"] == ["Post.old"])
        #expect(await text(database, "?\(Self.production)") == text(database))
        let bad = try await promote(database, body: #"{"dropFields":1}"#, expecting: 400)
        #expect(bad.text.contains("dropFields"))
    }
}
