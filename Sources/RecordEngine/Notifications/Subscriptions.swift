package import RecordModel
internal import RecordStorage
package import RecordWire

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
        _ name: String, _ definition: SubscriptionDefinition, in watched: FollowedDatabase, _ mode: Mode = .put,
        by caller: Caller, rightsVersion: UInt64? = nil
    ) async throws(RecordError) -> (subscription: Subscription, isNew: Bool) {
        guard RecordName(name) != nil else {
            throw .badRequest(
                "A subscription ID has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters")
        }
        return try await database.write { transaction throws(RecordError) in
            try SubscriptionWriter(transaction, caller, rightsVersion, watched).put(name, definition, mode)
        }
    }

    /// Deletes a subscription of the caller's account.
    ///
    /// - Throws: NOT_FOUND; AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func remove(
        _ name: String, in watched: FollowedDatabase, by caller: Caller, rightsVersion: UInt64? = nil
    ) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            try SubscriptionWriter(transaction, caller, rightsVersion, watched).remove(name)
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

/// The account to which a subscription belongs.
package enum SubscriptionAccount: Hashable, Sendable {
    /// A user, by its record name.
    case user(String)
    /// An API key, by its name.
    case key(String)

    /// The account as JSON: `{"kind","name"}`.
    package var json: JSONValue {
        switch self {
        case .user(let name): ["kind": "user", "name": .string(name)]
        case .key(let name): ["kind": "key", "name": .string(name)]
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
        _ transaction: WriteTransaction, _ caller: Caller, _ rightsVersion: UInt64?, _ watched: FollowedDatabase
    ) throws(RecordError) {
        self.transaction = transaction
        account = try watched.subscriber(try transaction.current(caller, since: rightsVersion))
        database = SubscriptionRow.Database(watched)
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
    package func list(in watched: FollowedDatabase, for caller: Caller) throws(RecordError) -> [Subscription] {
        let account = try watched.subscriber(caller)
        let database = SubscriptionRow.Database(watched)
        return try table.list(of: account).compactMap { row in
            guard row.database == database, row.fired == nil else { return nil }
            return SubscriptionDefinition(stored: row.definition).map { Subscription(row, $0) }
        }
    }

    /// Returns a page of the subscriptions of all accounts, the oldest first. Those of private and shared databases are
    /// only for callers that may use all private databases, since their conditions show what is in the records.
    ///
    /// - Parameter cursor: The cursor of the page before; `nil` for the first page.
    /// - Returns: The subscriptions with their accounts, and the cursor of the next page; `nil` at the end.
    /// - Throws: BAD_REQUEST for an invalid cursor.
    package func page(
        after cursor: String?, limit: Int, for caller: Caller
    ) throws(RecordError) -> (items: [(subscription: Subscription, account: SubscriptionAccount)], cursor: String?) {
        let position = cursor == nil ? 0 : cursor.flatMap(Int64.init)
        guard let position else {
            throw .badRequest(
                "'cursor' is the cursor of a page of subscriptions", details: [("parameter", .text("cursor"))])
        }
        let isPublic = Authorization.privatePermitted(of: caller) != .all
        let rows = try table.list(isPublic: isPublic, after: position, limit: limit + 1)
        var items: [(subscription: Subscription, account: SubscriptionAccount)] = []
        for row in rows.prefix(limit) {
            guard let definition = SubscriptionDefinition(stored: row.definition) else { continue }
            items.append((Subscription(row, definition), try account(row.account)))
        }
        return (items, rows.count > limit ? rows.prefix(limit).last.map { String($0.id) } : nil)
    }

    private func account(_ id: UserID) throws(RecordError) -> SubscriptionAccount {
        guard let account = try reader.store.accounts.find(id: id) else { return .user(SystemUser.deleted) }
        guard account.kind == .service else { return .user(account.recordName) }
        return .key(try reader.store.keys.find(account: id)?.name ?? "")
    }

    /// Returns a subscription of the caller's account.
    ///
    /// - Throws: NOT_FOUND; AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func find(
        _ name: String, in watched: FollowedDatabase, for caller: Caller
    ) throws(RecordError) -> Subscription {
        let account = try watched.subscriber(caller)
        guard let row = try table.find(name, of: account, in: SubscriptionRow.Database(watched)), row.fired == nil,
            let definition = SubscriptionDefinition(stored: row.definition)
        else { throw .subscriptionNotFound }
        return Subscription(row, definition)
    }

    /// Checks that a definition can be used in a database.
    ///
    /// - Throws: BAD_REQUEST for a kind that the database does not have; ZONE_NOT_FOUND; the errors of a query with the
    ///   predicate; AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func check(
        _ definition: SubscriptionDefinition, in watched: FollowedDatabase, for caller: Caller
    ) throws(RecordError) {
        _ = try watched.subscriber(caller)
        guard case .scope(let scope) = watched else { return try checkShared(definition, for: caller) }
        guard definition.owner == nil else {
            throw .badRequest(
                "'owner' goes with zones of the shared database. Leave it out, or use database=shared",
                details: [("field", .text("owner"))])
        }
        if scope == .publicDatabase, definition.kind != .query {
            throw .badRequest(
                "The public database has query subscriptions only. Use the type query, or the private database",
                details: [("field", .text("type"))])
        }
        if let zone = definition.zone { try reader.requireZone(DatabaseAddress(scope: scope, zone: zone)) }
        guard let selection = definition.selection else { return }
        try reader.feed.check(selection, in: DatabaseAddress(scope: scope), for: caller)
    }

    private func checkShared(_ definition: SubscriptionDefinition, for caller: Caller) throws(RecordError) {
        switch definition.kind {
        case .database: return
        case .query:
            throw .badRequest(
                "The shared database has no query subscriptions. Use the type database or zone, and read what has changed with GET /changes",
                details: [("field", .text("type"))])
        case .zone:
            guard definition.owner != nil else {
                throw .badRequest(
                    "With database=shared, 'owner' is the record name of the zone's owner",
                    details: [("field", .text("owner"))])
            }
            guard let address = try definition.sharedAddress(by: reader) else { throw .zoneNotFound }
            // The caller's own zones are not in its shared database.
            guard try reader.participant(caller, in: address).participation != nil else { throw .zoneNotFound }
        }
    }
}

extension SubscriptionDefinition {
    /// Returns the address of the watched zone of another user; `nil` if there is no such user, and for other
    /// definitions.
    func sharedAddress(by reader: RecordReader) throws(RecordError) -> DatabaseAddress? {
        guard let zone, let owner, let id = try reader.store.accounts.find(recordName: owner.text)?.id else {
            return nil
        }
        return DatabaseAddress(scope: .privateDatabase(owner: id), zone: zone)
    }

    /// The records of a query subscription as a selection of the feed, which the caller's rights apply to; `nil` for other
    /// kinds.
    var selection: FeedSelection? {
        guard kind == .query, let recordType else { return nil }
        var input = condition ?? QueryInput()
        input.recordType = recordType
        return FeedSelection(types: [recordType], condition: input)
    }
}
