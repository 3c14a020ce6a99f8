import FogbaseClient
import Foundation
import Testing

/// A copy of a private database that follows it.
private struct Copy {
    var state: DatabaseChangeFeed.State?
    /// The numbers of the records by zone and name.
    var numbers: [String: [String: Int]] = [:]
    /// The events in short, such as `zones A -B`.
    var events: [String] = []

    /// Follows until everything is read, or for some events.
    mutating func follow(_ database: Database, most: Int = .max) async throws {
        events = []
        for try await event in database.zones.changeFeed(since: state) {
            take(event.change)
            // An app saves the state between its runs.
            state = try JSONDecoder().decode(DatabaseChangeFeed.State.self, from: JSONEncoder().encode(event.state))
            if event.change == .upToDate || events.count == most { return }
        }
    }

    private mutating func take(_ change: DatabaseChangeFeed.Change) {
        switch change {
        case .zones(let changes):
            for case .deleted(let zone) in changes { numbers[zone.name] = nil }
            events.append(
                "zones"
                    + changes.map { change in
                        if case .deleted = change { return " -" + change.zone.name }
                        return " " + change.zone.name
                    }.joined())
        case .records(let page, let zone):
            for record in page.changed { numbers[zone.name, default: [:]][record.name] = record["n"] }
            for record in page.deleted { numbers[zone.name]?[record.name] = nil }
            events.append("\(zone.name) \(page.changed.map(\.name)) \(page.deleted.map(\.name))")
        case .zoneStartsOver(let zone):
            numbers[zone.name] = nil
            events.append("again \(zone.name)")
        case .startOver:
            numbers = [:]
            events.append("again")
        case .upToDate: events.append("done")
        }
    }

    var written: [String: [String: Int]] { numbers.filter { !$0.value.isEmpty } }
}

/// The owner of a private database, who writes at random and knows what is in it.
private actor Owner {
    private let database: Database
    private var random: SeededGenerator
    private var number = 0
    /// The numbers of the records by zone and name. The zones are those of the server.
    private var numbers: [String: [String: Int]] = [Zone.defaultName: [:]]

    init(_ database: Database, seed: UInt64) {
        self.database = database
        random = SeededGenerator(seed)
    }

    var written: [String: [String: Int]] { numbers.filter { !$0.value.isEmpty } }
    var zones: Set<String> { Set(numbers.keys) }

    func step() async throws {
        number += 1
        let zone = [Zone.defaultName, "A", "B", "C"][Int.random(in: 0..<4, using: &random)]
        let name = "n\(Int.random(in: 0..<5, using: &random))"
        let kind = Int.random(in: 0..<10, using: &random)
        let exists = numbers[zone] != nil
        switch kind {
        case 0, 1:
            guard zone != Zone.defaultName else { return }
            try await database.zones.create(zone)
            if !exists { numbers[zone] = [:] }
        case 2:
            guard exists, zone != Zone.defaultName else { return }
            try await database.zones.delete(zone)
            numbers[zone] = nil
        case 3, 4:
            guard numbers[zone]?[name] != nil else { return }
            try await database.zone(zone).delete("Note", name)
            numbers[zone]?[name] = nil
        default:
            guard exists else { return }
            var record = Record("Note", name: name)
            record["n"] = number
            try await database.zone(zone).save(record, policy: .allFields)
            numbers[zone]?[name] = number
        }
    }
}

@Suite struct DatabaseFeedTests {
    private let server = InMemoryServer()
    private let tokens = MemoryTokenStore()

    /// The private database of a new user.
    private func signUp() async throws -> Database {
        let container = server.makeClient(tokens: tokens).container()
        try await container.signUp("ada", password: "correct horse")
        return container.privateDatabase
    }

    private func put(_ name: String, _ number: Int, _ database: Database) async throws {
        var record = Record("Note", name: name)
        record["n"] = number
        try await database.save(record, policy: .allFields)
    }

    /// Changes a database at random, also during the reading, and compares copies with it.
    private func follow(_ transport: any Transport, _ url: URL, seed: UInt64) async throws {
        let tokens = MemoryTokenStore()
        let meddling = MeddlingTransport(transport, limit: Int(seed % 3) + 1)
        let retry = RetryPolicy(attempts: 1) { _ in }
        let container = Fogbase(url, tokens: tokens, retry: retry, transport: transport).container()
        try await container.signUp("ada", password: "correct horse")
        let followed = Fogbase(url, tokens: tokens, retry: retry, transport: meddling).container().privateDatabase
        let owner = Owner(container.privateDatabase, seed: seed)
        var random = SeededGenerator(seed &+ 100)
        var copies = [Copy(), Copy()]
        for _ in 0..<30 {
            for _ in 0..<Int.random(in: 1...4, using: &random) { try await owner.step() }
            let path = Bool.random(using: &random) ? "/changes" : "/changes/zones"
            if await meddling.waiting == 0 {
                await meddling.before(path) { for _ in 0..<3 { try await owner.step() } }
            }
            let index = Int.random(in: 0..<2, using: &random)
            try await copies[index].follow(followed, most: Int.random(in: 1...8, using: &random))
        }
        for index in copies.indices {
            try await copies[index].follow(followed)
            try await copies[index].follow(followed)
            let written = await owner.written
            #expect(copies[index].written == written)
        }
        let zones = try await container.privateDatabase.zones.all()
        let names = await owner.zones
        #expect(Set(zones.map(\.name)) == names)
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `a copy ends with exactly the records of the database`(seed: UInt64) async throws {
        try await follow(server, server.url, seed: seed)
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `a copy of a real server's database does, too`(seed: UInt64) async throws {
        let live = try LiveServer()
        try await follow(URLSessionTransport(), live.url, seed: seed)
    }

    @Test func `the changed zones come before their records, and the end after them`() async throws {
        let database = try await signUp()
        var copy = Copy()
        try await copy.follow(database)
        #expect(copy.events == ["done"])
        try await database.zones.create("A")
        try await database.zones.create("B")
        try await put("n", 1, try database.zone("B"))
        try await put("n", 2, database)
        try await copy.follow(database)
        #expect(copy.events == ["zones A B _defaultZone", #"B ["n"] []"#, #"_defaultZone ["n"] []"#, "done"])
        try await copy.follow(database)
        #expect(copy.events == ["done"])
        try await database.zone("B").delete("Note", "n")
        try await copy.follow(database)
        #expect(copy.events == ["zones B", #"B [] ["n"]"#, "done"])
    }

    @Test func `a run that ended early continues with the zones that it has not read`() async throws {
        let database = try await signUp()
        for zone in ["A", "B", "C"] {
            try await database.zones.create(zone)
            try await put("n", 1, try database.zone(zone))
        }
        var copy = Copy()
        try await copy.follow(database, most: 2)
        #expect(copy.events == ["zones A B C", #"A ["n"] []"#])
        try await database.zones.delete("B")
        try await copy.follow(database)
        #expect(copy.events == [#"C ["n"] []"#, "zones -B", "done"])
        #expect(copy.numbers == ["A": ["n": 1], "C": ["n": 1]])
    }

    @Test func `a zone that disappears between the calls is left to the next list`() async throws {
        let database = try await signUp()
        let meddling = MeddlingTransport(server)
        let followed = Fogbase(server.url, tokens: tokens, transport: meddling).container().privateDatabase
        try await database.zones.create("A")
        try await put("n", 1, try database.zone("A"))
        var copy = Copy()
        await meddling.before("/changes") { try await database.zones.delete("A") }
        try await copy.follow(followed)
        #expect(copy.events == ["zones A", "done"])
        try await copy.follow(followed)
        #expect(copy.events == ["zones -A", "done"] && copy.numbers.isEmpty)
    }

    @Test func `a zone that is created again between the calls is read from its beginning`() async throws {
        let database = try await signUp()
        let meddling = MeddlingTransport(server)
        let followed = Fogbase(server.url, tokens: tokens, transport: meddling).container().privateDatabase
        try await database.zones.create("A")
        try await put("old", 1, try database.zone("A"))
        var copy = Copy()
        try await copy.follow(followed)
        try await put("old", 2, try database.zone("A"))
        await meddling.before("/changes") {
            try await database.zones.delete("A")
            try await database.zones.create("A")
            try await put("new", 3, try database.zone("A"))
        }
        try await copy.follow(followed)
        #expect(copy.events == ["zones A", "again A", #"A ["new"] []"#, "done"])
        #expect(copy.numbers == ["A": ["new": 3]])
        try await copy.follow(followed)
        #expect(copy.events == ["zones -A A", #"A ["new"] []"#, "done"])
        #expect(copy.numbers == ["A": ["new": 3]])
    }

    @Test func `names that look the same are different zones`() async throws {
        let database = try await signUp()
        let names = ["\u{E9}", "e\u{301}"]
        for name in names { try await database.zones.create(name) }
        var batch = Batch()
        for (index, zone) in (names + names).enumerated() {
            try batch.save(Record("Note", name: "n\(index)"), zone: zone)
        }
        try await database.perform(batch)
        var records: [[String]] = []
        var state: DatabaseChangeFeed.State?
        for try await event in database.zones.changeFeed(since: state) {
            if case .records(let page, _) = event.change { records.append(page.changed.map(\.name)) }
            if event.change == .upToDate { break }
            state = event.state
        }
        #expect(records == [["n0", "n2"], ["n1", "n3"]])
        let text = try JSONEncoder().encode(state)
        #expect(try JSONDecoder().decode(DatabaseChangeFeed.State.self, from: text) == state)
    }

    @Test func `an expired token starts over`() async throws {
        let database = try await signUp()
        try await database.zones.create("A")
        try await put("n", 1, try database.zone("A"))
        var copy = Copy()
        try await copy.follow(database)
        await server.expireChangeTokens()
        try await copy.follow(database)
        #expect(copy.events == ["again", "zones A", #"A ["n"] []"#, "done"])
        #expect(copy.numbers == ["A": ["n": 1]])
    }

    @Test func `an idle feed polls ever more slowly, and waits for a server that fails`() async throws {
        _ = try await signUp()
        let waits = Waits()
        let retry = RetryPolicy(attempts: 1) { try await waits.sleep($0) }
        let database = server.makeClient(tokens: tokens, retry: retry).container().privateDatabase
        var events = database.zones.changeFeed(every: .seconds(2), atMost: .seconds(4)).makeAsyncIterator()
        #expect(try await events.next()?.change == .upToDate)
        waits.before(2) { await server.failNext(status: 503, retryAfter: 7) }
        waits.before(4) { try await database.zones.create("A") }
        guard case .zones(let changes)? = try await events.next()?.change else { throw CancellationError() }
        #expect(changes.map(\.zone.name) == ["A"])
        #expect(waits.all == [2, 3, 7, 4].map { Duration.seconds($0) })
        #expect(try await events.next()?.change == .upToDate)
        waits.before(5) { await server.failNext(status: 403) }
        await #expect(throws: FogbaseError.self) { try await events.next() }
        #expect(waits.all.last == .seconds(2))
    }

    @Test func `the public database and guests have no such feed`() async throws {
        let container = server.makeClient().container()
        var events = container.publicDatabase.zones.changeFeed().makeAsyncIterator()
        await #expect(throws: FogbaseError.self) { try await events.next() }
        var own = container.privateDatabase.zones.changeFeed().makeAsyncIterator()
        await #expect(throws: FogbaseError.self) { try await own.next() }
    }
}
