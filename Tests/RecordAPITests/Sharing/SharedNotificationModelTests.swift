import HTTP
import RecordWire
import TestSupport
import Testing

/// The subscriptions of a participant against a plain model: they notify exactly when something changes in what the
/// participant finds in its shared database.
@Suite struct SharedNotificationModelTests {
    /// A client that notes what has changed for it since it has last read.
    private struct Subscriber {
        let reader: NotificationClient
        /// The zones of which the participant's view has changed.
        var changed: Set<String> = []

        /// Reads all notifications.
        ///
        /// - Parameter zones: The zones that are shared and have a subscription of their own.
        mutating func check(_ zones: Set<String>, limit: Int, _ step: Int) async throws {
            let found = try await reader.read("limit=\(limit)")
            let expected = changed.intersection(zones).map { "\($0) in \($0)" } + (changed.isEmpty ? [] : ["all"])
            #expect(Set(found) == Set(expected), "step \(step)")
            if limit > 1 { #expect(found.count == expected.count, "step \(step): \(found)") }
            changed = []
        }
    }

    @Test(arguments: seeds(4)) func `notifications tell what changes for a participant, and nothing else`(
        seed: Int
    ) async throws {
        var world = try await SharedHistory.make(seed: UInt64(seed))
        let database = world.database
        try await database.subscribe("all", #"{"type":"database"}"#, as: .stranger, in: "database=shared")
        // The first reads after each step, the others after some steps, one of them in the shortest pages.
        var subscribers = (0..<3).map { _ in Subscriber(reader: NotificationClient(database, as: .stranger)) }
        var subscribed: Set<String> = []
        for step in 0..<150 {
            let before = world.zones.compactMapValues(\.view)
            try await world.step()
            let after = world.zones.compactMapValues(\.view)
            let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            for position in subscribers.indices { subscribers[position].changed.formUnion(changed) }
            let zones = subscribed.intersection(after.keys)
            try await subscribers[0].check(zones, limit: 200, step)
            if step % 5 == 0 { try await subscribers[1].check(zones, limit: 1, step) }
            if step % 11 == 0 { try await subscribers[2].check(zones, limit: 200, step) }
            for zone in after.keys.sorted() where !subscribed.contains(zone) {
                // The others must not have changes from before the subscription in mind.
                for position in subscribers.indices { try await subscribers[position].check(zones, limit: 200, step) }
                try await database.subscribe(
                    zone, #"{"type":"zone","zone":"\#(zone)","owner":"\#(database.userNames[.creator] ?? "")"}"#,
                    as: .stranger, in: "database=shared")
                subscribed.insert(zone)
            }
        }
        #expect(!subscribed.isEmpty)
    }
}
