internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// A subscription of a caller, bound to the schema and the caller's rights of one moment.
struct BoundSubscription: Sendable {
    let id: Int64
    let subscription: Subscription
    let database: FollowedDatabase
    let since: Int64
    let fired: Int64?
    /// The watched zone of another user; `nil` for other subscriptions, and without such a user.
    var sharedZone: DatabaseAddress?
    /// The record type of a query subscription, as the caller may read it; `nil` if it may not, or if there is no such
    /// type.
    var type: RecordTypeDefinition?
    /// The predicate; `nil` if all records of the type match.
    var matcher: RecordMatcher?
    /// The fields whose values notifications have; `nil` for none.
    var fields: VisibleFields?

    var definition: SubscriptionDefinition { subscription.definition }
    var isForAllZones: Bool { definition.zone == nil }

    /// Returns whether a change comes after the creation of the subscription, after the reader's position, and before the
    /// end of a subscription that fires once.
    func isDue(_ sequence: Int64, at position: NotificationPosition) -> Bool {
        sequence > since && position.isBefore(sequence, id) && (fired.map { position.isBefore($0, id) } ?? true)
    }
}

/// The subscriptions of a caller's account, in the snapshot and with the rights of one moment.
struct BoundSubscriptions: Sendable {
    let account: UserID
    let items: [BoundSubscription]
    /// What the stored subscriptions must still have so that `items` are current; see `SubscriptionTable.version`.
    let count: Int64
    let changed: Int64
    /// The zones that others share with the account, if a subscription watches all of them.
    let sharedZones: [DatabaseAddress]

    /// The signals that may announce a notification.
    var topics: Set<CommitTopic> {
        var topics: Set<CommitTopic> = [.subscriptions(of: account)]
        for item in items {
            guard case .scope(let scope) = item.database else {
                // The topic of zones that come and go.
                topics.insert(.zone(DatabaseAddress(scope: .privateDatabase(owner: account), zone: .everyZone)))
                topics.formUnion((item.sharedZone.map { [$0] } ?? sharedZones).map(CommitTopic.zone))
                continue
            }
            let zone = item.definition.zone ?? (scope == .publicDatabase ? .defaultZone : .everyZone)
            let address = DatabaseAddress(scope: scope, zone: zone)
            switch item.definition.kind {
            case .zone, .database: topics.insert(.zone(address))
            // A type that does not exist yet changes the rights version when it is created.
            case .query where zone == .everyZone: topics.insert(.zone(address))
            case .query: if let type = item.type { topics.insert(.type(address, type.id)) }
            }
        }
        return topics
    }
}

extension SubscriptionReader {
    /// Returns whether subscriptions are still the stored ones.
    func areCurrent(_ bound: BoundSubscriptions) throws(RecordError) -> Bool {
        try reader.store.subscriptions.version(of: bound.account) == (bound.count, bound.changed)
    }

    /// Binds all subscriptions of a caller's account. A subscription whose database or type the caller may not read, or
    /// whose predicate no longer fits the schema, notifies nothing until this changes.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED for a caller without an account; the store's error.
    func bound(for caller: Caller) throws(RecordError) -> BoundSubscriptions {
        let account = try caller.subscriber
        let (count, changed) = try reader.store.subscriptions.version(of: account)
        var items: [BoundSubscription] = []
        for row in try reader.store.subscriptions.list(of: account) {
            guard let definition = SubscriptionDefinition(stored: row.definition) else { continue }
            let database = row.database.database(of: account)
            if case .scope(.privateDatabase(let owner)) = database,
                !Authorization.mayEnterPrivateDatabase(caller, of: owner)
            {
                continue
            }
            var item = BoundSubscription(
                id: row.id, subscription: Subscription(row, definition), database: database, since: row.since,
                fired: row.fired)
            switch database {
            case .scope(let scope): try bindQuery(&item, in: scope, for: caller)
            case .shared: item.sharedZone = try definition.sharedAddress(by: reader)
            }
            items.append(item)
        }
        let watchesAll = items.contains { $0.database == .shared && $0.definition.kind == .database }
        return BoundSubscriptions(
            account: account, items: items, count: count, changed: changed,
            sharedZones: watchesAll ? try reader.zones.sharedAddresses(of: account) : [])
    }

    private func bindQuery(
        _ item: inout BoundSubscription, in scope: DatabaseScope, for caller: Caller
    ) throws(RecordError) {
        guard let selection = item.definition.selection, let name = item.definition.recordType,
            let type = reader.schema[name]
        else { return }
        let visibility = Visibility(of: type, for: caller, in: scope)
        guard visibility.reads != .none else { return }
        if item.definition.condition != nil {
            let address = DatabaseAddress(scope: scope)
            do throws(RecordError) {
                item.matcher = try reader.feed.matcher(of: selection, in: address, for: caller)
            } catch {
                guard error.code != .internalError, error.code != .tryAgainLater else { throw error }
                return
            }
        }
        item.type = type
        let fields = item.definition.fields
        if !fields.isEmpty { item.fields = VisibleFields(fields, of: type, visibility) }
    }
}
