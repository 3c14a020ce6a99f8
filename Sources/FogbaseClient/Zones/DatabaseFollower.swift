internal import RecordModel
internal import RecordWire

/// The state of the iterator of a `DatabaseChangeFeed`.
///
/// It alternates: a page of the list of changed zones, then all changes of these zones. A zone that was deleted since the
/// list was read is left to the next list. It has the deletion, because the deletion is newer than the list's token.
struct DatabaseFollower {
    typealias Event = DatabaseChangeFeed.Event
    typealias Change = DatabaseChangeFeed.Change

    private let feed: DatabaseChangeFeed
    private var state: DatabaseChangeFeed.State
    /// The delay before the next request if the server has no more changes.
    private var wait: Duration
    /// Whether the last page of the list was the last one.
    private var isListRead = false
    /// Whether the app knows that all changes are delivered.
    private var isUpToDate = false
    /// The number of streams in a row without a byte. Some proxies hold responses back until they are complete.
    private var muteStreams = 0
    private static let mostMuteStreams = 2
    /// The zones that have started over and have not accepted a new token yet; `nil` stands for the list.
    private var startedOver: Set<Zone.ID?> = []

    init(_ feed: DatabaseChangeFeed) {
        self.feed = feed
        state = feed.state
        wait = feed.interval
    }

    mutating func next() async throws -> Event {
        while true {
            try Task.checkCancellation()
            do {
                if let zone = state.waiting.first {
                    if let change = try await readRecords(of: zone) { return Event(change: change, state: state) }
                    continue
                }
                if isListRead {
                    if !isUpToDate {
                        isUpToDate = true
                        return Event(change: .upToDate, state: state)
                    }
                    try await waitForChanges()
                }
                if let change = try await readZones() { return Event(change: change, state: state) }
            } catch let error as FogbaseError {
                guard error.isRetryable else { throw error }
                try await pause(error.retryAfter)
            }
        }
    }

    /// Reads a page of the list of changed zones.
    ///
    /// - Returns: The change for the app; `nil` if no zone has changed.
    private mutating func readZones() async throws -> Change? {
        isListRead = false
        let page: ZoneChangePage
        do {
            page = try await feed.zones.changes(since: state.token)
        } catch let error as FogbaseError {
            guard error.isOfToken, state.token != nil else { throw error }
            try await pauseIfStartedOver(nil)
            state = DatabaseChangeFeed.State()
            isUpToDate = false
            return .startOver
        }
        if state.token != nil { startedOver.remove(nil) }
        state.token = page.token
        isListRead = !page.moreComing
        guard !page.isEmpty else { return nil }
        for change in page.changes {
            let zone = change.zone.id
            switch change {
            case .changed:
                if !state.waiting.contains(zone) { state.waiting.append(zone) }
            case .deleted:
                state.zones[zone] = nil
                state.waiting.removeAll { $0 == zone }
            }
        }
        (isUpToDate, wait) = (false, feed.interval)
        return .zones(page.changes)
    }

    /// Reads a page of the changes in the first waiting zone.
    ///
    /// - Returns: The change for the app; `nil` if there is none.
    private mutating func readRecords(of zone: Zone.ID) async throws -> Change? {
        let token = state.zones[zone]
        let page: ChangePage
        do {
            let connection = feed.zones.connection.addressing(zone: zone.name, of: zone.owner)
            page = try await connection.changes(feed.selection, since: token, filling: .empty)
        } catch FogbaseError.zoneNotFound {
            state.waiting.removeFirst()
            return nil
        } catch let error as FogbaseError {
            guard error.isOfToken, token != nil else { throw error }
            try await pauseIfStartedOver(zone)
            state.zones[zone] = nil
            return .zoneStartsOver(zone)
        }
        if token != nil { startedOver.remove(zone) }
        // The server has no token for a default zone that was never written.
        state.zones[zone] = page.token.text.isEmpty ? nil : page.token
        if !page.moreComing { state.waiting.removeFirst() }
        return page.isEmpty ? nil : .records(page, zone: zone)
    }

    /// Waits until the server has a change: on a stream of changed zones, or without one for some time.
    private mutating func waitForChanges() async throws {
        let connection = feed.zones.connection
        if muteStreams < Self.mostMuteStreams, connection.transport.streamsEvents, let token = state.token {
            var call = Call("GET", "changes", "zones")
            call.query.append(("since", token.text))
            do {
                let stream = try await EventStream.open(call, by: connection)
                guard let stream else {
                    muteStreams = Self.mostMuteStreams
                    return try await pause(nil)
                }
                muteStreams += 1
                while try await stream.receive() {
                    muteStreams = 0
                    // The next page of the list says what has changed, or what is wrong.
                    if stream.events.contains(where: { $0.type != "caughtup" }) { return }
                    stream.events = []
                }
            } catch  where error is FogbaseError || error is TransportError {
                // The response to the next request says whether the error is permanent.
            }
        }
        try await pause(nil)
    }

    /// Waits if the server rejects each new token of a zone, or of the list.
    private mutating func pauseIfStartedOver(_ zone: Zone.ID?) async throws {
        if !startedOver.insert(zone).inserted { try await pause(nil) }
    }

    /// Waits before the next request, and multiplies the following delay by 1.5.
    private mutating func pause(_ asked: Duration?) async throws {
        let now = max(wait, asked ?? .zero)
        wait = min(wait * 1.5, feed.longestInterval)
        try await feed.zones.connection.retry.sleep(now)
        // A client of `InMemoryServer` does not wait, and its server responds without a suspension. Other tasks must run.
        await Task.yield()
    }
}
