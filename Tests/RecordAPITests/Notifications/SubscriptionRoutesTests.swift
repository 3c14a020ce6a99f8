import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

@Suite struct SubscriptionRoutesTests {
    private static let mine = "database=private"
    private static let posts = #"{"type":"query","recordType":"Post"}"#

    @Test func `a user creates, lists, reads, replaces and deletes subscriptions`() async throws {
        let database = try await TestDatabase.make()
        try await database.write("Post/first")
        let body =
            #"{"type":"query","recordType":"Post","where":"n > %d","args":[3],"firesOn":["create"],"firesOnce":false,"notification":{"alertBody":"New"}}"#
        await database.play([
            Scenario("before", .creator, .get, "/subscriptions/a", 404, contains: ["NOT_FOUND"]),
            Scenario("new", .creator, .put, "/subscriptions/a", body, 201, contains: [#""subscriptionID":"a""#]),
            Scenario(
                "again", .creator, .put, "/subscriptions/a", body, 200, contains: [#""where":"n > %d","args":[3]"#]),
            Scenario(
                "shown", .creator, .get, "/subscriptions/a", 200,
                contains: [#""firesOn":["create"]"#, #""alertBody":"New""#, #""database":"public""#, "createdAt"]),
            Scenario("another's", .stranger, .get, "/subscriptions/a", 404),
            Scenario("none", .stranger, .get, "/subscriptions", 200, contains: [#"{"subscriptions":[]}"#]),
            Scenario("elsewhere", .creator, .get, "/subscriptions/a?\(Self.mine)", 404),
            Scenario("anonymous", .anonymous, .put, "/subscriptions/a", body, 401),
            Scenario("anonymous", .anonymous, .get, "/subscriptions", 401),
            Scenario("an administrator", .administrator, .put, "/subscriptions/a", body, 403, contains: ["accounts"]),
            Scenario("not a type", .creator, .put, "/subscriptions/b", #"{"type":"other"}"#, 400, contains: ["'type'"]),
            Scenario("an unknown key", .creator, .put, "/subscriptions/b", #"{"type":"query","a":1}"#, 400),
            Scenario("CloudKit's key", .creator, .put, "/subscriptions/b", #"{"type":"query","query":{}}"#, 400),
            Scenario("no record type", .creator, .put, "/subscriptions/b", #"{"type":"query"}"#, 400),
            Scenario(
                "a bad condition", .creator, .put, "/subscriptions/b",
                #"{"type":"query","recordType":"Post","where":"n >"}"#, 400),
            Scenario(
                "an unknown field", .creator, .put, "/subscriptions/b",
                #"{"type":"query","recordType":"Post","where":"missing > 1"}"#, 400, contains: ["missing"]),
            Scenario(
                "a zone", .creator, .put, "/subscriptions/b", #"{"type":"zone","zone":"_defaultZone"}"#, 400,
                contains: ["public database"]),
            Scenario("a database", .creator, .put, "/subscriptions/b", #"{"type":"database"}"#, 400),
            Scenario(
                "no such zone", .creator, .put, "/subscriptions/b?\(Self.mine)", #"{"type":"zone","zone":"X"}"#, 404,
                contains: ["ZONE_NOT_FOUND"]),
            Scenario("without a zone", .creator, .put, "/subscriptions/b?\(Self.mine)", #"{"type":"zone"}"#, 400),
            Scenario("a bad ID", .creator, .put, "/subscriptions/a%07", Self.posts, 400),
            Scenario(
                "private", .creator, .put, "/subscriptions/a?\(Self.mine)", #"{"type":"database"}"#, 201,
                contains: [#""database":"private""#]),
            Scenario("gone", .creator, .delete, "/subscriptions/a", 204),
            Scenario("again", .creator, .delete, "/subscriptions/a", 404),
            Scenario(
                "the other", .creator, .get, "/subscriptions?\(Self.mine)", 200, contains: [#""type":"database""#]),
        ])
    }

    @Test func `query subscriptions fire on their type, predicate and events, from their creation on`() async throws {
        let database = try await TestDatabase.make()
        try await database.write("Post/old", 5)
        try await database.subscribe("all", Self.posts)
        try await database.subscribe(
            "big", #"{"type":"query","recordType":"Post","where":"n > 3","firesOn":["create","update"]}"#)
        try await database.subscribe("gone", #"{"type":"query","recordType":"Post","firesOn":["delete"]}"#)
        let reader = NotificationClient(database, as: .creator)
        #expect(try await reader.read().isEmpty)
        try await database.write("Post/a", 1)
        try await database.write("Note/x", 9)
        try await database.write("Post/old", 6)
        #expect(try await reader.read() == ["all create Post/a", "all update Post/old", "big update Post/old"])
        #expect(try await reader.read().isEmpty)
        try await database.write("Post/b", 4)
        try await database.erase("Post/a")
        #expect(
            try await reader.read() == [
                "all create Post/b", "big create Post/b", "all delete Post/a", "gone delete Post/a",
            ]
        )
        // Another reader gets all of it, the changes of each record as one.
        let late = NotificationClient(database, as: .creator)
        let all = try await late.read("limit=1")
        #expect(
            all == [
                "all update Post/old", "big update Post/old", "all create Post/b", "big create Post/b",
                "all delete Post/a", "gone delete Post/a",
            ])
        #expect(try await NotificationClient(database, as: .creator, since: "now").read().isEmpty)
        #expect(try await NotificationClient(database, as: .stranger).read().isEmpty)
    }

    @Test func `zone and database subscriptions tell of their zones`() async throws {
        let database = try await TestDatabase.make()
        for zone in ["A", "B"] { await database.call(.put, "/zones/\(zone)?\(Self.mine)", as: .creator) }
        try await database.subscribe("zone", #"{"type":"zone","zone":"A"}"#, in: Self.mine)
        try await database.subscribe("any", #"{"type":"database"}"#, in: Self.mine)
        try await database.subscribe("inB", #"{"type":"query","recordType":"Note","zone":"B"}"#, in: Self.mine)
        try await database.subscribe("wide", #"{"type":"query","recordType":"Note"}"#, in: Self.mine)
        let reader = NotificationClient(database, as: .creator)
        #expect(try await reader.read().isEmpty)
        try await database.write("Note/n?\(Self.mine)&zone=A")
        #expect(try await reader.read() == ["zone in A", "any", "wide create Note/n"])
        try await database.write("Note/n?\(Self.mine)&zone=B")
        #expect(try await reader.read() == ["any", "inB create Note/n", "wide create Note/n"])
        try await database.write("Note/d?\(Self.mine)")
        #expect(try await reader.read() == ["any", "wide create Note/d"])
        try await database.write("Post/public")
        #expect(try await reader.read().isEmpty)
        await database.call(.put, "/zones/C?\(Self.mine)", as: .creator)
        #expect(try await reader.read() == ["any"])
        await database.call(.delete, "/zones/B?\(Self.mine)", as: .creator)
        #expect(try await reader.read() == ["any"])
        let response = await database.call(.get, "/notifications", as: .creator)
        let wide = try #require(response.json?["notifications"]?.array?.first { $0["subscriptionID"] == "wide" })
        #expect(wide["ownerRecordName"]?.string == database.userNames[.creator] && wide["database"] == "private")
    }

    @Test func `rights are judged for each delivery`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let secret = #"{"type":"query","recordType":"Secret"}"#
        try await database.subscribe("s", secret, as: .member)
        let denied = await database.call(
            .put, "/subscriptions/s", as: .anonymous, body: secret)
        #expect(denied.status == 401)
        // A stranger may subscribe, and learns of its own records only.
        try await database.subscribe("s", secret, as: .stranger)
        let body = #"{"fields":{"title":"x"}}"#
        await database.call(.put, "/records/Secret/s2", as: .creator, body: body)
        await database.call(.put, "/records/Secret/s3", as: .stranger, body: body)
        let (member, stranger) = (
            NotificationClient(database, as: .member), NotificationClient(database, as: .stranger)
        )
        #expect(try await member.read() == ["s create Secret/s2", "s create Secret/s3"])
        #expect(try await stranger.read() == ["s create Secret/s3"])
        // What was written before a right was lost is not told after it.
        await database.call(.put, "/records/Secret/s4", as: .creator, body: body)
        let lost = await database.call(.put, "/roles/editors", as: .administrator, body: #"{"members":[]}"#)
        try #require(lost.status == 200, "\(lost.text)")
        #expect(try await member.read().isEmpty)
    }

    @Test func `access lists and field rights hide records and values`() async throws {
        let database = try await TestDatabase.make()
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Post":{"fields":{"title":{"type":"STRING"},"cost":{"type":"INT64","read":["editors"]}},
                "grants":{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        let body =
            #"{"type":"query","recordType":"Post","notification":{"alertLocalizationKey":"K","alertLocalizationArgs":["title","other"],"additionalFields":["cost","title"]}}"#
        for who in [TestDatabase.Who.stranger, .member] { try await database.subscribe("p", body, as: who) }
        let made = await database.call(
            .put, "/records/Post/p", as: .administrator, body: #"{"fields":{"title":"t","cost":5}}"#)
        try #require(made.status == 201, "\(made.text)")
        let hidden = await database.call(
            .put, "/records/Post/h", as: .creator, body: #"{"fields":{"title":"h"},"acl":{"{creator}":["read"]}}"#)
        try #require(hidden.status == 201, "\(hidden.text)")
        let member = await database.call(.get, "/notifications", as: .member)
        let stranger = await database.call(.get, "/notifications", as: .stranger)
        #expect(
            member.text.contains(#""fields":{"title":{"value":"t","type":"STRING"},"cost":{"value":5"#),
            "\(member.text)")
        #expect(stranger.text.contains(#""fields":{"title":{"value":"t","type":"STRING"}}"#), "\(stranger.text)")
        #expect(!stranger.text.contains(#"Post/h"#) && !stranger.text.contains(#""recordName":"h""#))
        // A condition on a field that the caller may not read is an error, as in a query.
        let condition = await database.call(
            .put, "/subscriptions/c", as: .stranger, body: #"{"type":"query","recordType":"Post","where":"cost > 1"}"#)
        #expect(condition.status == 400 && condition.text.contains("cost"), "\(condition.text)")
    }

    @Test func `a subscription that fires once ends for everyone, but tells each reader that was before`() async throws
    {
        let database = try await TestDatabase.make()
        try await database.write("Post/old")
        try await database.subscribe("once", #"{"type":"query","recordType":"Post","firesOnce":true}"#)
        let (first, second) = (NotificationClient(database, as: .creator), NotificationClient(database, as: .creator))
        for name in ["a", "b"] { try await database.write("Post/\(name)") }
        #expect(try await first.read() == ["once create Post/a"])
        #expect(await database.call(.get, "/subscriptions/once", as: .creator).status == 404)
        try await database.write("Post/c")
        #expect(try await first.read().isEmpty)
        #expect(try await second.read() == ["once create Post/a"])
        #expect(try await second.read().isEmpty)
        // The ID is free again.
        try await database.subscribe("once", #"{"type":"query","recordType":"Post","firesOnce":true}"#)
        try await database.write("Post/d")
        #expect(try await first.read() == ["once create Post/d"])
    }

    @Test func `a changed subscription keeps what waits, unless it watches something else`() async throws {
        let database = try await TestDatabase.make()
        try await database.subscribe("s", Self.posts)
        let reader = NotificationClient(database, as: .creator)
        _ = try await reader.read()
        try await database.write("Post/a", 1)
        try await database.subscribe(
            "s", #"{"type":"query","recordType":"Post","notification":{"alertBody":"x"}}"#, status: 200)
        #expect(try await reader.read() == ["s create Post/a"])
        try await database.write("Post/b", 1)
        try await database.subscribe("s", #"{"type":"query","recordType":"Post","where":"n > 0"}"#, status: 200)
        #expect(try await reader.read().isEmpty)
        try await database.write("Post/c", 1)
        #expect(try await reader.read() == ["s create Post/c"])
    }

    @Test func `a request waits for a notification, or for its time`() async throws {
        let database = try await TestDatabase.make()
        // A request that waits for an unknown type learns of the type with a tick of the transport.
        try await database.write("Post/old")
        try await database.subscribe("s", Self.posts)
        let start = await database.call(.get, "/notifications", as: .creator)
        let token = try #require(start.json?["token"]?.string).replacing("+", with: "%2B")
        let waiting = await database.call(.get, "/notifications?wait=30&since=\(token)", as: .creator)
        #expect(waiting.field("Cache-Control") == "no-store")
        let source = try #require(waiting.events)
        // The waiting request reads with the context of the database, so the write has one of its own.
        let loop = database.api.makeContext()
        defer { loop.closeReaders() }
        let creator = try #require(database.tokens[.creator])
        async let body = source.next()
        let made = await database.call(
            .put, "/records/Post/a", token: creator, body: #"{"fields":{"n":1}}"#, in: loop)
        #expect(made.status == 201, "\(made.text)")
        #expect(String(decoding: try #require(await body), as: UTF8.self).contains(#""recordName":"a""#))
        let next = await database.call(.get, "/notifications?wait=30&since=now", as: .creator)
        let empty = try await next.waitedBody()
        #expect(empty.hasPrefix(#"{"notifications":[],"token":""#), "\(empty)")
        #expect(empty.hasSuffix(#""moreComing":false}"#), "\(empty)")
        for (query, who, status) in [
            ("wait=61", TestDatabase.Who.creator, 400), ("wait=x", .creator, 400), ("since=abc", .creator, 400),
            ("since=\(token)", .stranger, 400), ("", .anonymous, 401), ("", .administrator, 403),
        ] {
            let response = await database.call(.get, "/notifications?\(query)", as: who)
            #expect(response.status == status, "\(query): \(response.text)")
        }
    }

    @Test func `notifications stream as events, and go on after the last one`() async throws {
        let database = try await TestDatabase.make()
        let headers = [("Accept", "text/event-stream")]
        let stream = try StreamReader(await database.call(.get, "/notifications", as: .creator, headers: headers))
        #expect(try await stream.read().map(\.name) == ["caughtup"])
        // The stream learns of new subscriptions.
        try await database.write("Post/old")
        try await database.subscribe("s", Self.posts)
        try await database.write("Post/a")
        #expect(try await stream.read().map { $0.json.map(NotificationClient.short) } == ["s create Post/a"])
        try await database.write("Post/b")
        let events = try await stream.read()
        #expect(events.map(\.name) == ["notification"])
        let id = try #require(stream.lastID)
        try await database.write("Post/c")
        stream.leave()
        // Each event has its own position.
        let every = try StreamReader(await database.call(.get, "/notifications", as: .creator, headers: headers))
        let ids = try await every.read().compactMap(\.id)
        #expect(ids.count == 4)
        for (index, id) in ids.prefix(3).enumerated() {
            let rest = NotificationClient(database, as: .creator, since: id)
            #expect(try await rest.read() == Array(["s create Post/b", "s create Post/c"].suffix(2 - index)))
        }
        let resumed = try StreamReader(
            await database.call(.get, "/notifications", as: .creator, headers: headers + [("Last-Event-ID", id)]))
        #expect(try await resumed.read().map(\.name) == ["notification", "caughtup"])
        // It ends when its caller may no longer read.
        await database.call(.delete, "/sessions/current", as: .creator)
        resumed.tick()
        #expect(try await resumed.read().map(\.name) == ["end"])
        #expect(resumed.hasEnded)
    }

    @Test func `a ticket opens the stream of its creator once`() async throws {
        let database = try await TestDatabase.make()
        try await database.subscribe("s", Self.posts)
        try await database.write("Post/a")
        let made = await database.call(.post, "/notifications/tickets", as: .creator)
        #expect(made.status == 201, "\(made.text)")
        let url = try #require(made.json?["url"]?.string)
        #expect(url.hasPrefix("/notifications?ticket="))
        let headers = [("Accept", "text/event-stream")]
        let stream = try StreamReader(await database.call(.get, url, headers: headers))
        #expect(try await stream.read().map(\.name) == ["notification", "caughtup"])
        #expect(await database.call(.get, url, headers: headers).status == 401)
        #expect(await database.call(.post, "/notifications/tickets").status == 401)
    }

    @Test func `the number of subscriptions is limited, and those that have fired make room`() async throws {
        let database = try await TestDatabase.make()
        try await database.write("Post/old")
        let once = #"{"type":"query","recordType":"Post","firesOnce":true}"#
        for number in 0..<Subscriptions.most { try await database.subscribe("s\(number)", once) }
        let full = await database.call(.put, "/subscriptions/more", as: .creator, body: once)
        #expect(full.status == 413 && full.cause == "TOO_LARGE", "\(full.text)")
        try await database.subscribe("s0", once, status: 200)
        try await database.subscribe("more", once, as: .stranger)
        try await database.write("Post/a")
        #expect(try await NotificationClient(database, as: .creator).read().count == Subscriptions.most)
        try await database.subscribe("more", once)
        let list = await database.call(.get, "/subscriptions", as: .creator)
        #expect(list.json?["subscriptions"]?.array?.count == 1, "\(list.text)")
    }

    @Test func `subscriptions end with their account`() async throws {
        let database = try await TestDatabase.make()
        try await database.subscribe("s", Self.posts)
        let gone = await database.call(.delete, "/users/me", as: .creator, body: #"{"password":"correct horse"}"#)
        try #require(gone.status == 204, "\(gone.text)")
        let store = try #require(database.registry.openDatabases.first?.database)
        await store.accounts.removalsAreDone()
        #expect(await database.call(.get, "/subscriptions", as: .creator).status == 401)
        let path = DataDirectory.databasePath(in: database.directory + "/Forum/development")
        #expect(try Connection(path: path, role: .reader).integer("SELECT count(*) FROM subscription") == 0)
    }

    @Test func `a reader that missed forgotten deletions starts again`() async throws {
        let database = try await TestDatabase.make()
        try await database.write("Post/a")
        try await database.subscribe("s", Self.posts)
        try await database.subscribe(
            "new", #"{"type":"query","recordType":"Post","firesOn":["create"]}"#, as: .stranger)
        let (reader, other) = (
            NotificationClient(database, as: .creator), NotificationClient(database, as: .stranger)
        )
        _ = (try await reader.read(), try await other.read())
        let old = try #require(reader.token)
        try await database.erase("Post/a")
        let store = try #require(database.registry.openDatabases.first?.database)
        #expect(try await store.maintenance.forgetDeletions(olderThan: -60) == 1)
        let token = old.replacing("+", with: "%2B")
        let late = await database.call(.get, "/notifications?since=\(token)", as: .creator)
        #expect(late.status == 410 && late.cause == "TOKEN_EXPIRED", "\(late.text)")
        // Who waits for no deletions has missed none.
        #expect(try await other.read().isEmpty)
        let stream = try StreamReader(
            await database.call(
                .get, "/notifications?since=\(token)", as: .creator, headers: [("Accept", "text/event-stream")]))
        #expect(try await stream.read().map(\.name) == ["reset", "caughtup"])
        try await database.write("Post/b")
        #expect(try await stream.read().map { $0.json.map(NotificationClient.short) } == ["s create Post/b"])
        // A new reader needs none of the deletions before it.
        #expect(try await NotificationClient(database, as: .creator).read() == ["s create Post/b"])
    }
}
