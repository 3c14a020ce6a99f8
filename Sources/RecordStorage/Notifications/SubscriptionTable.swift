package import RecordModel

/// The subscriptions of accounts.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class SubscriptionTable {
    private let connection: Connection

    private static let columns = "id, account, database, name, definition, created, changed, since, fired"

    /// Prepares no statement: all of them are rare.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the subscription with a name, also one that has fired; `nil` if there is none.
    package func find(
        _ name: String, of account: UserID, in database: SubscriptionRow.Database
    ) throws(RecordError) -> SubscriptionRow? {
        try connection.prepare(
            "SELECT \(Self.columns) FROM subscription WHERE account = ?1 AND database = ?2 AND name = ?3"
        ).with(account, database.rawValue, name).row(read)
    }

    /// Returns all subscriptions of an account, also those that have fired, in the order of databases and names.
    package func list(of account: UserID) throws(RecordError) -> [SubscriptionRow] {
        try connection.prepare(
            "SELECT \(Self.columns) FROM subscription WHERE account = ?1 ORDER BY database, name"
        ).with(account).rows(read)
    }

    /// Returns the subscriptions of all accounts that have not fired, in the order of their IDs.
    ///
    /// - Parameters:
    ///   - isPublic: Whether to return only those of the public database.
    ///   - position: The ID before the first one.
    package func list(isPublic: Bool, after position: Int64, limit: Int) throws(RecordError) -> [SubscriptionRow] {
        try connection.prepare(
            """
            SELECT \(Self.columns) FROM subscription
            WHERE id > ?1 AND fired IS NULL AND (?2 = 0 OR database = 0) ORDER BY id LIMIT ?3
            """
        ).with(position, isPublic ? 1 : 0, limit).rows(read)
    }

    /// Returns the number of subscriptions of an account, and the sequence number of the last change of one. Both stay
    /// the same exactly as long as no subscription was added, changed or removed.
    package func version(of account: UserID) throws(RecordError) -> (count: Int64, changed: Int64) {
        try connection.prepare("SELECT count(*), coalesce(max(changed), 0) FROM subscription WHERE account = ?1")
            .with(account).row { ($0.next(), $0.next()) } ?? (0, 0)
    }

    private func read(_ row: inout Columns) -> SubscriptionRow {
        var subscription = SubscriptionRow(
            id: row.next(), account: row.next(),
            database: SubscriptionRow.Database(rawValue: row.next()) ?? .sharedDatabase, name: row.next(),
            definition: row.next(), created: row.next(), changed: row.next(), since: row.next())
        subscription.fired = row.next()
        return subscription
    }

    // MARK: Writing

    /// Adds a subscription, or replaces one with the same name. Its ID is new in both cases.
    package func put(_ row: SubscriptionRow) throws(RecordError) {
        try connection.prepare("DELETE FROM subscription WHERE account = ?1 AND database = ?2 AND name = ?3")
            .with(row.account, row.database.rawValue, row.name).run()
        try connection.prepare(
            """
            INSERT INTO subscription (account, database, name, definition, created, changed, since)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        ).with(row.account, row.database.rawValue, row.name, row.definition, row.created, row.changed, row.since).run()
    }

    /// Replaces the definition of a subscription, which keeps its ID.
    package func update(_ row: SubscriptionRow) throws(RecordError) {
        try connection.prepare("UPDATE subscription SET definition = ?2, changed = ?3, since = ?4 WHERE id = ?1")
            .with(row.id, row.definition, row.changed, row.since).run()
    }

    /// Stores that a subscription which fires once has notified a change. Has no effect on one that has fired before.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package func fire(_ id: Int64, at sequence: Int64, changed: Int64, now: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE subscription SET fired = ?2, changed = ?3, fired_at = ?4 WHERE id = ?1 AND fired IS NULL"
        ).with(id, sequence, changed, now).run()
    }

    /// Deletes a subscription.
    package func remove(_ id: Int64) throws(RecordError) {
        try connection.prepare("DELETE FROM subscription WHERE id = ?1").with(id).run()
    }

    /// Deletes the subscriptions of an account that fired first, until at most `count` are left that have fired.
    package func trimFired(of account: UserID, to count: Int) throws(RecordError) {
        try connection.prepare(
            """
            DELETE FROM subscription WHERE id IN (
                SELECT id FROM subscription WHERE account = ?1 AND fired IS NOT NULL
                ORDER BY fired_at DESC, id DESC LIMIT -1 OFFSET ?2)
            """
        ).with(account, count).run()
    }

    /// Deletes the subscriptions of a deleted account.
    package func remove(account: UserID) throws(RecordError) {
        try connection.prepare("DELETE FROM subscription WHERE account = ?1").with(account).run()
    }

    /// Deletes subscriptions that fired before `oldest` (milliseconds since 1970).
    ///
    /// - Returns: The number of deleted rows. If it is less than `limit`, none are left.
    package func removeFired(before oldest: Int64, limit: Int) throws(RecordError) -> Int {
        try connection.prepare(
            """
            DELETE FROM subscription WHERE id IN (
                SELECT id FROM subscription INDEXED BY subscription_by_firing WHERE fired_at < ?1 LIMIT ?2)
            """
        ).with(oldest, limit).changedRows()
    }
}

/// The tokens of devices that receive notifications.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class NotificationTokenTable {
    private let connection: Connection

    /// Prepares no statement: a device reads its row once per poll at most.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns a token; `nil` if there is none.
    package func find(_ number: Int64, of account: UserID) throws(RecordError) -> NotificationTokenRow? {
        try connection.prepare(
            """
            SELECT account, number, environment, used, position FROM notification_token
            WHERE account = ?1 AND number = ?2
            """
        ).with(account, number).row {
            NotificationTokenRow(
                account: $0.next(), number: $0.next(), environment: $0.next(), used: $0.next(), position: $0.next())
        }
    }

    /// Adds a token, or replaces the stored one.
    package func put(_ row: NotificationTokenRow) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO notification_token (account, number, environment, used, position)
            VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (account, number) DO UPDATE SET
                environment = excluded.environment, used = excluded.used, position = excluded.position
            """
        ).with(row.account, row.number, row.environment, row.used, row.position).run()
    }

    /// Stores a use of a token and the position after its last notification. Has no effect on a token that is gone.
    package func note(
        _ number: Int64, of account: UserID, position: String, now: Int64
    ) throws(RecordError) {
        try connection.prepare(
            "UPDATE notification_token SET used = max(used, ?4), position = ?3 WHERE account = ?1 AND number = ?2"
        ).with(account, number, position, now).run()
    }

    /// Deletes the tokens of an account that were not used for the longest time, until at most `count` are left.
    package func trim(account: UserID, to count: Int) throws(RecordError) {
        try connection.prepare(
            """
            DELETE FROM notification_token WHERE account = ?1 AND number IN (
                SELECT number FROM notification_token WHERE account = ?1 ORDER BY used DESC, number LIMIT -1 OFFSET ?2)
            """
        ).with(account, count).run()
    }

    /// Deletes all tokens of an account.
    package func remove(account: UserID) throws(RecordError) {
        try connection.prepare("DELETE FROM notification_token WHERE account = ?1").with(account).run()
    }

    /// Deletes tokens that were last used before `oldest` (milliseconds since 1970).
    ///
    /// - Returns: The number of deleted tokens. If it is less than `limit`, none are left.
    package func removeUnused(before oldest: Int64, limit: Int) throws(RecordError) -> Int {
        try connection.prepare(
            """
            DELETE FROM notification_token WHERE (account, number) IN (
                SELECT account, number FROM notification_token INDEXED BY notification_token_by_use
                WHERE used < ?1 LIMIT ?2)
            """
        ).with(oldest, limit).changedRows()
    }
}
