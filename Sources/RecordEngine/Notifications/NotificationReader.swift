internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Derives notifications from the log of changes in the snapshot of one reader.
package struct NotificationReader {
    let reader: RecordReader
}

/// A request for the notifications after a position.
struct NotificationsRequest: PageRequest {
    var caller: Caller
    let subscriptions: BoundSubscriptions
    let position: NotificationPosition
    /// The maximum number of notifications.
    let limit: Int
    /// The sequence number up to which the thread of the request knows types, grants and roles.
    let known: Int64

    func page(by reader: RecordReader, _ time: inout PageTimeLimit) throws(RecordError) -> NotificationPage? {
        let bound = min(known, reader.knownSequence)
        var collector = NotificationCollector(request: self, reader: reader, bound: bound)
        guard try collector.collect(&time) else { return nil }
        return collector.page(known: bound)
    }
}

/// Collects the notifications of one page.
///
/// The log has each record once, in its newest state. So changes of a record that follow each other before they are
/// notified become one notification.
private struct NotificationCollector {
    let request: NotificationsRequest
    let reader: RecordReader
    /// The sequence number of the last change that this page can contain. It falls if a zone has too many changes.
    private(set) var bound: Int64
    private var notifications: [SubscriptionNotification] = []
    private var owners: [UserID: String] = [:]

    private var store: StoreReader { reader.store }
    private var position: NotificationPosition { request.position }

    /// The maximum number of rows of one zone that a page scans.
    private static let window = 5_000

    init(request: NotificationsRequest, reader: RecordReader, bound: Int64) {
        self.request = request
        self.reader = reader
        self.bound = bound
    }

    /// A zone with changes.
    private struct ChangedZone {
        let id: ZoneID
        let name: String
        /// The owner of a zone of the shared database; `nil` for zones of other databases.
        var owner: UserID?
        /// The sequence number of the newest change.
        let newest: Int64
        let purged: Int64
    }

    /// Reads the changes of all zones that subscriptions watch.
    ///
    /// - Returns: `false` if the time limit ends before the page is complete.
    mutating func collect(_ time: inout PageTimeLimit) throws(RecordError) -> Bool {
        let items = request.subscriptions.items
        var zones: [FollowedDatabase: [ChangedZone]] = [:]
        for database in Set(items.map(\.database)) {
            switch database {
            case .scope(let scope): zones[database] = try changedZones(of: scope)
            case .shared:
                guard let changed = try changedSharedZones(&time) else { return false }
                zones[database] = changed
            }
        }
        for (database, changed) in zones {
            guard case .scope(let scope) = database else { continue }
            for zone in changed {
                let queries = items.filter {
                    $0.database == database && $0.type != nil
                        && ($0.isForAllZones || $0.definition.zone?.text == zone.name)
                }
                if !queries.isEmpty, try !scan(zone, in: scope, for: queries, &time) { return false }
            }
        }
        for item in items {
            guard let changed = zones[item.database] else { continue }
            switch item.definition.kind {
            case .query: continue
            case .zone:
                for zone in changed where item.watches(zone.name, of: zone.owner) && zone.newest <= bound {
                    let owner = try zone.owner.map { id throws(RecordError) in try name(of: id) }
                    try append(item, at: zone.newest) { notification in
                        notification.zone = zone.name
                        if let owner { notification.owner = owner }
                    }
                }
            case .database:
                let lost = try newestLoss(in: item.database)
                let newest = (changed.map(\.newest).filter { $0 <= bound } + [lost].compactMap(\.self)).max()
                if let newest { try append(item, at: newest) { _ in } }
            }
        }
        return true
    }

    private func changedZones(of scope: DatabaseScope) throws(RecordError) -> [ChangedZone] {
        let start = position.readsAfter
        var zones: [ChangedZone] = []
        let standard = DatabaseAddress(scope: scope)
        if let row = try reader.zoneRow(standard) {
            let newest = try store.records.newestSequence(zone: row.id)
            if newest > start || row.purged > start {
                zones.append(ChangedZone(id: row.id, name: standard.zone.text, newest: newest, purged: row.purged))
            }
        }
        guard case .privateDatabase(let owner) = scope else { return zones }
        // Also zones whose newest change is after the bound: they may have older ones too.
        for zone in try store.zones.changed(of: owner, after: start, through: .max, limit: Limits.customZones) {
            guard let name = ZoneName(zone.name) else { continue }
            let row = try reader.zoneRow(DatabaseAddress(scope: scope, zone: name))
            zones.append(
                ChangedZone(id: zone.id, name: zone.name, newest: zone.changed, purged: row?.purged ?? 0))
        }
        return zones
    }

    /// Returns the watched zones that others share with the account and that have changed for it.
    ///
    /// - Returns: `nil` if the time limit ends before all changes are read.
    private mutating func changedSharedZones(_ time: inout PageTimeLimit) throws(RecordError) -> [ChangedZone]? {
        let items = request.subscriptions.items.filter { $0.database == .shared }
        let watchesAll = items.contains { $0.definition.kind == .database }
        var zones: [ChangedZone] = []
        let entries = try store.shares.zones(
            of: request.subscriptions.account, after: position.readsAfter, through: .max, limit: Limits.customZones)
        for entry in entries {
            guard let address = entry.address, watchesAll || items.contains(where: { $0.sharedZone == address }) else {
                continue
            }
            guard let newest = try newestSharedChange(in: address, &time) else { return nil }
            zones.append(
                ChangedZone(id: entry.id, name: entry.name, owner: entry.owner, newest: newest, purged: 0))
        }
        return zones
    }

    /// Returns the sequence number of the newest change that the account's own feed of a shared zone shows, or of the
    /// account's rights in the zone, whichever is newer. Changes of records that are not shared are nothing to tell.
    ///
    /// - Returns: 0 without such a change; `nil` if the time limit ends before all changes are read.
    private mutating func newestSharedChange(
        in address: DatabaseAddress, _ time: inout PageTimeLimit
    ) throws(RecordError) -> Int64? {
        let caller = try reader.callers.participant(request.caller, in: address)
        guard let participation = caller.participation, let zone = try reader.zoneRow(address),
            let rights = try store.shares.participation(
                of: request.subscriptions.account, in: zone.id, owner: participation.owner)
        else { return 0 }
        var token = SyncToken.beginning
        (token.sequence, token.complete) = (position.readsAfter, position.complete)
        let read = FeedRead(
            position: FeedPosition(zone: zone.id, token: token), address: address, caller: caller,
            selection: FeedSelection(), limit: Self.window / 4, pageBytes: .max, known: bound, through: bound)
        var newest = NewestChange()
        guard let end = try reader.feed.read(read, into: &newest, &time) else { return nil }
        if end.moreComing { bound = min(bound, end.position.token.sequence) }
        // A deletion that is no longer kept may be one of a shared record.
        let purged = position.hasMissed(purged: zone.purged) ? zone.purged : 0
        return max(newest.sequence, purged, rights.changed)
    }

    /// Returns the sequence number of the newest loss of a zone within the page; `nil` if there is none.
    private func newestLoss(in database: FollowedDatabase) throws(RecordError) -> Int64? {
        let account: UserID
        switch database {
        case .scope(.publicDatabase): return nil
        case .scope(.privateDatabase(let owner)): account = owner
        case .shared: account = request.subscriptions.account
        }
        return try store.lostZones.list(
            of: account, isShared: database == .shared, after: position.readsAfter, through: bound,
            limit: Limits.customZones
        ).last?.sequence
    }

    /// Reads the changes of a zone.
    ///
    /// - Returns: `false` if the time limit ends before all are read.
    /// - Throws: BAD_REQUEST with cause TOKEN_EXPIRED if deletions that the page needs are no longer kept.
    private mutating func scan(
        _ zone: ChangedZone, in scope: DatabaseScope, for queries: [BoundSubscription], _ time: inout PageTimeLimit
    ) throws(RecordError) -> Bool {
        if position.hasMissed(purged: zone.purged), queries.contains(where: { $0.definition.events.contains(.delete) })
        {
            throw NotificationPosition.expired("deletions since then are no longer kept")
        }
        let start = position.readsAfter
        if let end = try store.records.window(zone: zone.id, after: start, count: Self.window) {
            bound = min(bound, end)
        }
        let before = notifications.count
        let filter = filter(for: queries, in: scope)
        let first = try store.records.changes(
            zone: zone.id, after: start, through: bound, limit: Self.window + 1, filter: filter)
        guard let records = first else { return true }
        defer { records.finish() }
        let matchers = queries.map { $0.matcher.map { FeedMatcher($0, reader, isOnPool: time.endsPage) } }
        var last = start
        repeat {
            if notifications.count - before > request.limit || time.isOver(afterRowOf: records.fields.count) {
                // The page may be cut before any row that is not read.
                if notifications.count - before <= request.limit, !time.endsPage { return false }
                bound = min(bound, last)
                break
            }
            let row = records.row
            for (index, item) in queries.enumerated()
            where item.type?.id == row.type && item.isDue(row.sequence, at: position) {
                guard let type = item.type, let reason = item.reason(of: row, at: position),
                    Visibility(of: type, for: request.caller, in: scope).mayRead(row.facts)
                else { continue }
                if reason != .delete, let matcher = matchers[index] {
                    guard let matches = try matches(records.record, matcher, time) else { return false }
                    guard matches else { continue }
                }
                let name = String(decoding: records.name, as: UTF8.self)
                let fields = reason == .delete ? nil : try fields(of: records.record, row, type, item)
                try append(item, at: row.sequence) { notification in
                    notification.reason = reason
                    notification.zone = zone.name
                    notification.recordName = name
                    notification.recordType = type.name.text
                    if let fields { notification.fields = fields }
                }
            }
            last = row.sequence
        } while try records.next()
        return true
    }

    /// Returns whether a record matches, also if this is too expensive to find out: a notification too many is better than
    /// one too few. `nil` if finding out takes longer than this thread can spare.
    private func matches(
        _ record: RecordCursor, _ matcher: FeedMatcher, _ time: PageTimeLimit
    ) throws(RecordError) -> Bool? {
        do throws(RecordError) {
            return try matcher.matches(record, endsPage: time.endsPage)
        } catch {
            guard error.cause == .queryTooExpensive else { throw error }
            return true
        }
    }

    /// Returns the rows that subscriptions may notify. This applies `authorize` to all their types at once.
    private func filter(
        for queries: [BoundSubscription], in scope: DatabaseScope
    ) -> RecordFinder.FeedFilter {
        var all: Set<TypeID> = []
        var own: Set<TypeID> = []
        for item in queries {
            guard let type = item.type else { continue }
            switch Authorization.permitted(of: .read, for: request.caller, in: scope, type: type) {
            case .all: all.insert(type.id)
            case .own: own.insert(type.id)
            case .none: break
            }
        }
        return .types(all: all.sorted(), own: own.sorted(), user: request.caller.userID ?? .nobody)
    }

    /// Returns the values of the fields that a subscription asks for.
    private func fields(
        of record: RecordCursor, _ row: RecordRow, _ type: RecordTypeDefinition, _ item: BoundSubscription
    ) throws(RecordError) -> JSONObject? {
        guard let shown = item.fields else { return nil }
        var json: [UInt8] = []
        try reader.append(record, row.systemFields, type, shown, to: &json)
        return (try? JSONValue.parse(json))?["fields"]?.object
    }

    private mutating func append(
        _ item: BoundSubscription, at sequence: Int64, _ fill: (inout SubscriptionNotification) -> Void
    ) throws(RecordError) {
        guard item.isDue(sequence, at: position) else { return }
        let account = request.subscriptions.account
        var notification = SubscriptionNotification(item, at: sequence, of: account, with: reader.database.keys)
        if case .scope(.privateDatabase(let owner)) = item.database { notification.owner = try name(of: owner) }
        fill(&notification)
        notifications.append(notification)
    }

    private mutating func name(of owner: UserID) throws(RecordError) -> String {
        if let known = owners[owner] { return known }
        let name = try reader.userNames.name(of: owner)
        owners[owner] = name
        return name
    }

    /// Returns the page of what was collected.
    ///
    /// - Parameter known: The sequence number of the last change that any page can contain.
    func page(known: Int64) -> NotificationPage {
        var page = NotificationPage(start: position, end: position)
        let once = Dictionary(
            uniqueKeysWithValues: request.subscriptions.items.filter(\.definition.firesOnce).map { ($0.id, $0) })
        var fired: Set<Int64> = []
        let sorted = notifications.filter { $0.sequence <= bound }
            .sorted { ($0.sequence, $0.subscriptionID) < ($1.sequence, $1.subscriptionID) }
        for notification in sorted {
            if let item = once[notification.subscriptionID] {
                guard fired.insert(item.id).inserted else { continue }
            }
            guard page.notifications.count < request.limit else {
                page.moreComing = true
                break
            }
            page.notifications.append(notification)
            if let item = once[notification.subscriptionID], item.fired == nil {
                page.fired.append(FiredSubscription(subscription: item.id, sequence: notification.sequence))
            }
        }
        if page.moreComing, let last = page.notifications.last {
            (page.end.sequence, page.end.within) = (last.sequence, last.subscriptionID)
        } else {
            if bound > page.end.sequence { (page.end.sequence, page.end.within) = (bound, .max) }
            page.moreComing = bound < known
            if !page.moreComing {
                page.end.within = .max
                page.end.complete = page.end.sequence
            }
        }
        return page
    }
}

/// Keeps only the position of the newest change that a read of the feed finds.
private struct NewestChange: FeedOutput {
    private(set) var sequence: Int64 = 0

    // The read goes on to the end of its window.
    var count: Int { 0 }
    var bytes: Int { 0 }

    mutating func append(
        _ kind: FeedChangeKind, sequence: Int64, _ compose: (inout [UInt8]) throws(RecordError) -> Void
    ) throws(RecordError) {
        self.sequence = sequence
    }
}

extension BoundSubscription {
    /// Returns whether a zone subscription watches a zone.
    ///
    /// - Parameter owner: The owner of a zone of the shared database; `nil` for zones of the account.
    fileprivate func watches(_ zone: String, of owner: UserID?) -> Bool {
        guard let owner else { return definition.zone?.text == zone }
        return sharedZone?.zone.text == zone && sharedZone?.scope == .privateDatabase(owner: owner)
    }

    /// Returns the reason for which a query subscription notifies the newest state of a record; `nil` if it does not
    /// fire on any of the changes since the position.
    fileprivate func reason(of row: RecordRow, at position: NotificationPosition) -> SubscriptionNotification.Reason? {
        let events = definition.events
        if row.isDeleted { return events.contains(.delete) ? .delete : nil }
        // The number of a record is the sequence number of its creation.
        let isNew = row.id.rawValue > max(position.complete, since)
        if isNew, events.contains(.create) { return .create }
        return (!isNew || row.sequence > row.id.rawValue) && events.contains(.update) ? .update : nil
    }
}
