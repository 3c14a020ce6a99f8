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
final class FeedTickets: Sendable {
    /// What a ticket stands for.
    struct Ticket: Sendable {
        /// The path of the route that the ticket is for, such as `/changes`.
        let route: String
        /// The value of the Authorization field; `nil` for an anonymous caller.
        let authorization: String?
        let query: RequestQuery
    }

    private struct Entry: Sendable {
        let ticket: Ticket
        /// In milliseconds since 1970.
        let expires: Int64
    }

    private let entries = Locked<[String: Entry]>([:])

    /// How long a ticket can be used, in milliseconds.
    static let lifetime: Int64 = 60_000
    /// The number of tickets that may be unused at the same time.
    private static let most = 20_000

    /// Creates a ticket.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    /// - Throws: TRY_AGAIN_LATER if too many tickets are unused.
    func issue(_ ticket: Ticket, now: Int64) throws(RecordError) -> String {
        let text = Base64URL.encode(RandomBytes.make(24))
        let isKept = entries.withLock { entries in
            if entries.count >= Self.most { entries = entries.filter { $0.value.expires > now } }
            guard entries.count < Self.most else { return false }
            entries[text] = Entry(ticket: ticket, expires: now + Self.lifetime)
            return true
        }
        guard isKept else {
            throw RecordError(
                .tryAgainLater, "Too many tickets are waiting to be used. Try again later", retryAfter: 60)
        }
        return text
    }

    /// Creates a ticket that stands for the credential and the parameters of a request.
    ///
    /// - Parameter route: The path that the ticket is for.
    /// - Returns: The response with the ticket and the URL of the stream.
    /// - Throws: TRY_AGAIN_LATER if too many tickets are unused.
    func issue(for route: String, to call: RecordCall) throws(RecordError) -> HTTPResponse {
        let now = WallClock.milliseconds
        let ticket = try issue(
            Ticket(route: route, authorization: call.request.fields[.authorization], query: call.query), now: now)
        let path = call.location(of: route)
        let document = JSONObject([
            ("ticket", .string(ticket)), ("url", .string("\(path)\(path.contains("?") ? "&" : "?")ticket=\(ticket)")),
            ("expiresAt", .integer(now + Self.lifetime)),
        ])
        var response = HTTPResponse.json(.object(document), status: .created)
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// Returns what a ticket stands for, and removes the ticket.
    ///
    /// - Parameter route: The method and the path of the request's route, such as `GET /changes`.
    /// - Throws: AUTHENTICATION_FAILED if the ticket is unknown, used, expired or for another route.
    func redeem(_ text: String, for route: StaticString, now: Int64) throws(RecordError) -> Ticket {
        let entry = entries.withLock { $0.removeValue(forKey: text) }
        guard let entry, entry.expires > now, "\(route)" == "GET \(entry.ticket.route)" else {
            throw RecordError(
                .authenticationFailed,
                "The ticket is unknown, used, older than a minute or for another route. Create another with the route of tickets beside this one, such as POST /changes/tickets"
            )
        }
        return entry.ticket
    }
}
