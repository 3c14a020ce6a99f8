import FogbaseClient
import Foundation
import TestSupport
import Testing

/// The live results of queries.
@Suite struct LiveResultTests {
    struct Item: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case group, rank, weight }

        var group: String
        var rank: Int?
        var weight: Double?
    }

    private static func stored(_ name: String, version: Int = 0) -> Stored<Item> {
        let metadata = RecordMetadata(
            recordType: "Item", name: name, version: String(version), createdAt: .distantPast, creator: "_ada",
            updatedAt: .distantPast, modifier: "_ada")
        return Stored(Item(group: "a"), metadata: metadata)
    }

    // MARK: Changes

    @Test func `changes have the old indices of what goes, and the new ones of what comes`() {
        func changes(_ old: [String], _ new: [String]) -> [LiveResult<Item>.Change] {
            LiveResult(new.map { Self.stored($0) }, after: old.map { Self.stored($0) }).changes
        }
        #expect(changes([], ["a", "b"]) == [.inserted(at: 0), .inserted(at: 1)])
        #expect(changes(["a", "b"], ["a", "b"]).isEmpty)
        #expect(Set(changes(["a", "b", "c"], ["d", "a", "c"])) == [.removed(at: 1), .inserted(at: 0)])
        #expect(changes(["a", "b", "c"], ["c", "a", "b"]) == [.moved(from: 2, to: 0)])
        let new = [Self.stored("c"), Self.stored("a", version: 1), Self.stored("b")]
        let result = LiveResult(new, after: ["a", "b", "c"].map { Self.stored($0) })
        #expect(result.changes == [.moved(from: 2, to: 0), .updated(at: 1)])
    }

    @Test(arguments: 0..<100 as Range<UInt64>) func `changes lead from each list to each other one`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var list: [Stored<Item>] = []
        for _ in 0..<20 {
            var next = list.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }.map { stored in
                Self.stored(stored.id, version: Int.random(in: 0..<2, using: &random))
            }
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let name = "n\(Int.random(in: 0..<30, using: &random))"
                if !next.contains(where: { $0.id == name }) { next.append(Self.stored(name)) }
            }
            if Bool.random(using: &random) { next.shuffle(using: &random) }
            let result = LiveResult(next, after: list)
            #expect(Self.applied(result.changes, to: list, for: next) == next)
            list = next
        }
    }

    /// Updates a list as a table view does: removes old rows, inserts new ones, and reloads those that have changed.
    private static func applied(
        _ changes: [LiveResult<Item>.Change], to list: [Stored<Item>], for next: [Stored<Item>]
    ) -> [Stored<Item>] {
        var (removals, insertions, updates): ([Int], [(Int, Stored<Item>)], [Int]) = ([], [], [])
        for change in changes {
            switch change {
            case .removed(let index): removals.append(index)
            case .inserted(let index): insertions.append((index, next[index]))
            case .moved(let from, let to):
                removals.append(from)
                insertions.append((to, list[from]))
            case .updated(let index): updates.append(index)
            }
        }
        var list = list
        for index in removals.sorted(by: >) { list.remove(at: index) }
        for (index, record) in insertions.sorted(by: { $0.0 < $1.0 }) { list.insert(record, at: index) }
        for index in updates { list[index] = next[index] }
        return list
    }

    // MARK: Histories

    /// What a list in an app shows of a live query.
    private actor Screen {
        private let database: Database
        private let query: Query<Item>
        private var shown: [Stored<Item>]?
        private var failure: (any Error)?

        init(_ query: Query<Item>, in database: Database) {
            self.database = database
            self.query = query
        }

        /// Takes results until the task is canceled.
        func follow() async {
            do {
                for try await result in database.live(query, every: .milliseconds(1), atMost: .milliseconds(1)) {
                    #expect(shown == nil || !result.changes.isEmpty, "A result has no news")
                    let list = LiveResultTests.applied(result.changes, to: shown ?? [], for: result.records)
                    #expect(list == result.records)
                    shown = result.records
                }
            } catch {
                failure = error
            }
        }

        /// Waits until the list is that of a query sent now. Nobody writes meanwhile.
        func settle() async throws {
            // The models can differ: a live query requests its sort fields, too.
            let fresh = try await database.fetch(query).items.map(\.metadata)
            var pauses = Pauses()
            while shown?.map(\.metadata) != fresh {
                if let failure { throw failure }
                try Task.checkCancellation()
                await pauses.pause()
            }
        }
    }

    private static let queries: [Query<Item>] = [
        Query(),
        Query().filter(.group, equals: "a").sorted(by: .createdAt, ascending: false).limit(to: 4),
        Query().filter(.group, equals: "a").sorted(by: .rank).limit(to: 3),
        Query().filter(.rank, atLeast: 2).sorted(by: .weight, ascending: false).sorted(by: .group).limit(to: 5),
        Query().sorted(by: .updatedAt, ascending: false).limit(to: 6),
        Query().filter(.group, in: ["a", "b"]).sorted(by: .rank, ascending: false).sorted(by: .id).limit(to: 2),
        Query().sorted(by: .weight).fields([.group, .rank]),
    ]

    /// Random writes to few records, with many equal values.
    private struct Writer {
        var random: SeededGenerator
        let database: Database

        mutating func item() -> Item {
            Item(
                group: ["a", "b", "c"].randomElement(using: &random) ?? "a",
                rank: [nil, 1, 2, 3].randomElement(using: &random) ?? nil,
                weight: [nil, 0.5, 1, 1.5, 2].randomElement(using: &random) ?? nil)
        }

        /// Creates the type and all fields.
        func begin() async throws {
            try await database.save(record(Item(group: "a", rank: 2, weight: 1), "item-0"), policy: .allFields)
        }

        mutating func step() async throws {
            var names = (0..<30).map { "item-\($0)" }
            names.shuffle(using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                // All of them have one time of creation.
                var batch = Batch()
                for name in names.prefix(Int.random(in: 2...8, using: &random)) {
                    try batch.save(record(item(), name), policy: .allFields)
                }
                _ = try await database.perform(batch, atomically: false)
            case 1...3: _ = try? await database.delete("Item", names[0])
            case 4:
                // Matches only for a moment.
                _ = try? await database.delete("Item", names[1])
                try await database.save(record(Item(group: "a", rank: 3, weight: 2), names[1]), policy: .allFields)
                try await database.save(record(Item(group: "c", rank: 1), names[1]), policy: .allFields)
            default: try await database.save(record(item(), names[0]), policy: .allFields)
            }
        }

        private func record(_ item: Item, _ name: String) -> Record {
            var record = Record("Item", name: name)
            record["group"] = item.group
            record["rank"] = item.rank
            record["weight"] = item.weight
            return record
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: queries.indices)
    func `after each pause of random writes, a live result equals a query sent then`(index: Int) async throws {
        let server = try LiveServer()
        let waits = Waits()
        let tokens = MemoryTokenStore(LiveServer.administratorToken)
        let retry = RetryPolicy(attempts: 1) { try await waits.sleep($0) }
        let database = server.client(tokens: tokens, retry: retry).publicDatabase
        var writer = Writer(random: SeededGenerator(UInt64(index)), database: server.administrator.publicDatabase)
        // Without a record, the type does not exist.
        if index.isMultiple(of: 2) { try await writer.begin() }
        let screen = Screen(Self.queries[index], in: database)
        let following = Task { await screen.follow() }
        defer { following.cancel() }
        try await screen.settle()
        try await writer.begin()
        for round in 0..<16 {
            for _ in 0..<Int.random(in: 1...8, using: &writer.random) { try await writer.step() }
            if round % 10 == 5 {
                server.kill()
                try server.start()
            }
            try await screen.settle()
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: queries.indices)
    func `without streams, a live result equals the query as well`(index: Int) async throws {
        let server = InMemoryServer(administratorToken: "all")
        let database = server.makeClient(tokens: MemoryTokenStore("all")).container().publicDatabase
        var writer = Writer(random: SeededGenerator(UInt64(index)), database: database)
        let screen = Screen(Self.queries[index], in: database)
        let following = Task { await screen.follow() }
        defer { following.cancel() }
        try await screen.settle()
        try await writer.begin()
        for round in 0..<20 {
            for _ in 0..<Int.random(in: 1...4, using: &writer.random) { try await writer.step() }
            if round % 7 == 6 { await server.expireChangeTokens() }
            try await screen.settle()
        }
    }

    // MARK: Requests

    private struct Setup {
        let server: LiveServer
        let transport = WatchedTransport(streamsEvents: true)
        let direct: Database
        let database: Database

        init() throws {
            server = try LiveServer()
            direct = server.administrator.publicDatabase
            database =
                server.client(tokens: MemoryTokenStore(LiveServer.administratorToken), transport: transport)
                .publicDatabase
        }
    }

    @Test(.timeLimit(.minutes(1))) func `changes are sorted by the client, and records that follow are known`()
        async throws
    {
        let setup = try Setup()
        for rank in 1...20 { try await setup.direct.create(Item(group: "a", rank: rank * 10), named: "i\(rank)") }
        let query = Query<Item>().filter(.group, equals: "a").sorted(by: .rank).limit(to: 3)
        var results = setup.database.live(query).makeAsyncIterator()
        func next() async throws -> (ranks: [Int?], changes: Set<LiveResult<Item>.Change>) {
            let result = try #require(try await results.next())
            return (result.records.map(\.rank), Set(result.changes))
        }
        let first = try await next()
        #expect(first.ranks == [10, 20, 30])
        #expect(first.changes == [.inserted(at: 0), .inserted(at: 1), .inserted(at: 2)])
        try await setup.direct.create(Item(group: "a", rank: 15), named: "new")
        let second = try await next()
        #expect(second.ranks == [10, 15, 20] && second.changes == [.inserted(at: 1), .removed(at: 2)])
        try await setup.direct.change(Item.self, "new", .set(.rank, 5))
        let third = try await next()
        #expect(third.ranks == [5, 10, 20] && third.changes == [.moved(from: 0, to: 1), .updated(at: 0)])
        // Leaves by its group, and by deletion.
        try await setup.direct.change(Item.self, "i2", .set(.group, "b"))
        #expect(try await next().ranks == [5, 10, 30])
        try await setup.direct.delete(Item.self, "new")
        let last = try await next()
        #expect(last.ranks == [10, 30, 40] && last.changes == [.removed(at: 0), .inserted(at: 2)])
        // No news: another group, and a place behind the visible ones.
        try await setup.direct.create(Item(group: "b", rank: 1))
        try await setup.direct.create(Item(group: "a", rank: 55))
        try await setup.direct.delete(Item.self, "i1")
        #expect(try await next().ranks == [30, 40, 50])
        #expect(await setup.transport.counts["POST /query"] == 1)
        #expect(await setup.transport.counts["GET /changes text/event-stream"] == 1)
    }

    /// Runs code before and after each request over the network.
    private struct InterposedTransport: Transport {
        enum Time {
            case before, after
        }

        let base = URLSessionTransport()
        let action: @Sendable (_ time: Time, _ call: String) async throws -> Void
        var streamsEvents: Bool { true }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let call = "\(request.method) \(request.url.path)"
            try await action(.before, call)
            let response = try await base.send(request)
            try await action(.after, call)
            return response
        }

        func stream(
            _ request: TransportRequest
        ) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
            try await base.stream(request)
        }
    }

    /// A stream does not report that a record leaves if it never reported the record.
    @Test(.timeLimit(.minutes(1))) func `a record that matches only while the result is loaded does not stay`()
        async throws
    {
        let server = try LiveServer()
        let direct = server.administrator.publicDatabase
        try await direct.create(Item(group: "a", rank: 1), named: "stays")
        let transport = InterposedTransport { time, call in
            guard call == "POST /query" else { return }
            switch time {
            case .before: try await direct.create(Item(group: "a", rank: 2), named: "leaves")
            case .after: try await direct.change(Item.self, "leaves", .set(.group, "b"))
            }
        }
        let tokens = MemoryTokenStore(LiveServer.administratorToken)
        let database = server.client(tokens: tokens, transport: transport).publicDatabase
        let query = Query<Item>().filter(.group, equals: "a").sorted(by: .rank)
        var results = database.live(query).makeAsyncIterator()
        #expect(try await results.next()?.records.map(\.id) == ["stays", "leaves"])
        let last = try await results.next()
        #expect(last?.records.map(\.id) == ["stays"] && last?.changes == [.removed(at: 1)])
    }

    @Test(.timeLimit(.minutes(1))) func `the server decides the order of records that were created at once`()
        async throws
    {
        let setup = try Setup()
        try await setup.direct.create(Item(group: "a", rank: 1), named: "first")
        let query = Query<Item>().sorted(by: .rank).limit(to: 9)
        var results = setup.database.live(query).makeAsyncIterator()
        #expect(try await results.next()?.records.map(\.id) == ["first"])
        var batch = Batch()
        let names = ["d", "b", "c", "a"]
        for name in names { try batch.create(Item(group: "a", rank: 1), named: name) }
        _ = try await setup.direct.perform(batch)
        #expect(try await results.next()?.records.map(\.id) == ["first"] + names)
        #expect(await setup.transport.counts["POST /query"] == 2)
        // Another field does not change the order.
        try await setup.direct.change(Item.self, "b", .set(.weight, 2.0))
        let last = try await results.next()
        #expect(last?.records.map(\.id) == ["first"] + names && last?.changes == [.updated(at: 2)])
        #expect(await setup.transport.counts["POST /query"] == 2)
    }

    @Test(.timeLimit(.minutes(1))) func `a condition that is too long for a URL is polled`() async throws {
        let setup = try Setup()
        try await setup.direct.create(Item(group: "a"), named: "one")
        let groups = ["a"] + (0..<900).map { "group \($0) of many, with a long name" }
        let query = Query<Item>().filter(.group, in: groups)
        var results = setup.database.live(query, every: .milliseconds(1)).makeAsyncIterator()
        #expect(try await results.next()?.records.map(\.id) == ["one"])
        try await setup.direct.create(Item(group: "a"), named: "two")
        #expect(try await results.next()?.records.map(\.id) == ["one", "two"])
        #expect(await setup.transport.counts["GET /changes text/event-stream"] == 1)
    }

    @Test(.timeLimit(.minutes(1))) func `a query that is rejected throws, and cancellation ends the results`()
        async throws
    {
        let setup = try Setup()
        try await setup.direct.create(Item(group: "a"))
        var rejected = setup.database.live(Query<Item>().filter("nothing == 1")).makeAsyncIterator()
        await #expect(throws: FogbaseError.self) { _ = try await rejected.next() }
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let database = setup.database
        let reader = Task {
            for try await _ in database.live(Query<Item>()) { start.yield() }
        }
        var starts = started.makeAsyncIterator()
        _ = await starts.next()
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test(.timeLimit(.minutes(1))) func `records that do not fit the model are reported and count`() async throws {
        let setup = try Setup()
        try await setup.direct.create(Item(group: "a", rank: 1), named: "one")
        var odd = Record("Item", name: "odd")
        odd["rank"] = 0
        try await setup.direct.save(odd)
        var results = setup.database.live(Query<Item>().sorted(by: .rank).limit(to: 2)).makeAsyncIterator()
        let first = try #require(try await results.next())
        #expect(first.records.map(\.id) == ["one"] && first.failures.map(\.recordName) == ["odd"])
        try await setup.direct.create(Item(group: "a", rank: 3), named: "three")
        try await setup.direct.delete("Item", "odd")
        let second = try #require(try await results.next())
        #expect(second.records.map(\.id) == ["one", "three"] && second.failures.isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) func `records appear and vanish with the caller's permissions`() async throws {
        let server = try LiveServer()
        let container = server.client(retry: RetryPolicy(attempts: 1) { _ in })
        let ada = try await container.signUp("ada", password: "correct horse")
        let other = server.client()
        let bob = try await other.signUp("bob", password: "correct horse")
        let direct = other.publicDatabase
        let open: RecordAccess = [.user(ada, .read), .user(bob, .readWrite)]
        try await direct.create(Item(group: "a"), named: "i1", access: open)
        try await direct.create(Item(group: "a"), named: "i2")
        var results = container.publicDatabase.live(Query<Item>().filter(.group, equals: "a")).makeAsyncIterator()
        #expect(try await results.next()?.records.map(\.id) == ["i1", "i2"])
        var record = try await direct.fetch("Item", "i1")
        record.access = .user(bob, .readWrite)
        record = try await direct.save(record)
        #expect(try await results.next()?.records.map(\.id) == ["i2"])
        record.access = open
        try await direct.save(record)
        #expect(try await results.next()?.records.map(\.id) == ["i1", "i2"])
        // Tokens of other roles are too old, so the result is loaded again.
        try await server.put(#"{"members":["\#(ada.recordName)"]}"#, "roles", "editors")
        try await direct.create(Item(group: "a"), named: "i3")
        #expect(try await results.next()?.records.map(\.id) == ["i1", "i2", "i3"])
    }
}
