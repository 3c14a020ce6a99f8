internal import RecordWire

/// A page of a change feed.
protocol FeedPage: Sendable {
    var token: ChangeToken { get set }
    var moreComing: Bool { get set }
    /// Whether the page has nothing to deliver.
    var isEmpty: Bool { get }
    /// Appends the scanner's current record.
    ///
    /// - Parameter isRemoved: Whether the record was deleted, or left the feed.
    mutating func append(_ scanner: inout RecordScanner, isRemoved: Bool) throws
    /// Notes that a stream has delivered all changes up to now.
    mutating func catchUp()
}

extension FeedPage {
    mutating func catchUp() {}
}

/// The state of a change feed's iterator.
///
/// It fetches page after page. When the server has no more changes, it waits for changes on a stream, and without one it
/// polls. After each stream, a page follows: its response says why a stream cannot be opened, and the page continues
/// where the stream has ended.
struct ChangeFollower<Page: FeedPage> {
    enum Event {
        case changes(Page)
        case startOver
    }

    private let feed: FeedRequest
    private let emptyPage: Page
    private var token: ChangeToken?
    /// The delay before the next request if the server has no more changes.
    private var wait: Duration
    /// Whether to wait before the next request.
    private var isIdle = false
    /// Whether the last page had all remaining changes.
    private var isUpToDate = false
    /// Whether the feed has started over and has not received a page with the new token yet.
    private var hasStartedOver = false
    private var streaming: StreamState

    /// What the feed knows about streams.
    private struct StreamState {
        var stream: EventStream?
        /// The time for which the feed still polls; `nil` if the transport cannot stream.
        var pollingTime: Duration?
        /// The number of failed streams and requests since the last event.
        var failures = 0
        /// The number of streams in a row without a byte.
        var muteStreams = 0
    }

    private var connection: Connection { feed.connection }

    /// Whether the last event came from a stream.
    var isStreaming: Bool { streaming.stream != nil }

    /// Creates the state of a feed that starts with a page.
    ///
    /// - Parameter emptyPage: A page without changes, which the feed fills.
    init(_ feed: FeedRequest, filling emptyPage: Page) {
        self.feed = feed
        self.emptyPage = emptyPage
        token = feed.token
        wait = feed.interval
        streaming = StreamState(pollingTime: feed.connection.transport.streamsEvents ? .zero : nil)
    }

    mutating func next() async throws -> Event {
        while true {
            if isIdle, let event = try await waitForChanges() { return event }
            do {
                let page = try await feed.connection.changes(feed.selection, since: token, filling: emptyPage)
                if take(page) { return .changes(page) }
            } catch let error as FogbaseError {
                if try await startsOver(error) { return .startOver }
            }
        }
    }

    /// Updates the state after a page was received. Returns whether to deliver the page to the app.
    private mutating func take(_ page: Page) -> Bool {
        if token != nil { hasStartedOver = false }
        token = page.token
        if !page.isEmpty { wait = feed.interval }
        isIdle = !page.moreComing
        let isNews = !page.isEmpty || (!page.moreComing && !isUpToDate)
        isUpToDate = !page.moreComing
        return isNews
    }

    /// Waits after a temporary error, and throws other errors. Returns `true` if the token has expired and the feed
    /// starts over.
    private mutating func startsOver(_ error: FogbaseError) async throws -> Bool {
        if error.isOfToken, token != nil {
            startOver()
            return true
        }
        try await wait(after: error)
        return false
    }

    /// Waits after a temporary error, and throws other errors.
    mutating func wait(after error: FogbaseError) async throws {
        guard error.isRetryable else { throw error }
        // The next line waits, so the next request needs no further delay.
        isIdle = false
        if streaming.pollingTime == .zero {
            try await backOff(asked: error.retryAfter)
        } else {
            try await pause(error.retryAfter)
        }
    }

    /// Continues after a token. Everything up to it is known, so the feed waits for changes first.
    mutating func restart(after token: ChangeToken) {
        self.token = token
        streaming.stream = nil
        (isIdle, isUpToDate) = (true, true)
    }

    private mutating func startOver() {
        // If the server rejects every token, start over only after a delay.
        isIdle = hasStartedOver
        hasStartedOver = true
        token = nil
        isUpToDate = false
    }

    /// Waits before the next request, and multiplies the following delay by 1.5.
    private mutating func pause(_ asked: Duration?) async throws {
        let now = max(wait, asked ?? .zero)
        wait = min(wait * 1.5, feed.longestInterval)
        if let left = streaming.pollingTime { streaming.pollingTime = max(.zero, left - now) }
        try await connection.retry.sleep(now)
        // A client of `InMemoryServer` does not wait, and its server responds without a suspension. Other tasks must run.
        await Task.yield()
    }
}

// MARK: - Streams

extension ChangeFollower {
    /// Waits until the server has changes.
    ///
    /// - Returns: An event from a stream; `nil` if the feed must fetch a page.
    private mutating func waitForChanges() async throws -> Event? {
        guard let token, streaming.pollingTime == .zero else {
            try await pause(nil)
            return nil
        }
        var problem: FogbaseError?
        do {
            if streaming.stream == nil {
                let call = feed.selection.call(since: token, streams: true)
                let opened = try await EventStream.open(call, since: token, by: connection)
                guard let opened else { return try await poll() }
                streaming.stream = opened
            }
            while let stream = streaming.stream {
                if let event = try take(stream) { return event }
                guard try await stream.receive() else { break }
            }
        } catch let error as FogbaseError {
            if error.isOfStreaming { return try await poll() }
            problem = error
        } catch let error as TransportError {
            problem = .responseLost("\(error)")
        }
        try await endStream(problem)
        return nil
    }

    /// Polls for some time, because the server or a proxy does not stream.
    private mutating func poll() async throws -> Event? {
        (streaming.stream, streaming.pollingTime) = (nil, connection.streaming.pollingTime)
        try await pause(nil)
        return nil
    }

    /// Waits after a stream has ended, or could not be opened.
    private mutating func endStream(_ problem: FogbaseError?) async throws {
        let stream = streaming.stream
        streaming.stream = nil
        if case .unreachable? = problem {
            // This does not depend on the kind of request.
        } else if stream?.hasReceived == true {
            streaming.muteStreams = 0
        } else if stream != nil || problem?.isLostResponse == true {
            streaming.muteStreams += 1
            if streaming.muteStreams > 1 {
                (streaming.muteStreams, streaming.pollingTime) = (0, connection.streaming.pollingTime)
            }
        }
        // A session that has ended, or a token that has expired: the response to the next page says what to do.
        let isFinal = problem.map { !$0.isRetryable } ?? false
        if !isFinal || streaming.failures > 0 {
            try await backOff(asked: [problem?.retryAfter, stream?.retry].compactMap(\.self).max())
        } else {
            streaming.failures += 1
        }
    }

    private mutating func backOff(asked: Duration?) async throws {
        let delay = connection.streaming.delay(after: streaming.failures, asked: asked)
        streaming.failures += 1
        try await connection.retry.sleep(delay)
    }

    /// Uses the events that have arrived.
    ///
    /// - Returns: An event for the app; `nil` if there is none yet.
    /// - Throws: `FogbaseError` if the server ends the stream because of an error.
    private mutating func take(_ stream: EventStream) throws -> Event? {
        guard let token else { return nil }
        var page = emptyPage
        page.token = token
        var names: Set<String> = []
        var isCaughtUp = false
        while let event = stream.events.first {
            switch event.type {
            case "change", "leave":
                let isTaken = try event.readRecord { scanner in
                    // A page has each record once.
                    guard names.insert(scanner.head.recordName).inserted else { return false }
                    try page.append(&scanner, isRemoved: scanner.head.deleted || event.type == "leave")
                    return true
                }
                guard isTaken else { return deliver(page) }
            case "caughtup":
                isCaughtUp = true
                page.catchUp()
            case "reset":
                if !page.isEmpty { return deliver(page) }
                streaming.stream = nil
                startOver()
                return .startOver
            case "end":
                if !page.isEmpty { return deliver(page) }
                throw event.error
            default: break
            }
            streaming.failures = 0
            page.token = ChangeToken(event.lastID)
            stream.events.removeFirst()
        }
        // An id without an event: the feed has moved behind changes that it does not show.
        let hasMoved = !isCaughtUp && stream.token != page.token
        page.token = stream.token
        if !page.isEmpty || hasMoved { return deliver(page) }
        self.token = page.token
        return nil
    }

    private mutating func deliver(_ page: Page) -> Event {
        token = page.token
        (hasStartedOver, wait) = (false, feed.interval)
        return .changes(page)
    }
}

extension ServerSentEvent {
    /// Reads the data, which must be a record or a tombstone.
    ///
    /// - Throws: `FogbaseError.notFogbase` if it is not, or the error of `body`.
    func readRecord<Value>(_ body: (inout RecordScanner) throws -> Value) throws -> Value {
        try data.withUnsafeBytes { bytes in
            var scanner = RecordScanner(bytes)
            do throws(JSONError) { try scanner.readDocument() } catch {
                throw FogbaseError.notFogbase(status: 200, "An event has no record: \(error.reason)")
            }
            return try body(&scanner)
        }
    }

    /// The error in the data of an `end` event.
    var error: FogbaseError {
        guard let tree = try? JSONValue.parse(data) else {
            return .notFogbase(status: 200, "The stream ended with an error without a reason")
        }
        return FogbaseError(tree, status: nil)
    }
}

extension FogbaseError {
    /// Whether the sync token has expired or is not valid.
    var isOfToken: Bool {
        if case .tokenExpired = self { return true }
        return serverError?.cause == .tokenInvalid
    }

    /// Whether the response to a request for a stream is not from the server, or the server does not accept the
    /// request: it has no streams, or the condition is too long for a URL.
    var isOfStreaming: Bool {
        if case .notFogbase = self { return true }
        return status == 406 || status == 414
    }

    fileprivate var isLostResponse: Bool {
        if case .responseLost = self { return true }
        return false
    }
}
