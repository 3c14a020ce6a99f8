internal import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

/// Delivers the messages of one webhook, one at a time and in order.
actor WebhookRunner {
    /// The number of the webhook.
    nonisolated let id: Int64
    nonisolated let address: DatabaseAddress
    /// Wakes the runner: `commit` for new changes, `rights` after the row was changed, `silence` at `due`.
    nonisolated let signal = FeedSignal()
    /// When to continue, in milliseconds since 1970; `.max` if only a signal continues.
    nonisolated let due = Atomic<Int64>(.max)
    /// Since when a change waits for its delivery, in milliseconds since 1970; 0 if none does.
    nonisolated let pendingSince = Atomic<Int64>(0)
    private let dispatcher: WebhookDispatcher
    private let database: RecordDatabase
    private let sender: any WebhookSender
    private var cursor: WebhookCursor?
    /// Whether new changes must wait until `due`.
    private var isHeld = false
    /// When the position was last stored, in milliseconds since 1970.
    private var stored: Int64 = 0

    /// How long a passed position may be stored later, in milliseconds.
    private static let storeMilliseconds: Int64 = 60_000
    /// The pause before the feed is read again that cannot be read right now, in milliseconds.
    private static let retryMilliseconds: Int64 = 1_000
    /// The pause after an error of the store, in milliseconds. On a full disk, no success can be stored, and the
    /// receiver gets the same message after each pause.
    private static let errorMilliseconds: Int64 = 10_000

    init(
        _ id: Int64, _ address: DatabaseAddress, of dispatcher: WebhookDispatcher, _ database: RecordDatabase,
        _ sender: any WebhookSender
    ) {
        self.id = id
        self.address = address
        self.dispatcher = dispatcher
        self.database = database
        self.sender = sender
    }

    /// Runs until the signal `end`.
    func run() async {
        signal.raise(.commit)
        while true {
            let reasons = await signal.wait()
            if reasons.contains(.end) { return }
            if reasons.contains(.rights) { due.store(.max, ordering: .relaxed) }
            while isDue {
                // The moment until which it is held may have passed already. Then no tick will wake the runner.
                guard await advance() || (isHeld && isDue) else { break }
                let reasons = signal.take()
                if reasons.contains(.end) { return }
            }
        }
    }

    private var isDue: Bool {
        guard isHeld else { return true }
        let due = due.load(ordering: .relaxed)
        return due == .max || WebhookDispatcher.isDue(due, at: dispatcher.options.now())
    }

    private func hold(until moment: Int64) {
        due.store(moment, ordering: .relaxed)
        isHeld = true
    }

    /// Does the next step.
    ///
    /// - Returns: Whether another step may follow at once.
    private func advance() async -> Bool {
        due.store(.max, ordering: .relaxed)
        isHeld = false
        do throws(RecordError) {
            guard let (row, cursor, step) = try await nextStep() else {
                pendingSince.store(0, ordering: .relaxed)
                return false
            }
            self.cursor = cursor
            let now = dispatcher.options.now()
            if stored == 0 { stored = now }
            switch step {
            case .wait:
                pendingSince.store(0, ordering: .relaxed)
                if cursor.position != row.position, abs(now - stored) >= Self.storeMilliseconds {
                    try await store(cursor, now: now)
                }
                return false
            case .retry:
                // A commit that is visible but not published yet is published soon, and then wakes the runner.
                due.store(now + Self.retryMilliseconds, ordering: .relaxed)
                return false
            case .pass(let position):
                self.cursor?.position = position
                self.cursor?.last = nil
                // Sees that nothing else has come, and stores the position from time to time.
                return true
            case .begin(let position):
                var cursor = cursor
                cursor.position = position
                try await store(cursor, now: now)
                return true
            case .disable(let reason):
                try await dispatcher.disable(id, revision: row.revision, reason, in: database)
                return false
            case .send(let message):
                return try await send(message, row, cursor)
            }
        } catch {
            hold(until: dispatcher.options.now() + Self.errorMilliseconds)
            return false
        }
    }

    /// Returns what to do next; `nil` if nothing until the row changes or the next attempt is due.
    private func nextStep() async throws(RecordError) -> (WebhookRow, WebhookCursor, WebhookStep)? {
        let (id, known, now) = (id, cursor, dispatcher.options.now())
        let read = try await dispatcher.pool.read(database) {
            reader throws(RecordError) -> (row: WebhookRow, cursor: WebhookCursor, step: WebhookStep)? in
            guard let row = try reader.store.webhooks.find(id), row.state == .active else { return nil }
            let cursor = known.flatMap { $0.revision == row.revision ? $0 : nil } ?? WebhookCursor(row)
            guard WebhookDispatcher.isDue(row.due, at: now) else { return (row, cursor, .wait) }
            return (row, cursor, try WebhookComposer(reader: reader, row: row, cursor: cursor, now: now).step())
        }
        guard let read else { return nil }
        if !WebhookDispatcher.isDue(read.row.due, at: now) {
            hold(until: read.row.due)
            return nil
        }
        return read
    }

    private func send(
        _ message: WebhookMessage, _ row: WebhookRow, _ cursor: WebhookCursor
    ) async throws(RecordError) -> Bool {
        // If storing the result fails, the same message is sent again.
        self.cursor?.last = message.last
        let now = dispatcher.options.now()
        var row = row
        if message.storesEnd, let end = self.cursor {
            // Signs with the secrets of now, and sends to the URL of now: the writer may have been busy for long.
            guard let current = try await store(end, now: now) else { return true }
            row = current
        }
        if pendingSince.load(ordering: .relaxed) == 0 { pendingSince.store(row.failing ?? now, ordering: .relaxed) }
        let attempt = await dispatcher.send(message, row, keys: database.keys, by: sender)
        guard let attempt else { return false }
        let after = try await dispatcher.record(attempt, of: message, id, cursor, in: database)
        guard let after, after.revision == cursor.revision else { return after != nil }
        self.cursor = WebhookCursor(after)
        stored = now
        guard attempt.isDelivered else {
            if after.state == .active { hold(until: after.due) }
            return false
        }
        pendingSince.store(0, ordering: .relaxed)
        return true
    }

    /// Stores a position behind changes that were passed, or the end of a message before its first attempt.
    ///
    /// - Returns: The row; `nil` if its deliveries were changed in the meantime.
    @discardableResult
    private func store(_ cursor: WebhookCursor, now: Int64) async throws(RecordError) -> WebhookRow? {
        let id = id
        let row = try await database.write { transaction throws(RecordError) -> WebhookRow? in
            guard var row = try transaction.store.webhooks.find(id), row.revision == cursor.revision else { return nil }
            row.position = cursor.position
            row.last = cursor.last
            try transaction.store.webhooks.update(row)
            return row
        }
        guard row != nil else { return nil }
        self.cursor = cursor
        stored = now
        return row
    }
}
