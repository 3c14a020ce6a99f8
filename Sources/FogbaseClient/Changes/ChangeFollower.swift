/// A page of changes, of which a feed is made.
protocol FeedPage: Sendable {
    var token: ChangeToken { get }
    var moreComing: Bool { get }
    /// How many changes the server has sent, those of types that nobody asked for among them.
    var count: Int { get }
}

/// Goes from page to page of a database's changes, and waits where there is none.
struct ChangeFollower<Page: FeedPage> {
    enum Event {
        case changes(Page)
        case startOver
    }

    let connection: Connection
    let interval: Duration
    let longestInterval: Duration
    let read: @Sendable (ChangeToken?) async throws -> Page
    var token: ChangeToken?
    /// How long to wait the next time.
    var wait: Duration
    /// Whether to wait before asking.
    var isIdle = false
    /// Whether the app has been told that it has everything.
    var isUpToDate = false
    /// Whether the token before this one was worth nothing either.
    var hasStartedOver = false

    init(
        _ connection: Connection, since token: ChangeToken?, every interval: Duration, atMost longestInterval: Duration,
        read: @escaping @Sendable (ChangeToken?) async throws -> Page
    ) {
        self.connection = connection
        self.token = token
        self.interval = interval
        self.longestInterval = longestInterval
        self.read = read
        wait = interval
    }

    mutating func next() async throws -> Event {
        while true {
            if isIdle { try await pause(nil) }
            do {
                let page = try await read(token)
                if take(page) { return .changes(page) }
            } catch let error as FogbaseError {
                if try await startsOver(error) { return .startOver }
            }
        }
    }

    /// Takes note of a page, and tells whether the app is to see it.
    private mutating func take(_ page: Page) -> Bool {
        if token != nil { hasStartedOver = false }
        token = page.token
        if page.count > 0 { wait = interval }
        isIdle = !page.moreComing
        // Where all changes are of types that nobody asked for, the token is news.
        let isNews = page.count > 0 || (!page.moreComing && !isUpToDate)
        isUpToDate = !page.moreComing
        return isNews
    }

    /// Waits where that helps, and tells whether the token is worth nothing any more.
    private mutating func startsOver(_ error: FogbaseError) async throws -> Bool {
        let isLost: Bool
        if case .tokenExpired = error { isLost = true } else { isLost = error.refusal?.cause == .tokenInvalid }
        if isLost, token != nil {
            // A server of which every token is old shall not be asked for everything without end.
            isIdle = hasStartedOver
            hasStartedOver = true
            token = nil
            isUpToDate = false
            return true
        }
        guard error.isRetryable else { throw error }
        // It waits here, and need not do so once more before it asks.
        isIdle = false
        try await pause(error.retryAfter)
        return false
    }

    /// Waits, each time longer than before.
    private mutating func pause(_ asked: Duration?) async throws {
        let now = max(wait, asked ?? .zero)
        wait = min(wait * 1.5, longestInterval)
        try await connection.retry.sleep(now)
    }
}
