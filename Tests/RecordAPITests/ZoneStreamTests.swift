import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// `GET /changes/zones` as server-sent events.
@Suite struct ZoneStreamTests {
    private static let accept = ("Accept", "text/event-stream")

    /// Opens the stream of a user's zones.
    private static func stream(
        _ database: TestDatabase, as who: TestDatabase.Who = .creator, in scope: String = "private",
        query: String = "", after id: String? = nil
    ) async throws -> StreamReader {
        let headers = [accept] + (id.map { [("Last-Event-ID", $0)] } ?? [])
        return try StreamReader(
            await database.call(.get, "/changes/zones?database=\(scope)\(query)", as: who, headers: headers))
    }

    /// The events in short: `A`, `-A` for a lost zone, or the name of another event.
    private static func short(_ events: [StreamReader.Event]) -> [String] {
        events.map { event in
            guard event.name == "zone", let zone = event.json?["zoneName"]?.string else { return event.name }
            return event.json?["deleted"] == true ? "-\(zone)" : zone
        }
    }

    private static func zones(_ names: String...) async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        for name in names { await database.call(.put, "/zones/\(name)?database=private", as: .creator) }
        return database
    }

    @Test func `a stream sends what has changed, then what happens, with a token after each`() async throws {
        let database = try await Self.zones("A", "B")
        let stream = try await Self.stream(database)
        let first = try await stream.read()
        #expect(Self.short(first) == ["A", "B", "caughtup"])
        #expect(first[2].json?["token"]?.string == first[2].id)
        #expect(first[0].json?["ownerRecordName"]?.string == database.userNames[.creator])
        try await database.write("Note/n?database=private&zone=A")
        try await database.write("Note/d?database=private")
        #expect(Self.short(try await stream.read()) == ["A", "_defaultZone"])
        await database.call(.delete, "/zones/A?database=private", as: .creator)
        await database.call(.put, "/zones/C?database=private", as: .creator)
        #expect(Self.short(try await stream.read()) == ["-A", "C"])
        // The public database and the zones of others are no news.
        try await database.write("Note/public")
        try await database.write("Note/d?database=private", as: .stranger)
        #expect(try await stream.read() == [])
        #expect(stream.retries == ["2000"])
    }

    @Test func `each id continues without a gap or a repetition, also as since of a page`() async throws {
        let database = try await Self.zones("A", "B", "C", "D")
        await database.call(.delete, "/zones/B?database=private", as: .creator)
        let all = try await Self.stream(database).read().filter { $0.name == "zone" }
        #expect(Self.short(all) == ["A", "C", "D", "-B"])
        for (index, event) in all.enumerated() {
            let rest = try await Self.stream(database, after: event.id).read()
            #expect(Self.short(rest) == Self.short(Array(all[(index + 1)...])) + ["caughtup"])
            let token = PathSegment.encode(try #require(event.id))
            let page = await database.call(.get, "/changes/zones?database=private&since=\(token)", as: .creator)
            #expect(page.json?["zones"]?.array?.count == all.count - index - 1, "\(page.text)")
            let other = try await Self.stream(database, query: "&since=\(token)").read()
            #expect(Self.short(other) == Self.short(rest))
        }
        let now = try await Self.stream(database, query: "&since=now")
        #expect(Self.short(try await now.read()) == ["caughtup"])
        try await database.write("Note/n?database=private&zone=D")
        #expect(Self.short(try await now.read()) == ["D"])
    }

    @Test func `more zones than a read has come in order`() async throws {
        let database = try await TestDatabase.make()
        for number in 0..<250 { await database.call(.put, "/zones/Z\(number)?database=private", as: .creator) }
        let events = try await Self.stream(database).read()
        #expect(Self.short(events) == (0..<250).map { "Z\($0)" } + ["caughtup"])
        #expect(Set(events.prefix(250).compactMap(\.id)).count == 250)
        let rest = try await Self.stream(database, after: events[199].id).read()
        #expect(Self.short(rest) == (200..<250).map { "Z\($0)" } + ["caughtup"])
    }

    @Test func `a participant's stream tells of shared zones as they come, change and go`() async throws {
        let world = try await SharedWorld.make()
        func stream(_ person: SharedWorld.Person) async throws -> StreamReader {
            try StreamReader(
                await world.database.call(
                    .get, "/changes/zones?database=shared",
                    headers: [Self.accept, ("Authorization", "Bearer \(world.tokens[person] ?? "")")]))
        }
        let (reader, invited) = (try await stream(.reader), try await stream(.invited))
        #expect(Self.short(try await reader.read()) == ["Lists", "caughtup"])
        #expect(Self.short(try await invited.read()) == ["caughtup"])
        #expect(await world.put("milk", "Milk 2", under: "home", as: .writer).status == 200)
        let changed = try await reader.read()
        #expect(Self.short(changed) == ["Lists"])
        #expect(changed[0].json?["ownerRecordName"]?.string == world.names[.owner])
        #expect(try await invited.read() == [])
        #expect(await world.call(.post, "/shares/\(world.guid)/accept", as: .invited).status == 200)
        #expect(Self.short(try await invited.read()) == ["Lists"])
        _ = try await reader.read()
        // A zone is watched from the acceptance on.
        #expect(await world.put("milk", "Milk 3", under: "home", as: .writer).status == 200)
        #expect(Self.short(try await invited.read()) == ["Lists"])
        #expect(
            await world.call(.delete, "/records/cloudkit.share/share?\(world.place(.owner))", as: .owner).status == 204)
        for stream in [reader, invited] { #expect(Self.short(try await stream.read()).last == "-Lists") }
        #expect(await world.put("milk", "secret", under: "home", as: .owner).status == 200)
        for stream in [reader, invited] { #expect(try await stream.read() == []) }
    }

    @Test func `a waiting stream is woken by a commit and by a new share`() async throws {
        let world = try await SharedWorld.make()
        let loop = world.database.api.makeContext()
        defer { loop.closeReaders() }
        let writes: [(HTTPMethod, String, String?)] = [
            (.post, "/shares/\(world.guid)/accept", nil),
            (.patch, "/records/Item/milk?\(world.place(.invited))", #"{"fields":{"title":"Milk"}}"#),
        ]
        let token = try #require(world.tokens[.invited])
        let response = await world.database.call(
            .get, "/changes/zones?database=shared&since=now",
            headers: [Self.accept, ("Authorization", "Bearer \(token)")])
        let source = try #require(response.events, "\(response.text)")
        source.tick(now: 1)
        let opening = String(decoding: try #require(try await source.next()), as: UTF8.self)
        #expect(opening.contains("caughtup"))
        for (method, target, body) in writes {
            async let text = source.next()
            let made = await world.database.call(method, target, token: token, body: body, in: loop)
            #expect(made.status == 200, "\(made.text)")
            let event = String(decoding: try #require(try await text), as: UTF8.self)
            #expect(event.hasPrefix("event: zone\ndata: {\"zoneName\":\"Lists\""), "\(event)")
        }
    }

    @Test func `a stream ends with its account, and when the server stops`() async throws {
        let database = try await Self.zones("A")
        let (first, second) = (try await Self.stream(database), try await Self.stream(database, as: .stranger))
        for stream in [first, second] { _ = try await stream.read() }
        first.stop()
        #expect(try await first.read() == [])
        #expect(first.hasEnded && first.retries.count == 2)
        await database.call(.patch, "/users/{stranger}", as: .administrator, body: #"{"disabled":true}"#)
        let end = try await second.read()
        #expect(end.map(\.name) == ["end"] && second.hasEnded, "\(end)")
        #expect(end.first?.json?["serverErrorCode"] == "AUTHENTICATION_FAILED", "\(end)")
    }

    @Test func `requests that make no stream are rejected`() async throws {
        let database = try await Self.zones("A")
        for (query, who, status) in [
            ("", TestDatabase.Who.creator, 400), ("?database=private&limit=2", .creator, 400),
            ("?database=private", .anonymous, 401), ("?database=shared", .anonymous, 401),
            ("?database=shared", .administrator, 403),
        ] {
            let response = await database.call(.get, "/changes/zones" + query, as: who, headers: [Self.accept])
            #expect(response.status == status, "\(query): \(response.text)")
        }
        let page = await database.call(
            .get, "/changes/zones?database=private", as: .creator, headers: [("Accept", "application/json")])
        #expect(page.field("Vary") == "Accept")
        let other = await database.call(
            .get, "/changes/zones?database=private", as: .creator, headers: [("Accept", "image/png")])
        #expect(other.status == 406)
    }

    @Test func `a ticket opens one stream with the parameters of its request`() async throws {
        let database = try await Self.zones("A")
        let made = await database.call(.post, "/changes/zones/tickets?database=private", as: .creator)
        #expect(made.status == 201, "\(made.text)")
        let url = try #require(made.json?["url"]?.string)
        #expect(url.hasPrefix("/changes/zones?database=private&ticket="), "\(url)")
        let stream = try StreamReader(await database.call(.get, url, headers: [Self.accept]))
        #expect(Self.short(try await stream.read()) == ["A", "caughtup"])
        #expect(await database.call(.get, url, headers: [Self.accept]).status == 401)
        // A stream from a place that is lost begins with a reset.
        let lost = await database.call(.post, "/changes/zones/tickets?database=private&since=AAAA", as: .creator)
        let reset = try StreamReader(
            await database.call(.get, try #require(lost.json?["url"]?.string), headers: [Self.accept]))
        #expect(Self.short(try await reset.read()) == ["reset", "A", "caughtup"])
    }
}
