package import RecordModel
internal import RecordStorage
internal import RecordWire

/// Creates, changes and deletes subscriptions.
///
/// A subscription costs writers nothing: its notifications are derived from the log of changes when a client asks for
/// them.
package struct Subscriptions: Sendable {
    let database: RecordDatabase

    /// The maximum number of subscriptions of one account.
    package static let most = 500

    /// What to do if a subscription with the name exists, or none does.
    package enum Mode: Sendable {
        /// Create it or replace its definition.
        case put
        /// Create it, or keep the one that exists.
        case create
        /// Replace the definition of one that exists.
        case update
    }

    /// Stores a subscription of the caller's account.
    ///
    /// - Parameters:
    ///   - definition: Checked by `SubscriptionReader.check`.
    ///   - rightsVersion: The rights version with which the caller was authenticated; see `WriteRequest`.
    /// - Returns: The stored subscription, and whether it is new.
    /// - Throws: NOT_FOUND for an update without a subscription; BAD_REQUEST for an invalid name, or with cause TOO_LARGE
    ///   for too many subscriptions; AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func put(
        _ name: String, _ definition: SubscriptionDefinition, in scope: DatabaseScope, _ mode: Mode = .put,
        by caller: Caller, rightsVersion: UInt64? = nil
    ) async throws(RecordError) -> (subscription: Subscription, isNew: Bool) {
        guard RecordName(name) != nil else {
            throw .badRequest(
                "A subscription ID has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters")
        }
        return try await database.write { transaction throws(RecordError) in
            try SubscriptionWriter(transaction, caller, rightsVersion, scope).put(name, definition, mode)
        }
    }

    /// Deletes a subscription of the caller's account.
    ///
    /// - Throws: NOT_FOUND; AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func remove(
        _ name: String, in scope: DatabaseScope, by caller: Caller, rightsVersion: UInt64? = nil
    ) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            try SubscriptionWriter(transaction, caller, rightsVersion, scope).remove(name)
        }
    }

    /// Stores that subscriptions which fire once have notified a change. Stored before the notification is delivered, so
    /// that nobody receives a second one; a reader whose position is before the change still gets the notification.
    func didFire(_ fired: [FiredSubscription], of account: UserID) async throws(RecordError) {
        guard !fired.isEmpty else { return }
        try await database.write { transaction throws(RecordError) in
            let sequence = try transaction.nextSequence()
            for entry in fired {
                try transaction.store.subscriptions.fire(
                    entry.subscription, at: entry.sequence, changed: sequence, now: transaction.now)
            }
            transaction.noteChange(ofSubscriptionsOf: account)
        }
    }
}

/// A subscription that fires once, and the change that it has notified.
struct FiredSubscription: Hashable, Sendable {
    let subscription: Int64
    let sequence: Int64
}

/// Writes the subscriptions of one caller in one database.
private struct SubscriptionWriter {
    private let transaction: WriteTransaction
    private let account: UserID
    private let database: SubscriptionRow.Database
    private var table: SubscriptionTable { transaction.store.subscriptions }

    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller has no account, or may not use the database;
    ///   AUTHENTICATION_FAILED for a deleted account.
    init(
        _ transaction: WriteTransaction, _ caller: Caller, _ rightsVersion: UInt64?, _ scope: DatabaseScope
    ) throws(RecordError) {
        self.transaction = transaction
        let current = try transaction.current(caller, since: rightsVersion)
        account = try current.subscriber
        if case .privateDatabase(let owner) = scope, !Authorization.mayEnterPrivateDatabase(current, of: owner) {
            throw .rejected(current, .read, .privateDatabase)
        }
        database = SubscriptionRow.Database(scope)
    }

    func put(
        _ name: String, _ definition: SubscriptionDefinition, _ mode: Subscriptions.Mode
    ) throws(RecordError) -> (Subscription, Bool) {
        let known = try table.find(name, of: account, in: database)
        // One that has fired is deleted for everyone but readers that lag behind.
        if var row = known, row.fired == nil {
            let before = SubscriptionDefinition(stored: row.definition)
            if mode == .create, let before { return (Subscription(row, before), false) }
            row.definition = definition.stored
            row.changed = try transaction.nextSequence()
            // What was watched before may still be waiting for a reader.
            if before?.watchesTheSame(as: definition) != true { row.since = row.changed }
            try table.update(row)
            transaction.noteChange(ofSubscriptionsOf: account)
            return (Subscription(row, definition), false)
        }
        guard mode != .update else { throw .subscriptionNotFound }
        try makeRoom()
        let sequence = try transaction.nextSequence()
        let row = SubscriptionRow(
            account: account, database: database, name: name, definition: definition.stored,
            created: transaction.now, changed: sequence, since: sequence)
        try table.put(row)
        transaction.noteChange(ofSubscriptionsOf: account)
        return (Subscription(row, definition), true)
    }

    private func makeRoom() throws(RecordError) {
        guard try table.version(of: account).count >= Subscriptions.most else { return }
        try table.trimFired(of: account, to: 0)
        guard try table.version(of: account).count < Subscriptions.most else {
            throw .badRequest(
                "The account has as many subscriptions as it may have. Delete one first", cause: .tooLarge,
                details: [("limit", .number(Int64(Subscriptions.most)))])
        }
    }

    func remove(_ name: String) throws(RecordError) {
        guard let row = try table.find(name, of: account, in: database), row.fired == nil else {
            throw .subscriptionNotFound
        }
        try table.remove(row.id)
        transaction.noteChange(ofSubscriptionsOf: account)
    }
}

/// Reads subscriptions in the snapshot of one reader.
package struct SubscriptionReader {
    let reader: RecordReader
    private var table: SubscriptionTable { reader.store.subscriptions }

    /// Returns the subscriptions of the caller's account in a database, in the order of their names.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func list(in scope: DatabaseScope, for caller: Caller) throws(RecordError) -> [Subscription] {
        let account = try account(of: caller, in: scope)
        let database = SubscriptionRow.Database(scope)
        return try table.list(of: account).compactMap { row in
            guard row.database == database, row.fired == nil else { return nil }
            return SubscriptionDefinition(stored: row.definition).map { Subscription(row, $0) }
        }
    }

    /// Returns a subscription of the caller's account.
    ///
    /// - Throws: NOT_FOUND; AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func find(
        _ name: String, in scope: DatabaseScope, for caller: Caller
    ) throws(RecordError) -> Subscription {
        let account = try account(of: caller, in: scope)
        guard let row = try table.find(name, of: account, in: SubscriptionRow.Database(scope)), row.fired == nil,
            let definition = SubscriptionDefinition(stored: row.definition)
        else { throw .subscriptionNotFound }
        return Subscription(row, definition)
    }

    /// Checks that a definition can be used in a database.
    ///
    /// - Throws: BAD_REQUEST for a kind that the database does not have; ZONE_NOT_FOUND; the errors of a query with the
    ///   predicate; AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func check(
        _ definition: SubscriptionDefinition, in scope: DatabaseScope, for caller: Caller
    ) throws(RecordError) {
        _ = try account(of: caller, in: scope)
        if scope == .publicDatabase, definition.kind != .query {
            throw .badRequest(
                "The public database has query subscriptions only. Use the type query, or the private database",
                details: [("field", .text("type"))])
        }
        if let zone = definition.zone { try reader.requireZone(DatabaseAddress(scope: scope, zone: zone)) }
        guard let selection = definition.selection else { return }
        try reader.feed.check(selection, in: DatabaseAddress(scope: scope), for: caller)
    }

    private func account(of caller: Caller, in scope: DatabaseScope) throws(RecordError) -> UserID {
        if case .privateDatabase(let owner) = scope, !Authorization.mayEnterPrivateDatabase(caller, of: owner) {
            throw .rejected(caller, .read, .privateDatabase)
        }
        return try caller.subscriber
    }
}

extension SubscriptionDefinition {
    /// The records of a query subscription as a selection of the feed, which the caller's rights apply to; `nil` for other
    /// kinds.
    var selection: FeedSelection? {
        guard kind == .query, let recordType else { return nil }
        var input = condition ?? QueryInput()
        input.recordType = recordType
        return FeedSelection(types: [recordType], condition: input)
    }
}
