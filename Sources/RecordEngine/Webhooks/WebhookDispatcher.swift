internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Synchronization
internal import Threads

/// How webhooks are delivered.
package struct WebhookOptions: Sendable {
    /// Returns the time in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = { WallClock.milliseconds }
    /// Returns the pause after a number of failed attempts, in milliseconds.
    package var pause: @Sendable (Int64) -> Int64 = WebhookDispatcher.pause
    /// Whether time passes by itself. Tests call `tick` instead.
    package var ticks = true
    /// Reports to the operator that a webhook was stopped.
    package var report: @Sendable (String) -> Void = { _ in }

    /// Creates the default options.
    package init() {}
}

/// Delivers the webhooks of one database.
package final class WebhookDispatcher: Sendable {
    private struct State {
        var sender: (any WebhookSender)?
        var runners: [Int64: (runner: WebhookRunner, task: Task<Void, Never>)] = [:]
        var watcher: CommitWatcher?
        var isStopped = false
        var hasClock = false
        var background: [Task<Void, Never>] = []
        var callersVersion: UInt64 = 0
        var nextCheck: Int64 = 0
    }

    private let state = Locked(State())
    private let started = Locked(WebhookOptions())
    /// The thread that composes messages. It is not shared with requests, which would wait for many webhooks.
    let pool = ReaderPool(name: "fog-hook", length: .page, threads: 1, queueLength: 1_024)
    private let delivered = Atomic<UInt64>(0)
    private let failed = Atomic<UInt64>(0)

    var options: WebhookOptions { started.withLock { $0 } }

    /// The first pause after a failed attempt, in milliseconds. Each further one is twice as long.
    private static let firstPause: Int64 = 5_000
    /// The longest pause, in milliseconds.
    static let longestPause: Int64 = 3_600_000
    /// How long a message is retried before the webhook is disabled, in milliseconds.
    static let patience: Int64 = 3 * 86_400_000
    /// The interval at which the readers of idle webhooks are judged again, in milliseconds.
    private static let checkMilliseconds: Int64 = 60_000

    init() {}

    /// Returns the pause after a number of failed attempts, in milliseconds: exponential, with jitter.
    package static func pause(after failures: Int64) -> Int64 {
        let longest = min(longestPause, firstPause << min(20, max(0, failures - 1)))
        return Int64.random(in: longest / 2...longest)
    }

    /// Returns whether a time has come; `.max` never comes. No pause is longer than `longestPause`: a time further ahead
    /// was set before the system clock went back.
    static func isDue(_ due: Int64, at now: Int64) -> Bool {
        due <= now || (due != .max && due - now > longestPause)
    }

    // MARK: Metrics

    /// The number of attempts that receivers have acknowledged.
    package var deliveries: UInt64 { delivered.load(ordering: .relaxed) }
    /// The number of other attempts.
    package var failures: UInt64 { failed.load(ordering: .relaxed) }

    /// The age of the oldest change that waits for its delivery, in seconds.
    package var lagSeconds: Int {
        let oldest = runners.map { $0.pendingSince.load(ordering: .relaxed) }.filter { $0 > 0 }.min()
        return oldest.map { Int(max(0, options.now() - $0) / 1_000) } ?? 0
    }

    private var runners: [WebhookRunner] {
        state.withLock { $0.runners.values.map(\.runner) }
    }

    // MARK: Life

    /// The sender; `nil` if the server sends no webhooks.
    var sender: (any WebhookSender)? { state.withLock { $0.sender } }

    /// Starts the deliveries of all webhooks. Does not wait for them.
    func start(_ database: RecordDatabase, _ sender: any WebhookSender, _ options: WebhookOptions) {
        started.withLock { $0 = options }
        let isFirst = state.withLock { state in
            guard state.sender == nil, !state.isStopped else { return false }
            state.sender = sender
            state.watcher = database.commitBroadcast.makeWatcher(nil)
            return true
        }
        guard isFirst else { return }
        // A database without webhooks needs no threads and no clock for them.
        guard WebhookTable.isUsed(in: database.directoryPath) else { return }
        let begin = Task { await self.begin(database) }
        state.withLock { $0.background.append(begin) }
    }

    private func begin(_ database: RecordDatabase) async {
        while !Task.isCancelled {
            do throws(RecordError) {
                try await pauseCopies(database)
                let rows = try await pool.read(database) { reader throws(RecordError) in
                    try reader.store.webhooks.list(limit: Webhooks.most)
                }
                for row in rows { add(row, in: database) }
                return
            } catch {
                // The store may be busy.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Pauses all webhooks of a file that was copied or restored, before the first delivery. Otherwise two servers
    /// would send the messages of one webhook.
    private func pauseCopies(_ database: RecordDatabase) async throws(RecordError) {
        let identity = database.identity
        let count = try await pool.read(database) { reader throws(RecordError) in try reader.store.webhooks.count() }
        guard identity != 0, count > 0 else { return }
        try await database.write { transaction throws(RecordError) in
            let known = try transaction.store.settings.value(SettingTable.webhookFile)
            guard known != identity else { return }
            for var row in try transaction.store.webhooks.list(limit: Webhooks.most) where row.state == .active {
                row.stop(
                    .paused, "The database was restored or copied. Resume the webhook if this server is to send it")
                try transaction.store.webhooks.update(row)
                try transaction.auditLog.append(.webhookPause, row.publicID, by: .server, detail: row.auditDetail)
            }
            try transaction.store.settings.set(SettingTable.webhookFile, identity)
        }
    }

    /// Starts the deliveries of a webhook.
    func add(_ row: WebhookRow, in database: RecordDatabase) {
        let options = options
        state.withLock { state in
            guard let sender = state.sender, !state.isStopped, state.runners[row.id] == nil else { return }
            let runner = WebhookRunner(row.id, row.address, of: self, database, sender)
            state.watcher?.add(runner.signal, for: .zone(row.address))
            state.runners[row.id] = (runner, Task { await runner.run() })
            guard !state.hasClock, options.ticks else { return }
            state.hasClock = true
            state.background.append(
                Task {
                    while (try? await Task.sleep(for: .seconds(1))) != nil { self.tick(database) }
                })
        }
    }

    /// Wakes a webhook after its row was changed.
    func didChange(_ id: Int64) {
        state.withLock { $0.runners[id]?.runner }?.signal.raise(.rights)
    }

    /// Ends the deliveries of a deleted webhook.
    func remove(_ id: Int64) {
        state.withLock { state in
            guard let (runner, _) = state.runners.removeValue(forKey: id) else { return }
            state.watcher?.remove(runner.signal, for: .zone(runner.address))
            runner.signal.raise(.end)
        }
    }

    /// Wakes the webhooks that are due.
    package func tick(_ database: RecordDatabase) {
        let now = options.now()
        let callers = database.callersVersion
        let checksAll = state.withLock { state in
            let isEarly = (1...Self.checkMilliseconds).contains(state.nextCheck - now)
            guard state.callersVersion != callers || !isEarly else { return false }
            state.callersVersion = callers
            state.nextCheck = now + Self.checkMilliseconds
            return true
        }
        for runner in runners where checksAll || Self.isDue(runner.due.load(ordering: .relaxed), at: now) {
            runner.signal.raise(.silence)
        }
    }

    /// Ends all deliveries. Close the sender first, so that a slow receiver does not delay this.
    func stop(_ database: RecordDatabase) async {
        let (runners, background, watcher) = state.withLock { state in
            state.isStopped = true
            defer {
                state.runners = [:]
                state.background = []
                state.watcher = nil
            }
            return (Array(state.runners.values), state.background, state.watcher)
        }
        for task in background { task.cancel() }
        for (runner, _) in runners {
            watcher?.remove(runner.signal, for: .zone(runner.address))
            runner.signal.raise(.end)
        }
        for task in background { await task.value }
        for (_, task) in runners { await task.value }
        if let watcher { database.commitBroadcast.remove(watcher) }
        await pool.close()
        state.withLock { $0.sender = nil }
    }

    // MARK: Deliveries

    /// Sends a message.
    ///
    /// - Returns: `nil` if the server stops.
    func send(
        _ message: WebhookMessage, _ row: WebhookRow, keys: DatabaseKeys, by sender: any WebhookSender
    ) async -> WebhookAttempt? {
        let now = options.now()
        let started = MonotonicClock.now
        let request = message.request(to: row, keys: keys, now: now)
        let result = await sender.send(request)
        guard result != .closed else { return nil }
        let attempt = WebhookAttempt(
            at: now, milliseconds: Int64((MonotonicClock.now &- started) / 1_000_000), result: result)
        if attempt.isDelivered {
            delivered.add(1, ordering: .relaxed)
        } else {
            failed.add(1, ordering: .relaxed)
        }
        return attempt
    }

    /// Stores an attempt, and moves the webhook behind the message if the receiver has acknowledged it.
    ///
    /// - Returns: The row afterwards; `nil` if the webhook was deleted.
    func record(
        _ attempt: WebhookAttempt, of message: WebhookMessage, _ id: Int64, _ cursor: WebhookCursor,
        in database: RecordDatabase
    ) async throws(RecordError) -> WebhookRow? {
        let options = options
        let after = try await database.write { transaction throws(RecordError) -> (row: WebhookRow, stopped: Bool)? in
            guard var row = try transaction.store.webhooks.find(id) else { return nil }
            let before = row.state
            try transaction.store.webhooks.append(attempt.row(of: message, number: row.failures + 1), of: id)
            // The row was changed during the attempt. It continues where the change has put it.
            guard row.revision == cursor.revision else { return (row, false) }
            if attempt.isDelivered {
                row.position = message.position
                row.last = nil
                row.forgetFailures()
            } else {
                row.position = cursor.position
                row.last = message.last
                row.fail(attempt, pause: options.pause)
            }
            try transaction.store.webhooks.update(row)
            let isStopped = before == .active && row.state == .disabled
            if isStopped {
                try transaction.auditLog.append(.webhookDisable, row.publicID, by: .server, detail: row.auditDetail)
            }
            return (row, isStopped)
        }
        if let after, after.stopped { options.report(after.row.stopSentence) }
        return after?.row
    }

    /// Disables a webhook, unless it was changed in the meantime.
    func disable(
        _ id: Int64, revision: Int64, _ reason: String, in database: RecordDatabase
    ) async throws(RecordError) {
        let row = try await database.write { transaction throws(RecordError) -> WebhookRow? in
            guard var row = try transaction.store.webhooks.find(id), row.revision == revision, row.state == .active
            else { return nil }
            row.stop(.disabled, reason)
            try transaction.store.webhooks.update(row)
            try transaction.auditLog.append(.webhookDisable, row.publicID, by: .server, detail: row.auditDetail)
            return row
        }
        if let row { options.report(row.stopSentence) }
    }
}

/// One attempt to deliver a message.
struct WebhookAttempt: Sendable {
    /// When it began, in milliseconds since 1970.
    let at: Int64
    /// Its duration.
    let milliseconds: Int64
    let result: WebhookResult

    /// Whether the receiver has acknowledged the message.
    var isDelivered: Bool {
        if case .response(200...299, _, _, _) = result { true } else { false }
    }

    func row(of message: WebhookMessage, number: Int64) -> WebhookDeliveryRow {
        var row = WebhookDeliveryRow(
            at: at, message: message.id, type: message.type.rawValue, events: Int64(message.events), attempt: number,
            duration: milliseconds, status: nil, error: nil, response: nil)
        switch result {
        case .response(let status, let body, _, let location):
            row.status = Int64(status)
            if (300...399).contains(status) { row.error = Self.redirect(status, location) }
            if !body.isEmpty { row.response = String(decoding: body, as: UTF8.self) }
        case .failure(let reason): row.error = reason
        case .closed: break
        }
        return row
    }

    /// The longest URL in a sentence, in bytes.
    private static let shownURLBytes = 512

    /// Returns why a response with 3xx has not acknowledged the message.
    private static func redirect(_ status: Int, _ location: String?) -> String {
        guard location != nil || [301, 302, 303, 307, 308].contains(status) else {
            return "The status \(status) acknowledges nothing. The receiver must respond with 200 to 299"
        }
        // The query may contain a secret.
        let url = location.map { $0.prefix { $0 != "?" && $0 != "#" } }
        guard let url, !url.isEmpty, url.utf8.count <= shownURLBytes else {
            return "Redirects are not followed. Set the URL of the webhook to the one to which this leads"
        }
        return "Redirects are not followed. Set the URL of the webhook to \(url)"
    }
}

extension WebhookRow {
    /// Counts a failed attempt. Disables the webhook if the receiver asks for it, or has failed for too long.
    fileprivate mutating func fail(_ attempt: WebhookAttempt, pause: (Int64) -> Int64) {
        failures += 1
        let since = failing ?? attempt.at
        failing = since
        var wait = pause(failures)
        if case .response(let status, _, let delay, _) = attempt.result {
            // Standard Webhooks: a receiver that responds with 410 wants no more messages.
            if status == 410 { return stop(.disabled, "The receiver responded with 410 Gone") }
            if status == 429 || status == 503, let delay {
                wait = max(wait, min(delay, WebhookDispatcher.longestPause / 1_000) * 1_000)
            }
        }
        if attempt.at - since >= WebhookDispatcher.patience {
            return stop(.disabled, "The receiver has acknowledged nothing for 3 days")
        }
        due = attempt.at + wait
    }

    fileprivate var stopSentence: String {
        "The webhook \(publicID) to \(shownURL) was disabled: \(reason ?? "")"
    }

    /// The details of audit entries about a webhook.
    var auditDetail: JSONObject {
        var detail = JSONObject([
            ("url", .string(shownURL)), ("state", .string(state.rawValue)),
            ("readsAs", .string(readerKind.rawValue)),
        ])
        if let reason { detail["reason"] = .string(reason) }
        return detail
    }
}
