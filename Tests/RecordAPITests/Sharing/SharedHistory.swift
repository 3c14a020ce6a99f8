import HTTP
import RecordEngine
import RecordWire
import TestSupport
import Testing

/// A random history of zones, hierarchies and shares of Ann, with Bob as the participant, and a plain model of what Bob
/// finds.
struct SharedHistory {
    /// The records of a zone with their parents, and the shares in it.
    struct ZoneModel {
        var parents: [String: String?] = [:]
        /// How often each record was written.
        var versions: [String: Int] = [:]
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

        /// What a participant has of the zone: the records that it finds with their versions, and its shares; `nil` without
        /// any share.
        var view: [String: Int]? {
            guard let shared else { return nil }
            var view = versions.filter { shared.contains($0.key) }
            for share in shares.keys { view[share] = 0 }
            return view
        }

        mutating func didWrite(_ name: String) { versions[name, default: 0] += 1 }
    }

    let database: TestDatabase
    private(set) var zones: [String: ZoneModel] = [:]
    /// How often Bob's rights in a zone have changed: shares that he joined, left or lost, and deletions of the zone. Only
    /// these end his tokens.
    private(set) var rightsChanges: [String: Int] = [:]
    var random: SeededGenerator
    private var made = 0

    static func make(seed: UInt64, inlineAccessLists: Int = 500) async throws -> SharedHistory {
        var slices = IndexBuildOptions()
        slices.inlineAccessLists = inlineAccessLists
        if inlineAccessLists < 500 { slices.recordsPerSlice = 2 }
        let history = SharedHistory(
            database: try await TestDatabase.make(indexBuilding: slices), random: SeededGenerator(seed: seed))
        let schema = await history.database.call(
            .put, "/schema", as: .administrator, body: #"{"types":{"Item":{"fields":{"title":{"type":"STRING"}}}}}"#)
        try #require(schema.status == 200, "\(schema.text)")
        return history
    }

    private init(database: TestDatabase, random: SeededGenerator) {
        (self.database, self.random) = (database, random)
    }

    private func call(_ method: HTTPMethod, _ target: String, _ body: String? = nil) async -> Response {
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
            zones[zone]?.versions[name] = nil
            for (child, parent) in zones[zone]?.parents ?? [:] where parent == name {
                zones[zone]?.parents[child] = .some(nil)
                zones[zone]?.didWrite(child)
            }
            for (share, root) in zones[zone]?.shares ?? [:] where root == name {
                zones[zone]?.shares[share] = nil
                rightsChanges[zone, default: 0] += 1
            }
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
            rightsChanges[zone, default: 0] += 1
            // The share that Bob has left would stay in the way of others.
            _ = await call(.delete, "/records/cloudkit.share/\(share)?\(place)")
        default:
            try #require(await call(.delete, "/zones/\(zone)?database=private").status == 204)
            zones[zone] = nil
            rightsChanges[zone, default: 0] += 1
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
        zones[zone]?.didWrite(name)
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
            zones[zone]?.didWrite(name)
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
        rightsChanges[zone, default: 0] += 1
    }
}
