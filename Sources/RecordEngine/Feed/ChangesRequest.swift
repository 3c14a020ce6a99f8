package import RecordModel
package import RecordWire

/// A request for a page of a zone's change feed.
package struct ChangesRequest: PageRequest {
    let address: DatabaseAddress
    /// The sender of the request.
    package var caller: Caller
    /// The network of the request, if known; see `PoolUser`.
    package var network: ClientNetwork?
    let since: FeedStart
    let limit: Int
    let selection: FeedSelection
    let opening: StaticString
    /// The protocol in which the changes are written.
    package var face = RecordFace.native
    /// Whether the newest change of the page comes first.
    package var isReversed = false
    /// The sequence number up to which the reader that received the request knows the caller's rights. The reader that
    /// makes the page, on another thread, may know more.
    fileprivate var knownSequence = Int64.max

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - limit: 1 to the configured page size.
    ///   - selection: The changes to return. It has no condition.
    ///   - opening: The protocol's text before the changes.
    package init(
        in address: DatabaseAddress, for caller: Caller, since: FeedStart, limit: Int,
        selection: FeedSelection = FeedSelection(), opening: StaticString = ""
    ) {
        self.address = address
        self.caller = caller
        self.since = since
        self.limit = limit
        self.selection = selection
        self.opening = opening
    }

    /// Makes a page of the change feed.
    ///
    /// - Returns: `nil` if the time limit ends before the page is complete.
    /// - Throws: See `FeedReader.changes`.
    package func page(by reader: RecordReader, _ time: inout PageTimeLimit) throws(RecordError) -> RecordPage? {
        let feed = reader.feed
        let known = min(knownSequence, reader.knownSequence)
        let position = try feed.open(since, in: address, for: caller, known: known)
        var page = RecordPage(opening)
        guard position.zone != nil else {
            page.end = .token("", moreComing: false)
            return page
        }
        let read = FeedRead(
            position: position, address: address, caller: caller, selection: selection, limit: limit,
            pageBytes: reader.database.limits.pageBytes, known: known, face: face)
        var changes = ReversibleChanges(records: page.records)
        guard let end = try feed.read(read, into: &changes, &time) else { return nil }
        if isReversed { changes.records.reverseMembers(startingAt: changes.starts) }
        page.records = changes.records
        page.end = .token(feed.token(of: end.position, for: caller), moreComing: end.moreComing)
        return page
    }
}

extension FeedReader {
    /// Returns the changes of a zone after a sync token, oldest first.
    ///
    /// The feed contains each record once, in its newest state. A deleted record appears as a tombstone. The feed omits
    /// records that the caller may not read, so a page may be short or empty while more changes follow. A page that
    /// takes too long for an event loop is made on a thread of the reader pool.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_EXPIRED if tombstones newer than the token have been deleted, the
    ///   caller's rights have changed, or the token belongs to a lost state of the database; the client must then read
    ///   the feed from its beginning. BAD_REQUEST with cause TOKEN_INVALID for a token of another caller or zone.
    ///   AUTHENTICATION_REQUIRED or ACCESS_DENIED for the private database of another account. ZONE_NOT_FOUND.
    /// - Source: CloudKit Web Services Reference, "Fetching Record Zone Changes".
    package func changes(_ request: ChangesRequest) async throws(RecordError) -> RecordPage {
        var request = request
        request.knownSequence = reader.knownSequence
        return try await reader.page(request)
    }
}

/// A page of changes with the position of each, so that their order can be reversed.
private struct ReversibleChanges: FeedOutput {
    var records: RecordList
    /// The position of each change in the text of the list.
    private(set) var starts: [Int] = []

    init(records: RecordList) {
        self.records = records
    }

    var count: Int { records.count }
    var bytes: Int { records.bytes }

    mutating func append(
        _ kind: FeedChangeKind, sequence: Int64, _ compose: (inout [UInt8]) throws(RecordError) -> Void
    ) throws(RecordError) {
        records.beginMember()
        starts.append(records.json.count)
        try compose(&records.json)
    }
}
