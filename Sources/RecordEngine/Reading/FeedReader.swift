package import RecordModel
internal import RecordStorage
internal import RecordWire

/// A page of the changes of a zone, as a request asks for it.
package struct ChangesRequest: PageRequest {
    let address: DatabaseAddress
    package var caller: Caller
    let since: String?
    let limit: Int
    let fields: [String]?
    let opening: StaticString
    /// The caller is known with what it got up to this number of the one sequence; another thread may know more.
    fileprivate var knownSequence = Int64.max

    /// - Parameters:
    ///   - since: The token of the previous page; `nil` or empty for the beginning.
    ///   - limit: 1 to the configured page size.
    ///   - fields: The fields to show; `nil` for all.
    ///   - opening: What the protocol puts in front of the changes.
    package init(
        in address: DatabaseAddress, for caller: Caller, since: String?, limit: Int, fields: [String]?,
        opening: StaticString = ""
    ) {
        self.address = address
        self.caller = caller
        self.since = since
        self.limit = limit
        self.fields = fields
        self.opening = opening
    }

    package func page(by reader: RecordReader, _ time: inout PageTime) throws(RecordError) -> RecordPage? {
        try reader.feed.changes(self, &time)
    }
}

/// Reads the changes of zones, in a reader's view.
package struct FeedReader {
    let reader: RecordReader

    private var store: StoreReader { reader.store }

    /// What changed in a zone after a token, oldest first.
    ///
    /// Each record comes once, with its newest state; a deleted one as a tombstone. Changes to records that the caller
    /// may not read do not appear; a page may be short, or empty, while more is coming. One that takes more time than a
    /// loop has is made on a thread of the pool.
    ///
    /// - Throws: TOKEN_EXPIRED if tombstones since the token are gone or the caller's rights have changed: the client
    ///   starts again. TOKEN_INVALID for a token of another caller or zone.
    /// - Source: CloudKit Web Services Reference, "Fetching Record Zone Changes".
    package func changes(_ request: ChangesRequest) async throws(RecordError) -> RecordPage {
        var request = request
        request.knownSequence = reader.knownSequence
        return try await reader.page(request)
    }

    /// - Returns: `nil` if the time was over before the page was made.
    fileprivate func changes(_ request: ChangesRequest, _ time: inout PageTime) throws(RecordError) -> RecordPage? {
        let (address, caller) = (request.address, request.caller)
        if case .privateDatabase(let owner) = address.scope,
            !Authorization.mayEnterPrivateDatabase(caller, of: owner)
        {
            throw .refused(caller, .read, .privateDatabase)
        }
        guard address.zone == .defaultZone else { throw .zoneNotFound }
        guard let zone = try reader.zoneRow(address) else {
            // Nothing was ever written: the empty feed starts over with each call until something is. A token is of a state
            // of this file that a restored copy has lost.
            guard request.since?.isEmpty ?? true else { throw .tokenOfLostState }
            var page = RecordPage(request.opening)
            page.end = .token("", moreComing: false)
            return page
        }
        // A change that is in the view and not yet known here has not judged what is shown: its number is not told, so
        // that the token ends with it.
        let rights = min(
            try reader.callers.lastChangeOfRights(of: caller, in: address.scope), knownSequence(for: request))
        let epoch = try store.openings.current()
        var token = SyncToken(
            generation: zone.generation, sequence: 0, rights: rights, floor: zone.purged, epoch: epoch, complete: 0)
        if let since = request.since, !since.isEmpty {
            token = try SyncToken.open(since, zone: zone.id, caller: caller, with: reader.database.keys)
            // What another copy of this file has given is in an epoch that this one does not know, or behind the end of one. What
            // was given after a copy was made of a file in use may not be: such numbers are not in the zone at first.
            let last = try store.openings.lastNumber(of: token.epoch)
            let newest = try store.records.newestSequence(zone: zone.id)
            guard token.generation == zone.generation, let last, token.newest <= last,
                token.sequence <= max(newest, zone.purged)
            else { throw .tokenOfLostState }
            guard !token.hasMissed(purged: zone.purged) else { throw .tokenTooOld }
            guard token.rights == rights else { throw .tokenOfOtherRights }
            token.epoch = epoch
        }
        return try changes(zone: zone.id, request, behind: token, &time)
    }

    private func changes(
        zone: ZoneID, _ request: ChangesRequest, behind token: SyncToken, _ time: inout PageTime
    ) throws(RecordError) -> RecordPage? {
        var token = token
        let (scope, caller, limit) = (request.address.scope, request.caller, request.limit)
        let filter = feedFilter(for: caller, in: scope)
        let newest = try store.records.newestSequence(zone: zone)
        // What the view shows of a commit that was not yet published may be of types, or readable by rights, that this
        // thread does not know: it would be passed over for good. It comes with the next page.
        var bound = min(newest, knownSequence(for: request))
        if case .types = filter {
            // A filtered look walks a bounded number of rows, however few of them the caller may see.
            let position = token.sequence
            let end = try store.records.window(zone: zone, after: position, count: max(limit * 4, Self.feedWindow))
            if let end { bound = min(end, bound) }
        }
        var page = RecordPage(request.opening)
        var bounds = PageBounds(limit: limit, reader.database.limits)
        var isCut = false
        var isLate = false
        var rows = 0
        var shownFields: [TypeID: ShownFields] = [:]
        func shown(_ type: RecordTypeDefinition) -> ShownFields {
            if let known = shownFields[type.id] { return known }
            let shown = ShownFields(request.fields, of: type, Visibility(of: type, for: caller, in: scope))
            shownFields[type.id] = shown
            return shown
        }
        let (position, complete) = (token.sequence, token.complete)
        // Where rows may be passed over one by one, a look is longer than the page.
        let mayPassOver = caller.isBoundByGrants && reader.schema.types.values.contains { $0.hasAccessLists }
        let look = mayPassOver ? max(limit * 4, Self.feedWindow) : limit + 1
        let first = try store.records.changes(zone: zone, after: position, through: bound, limit: look, filter: filter)
        if let records = first {
            defer { records.finish() }
            repeat {
                if isLate || bounds.areReached(by: page.records.count, page.records.bytes) {
                    isCut = true
                    break
                }
                let row = records.row
                // Types that this thread does not know were committed after everything that is looked at.
                guard let type = reader.type(row.type) else {
                    isCut = true
                    break
                }
                token.sequence = row.sequence
                rows += 1
                if time.isOver(afterRowOf: records.fields.count) {
                    guard time.endsPage else { return nil }
                    isLate = true
                }
                // The look was made with the rights of types that this thread knew; a newer one is judged here, and so
                // are access lists.
                let shown = shown(type)
                let isReadable = shown.visibility.mayRead(row.facts)
                guard isReadable || shown.visibility.couldRead(row, after: complete) else { continue }
                page.records.beginMember()
                if row.isDeleted || !isReadable {
                    RecordComposer.appendTombstone(name: records.name, typeName: type.name, to: &page.records.json)
                } else {
                    try reader.append(records.record, row.systemFields, type, shown, to: &page.records.json)
                    bounds.didRead(shown.bytes(of: records.record, creator: row.creator))
                }
            } while try records.next()
            // Rows that were passed over have used up the look.
            if rows == look { isCut = true }
        }
        if !isCut { token.sequence = max(token.sequence, bound) }
        let moreComing = token.sequence < newest
        if !moreComing { token.complete = token.sequence }
        page.end = .token(
            SyncToken.seal(token, zone: zone, caller: caller, with: reader.database.keys), moreComing: moreComing)
        return page
    }

    private func knownSequence(for request: ChangesRequest) -> Int64 {
        min(reader.knownSequence, request.knownSequence)
    }

    /// Rows that one filtered look at the feed may walk.
    private static let feedWindow = 5_000

    /// What the caller may see of a zone, in terms of types: `authorize` compiled for the feed.
    private func feedFilter(for caller: Caller, in scope: DatabaseScope) -> RecordReading.FeedFilter {
        var all: [TypeID] = []
        var own: [TypeID] = []
        for type in reader.schema.types.values {
            switch Authorization.reach(of: .read, for: caller, in: scope, type: type) {
            case .all: all.append(type.id)
            case .own: own.append(type.id)
            case .none: break
            }
        }
        if all.count == reader.schema.types.count { return .everything }
        return .types(all: all.sorted(), own: own.sorted(), user: caller.userID ?? .nobody)
    }
}

extension Visibility {
    fileprivate func couldRead(_ row: RecordRow, after complete: Int64) -> Bool {
        guard let former = row.formerReaders else { return false }
        return couldRead(creator: row.creator, formerReaders: former, after: complete)
    }
}

extension RecordError {
    static let tokenTooOld = tokenExpired("The sync token is too old: deletions since then are no longer kept")
    static let tokenOfOtherRights = tokenExpired("The caller's rights have changed since the sync token was given")
    static let tokenOfLostState = tokenExpired(
        "The sync token is of a state that this database does not have: it was restored from a backup, or recreated")

    private static func tokenExpired(_ why: String) -> RecordError {
        .badRequest("\(why). Read the feed from its beginning", cause: .tokenExpired)
    }
}
