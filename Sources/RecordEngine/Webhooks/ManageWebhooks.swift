internal import Cryptography
internal import Encodings
package import RecordModel
internal import RecordStorage
package import RecordWire

/// The webhooks of a database.
package struct Webhooks: Sendable {
    let database: RecordDatabase

    /// The maximum number of webhooks.
    package static var most: Int { 50 }
    private static let urlField: [(String, RecordError.Detail)] = [("field", .text("url"))]

    private var dispatcher: WebhookDispatcher { database.webhookDispatcher }

    /// Starts the deliveries.
    package func start(_ sender: any WebhookSender, _ options: WebhookOptions = WebhookOptions()) {
        dispatcher.start(database, sender, options)
    }

    /// The state of the deliveries, for metrics and tests.
    package var deliveries: WebhookDispatcher { dispatcher }

    /// Creates a webhook, which reads as the caller that creates it.
    ///
    /// - Parameters:
    ///   - address: The zone whose changes it sends. The caller has been checked.
    ///   - position: Where it starts, as `WebhookReader.position` returns it.
    /// - Throws: BAD_REQUEST for a URL that the server cannot send to; BAD_REQUEST with cause TOO_LARGE if there are too
    ///   many webhooks; ACCESS_DENIED if the caller may not manage webhooks.
    package func create(
        url: String, description: String, _ selection: WebhookSelection, in address: DatabaseAddress,
        at position: String,
        by actor: AuditActor
    ) async throws(RecordError) -> NewWebhook {
        try check(url)
        let publicID = Hex.encode(RandomBytes.make(16))
        let identity = database.identity
        let (row, made) = try await database.write { transaction throws(RecordError) in
            let caller = try transaction.webhooks.manager(actor)
            let table = transaction.store.webhooks
            let count = try table.count()
            guard count < Self.most else {
                throw .badRequest(
                    "There is the full number of webhooks. Delete some first", cause: .tooLarge,
                    details: [("limit", .number(Int64(Self.most)))])
            }
            var owner: UserID?
            if case .privateDatabase(let id) = address.scope { owner = id }
            var row = WebhookRow(
                publicID: publicID, url: url, description: description, readerKind: .key, reader: 0, owner: owner,
                zone: address.zone == .defaultZone ? nil : address.zone.text, selection: selection.stored,
                created: transaction.now, position: position)
            try row.setReader(caller)
            row.id = try table.add(row)
            // Without webhooks, nothing has noticed yet whether the file is a copy.
            if count == 0 { try transaction.store.settings.set(SettingTable.webhookFile, identity) }
            try transaction.auditLog.append(.webhookCreate, publicID, by: actor, detail: row.auditDetail)
            return (row, try transaction.webhooks.shown(row))
        }
        dispatcher.add(row, in: database)
        return NewWebhook(
            secret: WebhookSecret(database.keys, webhook: publicID, number: row.secret).text, webhook: made)
    }

    /// Changes the URL, the description or the selection of a webhook; `nil` keeps the current value.
    ///
    /// A caller that changes where records go, or which ones, sees them itself. So the webhook then reads as this caller.
    ///
    /// - Parameter selection: The keys of the selection to change.
    /// - Throws: NOT_FOUND; the errors of `create`; ACCESS_DENIED as for all webhooks of a private database.
    package func change(
        _ id: String, url: String?, description: String?, selection: JSONObject, by actor: AuditActor
    ) async throws(RecordError) -> Webhook {
        if let url { try check(url) }
        return try await update(id, .webhookChange, by: actor) { row, caller throws(RecordError) in
            if let description { row.description = description }
            guard url != nil || selection.count > 0 else { return }
            if let url { row.url = url }
            if selection.count > 0 {
                row.selection = try WebhookSelection(stored: row.selection).changed(by: selection).stored
            }
            try row.setReader(caller)
            // What failed before may succeed now.
            let (position, last) = (row.position, row.last)
            row.move(to: position)
            // The receiver may have a message that it did not acknowledge.
            row.last = last
        }
    }

    /// Pauses a webhook. A delivery that has begun is completed.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage webhooks.
    package func pause(_ id: String, by actor: AuditActor) async throws(RecordError) -> Webhook {
        try await update(id, .webhookPause, by: actor) { row, _ throws(RecordError) in row.stop(.paused, nil) }
    }

    /// Continues a paused or disabled webhook where it has stopped.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage webhooks.
    package func resume(_ id: String, by actor: AuditActor) async throws(RecordError) -> Webhook {
        try await update(id, .webhookResume, by: actor) { row, _ throws(RecordError) in
            row.stop(.active, nil)
            row.forgetFailures()
        }
    }

    /// Makes a webhook continue at another position, with new message IDs.
    ///
    /// - Parameter position: As `WebhookReader.position` returns it.
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage webhooks.
    package func replay(_ id: String, from position: String, by actor: AuditActor) async throws(RecordError) -> Webhook
    {
        try await update(id, .webhookReplay, by: actor) { row, _ throws(RecordError) in row.move(to: position) }
    }

    /// Gives a webhook a new secret. The previous secret also signs for a limited time; the secret before it no longer
    /// does.
    ///
    /// - Parameter overlap: How long the previous secret also signs, in seconds.
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage webhooks; BAD_REQUEST for an overlap out of
    ///   bounds.
    package func rotate(
        _ id: String, overlap: Int64 = APIKeys.overlapSeconds, by actor: AuditActor
    ) async throws(RecordError) -> NewWebhook {
        guard (0...APIKeys.longestOverlapSeconds).contains(overlap) else {
            throw .badRequest(
                "'overlap' is 0 to \(APIKeys.longestOverlapSeconds) seconds", details: [("field", .text("overlap"))])
        }
        let keys = database.keys
        let (webhook, secret) = try await database.write { transaction throws(RecordError) in
            var (row, _) = try transaction.webhooks.row(id, for: actor)
            row.secret += 1
            row.overlaps = transaction.now + overlap * 1_000
            try transaction.store.webhooks.update(row)
            try transaction.auditLog.append(.webhookRotate, id, by: actor, detail: row.auditDetail)
            return (
                try transaction.webhooks.shown(row), WebhookSecret(keys, webhook: row.publicID, number: row.secret).text
            )
        }
        return NewWebhook(secret: secret, webhook: webhook)
    }

    /// Deletes a webhook with its deliveries.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage webhooks.
    package func delete(_ id: String, by actor: AuditActor) async throws(RecordError) {
        let number = try await database.write { transaction throws(RecordError) in
            let (row, _) = try transaction.webhooks.row(id, for: actor)
            try transaction.store.webhooks.remove(row.id)
            try transaction.auditLog.append(.webhookDelete, id, by: actor, detail: row.auditDetail)
            return row.id
        }
        dispatcher.remove(number)
    }

    /// Sends a message without records at once, whatever the state of the webhook, and waits for the response.
    ///
    /// - Returns: The delivery as JSON.
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage webhooks; TRY_AGAIN_LATER while the server stops.
    package func test(_ id: String, by actor: AuditActor) async throws(RecordError) -> JSONValue {
        guard let sender = dispatcher.sender else { throw .sendsNoWebhooks }
        let row = try await database.write { transaction throws(RecordError) in
            try transaction.webhooks.row(id, for: actor).row
        }
        let message = WebhookMessage.test(of: row, now: dispatcher.options.now())
        guard let attempt = await dispatcher.send(message, row, keys: database.keys, by: sender) else {
            throw .databaseUnavailable
        }
        let delivery = attempt.row(of: message, number: 1)
        try await database.write { transaction throws(RecordError) in
            guard try transaction.store.webhooks.find(row.id) != nil else { return }
            try transaction.store.webhooks.append(delivery, of: row.id)
        }
        return delivery.json
    }

    private func check(_ url: String) throws(RecordError) {
        guard let sender = dispatcher.sender else { throw .sendsNoWebhooks }
        if let problem = sender.problem(with: url) { throw .badRequest(problem, details: Self.urlField) }
    }

    /// Changes the row of a webhook, and wakes it.
    private func update(
        _ id: String, _ action: AuditAction, by actor: AuditActor,
        _ change: @escaping @Sendable (inout WebhookRow, Caller) throws(RecordError) -> Void
    ) async throws(RecordError) -> Webhook {
        let (number, webhook) = try await database.write { transaction throws(RecordError) in
            var (row, caller) = try transaction.webhooks.row(id, for: actor)
            try change(&row, caller)
            try transaction.store.webhooks.update(row)
            try transaction.auditLog.append(action, id, by: actor, detail: row.auditDetail)
            return (row.id, try transaction.webhooks.shown(row))
        }
        dispatcher.didChange(number)
        return webhook
    }
}

/// Writes webhooks.
struct WebhookWriter {
    let transaction: WriteTransaction

    /// Returns the caller with its current permissions, if it may manage webhooks.
    ///
    /// - Throws: AUTHENTICATION_FAILED, AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    fileprivate func manager(_ actor: AuditActor) throws(RecordError) -> Caller {
        try transaction.callers.require(.manageWebhooks, of: actor)
        return try transaction.callers.current(actor.caller)
    }

    /// Returns a webhook and the caller, if the caller may manage it.
    ///
    /// - Throws: The errors of `manager`; NOT_FOUND; ACCESS_DENIED for a webhook of a private database that the caller
    ///   may not enter. Its secret signs what its receiver believes, and its deliveries show what the receiver says.
    fileprivate func row(_ id: String, for actor: AuditActor) throws(RecordError) -> (row: WebhookRow, caller: Caller) {
        let caller = try manager(actor)
        guard let row = try transaction.store.webhooks.find(publicID: id) else { throw .webhookNotFound }
        guard row.isManageable(by: caller) else { throw .rejected(caller, .read, .privateDatabase) }
        return (row, caller)
    }

    fileprivate func shown(_ row: WebhookRow) throws(RecordError) -> Webhook {
        try Webhook(
            row, readerName: transaction.callers.readerName(of: row),
            ownerName: row.owner.map { owner throws(RecordError) in try transaction.userNames.name(of: owner) },
            now: transaction.now)
    }
}

/// Reads webhooks.
package struct WebhookReader {
    let reader: RecordReader
    private var table: WebhookTable { reader.store.webhooks }

    /// Returns the webhooks that a caller may manage, in the order of their creation. Those of private databases are for
    /// callers that may enter the database.
    ///
    /// - Throws: The store's error.
    package func list(for caller: Caller) throws(RecordError) -> [Webhook] {
        try table.list(limit: Webhooks.most).filter { $0.isManageable(by: caller) }
            .map { row throws(RecordError) in try shown(row) }
    }

    /// Returns a webhook.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED for a webhook of a private database that the caller may not enter.
    package func webhook(_ id: String, for caller: Caller) throws(RecordError) -> Webhook {
        try shown(try row(id, for: caller))
    }

    /// Returns the last deliveries of a webhook as JSON, the newest first.
    ///
    /// - Throws: As `webhook`.
    package func deliveries(of id: String, for caller: Caller) throws(RecordError) -> [JSONValue] {
        try table.deliveries(of: try row(id, for: caller).id).map(\.json)
    }

    /// Returns the position at which a new webhook of a caller starts.
    ///
    /// - Parameter since: `now`, `beginning`, or a sync token of the caller; `nil` for now.
    /// - Throws: The errors of a stream with the selection.
    package func position(
        _ since: String?, _ selection: WebhookSelection, in address: DatabaseAddress, for caller: Caller
    ) throws(RecordError) -> String {
        _ = try reader.feed.check(try selection.feed(), in: address, for: caller)
        return try position(since ?? "now", in: address, for: caller)
    }

    /// Returns the position at which a webhook continues.
    ///
    /// - Parameter since: `now`, `beginning`, or the token of a message.
    /// - Throws: As `webhook`; BAD_REQUEST with cause TOKEN_EXPIRED or TOKEN_INVALID; the errors of the webhook's reader.
    package func position(_ since: String, of id: String, for sender: Caller) throws(RecordError) -> String {
        let row = try row(id, for: sender)
        let caller: Caller
        do throws(RecordError) { caller = try reader.callers.current(row.caller) } catch {
            // The caller of the request is not the one that has no valid token.
            throw error.code == .authenticationFailed ? .badRequest(WebhookComposer.readerGone) : error
        }
        return try position(since, in: row.address, for: caller)
    }

    private func position(
        _ since: String, in address: DatabaseAddress, for caller: Caller
    ) throws(RecordError) -> String {
        let start = since == "beginning" ? FeedStart.beginning : FeedStart(since)
        let position = try reader.feed.open(start, in: address, for: caller, known: reader.knownSequence)
        return start == .beginning ? "" : reader.feed.token(of: position, for: caller)
    }

    private func row(_ id: String, for caller: Caller) throws(RecordError) -> WebhookRow {
        guard let row = try table.find(publicID: id) else { throw .webhookNotFound }
        guard row.isManageable(by: caller) else { throw .rejected(caller, .read, .privateDatabase) }
        return row
    }

    private func shown(_ row: WebhookRow) throws(RecordError) -> Webhook {
        try Webhook(
            row, readerName: reader.callers.readerName(of: row),
            ownerName: row.owner.map { owner throws(RecordError) in try reader.userNames.name(of: owner) },
            now: reader.callers.now)
    }
}

extension CallerSource {
    /// Returns the name of the key or administrator as which a webhook reads; `nil` for a deleted one.
    fileprivate func readerName(of row: WebhookRow) throws(RecordError) -> String? {
        switch row.caller {
        case .service(let key): return try keys.find(account: key.account)?.name
        case .administrator(let administrator):
            guard administrator.id != 0 else { return Administrators.bootstrapName }
            return administrators?.current(administrator.id).flatMap { administrators?.name(of: $0) }
        case .anonymous, .user, .participant: return nil
        }
    }
}

extension RecordDatabase {
    /// The identity of the database file; see `DataDirectory.identity`.
    nonisolated var identity: Int64 {
        DataDirectory.identity(of: DataDirectory.databasePath(in: directoryPath))
    }
}

extension RecordError {
    static let sendsNoWebhooks = RecordError.badRequest("This server sends no webhooks")
}
