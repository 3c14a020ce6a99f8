internal import RecordWire

/// The state of a live query's iterator: a window of the result, and a feed of its changes.
///
/// A result is loaded in this order, so that no change is missed:
///
/// 1. A sync token is taken.
/// 2. The query is sent. Its result may have changes after the token.
/// 3. The names of the records that have changed since the token are fetched.
/// 4. The stream starts at the token. It repeats the changes of step 2, except those of records that were created after
///    the token and no longer match: a stream does not report that a record leaves if the client never had it. So
///    records of step 3 that the stream has not delivered when it is caught up are removed.
///
/// Without streams, a feed of pages says that something has changed, and the result is loaded again.
struct LiveFollower<Model: RecordDecodable> {
    private let connection: Connection
    private let query: Query<Model>
    private let selection: FeedSelection
    private var order: LiveOrder
    private var window: LiveWindow<Model>
    private var feed: ChangeFollower<LivePage<Model>>
    private var step = Step.load(since: nil)
    /// The records of the result that the stream must confirm until it is caught up.
    private var unconfirmed: Set<String> = []
    /// The last result that was delivered; `nil` before the first.
    private var shown: [Stored<Model>]?
    private var shownFailures: [FogbaseError] = []

    private enum Step {
        /// Load the result. Everything before the token is known; `nil` is now.
        case load(since: ChangeToken?)
        /// Follow the changes.
        case follow
    }

    init(_ connection: Connection, _ query: Query<Model>, every interval: Duration, atMost longestInterval: Duration) {
        let limit = query.pageSize ?? RequestSizes.shortPage
        self.connection = connection
        order = LiveOrder(query.sorts)
        var query = query
        if let fields = query.desiredFields {
            query.desiredFields = fields + order.fields.filter { !fields.contains($0) }
        }
        self.query = query
        window = LiveWindow(limit: limit, capacity: LiveWindow<Model>.capacity(for: limit))
        selection = FeedSelection(
            types: [Model.recordType], fields: query.desiredFields,
            condition: query.filter.map { ($0.text, $0.arguments) })
        let request = FeedRequest(
            connection: connection, selection: selection, token: nil, interval: interval,
            longestInterval: max(interval, longestInterval))
        feed = ChangeFollower(request, filling: LivePage(order: order))
    }

    mutating func next() async throws -> LiveResult<Model> {
        while true {
            switch step {
            case .load(let token):
                do {
                    try await load(since: token)
                } catch let error as FogbaseError {
                    if error.isOfToken, token != nil {
                        step = .load(since: nil)
                    } else {
                        try await feed.wait(after: error)
                    }
                    continue
                }
            case .follow:
                switch try await feed.next() {
                case .startOver: step = .load(since: nil)
                case .changes(let page): take(page)
                }
            }
            if case .follow = step, let result = news() { return result }
        }
    }

    /// The result, if it differs from the last one that was delivered.
    private mutating func news() -> LiveResult<Model>? {
        let (records, failures) = window.visible
        let result = LiveResult(records, after: shown ?? [], failures: failures)
        guard shown == nil || !result.changes.isEmpty || failures != shownFailures else { return nil }
        (shown, shownFailures) = (records, failures)
        return result
    }

    // MARK: Changes

    private mutating func take(_ page: LivePage<Model>) {
        guard feed.isStreaming else {
            // A page does not say which records match.
            if !page.changes.isEmpty || !unconfirmed.isEmpty { step = .load(since: page.token) }
            return
        }
        order.learn(from: page.order)
        for change in page.changes {
            unconfirmed.remove(change.name)
            switch change {
            case .remove(let name): window.remove(name)
            case .put(let entry):
                guard window.put(entry, in: order) else {
                    step = .load(since: page.token)
                    return
                }
            }
        }
        if page.isCaughtUp {
            for name in unconfirmed { window.remove(name) }
            unconfirmed = []
        }
        if window.isShort { step = .load(since: page.token) }
    }

    // MARK: Loading

    private mutating func load(since known: ChangeToken?) async throws {
        let token: ChangeToken
        if let known {
            token = known
        } else {
            token = try await connection.changes(selection, since: .now, limit: 1, filling: NamesPage()).token
        }
        do {
            try await fill()
        } catch let error as FogbaseError where error.isOfSize && window.capacity > window.limit {
            // The server's pages are smaller.
            window = LiveWindow(limit: window.limit, capacity: window.limit)
            try await fill()
        }
        unconfirmed = []
        if connection.transport.streamsEvents {
            let changed = try await names(since: token)
            unconfirmed = changed.intersection(window.entries.map(\.name))
        }
        feed.restart(after: token)
        step = .follow
    }

    /// Fills the window with the first records of the result.
    private mutating func fill() async throws {
        var filled = LiveWindow<Model>(limit: window.limit, capacity: window.capacity)
        var order = order
        var cursor: String?
        repeat {
            let rest = try await connection.readPage(
                of: query, cursor: cursor, limit: filled.capacity - filled.entries.count
            ) { filled.append(try order.entry(&$0)) }
            cursor = rest["cursor"]?.string
        } while cursor != nil && filled.entries.count < filled.capacity
        filled.hasMore = cursor != nil
        (window, self.order) = (filled, order)
    }

    /// Returns the names of the records of the type that have changed since a token.
    private func names(since token: ChangeToken) async throws -> Set<String> {
        var selection = selection
        selection.fields = []
        var page = NamesPage(token: token)
        repeat {
            page = try await connection.changes(selection, since: page.token, filling: page)
        } while page.moreComing
        return page.names
    }
}

/// The names of changed records.
private struct NamesPage: FeedPage {
    var token = ChangeToken("")
    var moreComing = false
    var names: Set<String> = []

    var isEmpty: Bool { names.isEmpty }

    mutating func append(_ scanner: inout RecordScanner, isRemoved: Bool) {
        names.insert(scanner.head.recordName)
    }
}
