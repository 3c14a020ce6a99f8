import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Subscriptions of the shared database.
@Suite struct SharedSubscriptionTests {
    private typealias Person = SharedWorld.Person

    private static let shared = "database=shared"

    private static func subscribe(
        _ name: String, _ body: String, _ world: SharedWorld, as person: Person
    ) async -> Response {
        await world.call(.put, "/subscriptions/\(name)?\(shared)", as: person, body: body)
    }

    private static func zone(of world: SharedWorld) -> String {
        #"{"type":"zone","zone":"Lists","owner":"\#(world.names[.owner] ?? "")"}"#
    }

    /// Reads what a person is notified of after a token: the notifications in short, the text and the next token.
    private static func read(
        _ world: SharedWorld, as person: Person, since token: String = ""
    ) async throws -> (found: [String], text: String, token: String) {
        let response = await world.call(.get, "/notifications?since=\(PathSegment.encode(token))", as: person)
        try #require(response.status == 200, "\(response.text)")
        return (
            (response.json?["notifications"]?.array ?? []).map(NotificationClient.short), response.text,
            try #require(response.json?["token"]?.string)
        )
    }

    @Test func `users subscribe to zones that are shared with them, and to all of them`() async throws {
        let world = try await SharedWorld.make()
        let zone = Self.zone(of: world)
        for (person, ofDatabase, ofZone) in [
            (Person.owner, 201, 404), (.reader, 201, 201), (.writer, 201, 201), (.invited, 201, 404),
            (.removed, 201, 404), (.stranger, 201, 404), (.anonymous, 401, 401),
        ] {
            let all = await Self.subscribe("all", #"{"type":"database"}"#, world, as: person)
            #expect(all.status == ofDatabase, "\(person): \(all.text)")
            let one = await Self.subscribe("one", zone, world, as: person)
            #expect(one.status == ofZone, "\(person): \(one.text)")
        }
        let list = await world.call(.get, "/subscriptions?\(Self.shared)", as: .reader)
        #expect(list.text.contains(#""subscriptionID":"all","database":"shared","type":"database""#), "\(list.text)")
        #expect(list.text.contains(#""zone":"Lists","owner":"\#(world.names[.owner] ?? "")""#), "\(list.text)")
        #expect(await world.call(.get, "/subscriptions/one?\(Self.shared)", as: .reader).status == 200)
        // The three databases have IDs of their own.
        #expect(await world.call(.get, "/subscriptions/one?database=private", as: .reader).status == 404)
        #expect(await world.call(.delete, "/subscriptions/one?\(Self.shared)", as: .reader).status == 204)
        #expect(await world.call(.get, "/subscriptions/one?\(Self.shared)", as: .reader).status == 404)
    }

    @Test func `what the shared database does not have is refused precisely`() async throws {
        let world = try await SharedWorld.make()
        let owner = world.names[.owner] ?? ""
        for (body, status, part) in [
            (#"{"type":"query","recordType":"Item"}"#, 400, "no query subscriptions"),
            (#"{"type":"zone","zone":"Lists"}"#, 400, "'owner'"),
            (#"{"type":"zone","zone":"Lists","owner":"someone"}"#, 400, "'owner'"),
            (#"{"type":"database","owner":"\#(owner)"}"#, 400, "'owner'"),
            (#"{"type":"zone","zone":"None","owner":"\#(owner)"}"#, 404, "ZONE_NOT_FOUND"),
            (#"{"type":"zone","zone":"Lists","owner":"_00000000000000000000000000000000"}"#, 404, "ZONE_NOT_FOUND"),
        ] {
            let response = await Self.subscribe("s", body, world, as: .reader)
            #expect(response.status == status && response.text.contains(part), "\(body): \(response.text)")
        }
        let placed = await world.call(
            .put, "/subscriptions/s?\(world.place(.reader))", as: .reader, body: Self.zone(of: world))
        #expect(placed.status == 400 && placed.text.contains("in the body"), "\(placed.text)")
        let own = await world.call(
            .put, "/subscriptions/s?database=private", as: .owner, body: Self.zone(of: world))
        #expect(own.status == 400 && own.text.contains("'owner'"), "\(own.text)")
    }

    @Test func `a participant learns of changes that it may read, and of no others`() async throws {
        let world = try await SharedWorld.make()
        for (name, body) in [("all", #"{"type":"database"}"#), ("one", Self.zone(of: world))] {
            #expect(await Self.subscribe(name, body, world, as: .reader).status == 201)
        }
        // A person without the share has only the subscription of the database.
        #expect(await Self.subscribe("all", #"{"type":"database"}"#, world, as: .removed).status == 201)
        var token = try await Self.read(world, as: .reader).token
        func news() async throws -> [String] {
            let (found, text, next) = try await Self.read(world, as: .reader, since: token)
            token = next
            #expect(!text.contains("secret") && !text.contains("hidden"), "\(text)")
            return found
        }
        let both = ["all", "one in Lists"]
        #expect(await world.put("hidden", "secret 2", under: "own", as: .owner).status == 200)
        #expect(try await news() == [])
        #expect(await world.put("milk", "Milk 2", under: "home", as: .writer).status == 200)
        #expect(try await news() == both)
        #expect(await world.put("hidden", "secret 3", under: "home", as: .owner).status == 200)
        #expect(try await news() == both)
        #expect(await world.put("hidden", "secret 4", under: "own", as: .owner).status == 200)
        #expect(try await news() == both)
        #expect(await world.put("hidden", "secret 5", under: "own", as: .owner).status == 200)
        #expect(try await news() == [])
        // A permission is part of what the participant has of the zone.
        let change = await world.call(
            .put, "/records/cloudkit.share/share?\(world.place(.owner))", as: .owner,
            body:
                #"{"fields":{},"participants":[{"userRecordName":"\#(world.names[.reader] ?? "")","permission":"READ_WRITE"}]}"#
        )
        #expect(change.status == 200, "\(change.text)")
        #expect(try await news() == both)
        #expect(try await Self.read(world, as: .removed).found == [])
    }

    @Test func `zones that come and go are told to the subscriber of the database`() async throws {
        let world = try await SharedWorld.make()
        #expect(await Self.subscribe("all", #"{"type":"database"}"#, world, as: .invited).status == 201)
        let start = try await Self.read(world, as: .invited)
        #expect(start.found == [])
        #expect(await world.call(.post, "/shares/\(world.guid)/accept", as: .invited).status == 200)
        let joined = try await Self.read(world, as: .invited, since: start.token)
        #expect(joined.found == ["all"], "\(joined.text)")
        #expect(joined.text.contains(#""database":"shared""#) && !joined.text.contains("ownerRecordName"))
        #expect(await Self.subscribe("one", Self.zone(of: world), world, as: .invited).status == 201)
        #expect(
            await world.call(.delete, "/records/cloudkit.share/share?\(world.place(.owner))", as: .owner).status == 204)
        let lost = try await Self.read(world, as: .invited, since: joined.token)
        #expect(lost.found == ["all"], "\(lost.text)")
        #expect(await world.put("milk", "secret", under: "home", as: .owner).status == 200)
        let after = try await Self.read(world, as: .invited, since: lost.token)
        #expect(after.found == [], "\(after.text)")
        // What happened before the share ended is not told after it.
        #expect(try await Self.read(world, as: .invited).found == ["all"])
    }

    @Test func `a deleted zone is lost for the subscribers of the database`() async throws {
        let world = try await SharedWorld.make(whole: true)
        for (name, body) in [("all", #"{"type":"database"}"#), ("one", Self.zone(of: world))] {
            #expect(await Self.subscribe(name, body, world, as: .reader).status == 201)
        }
        let start = try await Self.read(world, as: .reader)
        #expect(await world.put("own", "secret", under: nil, as: .owner).status == 200)
        let changed = try await Self.read(world, as: .reader, since: start.token)
        #expect(changed.found == ["all", "one in Lists"])
        let owner = try #require(world.names[.owner])
        #expect(changed.text.contains(#""zone":"Lists","ownerRecordName":"\#(owner)""#), "\(changed.text)")
        #expect(await world.call(.delete, "/zones/Lists?database=private", as: .owner).status == 204)
        #expect(try await Self.read(world, as: .reader, since: changed.token).found == ["all"])
    }

    @Test func `a waiting request is woken by a change in a shared zone and by a new share`() async throws {
        let world = try await SharedWorld.make()
        #expect(await Self.subscribe("one", Self.zone(of: world), world, as: .reader).status == 201)
        #expect(await Self.subscribe("all", #"{"type":"database"}"#, world, as: .invited).status == 201)
        // The waiting requests read with the context of the database, so the writes have one of their own.
        let loop = world.database.api.makeContext()
        defer { loop.closeReaders() }
        for (person, method, target, body) in [
            (
                Person.reader, HTTPMethod.patch, "/records/Item/milk?\(world.place(.writer))",
                #"{"fields":{"title":"Milk"}}"#
            ),
            (.invited, .post, "/shares/\(world.guid)/accept", nil),
        ] {
            let waiting = await world.call(.get, "/notifications?wait=30&since=now", as: person)
            let source = try #require(waiting.events, "\(waiting.text)")
            let writer = try #require(world.tokens[person == .reader ? .writer : .invited])
            async let text = source.next()
            let made = await world.database.call(method, target, token: writer, body: body, in: loop)
            #expect(made.status == 200, "\(made.text)")
            let name = person == .reader ? "one" : "all"
            #expect(
                String(decoding: try #require(await text), as: UTF8.self).contains(#""subscriptionID":"\#(name)""#))
        }
    }

    @Test func `CloudKit's protocol has the subscriptions of the shared database`() async throws {
        let world = try await SharedWorld.make()
        let made = await world.database.call(
            .post, "/cloudkit/tokens", as: .administrator, body: #"{"name":"Web app"}"#)
        let (token, id) = (try #require(made.json?["token"]?.string), try #require(made.json?["id"]?.string))
        let signedIn = await world.database.call(
            .post, "/cloudkit/sign-in/\(id)",
            body: #"{"name":"reader","password":"correct horse","staysSignedIn":false}"#)
        let user = try #require(signedIn.json?["webAuthToken"]?.string)
        let owner = try #require(world.names[.owner])
        let zone = #""zoneID":{"zoneName":"Lists","ownerRecordName":"\#(owner)"}"#
        func send(_ operation: String, _ body: String) async -> Response {
            await world.database.call(
                .post,
                "/database/1/Forum/development/shared/subscriptions/\(operation)?ckAPIToken=\(token)&ckWebAuthToken=\(user)",
                body: body)
        }
        let subscriptions = [
            #""subscriptionID":"z","subscriptionType":"zone",\#(zone)"#,
            #""subscriptionID":"d","subscriptionType":"database","notificationInfo":{"alertBody":"New"}"#,
            #""subscriptionID":"q","subscriptionType":"query","query":{"recordType":"Item"},\#(zone)"#,
            #""subscriptionID":"n","subscriptionType":"zone","zoneID":{"zoneName":"Lists"}"#,
        ].map { #"{"operationType":"create","subscription":{\#($0)}}"# }
        let created = await send("modify", #"{"operations":[\#(subscriptions.joined(separator: ","))]}"#)
        let results = created.json?["subscriptions"]?.array ?? []
        #expect(
            results.map { $0["serverErrorCode"]?.string } == [nil, nil, "BAD_REQUEST", "ZONE_NOT_FOUND"],
            "\(created.text)")
        #expect(results.first?["zoneID"]?["ownerRecordName"]?.string == owner, "\(created.text)")
        #expect(created.text.contains("no query subscriptions"), "\(created.text)")
        let list = await send("list", "{}")
        #expect(list.json?["subscriptions"]?.array?.map { $0["subscriptionID"]?.string } == ["d", "z"], "\(list.text)")
        let device = await world.database.call(
            .post, "/device/1/Forum/development/tokens/create?ckAPIToken=\(token)&ckWebAuthToken=\(user)",
            body: #"{"apnsEnvironment":"development"}"#)
        let url = try #require(device.json?["webcourierURL"]?.string, "\(device.text)")
        #expect(await world.put("milk", "Milk", under: "home", as: .writer).status == 200)
        let path = try CloudKitAssetTests.path(of: url)
        for kind in [#""fet":{"sid":"z","dbs":3,"zid":"Lists","zoid":"\#(owner)""#, #""met":{"sid":"d","dbs":3"#] {
            let push = try await world.database.call(.get, path).pushedBody()
            #expect(push.contains(kind), "\(push)")
        }
        let deleted = await send(
            "modify", #"{"operations":[{"operationType":"delete","subscription":{"subscriptionID":"d"}}]}"#)
        #expect(deleted.json?["subscriptions"]?.array?.first?["deleted"] == true, "\(deleted.text)")
    }
}
