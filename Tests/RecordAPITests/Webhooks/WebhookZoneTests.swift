import HTTP
import RecordAPI
import RecordEngine
import RecordWire
import TestSupport
import Testing

/// Webhooks of custom zones in private databases.
@Suite struct WebhookZoneTests {
    /// A user with the zones A and B.
    private static func make() async throws -> (world: WebhookWorld, user: String, token: String) {
        let world = try WebhookWorld()
        let made = try await world.call(.post, "/users", #"{"name":"ann","password":"correct horse"}"#)
        let token = try #require(made.json?["token"]?.string)
        for zone in ["A", "B"] {
            try #require(try await world.call(.put, "/zones/\(zone)?database=private", token: token).status == 201)
        }
        return (world, try #require(made.json?["user"]?["userRecordName"]?.string), token)
    }

    private static func save(_ name: String, in zone: String, _ world: WebhookWorld, _ token: String) async throws {
        let response = try await world.call(
            .put, "/records/Note/\(name)?database=private\(zone)", #"{"fields":{}}"#, token: token)
        try #require(response.status == 201, "\(response.text)")
    }

    @Test func `a webhook sends what changes in its zone, and nothing of other zones`() async throws {
        let (world, user, token) = try await Self.make()
        try await Self.save("old", in: "&zone=A", world, token)
        let query = "?database=private&owner=\(user)"
        let (id, _) = try await world.hook(query: query + "&zone=A")
        let (standard, _) = try await world.hook(query: query)
        #expect(try await world.state(of: id)["zone"] == "A")
        #expect(try await world.state(of: standard)["zone"] == nil)
        for (name, zone) in [("b", "&zone=B"), ("d", ""), ("a", "&zone=A")] {
            try await Self.save(name, in: zone, world, token)
        }
        let messages = try await world.messages(2)
        let names = Dictionary(
            uniqueKeysWithValues: messages.map { ($0.json?["data"]?["webhook"]?.string ?? "", $0.names) })
        #expect(names == [id: ["a"], standard: ["d"]])
        // The token of a message is that of the zone.
        let sync = try #require(messages.first { $0.names == ["a"] }?.json?["data"]?["token"]?.string)
        try await Self.save("next", in: "&zone=A", world, token)
        _ = try await world.messages(3)
        #expect(
            try await world.call(.post, "/webhooks/\(id)/replay?since=\(PathSegment.encode(sync))").status == 200)
        #expect(try await world.messages(4)[3].names == ["next"])
        await world.close()
    }

    @Test func `a webhook follows its zone after a restart`() async throws {
        let (world, user, token) = try await Self.make()
        let (id, _) = try await world.hook(#","since":"beginning""#, query: "?database=private&owner=\(user)&zone=A")
        try await Self.save("a", in: "&zone=A", world, token)
        #expect(try await world.messages(1)[0].names == ["a"])
        try await world.waitForDeliveries(1, of: id)
        try await world.restart()
        try await Self.save("d", in: "", world, token)
        try await Self.save("b", in: "&zone=A", world, token)
        #expect(try await world.messages(2)[1].names == ["b"])
        await world.close()
    }

    @Test func `a deleted zone resets its webhook, and its successor is followed`() async throws {
        let (world, user, token) = try await Self.make()
        let (id, _) = try await world.hook(#","since":"beginning""#, query: "?database=private&owner=\(user)&zone=A")
        try await Self.save("a", in: "&zone=A", world, token)
        #expect(try await world.messages(1)[0].names == ["a"])
        try await world.waitForDeliveries(1, of: id)
        try #require(try await world.call(.delete, "/zones/A?database=private", token: token).status == 204)
        try world.tick(1_000)
        #expect(try await world.messages(2)[1].type == "feed.reset")
        try await world.waitForDeliveries(2, of: id)
        try #require(try await world.call(.put, "/zones/A?database=private", token: token).status == 201)
        try await Self.save("c", in: "&zone=A", world, token)
        #expect(try await world.messages(3)[2].names == ["c"])
        #expect(try await world.state(of: id)["state"] == "active")
        await world.close()
    }

    @Test func `a webhook of an unknown zone, or of a shared one, is refused`() async throws {
        let (world, user, token) = try await Self.make()
        let body = #"{"url":"https://example.org/"}"#
        let query = "/webhooks?database=private&owner=\(user)"
        #expect(try await world.call(.post, "\(query)&zone=C", body).status == 404)
        #expect(try await world.call(.post, "/webhooks?zone=A", body).status == 404)
        let shared = try await world.call(.post, "/webhooks?database=shared&zone=A&owner=\(user)", body)
        #expect(shared.status == 404, "\(shared.text)")
        #expect(try await world.call(.post, "\(query)&zone=A", body, token: token).status == 403)
        await world.close()
    }
}
