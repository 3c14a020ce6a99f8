import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import Testing

@Suite struct ZoneRoutesTests {
    private static let mine = "database=private"

    private static func names(_ response: Response) -> [String] {
        (response.json?["zones"]?.array ?? []).map {
            ($0["zoneName"]?.string ?? "?") + ($0["deleted"] == .bool(true) ? " gone" : "")
        }
    }

    @Test func `a user creates, lists, reads and deletes zones`() async throws {
        let database = try await TestDatabase.make()
        await database.play([
            Scenario("before", .creator, .get, "/zones/Work?\(Self.mine)", 404, contains: ["ZONE_NOT_FOUND"]),
            Scenario(
                "new", .creator, .put, "/zones/Work?\(Self.mine)", 201,
                contains: [#""zoneName":"Work""#, #""ownerRecordName":"{creator}""#, #""created":"#]),
            Scenario("again", .creator, .put, "/zones/Work?\(Self.mine)", 200, contains: [#""zoneName":"Work""#]),
            Scenario("shown", .creator, .get, "/zones/Work?\(Self.mine)", 200, contains: ["{creator}"]),
            Scenario("a name with a slash", .creator, .put, "/zones/a%2Fb?\(Self.mine)", 201, contains: ["a/b"]),
            Scenario("the default zone", .creator, .get, "/zones/_defaultZone?\(Self.mine)", 200),
            Scenario("reserved", .creator, .put, "/zones/_mine?\(Self.mine)", 400, contains: ["begin with _"]),
            Scenario("a bad name", .creator, .put, "/zones/a%07b?\(Self.mine)", 400),
            Scenario("two zones", .creator, .put, "/zones/a?\(Self.mine)&zone=Work", 400, contains: ["in the path"]),
            Scenario("public", .creator, .put, "/zones/Work", 400, contains: ["database=private"]),
            Scenario(
                "public list", .anonymous, .get, "/zones", 200, contains: [#"{"zones":[{"zoneName":"_defaultZone"}]}"#]),
            Scenario("anonymous", .anonymous, .put, "/zones/Work?\(Self.mine)", 401),
            Scenario("another's", .stranger, .get, "/zones/Work?\(Self.mine)", 404, lacks: ["{creator}"]),
            Scenario("another's", .stranger, .get, "/zones/Work?\(Self.mine)&owner={creator}", 403),
            Scenario("an owner", .administrator, .get, "/zones/Work?\(Self.mine)&owner={creator}", 200),
            Scenario("the default zone stays", .creator, .delete, "/zones/_defaultZone?\(Self.mine)", 400),
            Scenario(
                "a wrong cursor", .creator, .get, "/zones?\(Self.mine)&cursor=%07", 400, contains: ["TOKEN_INVALID"]),
        ])
        var found: [String] = []
        var cursor = ""
        repeat {
            let page = await database.call(.get, "/zones?\(Self.mine)&limit=1\(cursor)", as: .creator)
            found += Self.names(page)
            cursor = page.json?["cursor"]?.string.map { "&cursor=" + $0.replacing("/", with: "%2F") } ?? ""
        } while !cursor.isEmpty && found.count < 9
        #expect(found == ["_defaultZone", "Work", "a/b"])
        #expect(await database.call(.delete, "/zones/Work?\(Self.mine)", as: .creator).status == 204)
        #expect(await database.call(.delete, "/zones/Work?\(Self.mine)", as: .creator).status == 404)
        #expect(Self.names(await database.call(.get, "/zones?\(Self.mine)", as: .creator)) == ["_defaultZone", "a/b"])
    }

    /// A client with several connections creates a zone on one loop, and writes to it on another that is still busy, and
    /// so has the snapshot of an earlier request.
    @Test func `a loop with an older snapshot knows a zone and an account that another loop has created`() async throws
    {
        let database = try await TestDatabase.make()
        let token = try #require(database.tokens[.creator])
        let busy = database.api.makeContext()
        defer { busy.closeReaders() }
        for number in 1...3 {
            let zone = "zone=Z\(number)"
            #expect(await database.call(.get, "/zones?\(Self.mine)", token: token, in: busy).status == 200)
            #expect(await database.call(.put, "/zones/Z\(number)?\(Self.mine)", as: .creator).status == 201)
            let first = await database.call(
                .put, "/records/Note/n?\(Self.mine)&\(zone)", token: token, body: #"{"fields":{"n":1}}"#, in: busy)
            #expect(first.status == 201, "\(first.text)")
            #expect(await database.call(.get, "/zones?\(Self.mine)", token: token, in: busy).status == 200)
            let account = await database.call(
                .post, "/users", body: #"{"name":"new-\#(number)","password":"correct horse"}"#)
            let newcomer = try #require(account.json?["token"]?.string)
            let own = await database.call(
                .put, "/records/Note/n?\(Self.mine)", token: newcomer, body: #"{"fields":{"n":1}}"#, in: busy)
            #expect(own.status == 201, "\(own.text)")
        }
    }

    @Test func `records of two zones with the same name are different records`() async throws {
        let database = try await TestDatabase.make()
        for zone in ["A", "B"] {
            await database.call(.put, "/zones/\(zone)?\(Self.mine)", as: .creator)
            let made = await database.call(
                .put, "/records/Note/n?\(Self.mine)&zone=\(zone)", as: .creator,
                body: #"{"fields":{"title":"in \#(zone)"}}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.field("Location")?.contains("zone=\(zone)") == true)
        }
        await database.play([
            Scenario("A", .creator, .get, "/records/Note/n?\(Self.mine)&zone=A", 200, contains: ["in A"]),
            Scenario(
                "B", .creator, .get, "/query/Note?\(Self.mine)&zone=B&where=title=='in+B'", 200, contains: ["in B"]),
            Scenario(
                "not there", .creator, .get, "/query/Note?\(Self.mine)&zone=A&where=title=='in+B'", 200,
                contains: [#""records":[]"#]),
            Scenario("the default zone", .creator, .get, "/records/Note/n?\(Self.mine)", 404),
            Scenario(
                "no zone", .creator, .put, "/records/Note/n?\(Self.mine)&zone=C", #"{"fields":{}}"#, 404,
                contains: ["ZONE_NOT_FOUND"]),
            Scenario("no zone", .creator, .get, "/schema?\(Self.mine)&zone=C", 404, contains: ["ZONE_NOT_FOUND"]),
            Scenario("public", .creator, .get, "/records/Note?zone=A", 404, contains: ["ZONE_NOT_FOUND"]),
            Scenario("gone", .creator, .delete, "/records/Note/n?\(Self.mine)&zone=A", 204),
            Scenario("still", .creator, .get, "/records/Note/n?\(Self.mine)&zone=B", 200),
            Scenario(
                "another's", .stranger, .get, "/records/Note/n?\(Self.mine)&zone=B", 404, contains: ["ZONE_NOT_FOUND"],
                lacks: ["in B"]),
        ])
    }

    @Test func `references stay within their zone`() async throws {
        let database = try await TestDatabase.make()
        for zone in ["A", "B"] { await database.call(.put, "/zones/\(zone)?\(Self.mine)", as: .creator) }
        func put(_ name: String, _ zone: String, _ fields: String) async -> Response {
            await database.call(
                .put, "/records/Note/\(name)?\(Self.mine)&zone=\(zone)", as: .creator, body: #"{"fields":{\#(fields)}}"#
            )
        }
        #expect(await put("parent", "A", #""title":"p""#).status == 201)
        let child = #""of":{"value":{"recordName":"parent","action":"DELETE_SELF","zoneID":{"zoneName":"ZONE"}}}"#
        #expect(await put("child", "A", child.replacing("ZONE", with: "A")).status == 201)
        let foreign = await put("other", "A", child.replacing("ZONE", with: "B"))
        #expect(foreign.status == 400)
        #expect(foreign.text.contains("reference to another zone"))
        let list = #""all":{"value":[{"recordName":"x"},{"recordName":"y","zoneID":{"zoneName":"B"}}]}"#
        #expect(await put("list", "A", list).status == 400)
        #expect(await put("list", "B", list).status == 201)
        // The cascade stays within the zone too.
        #expect(await put("parent", "B", #""title":"p""#).status == 201)
        #expect(await put("child", "B", child.replacing("ZONE", with: "B")).status == 201)
        await database.call(.delete, "/records/Note/parent?\(Self.mine)&zone=A", as: .creator)
        #expect(await database.call(.get, "/records/Note/child?\(Self.mine)&zone=A", as: .creator).status == 404)
        #expect(await database.call(.get, "/records/Note/child?\(Self.mine)&zone=B", as: .creator).status == 200)
    }

    private static func operation(_ name: String, _ zone: String?, _ kind: String = "create") -> String {
        let zone = zone.map { #","zoneID":{"zoneName":"\#($0)"}"# } ?? ""
        return
            #"{"operationType":"\#(kind)","record":{"recordName":"\#(name)","recordType":"Note"\#(zone),"fields":{"n":1}}}"#
    }

    @Test func `one batch writes into several zones, atomic in each`() async throws {
        let database = try await TestDatabase.make()
        for zone in ["A", "B"] { await database.call(.put, "/zones/\(zone)?\(Self.mine)", as: .creator) }
        func batch(_ operations: [String], _ rest: String = "", key: String? = nil) async -> Response {
            await database.call(
                .post, "/records?\(Self.mine)", as: .creator,
                body: #"{"operations":[\#(operations.joined(separator: ","))]\#(rest)}"#,
                headers: key.map { [("Idempotency-Key", $0)] } ?? [])
        }
        func codes(_ response: Response) -> [String] {
            response.records.map { $0["serverErrorCode"]?.string ?? $0["recordName"]?.string ?? "?" }
        }
        let first = await batch(
            [Self.operation("a1", "A"), Self.operation("a2", "A"), Self.operation("b1", "B"), Self.operation("d", nil)])
        #expect(codes(first) == ["a1", "a2", "b1", "d"], "\(first.text)")
        // The operations of A fail together; those of B are made.
        let second = [Self.operation("a3", "A"), Self.operation("a1", "A"), Self.operation("b2", "B")]
        let failed = await batch(second, key: "k1")
        #expect(codes(failed) == ["ATOMIC_ERROR", "EXISTS", "b2"], "\(failed.text)")
        let replay = await batch(second, key: "k1")
        #expect(replay.text == failed.text)
        #expect(replay.field("Idempotency-Replayed") == "true")
        let mixed = [Self.operation("a4", "A"), Self.operation("b4", "B"), Self.operation("a5", "A")]
        let rejected = await batch(mixed)
        #expect(rejected.status == 400)
        #expect(rejected.text.contains("one after the other"))
        #expect(codes(await batch(mixed, #","atomic":false"#)) == ["a4", "b4", "a5"])
        #expect(codes(await batch([Self.operation("x", "Z"), Self.operation("a6", "A")])) == ["ZONE_NOT_FOUND", "a6"])
        // The zone of the body is that of all records without their own.
        #expect(codes(await batch([Self.operation("b5", nil)], #","zoneID":{"zoneName":"B"}"#)) == ["b5"])
        for (name, zone, status) in [("a3", "A", 404), ("b2", "B", 200), ("a5", "A", 200), ("b5", "B", 200)] {
            let read = await database.call(.get, "/records/Note/\(name)?\(Self.mine)&zone=\(zone)", as: .creator)
            #expect(read.status == status, "\(name)")
        }
        let bad = await batch([#"{"operationType":"create","record":{"recordType":"Note","zoneID":"A"}}"#])
        #expect(bad.status == 400)
        #expect(bad.text.contains("zoneName"))
    }

    @Test func `a new zone of an old name is another zone`() async throws {
        let database = try await TestDatabase.make()
        let zone = "\(Self.mine)&zone=A"
        await database.call(.put, "/zones/A?\(Self.mine)", as: .creator)
        await database.call(.put, "/records/Note/n?\(zone)", as: .creator, body: #"{"fields":{"n":1}}"#)
        let start = await database.call(.get, "/changes/zones?\(Self.mine)", as: .creator)
        let token = try #require(start.json?["token"]?.string).replacing("+", with: "%2B")
        let feed = await database.call(.get, "/changes?\(zone)", as: .creator)
        let zoneToken = try #require(feed.json?["token"]?.string).replacing("+", with: "%2B")
        #expect(await database.call(.delete, "/zones/A?\(Self.mine)", as: .creator).status == 204)
        for path in ["/records/Note/n", "/changes", "/records/Note", "/query/Note"] {
            #expect(await database.call(.get, "\(path)?\(zone)", as: .creator).status == 404, "\(path)")
        }
        await database.call(.put, "/zones/A?\(Self.mine)", as: .creator)
        #expect(await database.call(.get, "/records/Note/n?\(zone)", as: .creator).status == 404)
        let stale = await database.call(.get, "/changes?\(zone)&since=\(zoneToken)", as: .creator)
        #expect(stale.status == 400 && stale.cause == "TOKEN_INVALID", "\(stale.text)")
        let changes = await database.call(.get, "/changes/zones?\(Self.mine)&since=\(token)", as: .creator)
        #expect(Self.names(changes) == ["A gone", "A"])
        let next = try #require(changes.json?["token"]?.string).replacing("+", with: "%2B")
        #expect(
            Self.names(await database.call(.get, "/changes/zones?\(Self.mine)&since=\(next)", as: .creator)).isEmpty)
        // A token is its caller's alone.
        #expect(await database.call(.get, "/changes/zones?\(Self.mine)&since=\(next)", as: .stranger).status == 400)
        #expect(await database.call(.get, "/changes/zones", as: .creator).status == 400)
        // The records of the deleted zone are gone for good, and count for nobody.
        let store = try #require(database.registry.openDatabases.first?.database)
        await store.zones.removalsAreDone()
        let user = await database.call(.get, "/users/me", as: .creator)
        #expect(user.json?["usage"]?["records"]?.integer ?? 0 <= 1, "\(user.text)")
    }
}
