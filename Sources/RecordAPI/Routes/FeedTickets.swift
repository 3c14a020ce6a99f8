internal import Cryptography
internal import Encodings
internal import HTTP
internal import RecordModel
internal import RecordWire
internal import Threads

/// The tickets with which browsers open event streams and download files. The `EventSource` of browsers and their links
/// cannot send an Authorization field.
///
/// A ticket is for one route, is used once and expires after a minute. It stands for the credential and the parameters
/// of the request that created it. Tickets are in memory only: after a restart, a client creates a new ticket.
///
/// Each caller has a share, in which its oldest ticket makes room for a new one. Anonymous callers, callers with a
/// credential, and the downloads of backups have room of their own. So nobody takes the tickets of others.
final class FeedTickets: Sendable {
    /// What a ticket stands for.
    struct Ticket: Sendable {
        /// The path of the route that the ticket is for, such as `/changes`.
        let route: String
        /// The value of the Authorization field; `nil` for an anonymous caller.
        let authorization: String?
        let query: RequestQuery

        /// The approximate size in memory.
        fileprivate var bytes: Int { 256 + route.utf8.count + (authorization?.utf8.count ?? 0) + query.bytes }
    }

    /// The callers whose tickets are kept together.
    private enum Pool: Int, CaseIterable {
        case anonymous, known, backups
    }

    private let pools: Locked<[TicketPool]>

    /// How long a ticket can be used, in milliseconds.
    static let lifetime: Int64 = 60_000
    /// The path for which backups are downloaded.
    static let backupRoute = "/backup/archive/file"

    /// Creates an empty table.
    ///
    /// - Parameter limits: The limits of each pool.
    init(limits: TicketPool.Limits = TicketPool.Limits()) {
        pools = Locked(Pool.allCases.map { _ in TicketPool(limits) })
    }

    /// Creates a ticket. If its holder has too many, the holder's oldest one ends.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    func issue(_ ticket: Ticket, to holder: RateLimiter.Holder, now: Int64) -> String {
        let text = Base64URL.encode(RandomBytes.make(24))
        let pool: Pool =
            ticket.route == Self.backupRoute ? .backups : ticket.authorization == nil ? .anonymous : .known
        let entry = TicketPool.Entry(
            ticket: ticket, bytes: ticket.bytes, holder: holder, expires: now + Self.lifetime)
        pools.withLock { $0[pool.rawValue].add(entry, as: text, now: now) }
        return text
    }

    /// Creates a ticket that stands for the credential and the parameters of a request.
    ///
    /// - Parameter route: The path that the ticket is for.
    /// - Returns: The response with the ticket and the URL of the stream.
    func issue(for route: String, to call: RecordCall) -> HTTPResponse {
        let now = WallClock.milliseconds
        let sender = call.administrator ?? call.caller
        let holder =
            RateLimiter.Holder(sender, of: call.database)
            ?? .address(call.request.client?.customer ?? RateLimiter.unknownClient)
        let ticket = issue(
            Ticket(route: route, authorization: call.request.fields[.authorization], query: call.query), to: holder,
            now: now)
        let path = call.location(of: route)
        let document = JSONObject([
            ("ticket", .string(ticket)), ("url", .string("\(path)\(path.contains("?") ? "&" : "?")ticket=\(ticket)")),
            ("expiresAt", .integer(now + Self.lifetime)),
        ])
        var response = HTTPResponse.json(.object(document), status: .created)
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// A ticket that was used.
    final class Redeemed: Sendable {
        fileprivate let text: String
        fileprivate let entry: TicketPool.Entry
        fileprivate let pool: Int

        var ticket: Ticket { entry.ticket }

        fileprivate init(_ text: String, _ entry: TicketPool.Entry, from pool: Int) {
            (self.text, self.entry, self.pool) = (text, entry, pool)
        }
    }

    /// Replaces the credential and the parameters of a request by those of its ticket, and removes the ticket.
    ///
    /// - Parameter route: The method and the path of the request's route, such as `GET /changes`.
    /// - Throws: AUTHENTICATION_FAILED; BAD_REQUEST if the request has other parameters than `since`.
    func redeem(
        _ text: String, for route: StaticString, in request: inout HTTPRequest, _ query: inout RequestQuery
    ) throws(RecordError) -> Redeemed {
        let redeemed = try redeem(text, for: route, now: WallClock.milliseconds)
        query = try redeemed.ticket.query.resumed(by: query)
        request.fields.remove(.authorization)
        if let authorization = redeemed.ticket.authorization { request.fields.append(.authorization, authorization) }
        return redeemed
    }

    /// Returns what a ticket stands for, and removes the ticket.
    ///
    /// - Parameter route: The method and the path of the request's route, such as `GET /changes`.
    /// - Throws: AUTHENTICATION_FAILED if the ticket is unknown, used, expired or for another route.
    func redeem(_ text: String, for route: StaticString, now: Int64) throws(RecordError) -> Redeemed {
        let redeemed = pools.withLock { pools -> Redeemed? in
            for index in pools.indices {
                if let entry = pools[index].remove(text) { return Redeemed(text, entry, from: index) }
            }
            return nil
        }
        guard let redeemed, redeemed.entry.expires > now, "\(route)" == "GET \(redeemed.ticket.route)" else {
            throw RecordError(
                .authenticationFailed,
                "The ticket is unknown, used, older than a minute or for another route. Create another with the route of tickets beside this one, such as POST /changes/tickets"
            )
        }
        return redeemed
    }

    /// Puts a ticket back whose request got nothing but the time of the next attempt. It is valid for another minute.
    func restore(_ redeemed: Redeemed, now: Int64) {
        var entry = redeemed.entry
        entry.expires = now + Self.lifetime
        pools.withLock { $0[redeemed.pool].add(entry, as: redeemed.text, now: now) }
    }
}

/// Tickets in two generations. When the newer generation is a minute old or full, the older one is dropped, and the newer
/// one becomes the older one. So no table is ever searched for what has expired.
struct TicketPool: Sendable {
    /// The limits of one generation.
    struct Limits: Sendable {
        /// The number of tickets of one holder.
        var each = 100
        /// The size of the tickets of one holder. One ticket may be larger.
        var bytesEach = 262_144
        /// The number of all tickets.
        var all = 20_000
        /// The size of all tickets.
        var bytesOfAll = 16_777_216
    }

    struct Entry: Sendable {
        let ticket: FeedTickets.Ticket
        let bytes: Int
        let holder: RateLimiter.Holder
        /// In milliseconds since 1970.
        var expires: Int64
    }

    private struct Share: Sendable {
        /// Oldest first.
        var tickets: [String] = []
        var bytes = 0
    }

    private struct Generation: Sendable {
        var entries: [String: Entry] = [:]
        var shares: [RateLimiter.Holder: Share] = [:]
        var bytes = 0

        mutating func remove(_ text: String) -> Entry? {
            guard let entry = entries.removeValue(forKey: text) else { return nil }
            bytes -= entry.bytes
            // A share is small enough to be searched.
            shares[entry.holder]?.tickets.removeAll { $0 == text }
            shares[entry.holder]?.bytes -= entry.bytes
            if shares[entry.holder]?.tickets.isEmpty ?? false { shares[entry.holder] = nil }
            return entry
        }
    }

    private var newer = Generation()
    private var older = Generation()
    /// When the newer generation began, in milliseconds since 1970.
    private var began: Int64 = 0
    private let limits: Limits

    init(_ limits: Limits) { self.limits = limits }

    /// The number of tickets and their size.
    var load: (tickets: Int, bytes: Int) {
        (newer.entries.count + older.entries.count, newer.bytes + older.bytes)
    }

    mutating func add(_ entry: Entry, as text: String, now: Int64) {
        // A clock that was set back must not keep a generation for longer.
        if now - began >= FeedTickets.lifetime || now < began || newer.entries.count >= limits.all
            || newer.bytes + entry.bytes > limits.bytesOfAll
        {
            (older, newer, began) = (newer, Generation(), now)
        }
        while let share = newer.shares[entry.holder], let oldest = share.tickets.first,
            share.tickets.count >= limits.each || share.bytes + entry.bytes > limits.bytesEach
        { _ = newer.remove(oldest) }
        newer.entries[text] = entry
        newer.shares[entry.holder, default: Share()].tickets.append(text)
        newer.shares[entry.holder, default: Share()].bytes += entry.bytes
        newer.bytes += entry.bytes
    }

    mutating func remove(_ text: String) -> Entry? { newer.remove(text) ?? older.remove(text) }
}
