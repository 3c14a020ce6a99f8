import Cryptography
import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Tokens that outlive their end, are valid elsewhere or twice, or appear where they should not.
@Suite struct PastTokens {
    static let numbers = [13, 14, 15, 27, 30, 32]

    private static let password = #""password":"correct horse""#

    @Test func `13: a token of one container or environment is valid in no other`()
        async throws
    {
        let template = try await MatrixTemplate.shared.value
        let world = try MatrixWorld.fresh(of: template)
        let body = #"{"fields":{"title":"x"}}"#
        for elsewhere in [
            "container=Annex", "environment=production", "container=Annex&environment=production",
        ] {
            _ = try await world.call(.put, "/records/Open/open-1?\(elsewhere)", body, as: .bootstrap)
            for kind in [
                CallerKind.stranger, .creator, .member, .keyInScope, .readOnlyKey, .keyOutOfScope,
            ] {
                for (method, target, sent) in [
                    (HTTPMethod.get, "/records/Open/open-1", nil), (.get, "/users/me", nil),
                    (.get, "/changes", nil),
                    (.put, "/records/Open/x", body), (.get, "/records/Note?database=private", nil),
                    (.delete, "/sessions/current", nil),
                ] as [(HTTPMethod, String, String?)] {
                    let response = try await world.call(
                        method, target + (target.contains("?") ? "&" : "?") + elsewhere, sent, as: kind)
                    #expect(response.status == 401, "\(kind) \(target) \(elsewhere): \(response.text)")
                }
            }
        }
        for kind in [CallerKind.foreignKey, .foreignSession] {
            #expect(try await world.call(.get, "/users/me", as: kind).status == 401)
            #expect(try await world.call(.get, "/users/me?container=Annex", as: kind).status == 200)
        }
        // The session of an administrator is no session of a user, and vice versa.
        #expect(try await world.call(.get, "/administrators/sessions", as: .creator).status == 403)
        #expect(try await world.call(.get, "/sessions", as: .viewer).status == 400)
        // Cursors, change tokens, receipts and signed addresses are no tokens either.
        let annex = try await world.expect(200, .get, "/changes?container=Annex", as: .bootstrap)
        let token = try #require(annex.json?["token"]?.string)
        let since = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let feed = try await world.call(.get, "/changes?since=\(since)", as: .bootstrap)
        #expect(feed.status == 400 && feed.cause == "TOKEN_INVALID" && feed.changes.isEmpty, "\(feed.text)")
        let asset = try await world.upload(
            "bytes of the annex", "/assets?container=Annex", as: .bootstrap)
        let record: JSONValue = ["fields": ["file": asset]]
        let linked = try await world.call(
            .put, "/records/File/linked", String(decoding: record.bytes, as: UTF8.self), as: .bootstrap)
        #expect(linked.status == 400, "\(linked.text)")
        let address = try #require(world.words["asset"])
        let moved = try await world.call(
            .get, address + (address.contains("?") ? "&" : "?") + "container=Annex")
        #expect(
            [400, 404].contains(moved.status) && !moved.text.contains("assetsecret"), "\(moved.text)")
        await world.drop()
    }

    @Test func `13: a cursor is valid only for its caller and query`() async throws {
        let template = try await MatrixTemplate.shared.value
        let world = try MatrixWorld.fresh(of: template)
        for number in 0..<3 {
            let made = #"{"fields":{"title":"more \#(number)"}}"#
            _ = try await world.expect(201, .put, "/records/Staff/more-\(number)", made, as: .bootstrap)
            _ = try await world.expect(201, .put, "/records/Open/open-more-\(number)", made, as: .bootstrap)
        }
        for (target, givers) in [
            ("/records/Staff?limit=1", [CallerKind.member, .owner, .keyInScope]),
            ("/query/Staff?limit=1&sort=title", [.member, .owner, .readOnlyKey]),
            ("/query/Open?limit=1", [.anonymous, .creator, .viewer]),
        ] {
            for giver in givers {
                let page = try await world.expect(200, .get, target, as: giver)
                let cursor = try #require(page.cursor).addingPercentEncoding(
                    withAllowedCharacters: .alphanumerics)
                let next = target + "&cursor=\(cursor ?? "")"
                #expect(try await world.call(.get, next, as: giver).records.count == 1)
                for taker in [CallerKind.anonymous, .stranger, .creator, .keyOutOfScope, .editor]
                where taker != giver {
                    let response = try await world.call(.get, next, as: taker)
                    #expect(
                        response.status >= 400 && response.records.isEmpty,
                        "\(giver) \(taker) \(target): \(response.text)")
                }
                let other = try await world.call(
                    .get, next.replacing("limit=1", with: "limit=1&count=true&sort=-title"), as: giver)
                #expect(other.status >= 400 || target.contains("/records/"), "\(target): \(other.text)")
            }
        }
        await world.drop()
    }

    @Test func `14: of fifty concurrent sign-ups with one invitation, one succeeds`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-invitation-" + UUID().uuidString
        // With its own queue: other tests sign up too.
        let world = try MatrixWorld(
            directory: directory, signUp: .invitation, passwords: PasswordWorkers(threads: 2, scheme: .quick))
        world.tokens = [.bootstrap: MatrixTemplate.bootstrapToken]
        let made = try await world.expect(201, .post, "/invitations", "{}", as: .bootstrap)
        let invitation = try #require(made.json?["invitation"]?.string)
        let api = world.api
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let body =
                        #"{"name":"user\#(number)","password":"correct horse","invitation":"\#(invitation)"}"#
                    guard let target = RequestTarget("/users") else { return 0 }
                    let request = HTTPRequest(
                        method: .post, target: target, fields: HTTPFields(), body: .bytes(Array(body.utf8)),
                        remoteAddress: "192.0.2.1", id: "request-\(number)")
                    let context = api.makeContext()
                    defer { context.closeReaders() }
                    return Int(await api.respond(to: request, in: context).status.code)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 201 }.count == 1, "\(statuses)")
        // The others are rejected, or must retry later while too many passwords wait to be hashed.
        #expect(statuses.allSatisfy { [201, 403, 503].contains($0) }, "\(statuses)")
        let list = try await world.expect(200, .get, "/invitations", as: .bootstrap)
        #expect(list.json?["invitations"]?.array?.first?["used"]?.integer == 1, "\(list.text)")
        await world.drop()
    }

    @Test func `15: neither text nor duration of a response reveals whether an account exists`() async throws {
        let database = try await TestDatabase.make(passwords: PasswordWorkers(threads: 2))
        func body(_ name: String) -> String { #"{"name":"\#(name)","password":"wrong horse"}"# }
        var times: [Bool: [Duration]] = [:]
        var texts: Set<String> = []
        for number in 0..<24 {
            let isKnown = number.isMultiple(of: 2)
            let clock = ContinuousClock()
            let start = clock.now
            let response = await database.call(
                .post, "/sessions", body: body(isKnown ? "ann" : "nobody\(number)"))
            times[isKnown, default: []].append(start.duration(to: clock.now))
            #expect(response.status == 401)
            texts.insert(response.text + response.fields.map { "\($0): \($1)" }.joined())
        }
        #expect(texts.count == 1)
        let shortest = try [true, false].map { try #require(times[$0]?.min()) }
        // A hash takes fifty times as long as a look-up, so a missing hash exceeds the noise by far.
        #expect(shortest[0] < shortest[1] * 4 && shortest[1] < shortest[0] * 4, "\(times)")
        // If sign-up needs an invitation, a request without one does not learn which names are taken.
        let closed = try await TestDatabase.make(withUsers: false) { $0.signUp = .invitation }
        await closed.call(
            .post, "/users", as: .administrator, body: #"{"name":"ann",\#(Self.password)}"#)
        let responses = await [
            closed.call(.post, "/users", body: #"{"name":"ann",\#(Self.password)}"#),
            closed.call(.post, "/users", body: #"{"name":"zoe",\#(Self.password)}"#),
        ]
        #expect(responses[0].status == 403 && responses[0].text == responses[1].text)
    }

    @Test func `15: a sign-in computes the same hash for every name`() async throws {
        let passwords = PasswordWorkers(threads: 1, scheme: .quick)
        let database = try await TestDatabase.make(passwords: passwords) { $0.allowsAnonymousAccounts = true }
        await database.call(.patch, "/users/{stranger}", as: .administrator, body: #"{"disabled":true}"#)
        let anonymous = await database.call(.post, "/users/anonymous")
        let key = await database.call(
            .post, "/keys", as: .administrator, body: #"{"name":"k","scope":{"readOnly":true}}"#)
        await database.call(
            .post, "/administrators", as: .administrator,
            body: #"{"name":"ada","password":"correct horse ada","role":"owner"}"#)
        let withoutPassword = try [
            anonymous.json?["user"]?["name"], key.json?["userRecordName"],
        ].map { try #require($0?.string, "\(anonymous.text) \(key.text)") }
        let names = [
            "/sessions": ["ann", "bob", "eve", "nobody", "_world"] + withoutPassword,
            "/administrators/sessions": ["ada", "nobody"],
        ]
        for (route, names) in names {
            for name in names {
                let before = passwords.hashesBegun[.quick, default: 0]
                let response = await database.call(
                    .post, route, body: #"{"name":"\#(name)","password":"wrong horse"}"#)
                #expect(response.status == 401, "\(name): \(response.text)")
                #expect(passwords.hashesBegun == [.quick: before + 1], "\(name)")
                // A password that is not normalized is checked in both forms, for every name.
                let typed = await database.call(
                    .post, route, body: #"{"name":"\#(name)","password":"wrong horse e\u0301"}"#)
                #expect(typed.status == 401 && passwords.hashesBegun == [.quick: before + 3], "\(name)")
            }
        }
    }

    @Test
    func
        `27: who is disabled, gone or out of a role is rejected from the next request on, on every loop`()
        async throws
    {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let other = database.api.makeContext()
        defer { other.closeReaders() }
        func status(_ token: String, _ target: String) async -> [Int] {
            let first = await database.call(.get, target, token: token)
            let second = await database.call(.get, target, token: token, in: other)
            return [first.status, second.status]
        }
        let eve = try #require(database.tokens[.member])
        #expect(await status(eve, "/records/Secret/s1") == [200, 200])
        await database.call(.put, "/roles/editors", as: .administrator, body: #"{"members":[]}"#)
        #expect(await status(eve, "/records/Secret/s1") == [404, 404])
        let ann = try #require(database.tokens[.creator])
        #expect(await status(ann, "/users/me") == [200, 200])
        #expect(
            await database.call(.delete, "/users/me", as: .creator, body: "{\(Self.password)}").status
                == 204)
        #expect(await status(ann, "/users/me") == [401, 401])
        #expect(await status(ann, "/records/Post/p1") == [401, 401])
        let key = await database.call(
            .post, "/keys", as: .administrator, body: #"{"name":"k","scope":{"readOnly":true}}"#)
        let (id, token) = (
            try #require(key.json?["id"]?.string), try #require(key.json?["token"]?.string)
        )
        #expect(await status(token, "/records/Secret/s1") == [200, 200])
        let scope = #"{"scope":{"types":["Post"],"actions":["read"]}}"#
        #expect(
            await database.call(.patch, "/keys/\(id)", as: .administrator, body: scope).status == 200)
        #expect(await status(token, "/records/Secret/s1") == [404, 404])
        #expect(await database.call(.delete, "/keys/\(id)", as: .administrator).status == 204)
        #expect(await status(token, "/records/Post/p1") == [401, 401])
        let credentials = #""name":"ada","password":"correct horse ada""#
        await database.call(
            .post, "/administrators", as: .administrator, body: #"{\#(credentials),"role":"owner"}"#)
        for (change, before, after) in [
            (#"{"role":"viewer"}"#, [200, 200], [403, 403]),
            (#"{"role":"owner"}"#, [403, 403], [200, 200]),
            (#"{"disabled":true}"#, [200, 200], [401, 401]),
        ] {
            let session = await database.call(.post, "/administrators/sessions", body: "{\(credentials)}")
            let token = try #require(session.json?["token"]?.string)
            #expect(await status(token, "/keys") == before, "\(change)")
            #expect(
                await database.call(.patch, "/administrators/ada", as: .administrator, body: change).status
                    == 200)
            // A session may also end with the role.
            let now = await status(token, "/keys")
            #expect(now == after || now == [401, 401], "\(change): \(now)")
        }
    }

    @Test func `30: no token is accepted from a URL or shown in one`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let token = try #require(database.tokens[.creator])
        for name in [
            "token", "access_token", "session", "key", "apiKey", "ckWebAuthToken", "ckAPIToken", "auth",
        ] {
            for target in ["/records/Secret/s1?\(name)=\(token)", "/users/me?\(name)=\(token)"] {
                let response = await database.call(.get, target)
                #expect([400, 401].contains(response.status), "\(target): \(response.text)")
                #expect(!response.text.tells("hidden") && !response.text.contains(token), "\(response.text)")
            }
        }
        for header in [
            ("Cookie", "token=\(token)"), ("X-Session-Token", token), ("Authorization", "Basic \(token)"),
        ] {
            #expect(await database.call(.get, "/users/me", headers: [header]).status == 401, "\(header)")
        }
        for (method, target, body) in [
            (HTTPMethod.post, "/sessions", #"{"name":"ann",\#(Self.password)}"#),
            (.post, "/records/Post", #"{"fields":{"title":"x"}}"#), (.get, "/users/me", nil),
        ] as [(HTTPMethod, String, String?)] {
            let response = await database.call(method, target, as: .creator, body: body)
            let address = response.field("Location") ?? ""
            #expect(!address.contains(token) && !address.contains("token"), "\(address)")
        }
    }

    @Test func `32: a password change ends every other session, of users and of administrators`()
        async throws
    {
        let database = try await TestDatabase.make()
        let signIn = #"{"name":"ann",\#(Self.password)}"#
        var old = [try #require(database.tokens[.creator])]
        for _ in 0..<3 {
            old.append(
                try #require(await database.call(.post, "/sessions", body: signIn).json?["token"]?.string))
        }
        let changed = await database.call(
            .patch, "/users/me", token: old[0],
            body: #"{"password":"battery staple","currentPassword":"correct horse"}"#)
        #expect(changed.status == 200, "\(changed.text)")
        let new = try #require(changed.json?["token"]?.string)
        for token in old { #expect(await database.call(.get, "/users/me", token: token).status == 401) }
        #expect(await database.call(.get, "/users/me", token: new).status == 200)
        #expect(await database.call(.post, "/sessions", body: signIn).status == 401)
        // A change with null, without a value or with the wrong key changes nothing.
        for body in [
            #"{"password":null,"currentPassword":"battery staple"}"#, #"{"password":"third horse"}"#,
            #"{"password":"third horse","currentPassword":null}"#,
            #"{"password":"third horse","currentPassword":"correct horse"}"#,
        ] {
            let response = await database.call(.patch, "/users/me", token: new, body: body)
            #expect([400, 403].contains(response.status), "\(body): \(response.text)")
        }
        let credentials = #""name":"ada","password":"correct horse ada""#
        await database.call(
            .post, "/administrators", as: .administrator, body: #"{\#(credentials),"role":"owner"}"#)
        var tokens: [String] = []
        for _ in 0..<3 {
            let session = await database.call(.post, "/administrators/sessions", body: "{\(credentials)}")
            tokens.append(try #require(session.json?["token"]?.string))
        }
        let own = await database.call(
            .patch, "/administrators/me", token: tokens[0],
            body: #"{"password":"battery staple ada","currentPassword":"correct horse ada"}"#)
        #expect(own.status == 204, "\(own.text)")
        for token in tokens.dropFirst() {
            #expect(await database.call(.get, "/keys", token: token).status == 401)
        }
    }
}
