internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Consecutive events of a feed, composed once for all streams at the same position with the same rights.
package final class FeedEvents: Sendable {
    /// One event. Its bytes end at `end` and begin where the previous event ends.
    package struct Entry: Sendable {
        /// The end of the event in `bytes`.
        package let end: Int
        /// The sequence number of the change.
        let sequence: Int64
    }

    /// The events as composed with an `EventFraming`.
    package let bytes: [UInt8]
    /// The events in order.
    package let entries: [Entry]
    /// The sequence number after the events, and that up to which a reader then has all changes.
    let end: (sequence: Int64, complete: Int64)
    /// Whether more changes exist already.
    package let moreComing: Bool

    init(bytes: [UInt8], entries: [Entry], end: (sequence: Int64, complete: Int64), moreComing: Bool) {
        self.bytes = bytes
        self.entries = entries
        self.end = end
        self.moreComing = moreComing
    }
}

/// The text that a protocol writes around the JSON of each change.
package struct EventFraming: Sendable {
    let change: StaticString
    let leave: StaticString
    let end: StaticString

    /// Creates a framing.
    ///
    /// - Parameters:
    ///   - change: The text before a record or tombstone.
    ///   - leave: The text before a record that left the feed.
    ///   - end: The text after each.
    package init(change: StaticString, leave: StaticString, end: StaticString) {
        self.change = change
        self.leave = leave
        self.end = end
    }
}

/// The events of a read, while it appends them.
struct EventList: FeedOutput {
    let framing: EventFraming
    private(set) var json: [UInt8] = []
    private(set) var entries: [FeedEvents.Entry] = []

    var count: Int { entries.count }
    var bytes: Int { json.count }

    init(_ framing: EventFraming) {
        self.framing = framing
    }

    mutating func append(
        _ kind: FeedChangeKind, sequence: Int64, _ compose: (inout [UInt8]) throws(RecordError) -> Void
    ) throws(RecordError) {
        switch kind {
        case .change: json.appendLiteral(framing.change)
        case .leave: json.appendLiteral(framing.leave)
        }
        try compose(&json)
        json.appendLiteral(framing.end)
        entries.append(FeedEvents.Entry(end: json.count, sequence: sequence))
    }
}

/// A request for the next events of the streams of a group.
struct EventsRequest: PageRequest {
    let group: FeedGroup.Key
    let matcher: RecordMatcher?
    var caller: Caller
    let position: FeedPosition
    let known: Int64
    let framing: EventFraming

    /// The maximum number of events in one read. A client that does not read costs at most these events.
    private static let limit = 200
    private static let bytes = 128 << 10

    func page(by reader: RecordReader, _ time: inout PageTimeLimit) throws(RecordError) -> FeedEvents? {
        // A condition on a type that does not exist yet matches nothing, and there is nothing to match.
        if group.selection.condition != nil, matcher == nil {
            return FeedEvents(
                bytes: [], entries: [], end: (position.token.sequence, position.token.complete), moreComing: false)
        }
        var list = EventList(framing)
        let read = FeedRead(
            position: position, address: group.address, caller: caller, selection: group.selection,
            matcher: matcher.map { FeedMatcher($0, reader, isOnPool: time.endsPage) }, limit: Self.limit,
            pageBytes: min(Self.bytes, reader.database.limits.pageBytes), known: min(known, reader.knownSequence))
        guard let (end, moreComing) = try reader.feed.read(read, into: &list, &time) else { return nil }
        return FeedEvents(
            bytes: list.json, entries: list.entries, end: (end.token.sequence, end.token.complete),
            moreComing: moreComing)
    }
}
