import HTTP
import RecordWire
import TestSupport
import Testing

/// A participant that copies its shared database from its changes alone, beside an owner who creates, moves, shares and
/// deletes records and zones at random. The copy ends as what a plain model of the rules permits.
@Suite struct SharedFollowerTests {
    /// What the participant has.
    private struct Follower {
        var token: String?
        var zoneTokens: [String: String] = [:]
        var copy: [String: Set<String>] = [:]
        /// The tokens that have ended by zone.
        var resets: [String: Int] = [:]

        private static func address(_ path: String, _ parameters: [(String, String?)]) -> String {
            let items = parameters.compactMap { key, value in
                value.map { "\(key)=\($0.replacing("+", with: "%2B").replacing("/", with: "%2F"))" }
            }
            return "\(path)?database=shared&" + items.joined(separator: "&")
        }

        mutating func follow(_ database: TestDatabase, limit: Int) async throws {
            var more = true
            while more {
                let page = await database.call(
                    .get, Self.address("/changes/zones", [("since", token), ("limit", "\(limit)")]), as: .stranger)
                try #require(page.status == 200, "\(page.text)")
                for zone in page.json?["zones"]?.array ?? [] {
                    let name = zone["zoneName"]?.string ?? ""
                    if zone["deleted"] == .bool(true) {
                        (copy[name], zoneTokens[name]) = (nil, nil)
                    } else {
                        try await follow(name, database, limit: limit)
                    }
                }
                token = page.json?["token"]?.string
                more = page.json?["moreComing"] == .bool(true)
            }
        }

        private mutating func follow(_ zone: String, _ database: TestDatabase, limit: Int) async throws {
            if copy[zone] == nil { copy[zone] = [] }
            var more = true
            while more {
                let target = Self.address(
                    "/changes",
                    [
                        ("zone", zone), ("owner", database.userNames[.creator]), ("since", zoneTokens[zone]),
                        ("limit", "\(limit)"),
                    ])
                let page = await database.call(.get, target, as: .stranger)
                // Nobody writes between the list and this page, so the zone is there.
                if page.status == 410, zoneTokens[zone] != nil {
                    #expect(page.text.contains("The caller's rights have changed"), "\(page.text)")
                    resets[zone, default: 0] += 1
                    (copy[zone], zoneTokens[zone]) = ([], nil)
                    continue
                }
                try #require(page.status == 200, "\(zone): \(page.text)")
                for record in page.json?["changes"]?.array ?? [] where record["recordType"] != "cloudkit.share" {
                    let name = record["recordName"]?.string ?? ""
                    if record["deleted"] == .bool(true) {
                        copy[zone]?.remove(name)
                    } else {
                        copy[zone]?.insert(name)
                    }
                }
                zoneTokens[zone] = page.json?["token"]?.string ?? page.json?["syncToken"]?.string
                more = page.json?["moreComing"] == .bool(true)
            }
        }
    }

    @Test(arguments: seeds(4)) func `a participant copies what is shared with it`(seed: Int) async throws {
        // In every second history nearly all access lists are left to slices.
        var world = try await SharedHistory.make(seed: UInt64(seed), inlineAccessLists: seed % 2 == 0 ? 500 : 1)
        var followers = [Follower(), Follower()]
        for step in 0..<150 {
            try await world.step()
            if step % 7 == 0 { try await followers[0].follow(world.database, limit: 3) }
        }
        let expected = world.zones.compactMapValues(\.shared)
        for position in followers.indices {
            try await followers[position].follow(world.database, limit: 200)
            #expect(followers[position].copy == expected, "follower \(position)")
            for (zone, count) in followers[position].resets {
                #expect(count <= world.rightsChanges[zone, default: 0], "follower \(position), \(zone)")
            }
        }
        for (zone, names) in expected {
            let page = await world.database.call(
                .get, "/records/Item?database=shared&zone=\(zone)&owner={creator}&limit=200", as: .stranger)
            #expect(Set(page.json?["records"]?.array?.compactMap { $0["recordName"]?.string } ?? []) == names)
        }
    }
}
