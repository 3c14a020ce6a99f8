import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// A client that copies a private database from its changes alone: which zones changed, then what changed in them.
@Suite struct ZoneFollowerTests {
    private struct Follower {
        var token: String?
        var zoneTokens: [String: String] = [:]
        /// The titles of the records by zone and name.
        var copy: [String: [String: String]] = [:]

        private static func address(_ path: String, _ parameters: [String: String?]) -> String {
            let items = parameters.compactMap { key, value in
                value.map { "\(key)=\($0.replacing("+", with: "%2B").replacing("/", with: "%2F"))" }
            }
            return "\(path)?database=private&" + items.joined(separator: "&")
        }

        mutating func follow(_ database: TestDatabase, limit: Int) async throws {
            var changed: [String] = []
            var more = true
            while more {
                let page = await database.call(
                    .get, Self.address("/changes/zones", ["since": token, "limit": "\(limit)"]), as: .creator)
                try #require(page.status == 200, "\(page.text)")
                for zone in page.json?["zones"]?.array ?? [] {
                    let name = zone["zoneName"]?.string ?? ""
                    if zone["deleted"] == .bool(true) {
                        copy[name] = nil
                        zoneTokens[name] = nil
                        changed.removeAll { $0 == name }
                    } else {
                        changed.append(name)
                    }
                }
                token = page.json?["token"]?.string
                more = page.json?["moreComing"] == .bool(true)
            }
            for zone in changed { try await follow(zone, database, limit: limit) }
        }

        private mutating func follow(_ zone: String, _ database: TestDatabase, limit: Int) async throws {
            var more = true
            while more {
                let target = Self.address(
                    "/changes", ["zone": zone, "since": zoneTokens[zone], "limit": "\(limit)"])
                let page = await database.call(.get, target, as: .creator)
                // Nobody writes between the list and this page, so no zone is gone and no token has ended.
                try #require(page.status == 200, "\(zone): \(page.text)")
                for record in page.json?["changes"]?.array ?? [] {
                    let name = record["recordName"]?.string ?? ""
                    let isDeleted = record["deleted"] == .bool(true)
                    copy[zone, default: [:]][name] = isDeleted ? nil : record["fields"]?["title"]?["value"]?.string
                }
                zoneTokens[zone] = page.json?["token"]?.string
                more = page.json?["moreComing"] == .bool(true)
            }
        }
    }

    @Test(arguments: 1...6) func `a follower of zones ends with exactly the records of the database`(
        _ seed: UInt64
    ) async throws {
        var limits = DatabaseLimits()
        limits.tombstoneSeconds = 1_000_000
        let database = try await TestDatabase.make(limits: limits)
        var random = SeededGenerator(seed: seed)
        var truth: [String: [String: String]] = [:]
        var followers = [Follower(), Follower()]
        let zones = ["_defaultZone", "A", "B", "C"]
        for step in 0..<120 {
            let zone = zones[Int.random(in: 0..<zones.count, using: &random)]
            let name = "n\(Int.random(in: 0..<5, using: &random))"
            let place = "database=private&zone=\(zone)"
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                let made = await database.call(.put, "/zones/\(zone)?database=private", as: .creator)
                if made.status < 300, truth[zone] == nil { truth[zone] = [:] }
            case 2:
                if await database.call(.delete, "/zones/\(zone)?database=private", as: .creator).status == 204 {
                    truth[zone] = nil
                }
            case 3, 4:
                if await database.call(.delete, "/records/Note/\(name)?\(place)", as: .creator).status == 204 {
                    truth[zone]?[name] = nil
                }
            case 5, 6:
                let index = Int.random(in: 0..<2, using: &random)
                try await followers[index].follow(database, limit: Int.random(in: 1...4, using: &random))
            default:
                let put = await database.call(
                    .put, "/records/Note/\(name)?\(place)", as: .creator,
                    body: #"{"fields":{"title":"\#(step)"}}"#)
                if put.status < 300 { truth[zone, default: [:]][name] = "\(step)" }
                #expect(put.status < 300 || truth[zone] == nil, "\(put.text)")
            }
        }
        for index in followers.indices {
            try await followers[index].follow(database, limit: 3)
            #expect(followers[index].copy.filter { !$0.value.isEmpty } == truth.filter { !$0.value.isEmpty })
        }
        let deleted = try #require(database.registry.openDatabases.first?.database)
        await deleted.zones.removalsAreDone()
        for (zone, records) in truth {
            let list = await database.call(.get, "/records/Note?database=private&zone=\(zone)", as: .creator)
            #expect(Set(list.records.compactMap { $0["recordName"]?.string }) == Set(records.keys))
        }
    }
}
