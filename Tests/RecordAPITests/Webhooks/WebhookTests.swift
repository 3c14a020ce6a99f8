import Foundation
import HTTP
import RecordEngine
import RecordWire
import TestSupport
import Testing
import Threads

@Suite struct WebhookTests {
    // MARK: Messages

    @Test func `a message has the events of the feed, and a signature of the secret that was shown once`() async throws
    {
        let world = try WebhookWorld()
        try await world.save("old")
        let (id, secret) = try await world.hook(#","description":"for the index""#)
        try await world.save("a")
        let message = try #require(try await world.messages(1).first)
        #expect(message.url == "https://example.org/hook?key=hidden")
        #expect(message.fields["Content-Type"] == "application/json")
        #expect(message.fields["webhook-timestamp"] == "1800000000")
        #expect(try message.isSigned(by: secret))
        let json = try #require(message.json)
        #expect(json["type"] == "records.changed")
        #expect(json["timestamp"] == 1_800_000_000_000)
        #expect(json["data"]?["webhook"]?.string == id)
        #expect(message.names == ["a"])
        #expect(message.events[0]["event"] == "change")
        let record = try await world.call(.get, "/records/Post/a").json
        #expect(message.events[0]["record"] == record)
        try await world.waitForDeliveries(1, of: id)
        // The token goes on where the message ends.
        let feed = try await world.call(.get, "/changes?since=\(PathSegment.encode(message.token))")
        #expect(feed.changes.isEmpty && feed.status == 200, "\(feed.text) \(message.token)")
        try await world.call(.delete, "/records/Post/a")
        let deleted = try await world.messages(2)[1]
        #expect(deleted.events[0]["record"]?["deleted"] == true)
        #expect(deleted.id != message.id)
        let shown = try await world.call(.get, "/webhooks")
        #expect(!shown.text.contains(secret) && !shown.text.contains("whsec_"))
        #expect(shown.json?["webhooks"]?.array?.first?["description"] == "for the index")
        #expect(try await world.state(of: id)["readsAs"] == ["kind": "administrator", "name": "_administrator"])
        await world.close()
    }

    @Test func `types, fields and a condition select what is sent`() async throws {
        let world = try WebhookWorld()
        try await world.save("first", good: 1)
        _ = try await world.hook(#","types":["Post"],"fields":["good"],"where":"good >= %@","args":[5]"#)
        try await world.save("low", good: 1)
        try await world.save("other", type: "Memo", good: 9)
        try await world.save("high", good: 7)
        let first = try await world.messages(1)[0]
        #expect(first.names == ["high"])
        try await world.save("high", good: 2)
        let second = try await world.messages(2)[1]
        #expect(second.events[0]["event"] == "leave")
        #expect(second.names == ["high"])
        await world.close()
    }

    @Test func `a record leaves whose name was used again for another type and then for a record that does not match`()
        async throws
    {
        let world = try WebhookWorld()
        try await world.save("seed")
        try await world.save("memo", type: "Memo")
        let (id, _) = try await world.hook(#","types":["Post"],"where":"good >= 5""#)
        try await world.save("a", good: 9)
        try await world.waitForDeliveries(1, of: id)
        try await world.call(.post, "/webhooks/\(id)/pause")
        try await world.call(.delete, "/records/Post/a")
        try await world.save("a", type: "Memo")
        try await world.call(.delete, "/records/Memo/a")
        try await world.save("a", good: 1)
        try await world.save("b", good: 9)
        try await world.call(.post, "/webhooks/\(id)/resume")
        let events = try await world.messages(2)[1].events
        #expect(events.map { $0["record"]?["recordName"]?.string } == ["a", "b"])
        #expect(events.first?["record"]?["deleted"] == true)
        await world.close()
    }

    @Test func `a webhook may start at the beginning or at a token, and sends at most 100 events at once`() async throws
    {
        let world = try WebhookWorld()
        for batch in 0..<3 {
            let operations = (0..<80).map {
                #"{"operationType":"create","record":{"recordType":"Post","recordName":"r\#(batch)-\#($0)"}}"#
            }
            let response = try await world.call(
                .post, "/records", #"{"operations":[\#(operations.joined(separator: ","))]}"#)
            try #require(response.status == 200, "\(response.text)")
        }
        _ = try await world.hook(#","since":"beginning""#)
        let messages = try await world.messages(3)
        #expect(messages.map(\.events.count) == [100, 100, 40])
        #expect(Set(messages.flatMap(\.names)).count == 240)
        #expect(messages.map { $0.json?["data"]?["moreComing"]?.bool } == [true, true, false])
        _ = try await world.hook(#","since":"\#(messages[1].token)""#)
        #expect(try await world.messages(4)[3].names == messages[2].names)
        await world.close()
    }

    // MARK: Failures

    @Test func `a retry has the same id and ends where the first attempt ended`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        world.receiver.respond(with: 500)
        let gate = Gate()
        world.receiver.respond { _ in
            await gate.wait()
            return .response(status: 500, body: Array("broken".utf8), retryAfter: nil)
        }
        try await world.save("a")
        _ = try await world.messages(1)
        // While the first message is on its way.
        try await world.save("b", "c")
        gate.open()
        try await world.waitForDeliveries(1, of: id)
        world.receiver.respond(with: 200)
        try await world.save("d")
        #expect(world.receiver.messages.count == 1, "The pause has not passed")
        try world.tick(1_000)
        let messages = try await world.messages(3)
        #expect(messages.map(\.names) == [["a"], ["a"], ["b", "c", "d"]])
        #expect(messages[0].id == messages[1].id)
        #expect(messages[0].id != messages[2].id)
        try await world.waitForDeliveries(3, of: id)
        let deliveries = try await world.deliveries(of: id)
        #expect(deliveries.map { $0["attempt"]?.integer } == [1, 2, 1])
        #expect(deliveries.map { $0["delivered"]?.bool } == [true, true, false])
        #expect(deliveries[2]["status"] == 500)
        #expect(deliveries[2]["response"] == "broken")
        await world.close()
    }

    @Test func `a record that changes before a retry leaves the retry, and comes behind it`() async throws {
        let world = try WebhookWorld()
        _ = try await world.hook(#","since":"beginning""#)
        world.receiver.respond(with: 503)
        try await world.save("a")
        let (id, _) = try await world.hook(#","since":"beginning""#)
        try await world.waitForDeliveries(1, of: id)
        try await world.save("b")
        try await world.save("a", good: 2)
        world.receiver.respond(with: 200)
        let before = world.receiver.messages.count
        try world.tick(10_000)
        try #require(await eventually { world.receiver.messages.dropFirst(before).flatMap(\.names).count >= 4 })
        for message in world.receiver.messages.dropFirst(before) where message.names.contains("a") {
            #expect(message.events.last?["record"]?["fields"]?["good"]?["value"] == 2)
        }
        await world.close()
    }

    @Test func `after 3 days of failures the webhook is disabled, and resume continues`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        world.receiver.respond { _ in .failure("Nobody listens") }
        try await world.save("a")
        try await world.waitForDeliveries(1, of: id)
        try world.tick(3 * 86_400_000 - 1)
        try await world.waitForDeliveries(2, of: id)
        let failing = try await world.state(of: id)
        #expect(failing["state"] == "active")
        #expect(failing["failures"] == 2)
        #expect(failing["failingSince"] == 1_800_000_000_000)
        #expect(try await world.deliveries(of: id)[0]["error"] == "Nobody listens")
        try world.tick(2_000)
        let disabled = try await world.wait(for: "disabled", of: id)
        #expect(disabled["reason"]?.string?.contains("3 days") == true)
        #expect(try await world.audit() == ["webhook.create", "webhook.disable"])
        world.receiver.respond(with: 204)
        try await world.save("b")
        try world.tick(86_400_000)
        #expect(try await world.call(.post, "/webhooks/\(id)/resume").status == 200)
        let messages = try await world.messages(5)
        #expect(messages.suffix(2).map(\.names) == [["a"], ["b"]])
        #expect(messages[3].id == messages[0].id)
        await world.close()
    }

    @Test func `a clock that goes back delays no retry by more than the longest pause`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        world.receiver.respond(with: 500)
        let day: Int64 = 86_400_000
        try world.tick(day)
        try await world.save("a")
        try await world.waitForDeliveries(1, of: id)
        world.receiver.respond(with: 200)
        // The retry is due a day from now.
        try world.tick(-day)
        #expect(try await world.messages(2)[1].names == ["a"])
        try await world.waitForDeliveries(2, of: id)
        // Also after a restart.
        world.receiver.respond(with: 500)
        try world.tick(2 * day)
        try await world.save("b")
        try await world.waitForDeliveries(3, of: id)
        world.receiver.respond(with: 200)
        world.clock.withLock { $0 -= 2 * day }
        try await world.restart()
        #expect(try await world.messages(4)[3].names == ["b"])
        await world.close()
    }

    @Test func `a redirect says where to send`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        let other = "https://other.example.org/hook?key=hidden"
        let shownOther = "Set the URL of the webhook to https://other.example.org/hook"
        for (number, (status, location, shown))
            in ([
                (301, other, shownOther),
                (301, nil, "Redirects are not followed. Set the URL of the webhook to the one to which this leads"),
                (300, other, shownOther), (399, other, shownOther),
                (300, nil, "The status 300 acknowledges nothing. The receiver must respond with 200 to 299"),
                (304, nil, "The status 304 acknowledges nothing. The receiver must respond with 200 to 299"),
            ] as [(Int, String?, String)]).enumerated()
        {
            world.receiver.respond { _ in .response(status: status, body: [], retryAfter: nil, location: location) }
            if number == 0 { try await world.save("a") } else { try world.tick(1_000_000) }
            try await world.waitForDeliveries(number + 1, of: id)
            let delivery = try await world.deliveries(of: id)[0]
            #expect(delivery["status"] == .integer(Int64(status)) && delivery["delivered"] == false)
            #expect(delivery["error"]?.string?.hasSuffix(shown) == true, "\(delivery)")
        }
        await world.close()
    }

    @Test func `410 disables at once, and Retry-After lengthens the pause within bounds`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        world.receiver.respond { _ in .response(status: 429, body: [], retryAfter: 60) }
        try await world.save("a")
        try await world.waitForDeliveries(1, of: id)
        #expect(try await world.state(of: id)["nextAttemptAt"] == 1_800_000_060_000)
        world.receiver.respond { _ in .response(status: 503, body: [], retryAfter: 1_000_000) }
        try world.tick(60_000)
        try await world.waitForDeliveries(2, of: id)
        #expect(try await world.state(of: id)["nextAttemptAt"] == 1_800_003_660_000)
        world.receiver.respond(with: 410)
        try world.tick(3_600_000)
        #expect(try await world.wait(for: "disabled", of: id)["reason"]?.string?.contains("410") == true)
        await world.close()
    }

    @Test func `a slow receiver does not delay another webhook`() async throws {
        let world = try WebhookWorld()
        let gate = Gate()
        let (slow, _) = try await world.hook(#","types":["Slow"]"#)
        let (quick, _) = try await world.hook(#","types":["Quick"]"#)
        world.receiver.respond { message in
            if message.json?["data"]?["webhook"]?.string == slow { await gate.wait() }
            return .response(status: 204)
        }
        try await world.save("s", type: "Slow")
        _ = try await world.messages(1)
        for name in ["a", "b", "c"] {
            try await world.save(name, type: "Quick")
            let count = world.receiver.messages.count
            try #require(await eventually { world.receiver.messages.contains { $0.names.contains(name) } })
            #expect(count <= world.receiver.messages.count)
        }
        try await world.waitForDeliveries(1, of: quick)
        #expect(try await world.deliveries(of: slow).isEmpty)
        gate.open()
        try await world.waitForDeliveries(1, of: slow)
        await world.close()
    }

    // MARK: Restarts and copies

    @Test func `a restart continues, and repeats only what was not acknowledged`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        try await world.save("a")
        try await world.waitForDeliveries(1, of: id)
        // The server stops while the message is on its way.
        world.receiver.respond { _ in .closed }
        try await world.save("b")
        // It may be sent twice: the signal of a commit can come after the change was read.
        try #require(await eventually { world.receiver.messages.last?.names == ["b"] })
        try await world.restart()
        world.receiver.respond(with: 204)
        try await world.restart()
        try await world.save("c")
        try #require(await eventually { world.receiver.messages.contains { $0.names.contains("c") } })
        let names = world.receiver.messages.map(\.names)
        #expect(names.prefix(2) == [["a"], ["b"]])
        #expect(!names.dropFirst().contains { $0.contains("a") })
        #expect(names.dropFirst(2).joined().contains("b"))
        await world.close()
    }

    @Test func `a record of a message without acknowledgement still leaves after a restart`() async throws {
        let world = try WebhookWorld()
        try await world.save("seed")
        _ = try await world.hook(#","types":["Post"],"where":"good >= 5""#)
        // The receiver has got the message, but the server never knows. Then the record no longer matches.
        world.receiver.respond { _ in .closed }
        try await world.save("a", good: 9)
        try #require(await eventually { world.receiver.messages.last?.names == ["a"] })
        try await world.save("a", good: 1)
        try await world.restart()
        let before = world.receiver.messages.count
        world.receiver.respond(with: 204)
        try await world.save("b", good: 9)
        try #require(await eventually { world.receiver.messages.contains { $0.names.contains("b") } })
        let left = world.receiver.messages.dropFirst(before).flatMap(\.events).filter { $0["event"] == "leave" }
        #expect(left.first?["record"]?["recordName"] == "a")
        await world.close()
    }

    @Test func `a reset without acknowledgement has the same ID after a restart`() async throws {
        let world = try WebhookWorld()
        try await world.save("seed", type: "Open")
        try await world.save("seed2", type: "Shut")
        func scope(_ types: String) -> String { #"{"types":[\#(types)],"readOnly":true,"rights":["manageWebhooks"]}"# }
        let key = try await world.key("reader", scope(#""Open","Shut""#))
        let (id, _) = try await world.hook(#","types":["Open"]"#, token: key.token)
        try await world.save("a", type: "Open")
        try await world.waitForDeliveries(1, of: id)
        // The webhook passes changes that it does not send. It does not store such a position at once.
        try await world.save("h1", "h2", "h3", "h4", "h5", type: "Shut")
        world.receiver.respond { _ in .closed }
        let narrower = #"{"scope":\#(scope(#""Open""#))}"#
        #expect(try await world.call(.patch, "/keys/\(key.id)", narrower).status == 200)
        try world.tick(0)
        try #require(await eventually { world.receiver.messages.last?.type == "feed.reset" })
        let before = world.receiver.messages.count
        try await world.restart()
        world.receiver.respond(with: 204)
        try #require(await eventually { world.receiver.messages.count > before })
        let resets = world.receiver.messages.filter { $0.type == "feed.reset" }
        #expect(Set(resets.map(\.id)).count == 1)
        await world.close()
    }

    @Test func `a copy of the files sends nothing until it is resumed`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        try await world.save("a")
        try await world.waitForDeliveries(1, of: id)
        await world.close()
        let directory = NSTemporaryDirectory() + "fogbase-webhooks-" + UUID().uuidString
        try FileManager.default.copyItem(atPath: world.directory, toPath: directory)
        let copy = try WebhookWorld(directory: directory)
        let paused = try await copy.wait(for: "paused", of: id)
        #expect(paused["reason"]?.string?.contains("copied") == true)
        try await copy.save("b")
        #expect(copy.receiver.messages.isEmpty)
        #expect(try await copy.audit() == ["webhook.create", "webhook.pause"])
        try await copy.call(.post, "/webhooks/\(id)/resume")
        #expect(try await copy.messages(1)[0].names == ["b"])
        try await copy.restart()
        #expect(try await copy.state(of: id)["state"] == "active")
        await copy.close()
        // The original is not concerned.
        try await world.restart()
        #expect(try await world.state(of: id)["state"] == "active")
        await world.close()
    }

    // MARK: Rights

    @Test func `a webhook of a key reads as the key, and ends with it`() async throws {
        let world = try WebhookWorld()
        try await world.save("seed", type: "Open")
        try await world.save("seed2", type: "Shut")
        let scope = #"{"types":["Open"],"readOnly":true,"rights":["manageWebhooks"]}"#
        let key = try await world.key("reader", scope)
        let (id, _) = try await world.hook(token: key.token)
        #expect(try await world.state(of: id)["readsAs"] == ["kind": "key", "name": "reader"])
        try await world.save("hidden", type: "Shut")
        try await world.save("a", type: "Open")
        #expect(try await world.messages(1)[0].names == ["a"])
        try await world.waitForDeliveries(1, of: id)
        // Other rights: the receiver must start from the beginning.
        let wider = #"{"scope":{"types":["Open","Shut"],"readOnly":true,"rights":["manageWebhooks"]}}"#
        #expect(try await world.call(.patch, "/keys/\(key.id)", wider).status == 200)
        try world.tick(0)
        let messages = try await world.messages(3)
        #expect(messages.map(\.type) == ["records.changed", "feed.reset", "records.changed"])
        #expect(messages[1].json?["data"]?["reason"]?.string?.isEmpty == false)
        #expect(Set(messages[2].names) == ["seed", "seed2", "hidden", "a"])
        try await world.call(.delete, "/keys/\(key.id)")
        try world.tick(0)
        #expect(try await world.wait(for: "disabled", of: id)["reason"]?.string?.contains("no longer exists") == true)
        try await world.save("b", type: "Open")
        try world.tick(100_000)
        #expect(try await world.call(.get, "/webhooks/\(id)").status == 200)
        #expect(world.receiver.messages.count == 3)
        #expect(try await world.audit().last == "webhook.disable")
        await world.close()
    }

    @Test func `a key without the right to manage webhooks no longer sends`() async throws {
        let world = try WebhookWorld()
        let key = try await world.key("reader", #"{"readOnly":true,"rights":["manageWebhooks"]}"#)
        let (id, _) = try await world.hook(token: key.token)
        #expect(try await world.call(.patch, "/keys/\(key.id)", #"{"scope":{"readOnly":true}}"#).status == 200)
        try await world.save("a")
        try world.tick(0)
        #expect(try await world.wait(for: "disabled", of: id)["reason"]?.string?.contains("may no longer") == true)
        #expect(world.receiver.messages.isEmpty)
        #expect(try await world.call(.get, "/webhooks", token: key.token).status == 403)
        await world.close()
    }

    @Test func `the caller that changes the URL or the selection is the reader from then on`() async throws {
        let world = try WebhookWorld()
        try await world.save("seed", type: "Shut")
        let key = try await world.key("narrow", #"{"types":["Open"],"readOnly":true,"rights":["manageWebhooks"]}"#)
        let (id, _) = try await world.hook()
        let described = try await world.call(
            .patch, "/webhooks/\(id)", #"{"description":"x"}"#, token: key.token)
        #expect(described.json?["readsAs"]?["kind"] == "administrator")
        let moved = try await world.call(
            .patch, "/webhooks/\(id)", #"{"url":"https://evil.example/"}"#, token: key.token)
        #expect(moved.json?["readsAs"] == ["kind": "key", "name": "narrow"])
        try await world.save("hidden", type: "Shut")
        let reset = try await world.messages(1)[0]
        #expect(reset.type == "feed.reset")
        #expect(reset.url == "https://evil.example/")
        #expect(!world.receiver.messages.contains { !$0.names.isEmpty })
        await world.close()
    }

    @Test func `a private database is for its owner's webhooks and those of owners`() async throws {
        let world = try WebhookWorld()
        let made = try await world.call(.post, "/users", #"{"name":"ann","password":"correct horse"}"#)
        let user = try #require(made.json?["user"]?["userRecordName"]?.string)
        let token = try #require(made.json?["token"]?.string)
        let query = "?database=private&owner=\(user)"
        let (id, _) = try await world.hook(query: query)
        #expect(try await world.state(of: id)["owner"]?.string == user)
        try await world.call(.put, "/records/Note/n?database=private", #"{"fields":{}}"#, token: token)
        #expect(try await world.messages(1)[0].names == ["n"])
        let key = try await world.key("other", #"{"actions":["read"],"rights":["manageWebhooks"]}"#)
        let body = #"{"url":"https://example.org/"}"#
        #expect(try await world.call(.post, "/webhooks\(query)", body, token: key.token).status == 403)
        #expect(try await world.call(.patch, "/webhooks/\(id)", body, token: key.token).status == 403)
        #expect(try await world.call(.post, "/webhooks", body, token: token).status == 403)
        await world.close()
    }

    /// The secret signs what the receiver believes, and the deliveries show what the receiver has said.
    @Test(arguments: ["developer", "key"])
    func `a private webhook is shown and managed by owners alone`(_ kind: String) async throws {
        let world = try WebhookWorld()
        let made = try await world.call(.post, "/users", #"{"name":"ann","password":"correct horse"}"#)
        let user = try #require(made.json?["user"]?["userRecordName"]?.string)
        let (id, secret) = try await world.hook(query: "?database=private&owner=\(user)")
        let (open, _) = try await world.hook()
        let token: String
        if kind == "key" {
            token = try await world.key("other", #"{"actions":["read"],"rights":["manageWebhooks"]}"#).token
        } else {
            let added = try await world.call(
                .post, "/administrators", #"{"name":"dev","password":"correct horse dev","role":"developer"}"#)
            try #require(added.status == 201, "\(added.text)")
            let session = try await world.call(
                .post, "/administrators/sessions", #"{"name":"dev","password":"correct horse dev"}"#)
            token = try #require(session.json?["token"]?.string)
        }
        for (method, path, body) in [
            (HTTPMethod.get, "", nil), (.get, "/deliveries", nil), (.post, "/secret", nil), (.post, "/test", nil),
            (.post, "/replay?since=beginning", nil), (.post, "/pause", nil), (.post, "/resume", nil),
            (.patch, "", #"{"description":"mine"}"#), (.patch, "", #"{"url":"https://evil.example/"}"#),
            (.delete, "", nil),
        ] as [(HTTPMethod, String, String?)] {
            let denied = try await world.call(method, "/webhooks/\(id)\(path)", body, token: token)
            #expect(denied.status == 403, "\(method) \(path): \(denied.text)")
            #expect(!denied.text.contains(secret) && !denied.text.contains("example.org"))
        }
        let list = try await world.call(.get, "/webhooks", token: token)
        #expect(list.json?["webhooks"]?.array?.map { $0["id"]?.string } == [open], "\(list.text)")
        let all = try await world.call(.get, "/webhooks")
        #expect(all.json?["webhooks"]?.array?.count == 2)
        #expect(all.json?["webhooks"]?.array?.allSatisfy { $0["description"] == "" && $0["state"] == "active" } == true)
        await world.close()
    }

    // MARK: Management

    @Test func `a rotated secret signs beside the old one for a while`() async throws {
        let world = try WebhookWorld()
        let (id, old) = try await world.hook()
        let rotated = try await world.call(.post, "/webhooks/\(id)/secret", #"{"overlap":"1h"}"#)
        let new = try #require(rotated.json?["secret"]?.string)
        #expect(new != old && rotated.field("Cache-Control") == "no-store")
        // The end of the overlap is a moment of the store's clock.
        let end = try #require(rotated.json?["overlapsUntil"]?.integer)
        world.clock.withLock { $0 = end - 1_000 }
        try await world.save("a")
        let both = try await world.messages(1)[0]
        #expect(try both.isSigned(by: old) && both.isSigned(by: new))
        try await world.waitForDeliveries(1, of: id)
        world.clock.withLock { $0 = end }
        try await world.save("b")
        let one = try await world.messages(2)[1]
        #expect(try !one.isSigned(by: old))
        #expect(try one.isSigned(by: new))
        #expect(try await world.call(.post, "/webhooks/\(id)/secret", #"{"overlap":"31d"}"#).status == 400)
        await world.close()
    }

    @Test func `replay sends again from a token, with other ids`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        for (count, name) in ["a", "b", "c"].enumerated() {
            try await world.save(name)
            try await world.waitForDeliveries(count + 1, of: id)
        }
        let first = try await world.messages(3)
        #expect(
            try await world.call(.post, "/webhooks/\(id)/replay?since=\(PathSegment.encode(first[0].token))").status
                == 200)
        let again = try await world.messages(4)[3]
        #expect(again.names == ["b", "c"])
        #expect(!first.map(\.id).contains(again.id))
        try await world.waitForDeliveries(4, of: id)
        try await world.call(.post, "/webhooks/\(id)/replay?since=beginning")
        #expect(try await world.messages(5)[4].names == ["a", "b", "c"])
        #expect(try await world.call(.post, "/webhooks/\(id)/replay").status == 400)
        #expect(try await world.call(.post, "/webhooks/\(id)/replay?since=nonsense").cause == "TOKEN_INVALID")
        await world.close()
    }

    @Test func `a test message needs no change and moves nothing`() async throws {
        let world = try WebhookWorld()
        let (id, secret) = try await world.hook()
        try await world.call(.post, "/webhooks/\(id)/pause")
        world.receiver.respond { _ in .response(status: 418, body: Array("teapot".utf8), retryAfter: nil) }
        let response = try await world.call(.post, "/webhooks/\(id)/test")
        #expect(response.status == 200)
        #expect(response.json?["status"] == 418)
        #expect(response.json?["response"] == "teapot")
        #expect(response.json?["delivered"] == false)
        let message = try await world.messages(1)[0]
        #expect(message.type == "webhook.test")
        #expect(try message.isSigned(by: secret))
        #expect(try await world.state(of: id)["failures"] == 0)
        #expect(try await world.deliveries(of: id).count == 1)
        await world.close()
    }

    @Test func `a paused webhook sends later what it has missed, and a deleted one nothing`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        #expect(try await world.call(.post, "/webhooks/\(id)/pause").json?["state"] == "paused")
        try await world.save("a", "b")
        try world.tick(100_000)
        #expect(try await world.call(.post, "/webhooks/\(id)/resume").json?["state"] == "active")
        #expect(try await world.messages(1)[0].names == ["a", "b"])
        try await world.waitForDeliveries(1, of: id)
        #expect(try await world.call(.delete, "/webhooks/\(id)").status == 204)
        try await world.save("c")
        for path in ["", "/deliveries"] {
            #expect(try await world.call(.get, "/webhooks/\(id)\(path)").status == 404)
        }
        for path in ["test", "pause", "resume", "secret", "replay?since=now"] {
            #expect(try await world.call(.post, "/webhooks/\(id)/\(path)").status == 404)
        }
        #expect(world.receiver.messages.count == 1)
        #expect(
            try await world.audit() == ["webhook.create", "webhook.pause", "webhook.resume", "webhook.delete"])
        let log = try await world.call(.get, "/audit").text
        #expect(!log.contains("hidden"), "The query of the URL is a secret")
        await world.close()
    }

    @Test func `the last 100 deliveries are kept`() async throws {
        let world = try WebhookWorld()
        let (id, _) = try await world.hook()
        for _ in 0..<105 { try await world.call(.post, "/webhooks/\(id)/test") }
        let deliveries = try await world.deliveries(of: id)
        #expect(deliveries.count == 100)
        #expect(deliveries.first?["message"]?.string == world.receiver.messages.last?.id)
        await world.close()
    }

    @Test(arguments: [
        "{}", #"{"url":5}"#, #"{"url":"http://example.org"}"#, #"{"url":"https://a.example","types":[]}"#,
        #"{"url":"https://a.example","types":"Post"}"#, #"{"url":"https://a.example","types":["not a name"]}"#,
        #"{"url":"https://a.example","where":"good > 3"}"#, #"{"url":"https://a.example","args":[1]}"#,
        #"{"url":"https://a.example","types":["Post"],"where":"good >"}"#,
        #"{"url":"https://a.example","types":["Post"],"where":"missing > 3"}"#,
        #"{"url":"https://a.example","since":"nonsense"}"#, #"{"url":"https://a.example","other":1}"#,
    ])
    func `a body that makes no webhook is rejected`(body: String) async throws {
        let world = try WebhookWorld()
        try await world.save("a")
        let response = try await world.call(.post, "/webhooks", body)
        #expect(response.status == 400, "\(response.text)")
        #expect(try await world.call(.get, "/webhooks").json?["webhooks"] == [])
        await world.close()
    }

    @Test func `a database has at most 50 webhooks`() async throws {
        let world = try WebhookWorld()
        for _ in 0..<Webhooks.most { _ = try await world.hook() }
        let response = try await world.call(.post, "/webhooks", #"{"url":"https://a.example"}"#)
        #expect(response.cause == "TOO_LARGE", "\(response.text)")
        try await world.save("a")
        _ = try await world.messages(Webhooks.most)
        await world.close()
    }
}
