import HTTP
import RecordEngine
import RecordWire
import TestSupport
import Testing
import Threads

/// Receivers that fail at random against the tables, in random histories of writes, restarts and changes of rights.
@Suite struct WebhookModelTests {
    /// A receiver's copy of the records, from messages alone.
    private struct Copy: Sendable {
        var random: SeededGenerator
        var isReliable = false
        /// The change tags of the records by name, for each webhook.
        var records: [String: [String: String]] = [:]
        /// The IDs of processed messages. A receiver drops a message that comes again.
        var processed: Set<String> = []
        /// The number of resets of each webhook.
        var resets: [String: Int] = [:]
        var problems: [String] = []

        /// Handles a message and returns the response. A receiver may fail before or after it has processed one.
        mutating func handle(_ message: WebhookReceiver.Message) -> WebhookResult {
            let fate = isReliable ? 9 : Int.random(in: 0..<10, using: &random)
            if fate < 2 { return .response(status: 500) }
            if fate == 2 { return .failure("The receiver did not respond in time") }
            if processed.insert(message.id).inserted { process(message) }
            if fate == 3 { return .failure("The connection was lost") }
            if fate == 4 { return .response(status: 503) }
            return .response(status: 200)
        }

        private mutating func process(_ message: WebhookReceiver.Message) {
            guard let id = message.json?["data"]?["webhook"]?.string else {
                problems.append("A message without its webhook")
                return
            }
            if message.type == "feed.reset" {
                records[id] = [:]
                resets[id, default: 0] += 1
            }
            for event in message.events {
                guard let record = event["record"], let name = record["recordName"]?.string else {
                    problems.append("An event without its record")
                    continue
                }
                let isGone = event["event"] == "leave" || record["deleted"] == true
                let tag = record["recordChangeTag"]?.string
                records[id, default: [:]][name] = isGone ? nil : tag
            }
        }
    }

    private static let scopes = [
        #"{"types":["Post"],"readOnly":true,"rights":["manageWebhooks","readSchema"]}"#,
        #"{"types":["Post","Memo"],"readOnly":true,"rights":["manageWebhooks","readSchema"]}"#,
    ]

    @Test(arguments: seeds(6)) func `receivers end with what the webhook's reader may see`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed) + 1)
        let world = try WebhookWorld()
        let copy = Locked(Copy(random: SeededGenerator(seed: UInt64(seed) + 1_000)))
        world.receiver.respond { message in copy.withLock { $0.handle(message) } }
        try await world.save("seed", type: "Post")
        try await world.save("seed-memo", type: "Memo")
        // Adds the index that the queries at the end need.
        for type in ["Post", "Memo"] { try await world.call(.get, "/query/\(type)?where=good%20%3E%3D%205") }
        let key = try await world.key("reader", Self.scopes[0])
        let all = try await world.hook(#","since":"beginning""#)
        let some = try await world.hook(#","since":"beginning","types":["Post"],"where":"good >= 5""#)
        let keys = try await world.hook(#","since":"beginning""#, token: key.token)
        var rightsChanges = 0
        for step in 0..<120 {
            let number = Int.random(in: 0..<8, using: &random)
            // Some records are written once: a receiver that misses the only change of one lacks it for good.
            let name = step % 10 == 3 ? "once\(step)" : "n\(number)"
            let type = Bool.random(using: &random) ? "Post" : "Memo"
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9:
                let good = Int.random(in: 0..<10, using: &random)
                try await world.call(.put, "/records/\(type)/\(type)-\(name)", #"{"fields":{"good":\#(good)}}"#)
            case 9..<13: try await world.call(.delete, "/records/\(type)/\(type)-\(name)")
            case 13..<17: try world.tick(Int64.random(in: 0..<5_000, using: &random))
            case 17:
                rightsChanges += 1
                let scope = Self.scopes[Int.random(in: 0..<2, using: &random)]
                try await world.call(.patch, "/keys/\(key.id)", #"{"scope":\#(scope)}"#)
            case 18: try await world.call(.post, "/webhooks/\(all.id)/replay?since=beginning")
            default: try await world.restart()
            }
        }
        copy.withLock { $0.isReliable = true }
        for (id, token, condition) in [
            (all.id, WebhookWorld.administrator, ""), (some.id, WebhookWorld.administrator, "good >= 5"),
            (keys.id, key.token, ""),
        ] {
            let expected = try await records(
                of: world, token, condition, condition.isEmpty ? ["Post", "Memo"] : ["Post"])
            let isEqual = try await eventually {
                try world.tick(1_000)
                return copy.withLock { $0.records[id] ?? [:] } == expected
            }
            #expect(isEqual, "\(seed) \(id): \(copy.withLock { $0.records[id] ?? [:] }) \(expected)")
            #expect(try await world.state(of: id)["state"] == "active")
        }
        #expect(copy.withLock { $0.problems } == [])
        // Only the rights of the key change.
        let resets = copy.withLock { $0.resets }
        #expect(resets[all.id] == nil && resets[some.id] == nil && resets[keys.id] ?? 0 <= rightsChanges, "\(resets)")
        await world.close()
    }

    /// The change tags of the records that a caller sees.
    private func records(
        of world: WebhookWorld, _ token: String, _ condition: String, _ types: [String]
    ) async throws -> [String: String] {
        var found: [String: String] = [:]
        for type in types {
            let query = condition.isEmpty ? "" : "&where=" + PathSegment.encode(condition)
            let response = try await world.call(.get, "/query/\(type)?limit=200\(query)", token: token)
            // A key that may not read a type learns nothing of it.
            guard response.status == 200 else { continue }
            for record in response.records {
                let name = try #require(record["recordName"]?.string)
                found[name] = record["recordChangeTag"]?.string
            }
        }
        return found
    }
}
