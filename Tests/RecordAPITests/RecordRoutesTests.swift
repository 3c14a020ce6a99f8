import HTTP
import RecordModel
import RecordWire
import Testing

@Suite struct RecordRoutesTests {
    @Test func `a create responds with 201, the record's address and its tag`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let made = await database.call(
            .post, "/records/Post", as: .administrator, body: #"{"fields":{"title":"sea","good":3}}"#)
        #expect(made.status == 201)
        #expect(made.route == "POST /records/{type}")
        let name = try #require(made.json?["recordName"]?.string)
        let tag = try #require(made.json?["recordChangeTag"]?.string)
        #expect(made.field("Location") == "/records/Post/\(name)")
        #expect(made.field("ETag") == "\"\(tag)\"")
        #expect(made.field("Content-Type") == "application/json")
        let read = await database.call(.get, "/records/Post/\(name)")
        #expect(read.status == 200 && read.bytes == made.bytes && read.field("ETag") == "\"\(tag)\"")
        #expect(read.route == "GET /records/{type}/{name}")
        let again = await database.call(
            .post, "/records/Post", as: .administrator, body: #"{"recordName":"\#(name)"}"#)
        #expect(again.status == 409 && again.code == "EXISTS")
    }

    @Test func `put creates with 201 and replaces with 200, patch changes, delete deletes once`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.play([
            Scenario(
                "put creates", .administrator, .put, "/records/Post/a", #"{"fields":{"title":"sea","good":1}}"#, 201),
            Scenario(
                "put replaces all", .administrator, .put, "/records/Post/a", #"{"fields":{"title":"sky"}}"#, 200,
                contains: [#""sky""#], lacks: [#""good""#]),
            Scenario(
                "patch changes some", .administrator, .patch, "/records/Post/a",
                #"{"fields":{"good":{"increment":2}}}"#,
                200, contains: [#""sky""#, #""good":{"value":2"#]),
            Scenario(
                "null removes", .administrator, .patch, "/records/Post/a", #"{"fields":{"title":null}}"#, 200,
                lacks: [#""sky""#]),
            Scenario("patch makes nothing", .administrator, .patch, "/records/Post/b", "{}", 404),
            Scenario(
                "the type must be that of the path", .administrator, .patch, "/records/Post/a",
                #"{"recordType":"Other"}"#, 400),
            Scenario(
                "so must the name", .administrator, .put, "/records/Post/a", #"{"recordName":"b"}"#, 400),
            Scenario(
                "the same is welcome", .administrator, .put, "/records/Post/a",
                #"{"recordName":"a","recordType":"Post"}"#, 200),
            Scenario(
                "system keys are refused", .administrator, .put, "/records/Post/a", #"{"created":{}}"#, 400,
                contains: ["READ_ONLY_KEY"]),
            Scenario(
                "no path leads to a dot", .administrator, .post, "/records/Post", #"{"recordName":".."}"#, 400),
            Scenario("deleting", .administrator, .delete, "/records/Post/a", 204),
            Scenario("deleting again", .administrator, .delete, "/records/Post/a", 404),
            Scenario("it is gone", .administrator, .get, "/records/Post/a", 404),
        ])
    }

    @Test func `a failed precondition of a write responds with 412 and the record`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let path = "/records/Post/a"
        let body = #"{"fields":{"good":{"increment":1}}}"#
        await database.call(.put, path, as: .administrator, body: #"{"fields":{"good":1}}"#)
        let tag = try await database.tag(path)
        let right = [("If-Match", "\"x\", \"\(tag)\"")]
        await database.play([
            Scenario(
                "a new record is not new", .administrator, .put, path, body, headers: [("If-None-Match", "*")], 412),
            Scenario(
                "a wrong tag", .administrator, .patch, path, body, headers: [("If-Match", "\"x\"")], 412,
                contains: ["CONFLICT", "PRECONDITION_FAILED", #""serverRecord":{"recordName":"a""#]),
            Scenario(
                "a weak tag of another state", .administrator, .patch, path, body,
                headers: [("If-Match", "W/\"x\(tag)\"")], 412
            ),
            Scenario("no quotes", .administrator, .patch, path, body, headers: [("If-Match", tag)], 400),
            Scenario(
                "tags in If-None-Match", .administrator, .patch, path, body, headers: [("If-None-Match", "\"x\"")], 400),
            Scenario(
                "both", .administrator, .patch, path, body, headers: [("If-None-Match", "*"), ("If-Match", "*")], 400),
            // The tag as changed by nginx and Apache.
            Scenario(
                "a weak tag", .administrator, .patch, path, "{}", headers: [("If-Match", "W/\"\(tag)\"")], 200),
            Scenario("any tag", .administrator, .patch, path, "{}", headers: [("If-Match", "*")], 200),
            Scenario("a tag that was", .administrator, .delete, path, headers: right, 412),
            Scenario(
                "nothing is there", .administrator, .put, "/records/Post/b", body, headers: [("If-Match", "*")], 412),
            Scenario(
                "something new", .administrator, .put, "/records/Post/b", body, headers: [("If-None-Match", "*")], 201),
        ])
        let now = try await database.tag(path)
        let deleted = await database.call(.delete, path, as: .administrator, headers: [("If-Match", "\"\(now)\"")])
        #expect(deleted.status == 204)
    }

    @Test func `conditional reads omit the body of an unchanged record`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let path = "/records/Post/a"
        await database.call(.put, path, as: .administrator, body: "{}")
        let tag = try await database.tag(path)
        for (header, value, status) in [
            ("If-None-Match", "\"\(tag)\"", 304), ("If-None-Match", "W/\"\(tag)\"", 304), ("If-None-Match", "*", 304),
            ("If-None-Match", "\"x\", \"\(tag)\"", 304), ("If-None-Match", "\"x\"", 200), ("If-None-Match", "x", 400),
            ("If-Match", "\"\(tag)\"", 200), ("If-Match", "\"x\"", 412),
            ("If-Match", "W/\"\(tag)\"", 200), ("If-Match", "W/\"x\"", 412),
        ] {
            let response = await database.call(.get, path, headers: [(header, value)])
            #expect(response.status == status, "\(header): \(value)")
            if status == 304 { #expect(response.bytes.isEmpty && response.field("ETag") == "\"\(tag)\"") }
        }
    }

    @Test func `fields narrow reads, lists and the responses to writes`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let body = #"{"fields":{"title":"sea","good":1,"bad":2}}"#
        await database.play([
            Scenario(
                "put", .administrator, .put, "/records/Post/a?fields=good", body, 201, contains: [#""good""#],
                lacks: [#""title""#, #""bad""#]),
            Scenario(
                "read", .anonymous, .get, "/records/Post/a?fields=good,title", 200,
                contains: [#""good""#, #""title""#],
                lacks: [#""bad""#]),
            Scenario("none", .anonymous, .get, "/records/Post/a?fields=", 200, contains: [#""fields":{}"#]),
            Scenario("unknown", .anonymous, .get, "/records/Post/a?fields=zzz", 200, contains: [#""fields":{}"#]),
            Scenario(
                "list", .anonymous, .get, "/records/Post?fields=bad", 200, contains: [#""bad""#], lacks: [#""title""#]),
            Scenario("feed", .anonymous, .get, "/changes?fields=bad", 200, contains: [#""bad""#], lacks: [#""title""#]),
            Scenario(
                "batch", .administrator, .post, "/records?fields=bad",
                #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"a","recordType":"Post"}}]}"#,
                200,
                contains: [#""bad""#], lacks: [#""title""#]),
        ])
    }

    @Test func `Prefer return=minimal leaves the record out`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for (method, status) in [(HTTPMethod.put, 201), (.put, 204), (.patch, 204)] {
            let response = await database.call(
                method, "/records/Post/a", as: .administrator, body: "{}",
                headers: [("Prefer", "respond-async, return=minimal")])
            #expect(response.status == status && response.bytes.isEmpty)
            #expect(response.field("Preference-Applied") == "return=minimal")
            #expect(response.field("ETag") == "\"\(try await database.tag("/records/Post/a"))\"")
        }
    }

    @Test func `the bytes of a field are served whole or in ranges, never as a page`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let path = "/records/Post/a"
        await database.call(
            .put, path, as: .administrator,
            body: #"{"fields":{"data":{"value":"MDEyMzQ1Njc4OQ==","type":"BYTES"},"title":"x"}}"#)
        let tag = try await database.tag(path)
        let whole = await database.call(.get, path + "/data", headers: [("Accept", "image/*")])
        #expect(whole.status == 200 && whole.text == "0123456789")
        #expect(whole.field("X-Content-Type-Options") == "nosniff")
        #expect(whole.field("Content-Disposition") == "attachment")
        #expect(whole.field("Accept-Ranges") == "bytes" && whole.field("ETag") == "\"\(tag)\"")
        let part = await database.call(.get, path + "/data", headers: [("Range", "bytes=2-4")])
        #expect(part.status == 206 && part.text == "234" && part.field("Content-Range") == "bytes 2-4/10")
        let stale = await database.call(
            .get, path + "/data", headers: [("Range", "bytes=2-4"), ("If-Range", "\"old\"")])
        #expect(stale.status == 200 && stale.text == "0123456789")
        let beyond = await database.call(.get, path + "/data", headers: [("Range", "bytes=10-")])
        #expect(beyond.status == 416 && beyond.field("Content-Range") == "bytes */10")
        #expect(beyond.cause == "RANGE_NOT_SATISFIABLE")
        let known = await database.call(.get, path + "/data", headers: [("If-None-Match", "\"\(tag)\"")])
        #expect(known.status == 304 && known.bytes.isEmpty)
        #expect(await database.call(.get, path + "/title").status == 400)
        #expect(await database.call(.get, path + "/none").status == 404)
    }

    @Test func `an idempotency key gets the first response again, or 422`() async throws {
        let database = try await TestDatabase.make()
        let key = [("Idempotency-Key", "k-1")]
        let body = #"{"fields":{"title":"sea"}}"#
        let first = await database.call(.post, "/records/Post", as: .creator, body: body, headers: key)
        let second = await database.call(.post, "/records/Post", as: .creator, body: body, headers: key)
        #expect(first.status == 201 && second.status == 201 && first.bytes == second.bytes)
        #expect(first.field("Idempotency-Replayed") == nil && second.field("Idempotency-Replayed") == "true")
        #expect(first.field("Location") == second.field("Location") && first.field("ETag") == second.field("ETag"))
        let other = await database.call(
            .post, "/records/Post", as: .creator, body: #"{"fields":{"title":"sky"}}"#, headers: key)
        #expect(other.status == 422 && other.cause == "IDEMPOTENCY_KEY_REUSED")
        let target = await database.call(.post, "/records/Post?fields=", as: .creator, body: body, headers: key)
        #expect(target.status == 422)
        let stranger = await database.call(.post, "/records/Post", as: .stranger, body: body, headers: key)
        #expect(stranger.status == 201 && stranger.bytes != first.bytes)
        let listed = await database.call(.get, "/records/Post")
        #expect(listed.records.count == 2)
        for bad in ["", "a b", String(repeating: "x", count: 256)] {
            let response = await database.call(
                .post, "/records/Post", as: .creator, body: body, headers: [("Idempotency-Key", bad)])
            #expect(response.status == 400, "\(bad)")
        }
        let batch = #"{"operations":[{"operationType":"create","record":{"recordType":"Post"}}]}"#
        let one = await database.call(
            .post, "/records", as: .creator, body: batch, headers: [("Idempotency-Key", "k-2")])
        let two = await database.call(
            .post, "/records", as: .creator, body: batch, headers: [("Idempotency-Key", "k-2")])
        #expect(one.bytes == two.bytes && two.field("Idempotency-Replayed") == "true")
    }

    @Test func `a list continues at its cursor, which only its caller may use`() async throws {
        let database = try await TestDatabase.make()
        for number in 1...5 {
            await database.call(.put, "/records/Post/p\(number)", as: .creator, body: "{}")
        }
        var names: [String] = []
        var target = "/records/Post?limit=2"
        var cursors: [String] = []
        while cursors.count < 9 {
            let page = await database.call(.get, target, as: .stranger)
            names += page.records.compactMap { $0["recordName"]?.string }
            guard let cursor = page.json?["cursor"]?.string else { break }
            cursors.append(cursor)
            target = "/records/Post?limit=2&cursor=" + cursor.addingEscapes
        }
        #expect(names == ["p1", "p2", "p3", "p4", "p5"])
        #expect(cursors.count == 2)
        let cursor = try #require(cursors.first).addingEscapes
        await database.play([
            Scenario("another's", .creator, .get, "/records/Post?cursor=\(cursor)", 400, contains: ["TOKEN_INVALID"]),
            Scenario("of nobody", .stranger, .get, "/records/Post?cursor=AAAA", 400, contains: ["TOKEN_INVALID"]),
            Scenario("too long a page", .stranger, .get, "/records/Post?limit=1001", 400, contains: ["1000"]),
            Scenario("no page", .stranger, .get, "/records/Post?limit=0", 400),
            Scenario("no number", .stranger, .get, "/records/Post?limit=ten", 400),
        ])
    }

    @Test func `the feed continues from its token, and starts over after a change of rights`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let start = await database.call(.get, "/changes", as: .stranger)
        // Bob's user record, and two posts.
        #expect(start.changes.count == 3 && start.json?["moreComing"]?.bool == false)
        let token = try #require(start.json?["token"]?.string).addingEscapes
        await database.call(.delete, "/records/Post/p1", as: .creator)
        await database.call(.patch, "/records/Post/p2", as: .creator, body: #"{"fields":{"good":1}}"#)
        let next = await database.call(.get, "/changes?since=\(token)", as: .stranger)
        #expect(next.changes.compactMap { $0["recordName"]?.string } == ["p1", "p2"])
        #expect(next.changes.first?["deleted"]?.bool == true)
        let page = await database.call(.get, "/changes?since=\(token)&limit=1", as: .stranger)
        #expect(page.changes.count == 1 && page.json?["moreComing"]?.bool == true)
        let foreign = await database.call(.get, "/changes?since=\(token)", as: .creator)
        #expect(foreign.status == 400 && foreign.cause == "TOKEN_INVALID")
        await database.call(.put, "/grants/Post", as: .administrator, body: #"{"grants":{"_icloud":["READ"]}}"#)
        let expired = await database.call(.get, "/changes?since=\(token)", as: .stranger)
        #expect(expired.status == 410 && expired.cause == "TOKEN_EXPIRED")
    }
}

extension String {
    /// The text as it appears in a query.
    var addingEscapes: String {
        utf8.map { byte in
            byte == UInt8(ascii: "+")
                ? "%2B"
                : byte == UInt8(ascii: "/")
                    ? "%2F"
                    : byte == UInt8(ascii: "=")
                        ? "%3D"
                        : String(UnicodeScalar(byte))
        }.joined()
    }

    @Test func `a taken name says which type has it, to callers who may read that record`() async throws {
        let database = try await TestDatabase.make()
        await database.call(.put, "/records/Note/x", as: .administrator, body: "{}")
        await database.call(.put, "/grants/Secret", as: .administrator, body: #"{"grants":{}}"#)
        await database.call(
            .put, "/records/Secret/y", as: .administrator, body: #"{"fields":{},"acl":{"role:editors":["read"]}}"#)
        await database.play([
            Scenario(
                "of a record that is read", .member, .post, "/records/Post", #"{"recordName":"x"}"#, 409,
                contains: ["a record of type Note has this name", "unique over all types", #""recordType":"Note""#]),
            Scenario(
                "by PUT", .member, .put, "/records/Post/x", "{}", 409, contains: ["a record of type Note has this name"]
            ),
            Scenario(
                "of one that is not", .stranger, .post, "/records/Post", #"{"recordName":"y"}"#, 409,
                contains: ["names are unique over all types"], lacks: ["Secret"]),
        ])
    }
}
