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
                switch page.status {
                case 200: break
                // The zone was lost after the list was read. The next list tells.
                case 404: return
                case 400, 410:
                    (copy[zone], zoneTokens[zone]) = ([], nil)
                    continue
                default:
                    Issue.record("\(page.text)")
                    return
                }
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

    /// The records of a zone with their parents, and the shares in it.
    private struct ZoneModel {
        var parents: [String: String?] = [:]
        /// The shared roots by share record; `nil` for the whole zone. Only shares of which Bob is a participant.
        var shares: [String: String?] = [:]
        var isWhole: Bool { shares.values.contains(nil) }

        /// The records that a participant finds; `nil` without any share.
        var shared: Set<String>? {
            guard !shares.isEmpty else { return nil }
            if isWhole { return Set(parents.keys) }
            let roots = Set(shares.values.compactMap(\.self))
            return Set(
                parents.keys.filter { name in
                    var next: String? = name
                    while let current = next {
                        if roots.contains(current) { return true }
                        next = parents[current] ?? nil
                    }
                    return false
                })
        }

        func isAbove(_ name: String, _ other: String) -> Bool {
            var next: String? = other
            while let current = next {
                if current == name { return true }
                next = parents[current] ?? nil
            }
            return false
        }
    }

    private struct World {
        let database: TestDatabase
        var zones: [String: ZoneModel] = [:]
        var random: SeededGenerator
        var made = 0

        func call(_ method: HTTPMethod, _ target: String, _ body: String? = nil) async -> Response {
            await database.call(method, target, as: .creator, body: body)
        }

        /// Does one random thing.
        mutating func step() async throws {
            guard let zone = zones.keys.sorted().randomElement(using: &random),
                Int.random(in: 0..<20, using: &random) > 0
            else { return await addZone() }
            let place = "database=private&zone=\(zone)"
            let names = zones[zone]?.parents.keys.sorted() ?? []
            switch Int.random(in: 0..<100, using: &random) {
            case ..<35: try await create(in: zone, place)
            case ..<55: try await move(in: zone, place)
            case ..<67:
                guard let name = names.randomElement(using: &random) else { return }
                try #require(await call(.delete, "/records/Item/\(name)?\(place)").status == 204)
                zones[zone]?.parents[name] = nil
                for (child, parent) in zones[zone]?.parents ?? [:] where parent == name {
                    zones[zone]?.parents[child] = .some(nil)
                }
                for (share, root) in zones[zone]?.shares ?? [:] where root == name { zones[zone]?.shares[share] = nil }
            case ..<85: try await share(in: zone, place)
            case ..<97:
                guard let share = zones[zone]?.shares.keys.sorted().randomElement(using: &random) else { return }
                let target =
                    Bool.random(using: &random)
                    ? ("/records/cloudkit.share/\(share)?\(place)", TestDatabase.Who.creator)
                    : (
                        "/records/cloudkit.share/\(share)?database=shared&zone=\(zone)&owner={creator}",
                        .stranger
                    )
                let gone = await database.call(.delete, target.0, as: target.1)
                try #require(gone.status == 204, "\(gone.text)")
                zones[zone]?.shares[share] = nil
                // The share that Bob has left would stay in the way of others.
                _ = await call(.delete, "/records/cloudkit.share/\(share)?\(place)")
            default:
                try #require(await call(.delete, "/zones/\(zone)?database=private").status == 204)
                zones[zone] = nil
            }
        }

        private mutating func addZone() async {
            let zone = ["A", "B", "C"].randomElement(using: &random) ?? "A"
            if await call(.put, "/zones/\(zone)?database=private").status == 201 { zones[zone] = ZoneModel() }
        }

        private mutating func create(in zone: String, _ place: String) async throws {
            let name = "r\(made)"
            made += 1
            let parent =
                Bool.random(using: &random) ? zones[zone]?.parents.keys.sorted().randomElement(using: &random) : nil
            let link = parent.map { #","parent":{"recordName":"\#($0)"}"# } ?? ""
            let response = await call(.put, "/records/Item/\(name)?\(place)", #"{"fields":{}\#(link)}"#)
            try #require(response.status == 201, "\(response.text)")
            zones[zone]?.parents[name] = .some(parent)
        }

        private mutating func move(in zone: String, _ place: String) async throws {
            let names = zones[zone]?.parents.keys.sorted() ?? []
            guard let name = names.randomElement(using: &random) else { return }
            let parent = Bool.random(using: &random) ? names.randomElement(using: &random) : nil
            let link = parent.map { #"{"recordName":"\#($0)"}"# } ?? "null"
            let response = await call(.patch, "/records/Item/\(name)?\(place)", #"{"fields":{},"parent":\#(link)}"#)
            if let parent, zones[zone]?.isAbove(name, parent) == true {
                #expect(response.status == 400, "\(response.text)")
            } else {
                try #require(response.status == 200, "\(response.text)")
                zones[zone]?.parents[name] = .some(parent)
            }
        }

        private mutating func share(in zone: String, _ place: String) async throws {
            let root =
                Int.random(in: 0..<5, using: &random) == 0
                ? nil : zones[zone]?.parents.keys.sorted().randomElement(using: &random)
            let share = "s\(made)"
            made += 1
            let link = root.map { #","forRecord":{"recordName":"\#($0)"}"# } ?? ""
            let response = await call(
                .put, "/records/cloudkit.share/\(share)?\(place)",
                #"{"fields":{}\#(link),"participants":[{"userRecordName":"{stranger}"}]}"#)
            let model = zones[zone] ?? ZoneModel()
            let isPossible =
                root == nil ? model.shares.isEmpty : !model.isWhole && !model.shares.values.contains(root)
            guard isPossible else {
                #expect([400, 409].contains(response.status), "\(response.text)")
                return
            }
            try #require(response.status == 201, "\(response.text)")
            let guid = try #require(response.json?["shortGUID"]?.string)
            try #require(await database.call(.post, "/shares/\(guid)/accept", as: .stranger).status == 200)
            zones[zone]?.shares[share] = .some(root)
        }
    }

    @Test(arguments: 0..<8) func `a participant copies what is shared with it`(seed: UInt64) async throws {
        var world = World(database: try await TestDatabase.make(), random: SeededGenerator(seed: seed))
        let schema = await world.database.call(
            .put, "/schema", as: .administrator, body: #"{"types":{"Item":{"fields":{"title":{"type":"STRING"}}}}}"#)
        try #require(schema.status == 200)
        var followers = [Follower(), Follower()]
        for step in 0..<150 {
            try await world.step()
            if step % 7 == 0 { try await followers[0].follow(world.database, limit: 3) }
        }
        let expected = world.zones.compactMapValues(\.shared)
        for position in followers.indices {
            try await followers[position].follow(world.database, limit: 200)
            #expect(followers[position].copy == expected, "follower \(position)")
        }
        for (zone, names) in expected {
            let page = await world.database.call(
                .get, "/records/Item?database=shared&zone=\(zone)&owner={creator}&limit=200", as: .stranger)
            #expect(Set(page.json?["records"]?.array?.compactMap { $0["recordName"]?.string } ?? []) == names)
        }
    }
}
