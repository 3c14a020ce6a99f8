internal import Cryptography
internal import Encodings
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The types of messages.
enum WebhookMessageType: String, Sendable {
    case changes = "records.changed"
    /// The receiver must drop what it has: all records follow.
    case reset = "feed.reset"
    case test = "webhook.test"
}

/// A message, and what its delivery changes.
struct WebhookMessage: Sendable {
    let id: String
    let type: WebhookMessageType
    let body: [UInt8]
    let events: Int
    /// The position after the delivery, as a sync token.
    let position: String
    /// The sequence number at which the message ends; `nil` for a reset.
    let last: Int64?
    /// Whether more changes exist already.
    let moreComing: Bool
    /// Whether the position and the end must be stored before the message is sent, for a server that is killed before it
    /// knows that the message arrived: a receiver that has a record because of its condition must learn when it no longer
    /// matches, and a reset has the same ID again.
    var storesEnd = false

    /// Returns the signed request.
    ///
    /// - Parameter now: The time of the attempt, in milliseconds since 1970.
    func request(to row: WebhookRow, keys: DatabaseKeys, now: Int64) -> WebhookRequest {
        let seconds = now / 1_000
        let signatures = row.secrets(keys, now: now).map { $0.signature(id: id, seconds: seconds, body: body) }
        return WebhookRequest(
            url: row.url,
            fields: [
                ("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", String(seconds)),
                ("webhook-signature", signatures.joined(separator: " ")),
            ], body: body)
    }

    /// Returns the ID of a message. A retry of the same content has the same ID, and other content has another one.
    ///
    /// - Parameter parts: What determines the content.
    static func id(_ row: WebhookRow, _ parts: any CustomStringConvertible...) -> String {
        let text = "\(row.publicID) \(row.revision) " + parts.map(\.description).joined(separator: " ")
        return "msg_" + Array(SHA256.hash(utf8: text).bytes.prefix(18)).withUnsafeBytes { Base64URL.encode($0) }
    }

    static func test(of row: WebhookRow, now: Int64) -> WebhookMessage {
        let id = "msg_" + RandomBytes.make(18).withUnsafeBytes { Base64URL.encode($0) }
        return WebhookMessage(
            id: id, type: .test, body: body(.test, of: row, now: now, JSONObject()), events: 0, position: "", last: nil,
            moreComing: false)
    }

    fileprivate static func reset(of row: WebhookRow, _ cursor: WebhookCursor, _ error: RecordError, now: Int64)
        -> WebhookMessage
    {
        WebhookMessage(
            id: id(row, "reset", cursor.position), type: .reset,
            body: body(.reset, of: row, now: now, JSONObject([("reason", .string(error.reason))])), events: 0,
            position: "", last: nil, moreComing: true, storesEnd: cursor.position != row.position)
    }

    /// Returns a body without events.
    private static func body(
        _ type: WebhookMessageType, of row: WebhookRow, now: Int64, _ more: JSONObject
    ) -> [UInt8] {
        var data = JSONObject([("webhook", .string(row.publicID))])
        for member in more.members { data[member.key] = member.value }
        return JSONValue.object(
            JSONObject([("type", .string(type.rawValue)), ("timestamp", .integer(now)), ("data", .object(data))])
        ).bytes
    }

    /// Returns a body with events, which `EventFraming` has separated by commas.
    fileprivate static func body(
        of row: WebhookRow, events: [UInt8], moreComing: Bool, token: String, now: Int64
    ) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(events.count + 512)
        body += Array(
            #"{"type":"\#(WebhookMessageType.changes.rawValue)","timestamp":\#(now),"data":{"webhook":""#.utf8)
        body += Array("\(row.publicID)\",\"events\":[".utf8)
        body += events.dropLast()
        body += Array("],\"moreComing\":\(moreComing),\"token\":\"\(token)\"}}".utf8)
        return body
    }
}

/// Where a webhook stands. A copy in memory is ahead of the row if changes that the webhook does not send were passed.
struct WebhookCursor: Hashable, Sendable {
    /// The revision of the row that the cursor belongs to.
    let revision: Int64
    /// The position as a sync token; empty for the beginning.
    var position: String
    /// The sequence number at which a failed message ended.
    var last: Int64?

    init(_ row: WebhookRow) {
        revision = row.revision
        position = row.position
        last = row.last
    }
}

/// What a webhook must do next.
enum WebhookStep: Sendable {
    /// Nothing until there are more changes, or something about the webhook changes.
    case wait
    case send(WebhookMessage)
    /// Continue behind changes that the webhook does not send.
    case pass(position: String)
    /// Store a position, then continue there.
    case begin(position: String)
    /// Stop for good.
    case disable(reason: String)
    /// Try again soon: the feed cannot be read right now.
    case retry
}

/// Finds out what a webhook must do next, in the snapshot of a reader.
struct WebhookComposer {
    let reader: RecordReader
    let row: WebhookRow
    let cursor: WebhookCursor
    let now: Int64

    /// The maximum number of events in one message.
    private static let maxEvents = 100
    /// The size of a message's records in bytes above which no further event is added.
    private static let maxBytes = 256 << 10
    private static let framing = EventFraming(
        change: #"{"event":"change","record":"#, leave: #"{"event":"leave","record":"#, end: "},")

    static let readerGone = "The key or administrator as which the webhook reads no longer exists, or has expired"
    static let readerLostRight = "The key or administrator as which the webhook reads may no longer manage webhooks"

    /// Judges again the caller as which the webhook reads, and composes the next message.
    ///
    /// - Throws: TRY_AGAIN_LATER or INTERNAL_ERROR if the store fails.
    func step() throws(RecordError) -> WebhookStep {
        let caller: Caller
        do throws(RecordError) {
            caller = try reader.callers.current(row.caller)
        } catch {
            if error.code == .authenticationFailed { return .disable(reason: Self.readerGone) }
            throw error
        }
        guard Authorization.authorize(caller, .manageWebhooks) == .allowed else {
            return .disable(reason: Self.readerLostRight)
        }
        let feed = reader.feed
        let start: FeedPosition
        do throws(RecordError) {
            // A rename is no event: receivers act on changes, and a reset would send them each record again.
            start = try feed.open(
                FeedStart(cursor.position), in: row.address, for: caller, known: reader.knownSequence,
                keepsNames: false)
        } catch {
            if error.isOfLostPosition {
                return .send(.reset(of: row, cursor, error, now: now))
            }
            if error.code == .zoneNotFound {
                // A zone with this name may be created again.
                return cursor.position.isEmpty ? .wait : .send(.reset(of: row, cursor, error, now: now))
            }
            return try rejection(error)
        }
        do throws(RecordError) {
            return try read(start, for: caller)
        } catch {
            return try rejection(error)
        }
    }

    /// Returns the step after an error. A webhook that can never read its feed gives up.
    private func rejection(_ error: RecordError) throws(RecordError) -> WebhookStep {
        // On a machine with less load, the condition may be cheap enough.
        guard error.cause != .queryTooExpensive else { return .retry }
        switch error.code {
        case .badRequest, .accessDenied, .authenticationRequired, .notFound, .zoneNotFound:
            return .disable(reason: error.reason)
        default: throw error
        }
    }

    private func read(_ start: FeedPosition, for caller: Caller) throws(RecordError) -> WebhookStep {
        let feed = reader.feed
        let selection = try WebhookSelection(stored: row.selection).feed()
        let matcher = try feed.matcher(of: selection, in: row.address, for: caller)
        // A condition on a type that does not exist yet matches nothing.
        guard start.zone != nil, selection.condition == nil || matcher != nil else { return .wait }
        // A token also holds the rights of its reader. If they change while a message is retried, the receiver must
        // start from the beginning. So even the beginning gets a token, before anything is sent.
        guard !cursor.position.isEmpty else { return .begin(position: feed.token(of: start, for: caller)) }
        var list = EventList(Self.framing)
        var time = PageTimeLimit(.seconds(1), endsPage: true)
        // A retry ends where the failed message ended, so that its ID never stands for newer content. Records that
        // changed in the meantime have moved behind the end.
        let read = FeedRead(
            position: start, address: row.address, caller: caller, selection: selection,
            matcher: matcher.map { FeedMatcher($0, reader, isOnPool: true) }, limit: Self.maxEvents,
            pageBytes: Self.maxBytes, known: reader.knownSequence, through: cursor.last ?? .max)
        guard let (end, moreComing) = try feed.read(read, into: &list, &time) else { return .retry }
        let position = feed.token(of: end, for: caller)
        guard list.count > 0 else {
            guard end.token.sequence == start.token.sequence else {
                return .pass(position: position)
            }
            // This thread does not know yet what it needs to read on.
            return moreComing ? .retry : .wait
        }
        let (first, last) = (start.token.sequence, end.token.sequence)
        // A restored copy gives the same sequence numbers to other changes, but in another epoch.
        let epoch = try reader.store.openings.epoch(of: last)
        return .send(
            WebhookMessage(
                id: WebhookMessage.id(row, start.token.generation, start.token.rights, first, last, epoch),
                type: .changes,
                body: WebhookMessage.body(
                    of: row, events: list.json, moreComing: moreComing, token: position, now: now),
                events: list.count, position: position, last: last, moreComing: moreComing,
                storesEnd: selection.condition != nil && cursor.last == nil))
    }
}
