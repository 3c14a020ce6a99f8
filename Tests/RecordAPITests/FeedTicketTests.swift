import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// The room for tickets.
@Suite struct FeedTicketTests {
    private static let now: Int64 = 1_800_000_000_000

    private static func ticket(
        _ authorization: String? = nil, route: String = "/changes", query: String? = nil
    ) throws -> FeedTickets.Ticket {
        let target = try #require(RequestTarget("/changes" + (query.map { "?where=\($0)" } ?? "")))
        return FeedTickets.Ticket(
            route: route, authorization: authorization,
            query: query == nil ? RequestQuery() : try RequestQuery(target, names: ["where"], []))
    }

    private static func address(_ number: Int) throws -> RateLimiter.Holder {
        .address(try #require(IPAddress("192.0.2.\(number)")))
    }

    private static func isGood(
        _ text: String, _ tickets: FeedTickets, route: StaticString = "GET /changes", after milliseconds: Int64 = 0
    ) -> Bool {
        (try? tickets.redeem(text, for: route, now: now + milliseconds)) != nil
    }

    @Test func `a caller's oldest ticket makes room, and nobody else's`() throws {
        let tickets = FeedTickets()
        let other = tickets.issue(try Self.ticket(), to: try Self.address(1), now: Self.now)
        let own = try (0..<101).map { _ in
            tickets.issue(try Self.ticket(), to: try Self.address(2), now: Self.now)
        }
        #expect(!Self.isGood(own[0], tickets))
        for text in own.dropFirst() { #expect(Self.isGood(text, tickets)) }
        #expect(Self.isGood(other, tickets))
        #expect(!Self.isGood(other, tickets), "used")
    }

    @Test func `a crowd of anonymous callers takes no ticket of a known one, nor of a backup`() throws {
        let tickets = FeedTickets(
            limits: TicketPool.Limits(each: 10, bytesEach: 100_000, all: 50, bytesOfAll: 1_000_000))
        let known = tickets.issue(try Self.ticket("Bearer x"), to: .administrator(7), now: Self.now)
        let backup = tickets.issue(
            try Self.ticket("Bearer x", route: FeedTickets.backupRoute), to: .administrator(7), now: Self.now)
        var last = ""
        for number in 0..<2_000 {
            last = tickets.issue(try Self.ticket(), to: try Self.address(number % 250), now: Self.now)
        }
        #expect(Self.isGood(known, tickets) && Self.isGood(last, tickets))
        #expect(Self.isGood(backup, tickets, route: "GET /backup/archive/file"))
    }

    @Test func `tickets are few, small and short-lived`() throws {
        var pool = TicketPool(TicketPool.Limits(each: 10, bytesEach: 4_000, all: 50, bytesOfAll: 20_000))
        let large = try Self.ticket(query: String(repeating: "x", count: 3_000))
        func add(_ ticket: FeedTickets.Ticket, _ text: String, _ holder: Int, at time: Int64) throws {
            pool.add(
                TicketPool.Entry(
                    ticket: ticket, bytes: 3_300, holder: try Self.address(holder), expires: time + 60_000),
                as: text, now: time)
        }
        try add(large, "a", 1, at: Self.now)
        try add(large, "b", 1, at: Self.now)
        #expect(pool.remove("a") == nil && pool.remove("b") != nil, "the share of one caller")
        for number in 0..<500 { try add(large, "c\(number)", number % 250, at: Self.now) }
        #expect(pool.load.tickets <= 12 && pool.load.bytes <= 40_000, "\(pool.load)")
        // After two minutes, nothing of it is left.
        try add(large, "d", 1, at: Self.now + 60_000)
        try add(large, "e", 1, at: Self.now + 120_000)
        #expect(pool.load.tickets == 2, "\(pool.load)")
        // A clock that was set back keeps no generation for ever.
        try add(large, "f", 1, at: Self.now - 1_000_000)
        try add(large, "g", 1, at: Self.now - 2_000_000)
        #expect(pool.load.tickets == 2, "\(pool.load)")
        let tickets = FeedTickets()
        let old = tickets.issue(try Self.ticket(), to: try Self.address(1), now: Self.now)
        #expect(!Self.isGood(old, tickets, after: 60_000))
    }

    @Test func `twenty thousand anonymous tickets leave an owner's`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let first = await database.call(.post, "/backup/archive/tickets", as: .administrator)
        let feed = await database.call(.post, "/changes/tickets", as: .administrator)
        for _ in 0..<20_001 {
            _ = database.api.tickets.issue(try Self.ticket(), to: try Self.address(9), now: Self.now)
        }
        let next = await database.call(.post, "/changes/tickets")
        #expect(first.status == 201 && feed.status == 201 && next.status == 201, "\(next.text)")
        #expect(await database.call(.post, "/backup/archive/tickets", as: .administrator).status == 201)
        let url = try #require(feed.json?["url"]?.string)
        let stream = await database.call(.get, url, headers: [("Accept", "text/event-stream")])
        #expect(stream.status == 200, "\(stream.text)")
    }
}
