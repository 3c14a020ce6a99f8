package import RecordModel

/// Webhooks and their last deliveries.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class WebhookTable {
    private let connection: Connection

    private static let columns =
        """
        id, public_id, url, description, reader_kind, reader, owner, zone, selection, created, secret, overlaps, state, \
        reason, revision, position, last, failures, failing, due
        """

    /// The number of deliveries that are kept for each webhook.
    package static let keptDeliveries = 100

    /// Prepares no statement: all of them are rare.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the webhook with a number; `nil` if there is none.
    package func find(_ id: Int64) throws(RecordError) -> WebhookRow? {
        try connection.prepare("SELECT \(Self.columns) FROM webhook WHERE id = ?1").with(id).row(read)
    }

    /// Returns the webhook with a public ID; `nil` if there is none.
    package func find(publicID: String) throws(RecordError) -> WebhookRow? {
        try connection.prepare("SELECT \(Self.columns) FROM webhook WHERE public_id = ?1").with(publicID).row(read)
    }

    /// Returns at most `limit` webhooks after the number `id`, in the order of their creation.
    package func list(after id: Int64 = 0, limit: Int) throws(RecordError) -> [WebhookRow] {
        try connection.prepare("SELECT \(Self.columns) FROM webhook WHERE id > ?1 ORDER BY id LIMIT ?2")
            .with(id, limit).rows(read)
    }

    /// Returns the number of webhooks.
    package func count() throws(RecordError) -> Int {
        Int(try connection.integer("SELECT count(*) FROM webhook") ?? 0)
    }

    /// Returns the deliveries of a webhook, the newest first.
    package func deliveries(of id: Int64) throws(RecordError) -> [WebhookDeliveryRow] {
        try connection.prepare(
            """
            SELECT at, message, type, events, attempt, duration, status, error, response FROM webhook_delivery
            WHERE webhook = ?1 ORDER BY number DESC
            """
        ).with(id).rows { row in
            WebhookDeliveryRow(
                at: row.next(), message: row.next(), type: row.next(), events: row.next(), attempt: row.next(),
                duration: row.next(), status: row.next(), error: row.next(), response: row.next())
        }
    }

    private func read(_ row: inout Columns) -> WebhookRow {
        var webhook = WebhookRow(
            id: row.next(), publicID: row.next(), url: row.next(), description: row.next(),
            // An unknown kind of reader may read nothing: no key has the account 0.
            readerKind: WebhookRow.ReaderKind(rawValue: row.next()) ?? .key, reader: row.next(),
            owner: row.next(Int64?.self).map(UserID.init(rawValue:)), zone: row.next(), selection: row.next(),
            created: row.next(),
            position: "")
        webhook.secret = row.next()
        webhook.overlaps = row.next()
        webhook.state = WebhookRow.State(rawValue: row.next()) ?? .disabled
        webhook.reason = row.next()
        webhook.revision = row.next()
        webhook.position = row.next()
        webhook.last = row.next()
        webhook.failures = row.next()
        webhook.failing = row.next()
        webhook.due = row.next()
        return webhook
    }

    // MARK: Writing

    /// Adds a webhook.
    ///
    /// - Returns: Its number.
    package func add(_ row: WebhookRow) throws(RecordError) -> Int64 {
        try bind(
            row,
            to: connection.prepare(
                """
                INSERT INTO webhook (url, description, reader_kind, reader, owner, selection, secret, overlaps, state,
                reason, revision, position, last, failures, failing, due, public_id, created, zone)
                VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)
                RETURNING id
                """)
        ).with(from: 18, row.publicID, row.created, row.zone).returnedNumber()
    }

    /// Replaces the stored values of a webhook.
    package func update(_ row: WebhookRow) throws(RecordError) {
        try bind(
            row,
            to: connection.prepare(
                """
                UPDATE webhook SET url = ?2, description = ?3, reader_kind = ?4, reader = ?5, owner = ?6,
                selection = ?7, secret = ?8, overlaps = ?9, state = ?10, reason = ?11, revision = ?12, position = ?13,
                last = ?14, failures = ?15, failing = ?16, due = ?17 WHERE id = ?1
                """)
        ).with(row.id).run()
    }

    private func bind(_ row: WebhookRow, to statement: Statement) -> Statement {
        statement.with(from: 2, row.url, row.description, row.readerKind.rawValue, row.reader)
            .with(from: 6, row.owner?.rawValue, row.selection, row.secret, row.overlaps)
            .with(from: 10, row.state.rawValue, row.reason, row.revision, row.position)
            .with(from: 14, row.last, row.failures, row.failing, row.due)
    }

    /// Deletes a webhook with its deliveries.
    package func remove(_ id: Int64) throws(RecordError) {
        try connection.prepare("DELETE FROM webhook_delivery WHERE webhook = ?1").with(id).run()
        try connection.prepare("DELETE FROM webhook WHERE id = ?1").with(id).run()
    }

    /// Adds a delivery, and deletes those that are no longer among the last `keptDeliveries`.
    package func append(_ row: WebhookDeliveryRow, of id: Int64) throws(RecordError) {
        let newest = try connection.prepare("SELECT max(number) FROM webhook_delivery WHERE webhook = ?1").with(id)
            .number()
        let number = (newest ?? 0) + 1
        try connection.prepare(
            """
            INSERT INTO webhook_delivery
            (webhook, number, at, message, type, events, attempt, duration, status, error, response)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """
        ).with(id, number, row.at, row.message, row.type).with(from: 6, row.events, row.attempt, row.duration)
            .with(from: 9, row.status, row.error, row.response).run()
        try connection.prepare("DELETE FROM webhook_delivery WHERE webhook = ?1 AND number <= ?2")
            .with(id, number - Int64(Self.keptDeliveries)).run()
    }
}

extension WebhookTable {
    /// Returns whether the database file of a directory has webhooks, without opening it for writing. Also false for a
    /// missing file, or one of an older version.
    package static func isUsed(in directory: String) -> Bool {
        let path = DataDirectory.databasePath(in: directory)
        guard DirectoryInspection.exists(path), let connection = try? Connection(path: path, role: .reader) else {
            return false
        }
        return (try? connection.integer("SELECT 1 FROM webhook LIMIT 1")) == 1
    }
}
