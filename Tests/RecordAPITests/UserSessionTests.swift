import HTTP
import RecordWire
import TestSupport
import Testing

/// Administrators list and end the sessions of an account, and see all subscriptions.
@Suite struct UserSessionTests {
    @Test func `one session ends, then all of them`() async throws {
        let database = try await TestDatabase.make()
        let phone = await database.call(
            .post, "/sessions", body: #"{"name":"ann","password":"correct horse","label":"phone"}"#)
        let token = try #require(phone.json?["token"]?.string)
        let listed = await database.call(.get, "/users/{creator}/sessions", as: .administrator)
        let sessions = try #require(listed.json?["sessions"]?.array, "\(listed.text)")
        #expect(sessions.count == 2)
        #expect(sessions.allSatisfy { $0["current"]?.bool == false })
        #expect(!listed.text.contains(token))
        let id = try #require(sessions.first { $0["label"]?.string == "phone" }?["id"]?.string)
        await database.play([
            Scenario("of another", .administrator, .delete, "/users/{member}/sessions/\(id)", 404),
            Scenario("of nobody", .administrator, .get, "/users/_\(String(repeating: "0", count: 32))/sessions", 404),
            Scenario("no record name", .administrator, .get, "/users/ann/sessions", 400),
            Scenario("a user", .creator, .get, "/users/{creator}/sessions", 403),
            Scenario("its session", .administrator, .delete, "/users/{creator}/sessions/\(id)", 204),
            Scenario("once", .administrator, .delete, "/users/{creator}/sessions/\(id)", 404),
        ])
        #expect(await database.call(.get, "/users/me", token: token).status == 401)
        #expect(await database.call(.get, "/users/me", as: .creator).status == 200)
        await database.play([
            Scenario("all", .administrator, .delete, "/users/{creator}/sessions", 204),
            Scenario("none is left", .administrator, .delete, "/users/{creator}/sessions", 204),
            Scenario(
                "one note of each", .administrator, .get, "/audit?action=session.end", 200,
                contains: [#""name":"_administrator""#, "{creator}"]),
            Scenario(
                "and of all", .administrator, .get, "/audit?action=session.endAll", 200, contains: [#""sessions":1"#]),
        ])
        #expect(await database.call(.get, "/users/me", as: .creator).status == 401)
    }

    @Test func `subscriptions of all accounts are a list in pages`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let body = #"{"type":"query","recordType":"Post"}"#
        for (who, name) in [(TestDatabase.Who.creator, "a"), (.creator, "b"), (.member, "c")] {
            #expect(await database.call(.put, "/subscriptions/\(name)", as: who, body: body).status == 201)
        }
        let own = await database.call(
            .put, "/subscriptions/d?database=private", as: .stranger, body: #"{"type":"database"}"#)
        #expect(own.status == 201, "\(own.text)")
        var names: [String] = []
        var cursor = ""
        for _ in 0..<4 {
            let page = await database.call(.get, "/subscriptions?everyone=true&limit=1\(cursor)", as: .administrator)
            let items = try #require(page.json?["subscriptions"]?.array, "\(page.text)")
            names += items.compactMap { item in
                item["subscriptionID"]?.string.map { $0 + " " + (item["by"]?["name"]?.string ?? "") }
            }
            guard let next = page.json?["cursor"]?.string else { break }
            cursor = "&cursor=\(next)"
        }
        #expect(names == ["a {creator}", "b {creator}", "c {member}", "d {stranger}"].map(database.filled))
        await database.play([
            Scenario("not a cursor", .administrator, .get, "/subscriptions?everyone=true&cursor=x", 400),
            Scenario("of all databases", .administrator, .get, "/subscriptions?everyone=true&database=private", 400),
            Scenario("a user's own are one page", .creator, .get, "/subscriptions?limit=1", 400),
            Scenario("a user", .creator, .get, "/subscriptions?everyone=true", 403),
        ])
    }

    @Test func `a developer sees no subscription of a private database`() async throws {
        let database = try await TestDatabase.make()
        let own = await database.call(
            .put, "/subscriptions/d?database=private", as: .stranger, body: #"{"type":"database"}"#)
        #expect(own.status == 201, "\(own.text)")
        await database.call(
            .post, "/administrators", as: .administrator,
            body: #"{"name":"dev","password":"correct horse","role":"developer"}"#)
        let session = await database.call(
            .post, "/administrators/sessions", body: #"{"name":"dev","password":"correct horse"}"#)
        let token = try #require(session.json?["token"]?.string, "\(session.text)")
        let listed = await database.call(.get, "/subscriptions?everyone=true", token: token)
        #expect(listed.text == #"{"subscriptions":[]}"#)
    }

    @Test func `a job tells owner and zone of its database`() async throws {
        let database = try await TestDatabase.make()
        let zone = await database.call(.put, "/zones/diary?database=private", as: .creator)
        try #require(zone.status < 300, "\(zone.text)")
        let place = "?database=private&zone=diary"
        await database.call(.put, "/records/Note/a\(place)", as: .creator, body: #"{"fields":{"title":"x"}}"#)
        let made = await database.call(
            .delete, "/query/Note\(place)&all=true", as: .creator, headers: [("Prefer", "respond-async")])
        let id = try #require(made.json?["id"]?.string, "\(made.text)")
        for who in [TestDatabase.Who.creator, .administrator] {
            let job = await database.call(.get, "/jobs/\(id)", as: who).json
            #expect(job?["zone"]?.string == "diary")
            #expect(job?["owner"]?.string == database.filled("{creator}"))
            #expect(job?["database"]?.string == "private")
        }
    }
}
