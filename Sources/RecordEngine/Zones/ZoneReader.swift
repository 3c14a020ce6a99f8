package import RecordModel
internal import RecordStorage

/// Reads the zones of databases in the snapshot of one reader.
package struct ZoneReader {
    let reader: RecordReader

    private var store: StoreReader { reader.store }

    /// Returns one page of the zones of a database.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the page before; `nil` for the first page.
    ///   - limit: The maximum number of zones.
    /// - Throws: ACCESS_DENIED or AUTHENTICATION_REQUIRED; BAD_REQUEST with cause TOKEN_INVALID for a wrong cursor.
    package func list(
        in scope: DatabaseScope, for caller: Caller, cursor: String?, limit: Int
    ) throws(RecordError) -> ZonePage {
        try allowAll(caller, scope)
        guard case .privateDatabase(let owner) = scope else { return ZonePage(zones: [publicZone], cursor: nil) }
        if let cursor, ZoneName(cursor) == nil {
            throw .badRequest(
                "The cursor does not belong to this list. Ask for the first page again", cause: .tokenInvalid)
        }
        let name = try reader.userNames.name(of: owner)
        var zones = cursor == nil ? [Zone(name: ZoneName.defaultZone.text, owner: name, created: nil)] : []
        let room = limit - zones.count
        let start = cursor == ZoneName.defaultZone.text ? nil : cursor
        let rows = try store.zones.custom(of: owner, after: start, limit: room + 1)
        zones += rows.prefix(room).map { Zone(name: $0.name, owner: name, created: $0.created) }
        return ZonePage(zones: zones, cursor: rows.count > room ? zones.last?.name : nil)
    }

    /// Returns the zones that other users share with a caller, oldest change first.
    ///
    /// - Parameter withTokens: Whether each zone has the sync token of its newest change.
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED for callers that are no users.
    package func shared(with caller: Caller, withTokens: Bool = false) throws(RecordError) -> [Zone] {
        try reader.refresh()
        let entries = try store.shares.zones(
            of: try Self.user(caller), after: -1, through: .max, limit: Limits.customZones)
        return try entries.map { entry throws(RecordError) in
            try sharedZone(entry, for: caller, withToken: withTokens)
        }
    }

    /// Returns the addresses of the zones that other users share with an account.
    func sharedAddresses(of account: UserID) throws(RecordError) -> [DatabaseAddress] {
        try store.shares.zones(of: account, after: -1, through: .max, limit: Limits.customZones).compactMap(\.address)
    }

    private func sharedZone(
        _ entry: ZoneEntry, for caller: Caller, withToken: Bool
    ) throws(RecordError) -> Zone {
        let zone = Zone(name: entry.name, owner: try reader.userNames.name(of: entry.owner), created: entry.created)
        guard withToken, let address = entry.address else { return zone }
        return try self.withToken(
            zone, in: address.scope, for: try reader.callers.participant(caller, in: address))
    }

    /// Returns the zones in a caller's shared database that have changed since a token, oldest change first. A zone
    /// changes with its records and with the caller's rights, and is lost with the last right.
    ///
    /// - Parameters:
    ///   - withTokens: Whether each zone has the sync token of its newest change.
    /// - Throws: As `changes`; AUTHENTICATION_REQUIRED or ACCESS_DENIED for callers that are no users.
    package func sharedChanges(
        for caller: Caller, since start: FeedStart, limit: Int, withTokens: Bool = false
    ) throws(RecordError) -> ZoneChanges {
        try reader.refresh()
        let user = try Self.user(caller)
        let last = reader.knownSequence
        let token = try position(start, user, caller, isShared: true, last: last)
        let entries = try store.shares.zones(of: user, after: token.sequence, through: last, limit: limit + 1)
        return try page(entries, token, of: user, isShared: true, for: caller, through: last, limit: limit) {
            entry throws(RecordError) in try sharedZone(entry, for: caller, withToken: withTokens)
        }
    }

    private static func user(_ caller: Caller) throws(RecordError) -> UserID {
        guard let user = caller.account.userID else {
            throw RecordError(
                caller == .anonymous ? .authenticationRequired : .accessDenied,
                "A shared database belongs to a user. Sign in first")
        }
        return user
    }

    /// Returns all zones of a database, each with the sync token of its newest change.
    ///
    /// - Throws: As `list`.
    func all(in scope: DatabaseScope, for caller: Caller) throws(RecordError) -> [Zone] {
        try reader.refresh()
        var zones: [Zone] = []
        var cursor: String?
        repeat {
            let page = try list(in: scope, for: caller, cursor: cursor, limit: 1_000)
            for zone in page.zones { zones.append(try withToken(zone, in: scope, for: caller)) }
            cursor = page.cursor
        } while cursor != nil
        return zones
    }

    /// Returns a zone with the sync token of its newest change.
    ///
    /// - Throws: As `find`.
    package func withToken(_ zone: Zone, in scope: DatabaseScope, for caller: Caller) throws(RecordError) -> Zone {
        guard let name = ZoneName(zone.name) else { throw .zoneNotFound }
        var zone = zone
        zone.token = try reader.feed.currentToken(in: DatabaseAddress(scope: scope, zone: name), for: caller)
        return zone
    }

    /// Returns a zone.
    ///
    /// - Throws: ZONE_NOT_FOUND; ACCESS_DENIED or AUTHENTICATION_REQUIRED.
    package func find(_ address: DatabaseAddress, for caller: Caller) throws(RecordError) -> Zone {
        try allow(caller, address.scope)
        guard case .privateDatabase(let owner) = address.scope else {
            try reader.requireZone(address)
            return publicZone
        }
        let name = try reader.userNames.name(of: owner)
        guard address.zone != .defaultZone else {
            return Zone(name: address.zone.text, owner: name, created: nil)
        }
        guard let row = try reader.zoneRow(address), let zone = try store.zones.custom(row.id) else {
            throw .zoneNotFound
        }
        return Zone(name: zone.name, owner: name, created: zone.created)
    }

    /// Returns the zones of a private database that have changed since a token, oldest change first.
    ///
    /// - Parameters:
    ///   - start: Where the caller starts.
    ///   - limit: The maximum number of zones.
    /// - Throws: BAD_REQUEST for the public database; ACCESS_DENIED or AUTHENTICATION_REQUIRED; TOKEN_INVALID and
    ///   TOKEN_EXPIRED as for the feed of a zone.
    package func changes(
        in scope: DatabaseScope, for caller: Caller, since start: FeedStart, limit: Int
    ) throws(RecordError) -> ZoneChanges {
        try reader.refresh()
        try allowAll(caller, scope)
        guard case .privateDatabase(let owner) = scope else {
            throw .badRequest(
                "The public database has one zone alone. Read its changes with GET /changes",
                details: [("parameter", .text("database"))])
        }
        // The snapshot may contain a commit whose records no feed shows yet.
        let last = reader.knownSequence
        let token = try position(start, owner, caller, isShared: false, last: last)
        var entries = try store.zones.changed(of: owner, after: token.sequence, through: last, limit: limit + 1)
        let standard = DatabaseAddress(scope: scope)
        if let zone = try reader.zoneRow(standard) {
            let newest = try store.records.newestSequence(zone: zone.id)
            if newest > token.sequence, newest <= last {
                entries.append(
                    ZoneEntry(id: zone.id, owner: owner, name: standard.zone.text, created: nil, changed: newest))
            }
        }
        let name = try reader.userNames.name(of: owner)
        return try page(entries, token, of: owner, isShared: false, for: caller, through: last, limit: limit) {
            Zone(name: $0.name, owner: name, created: $0.created)
        }
    }

    /// Returns a page of changed zones and of those that a database has lost.
    ///
    /// - Parameters:
    ///   - account: The account whose database it is.
    ///   - isShared: Whether it is the account's shared database.
    ///   - zone: Returns the zone of an entry.
    private func page(
        _ entries: [ZoneEntry], _ start: SyncToken, of account: UserID, isShared: Bool, for caller: Caller,
        through last: Int64, limit: Int, _ zone: (ZoneEntry) throws(RecordError) -> Zone
    ) throws(RecordError) -> ZoneChanges {
        var token = start
        var changes = try entries.map { entry throws(RecordError) in
            ZoneChange(zone: try zone(entry), isLost: false, sequence: entry.changed)
        }
        let lost = try store.lostZones.list(
            of: account, isShared: isShared, after: token.sequence, through: last, limit: limit + 1)
        changes += try lost.map { zone throws(RecordError) in
            let owner = if let name = zone.ownerName { name } else { try reader.userNames.name(of: zone.owner) }
            return ZoneChange(
                zone: Zone(name: zone.name, owner: owner, created: nil), isLost: true, sequence: zone.sequence)
        }
        changes.sort { $0.sequence < $1.sequence }
        let moreComing = changes.count > limit
        changes = Array(changes.prefix(limit))
        token.sequence = moreComing ? changes.last?.sequence ?? token.sequence : max(token.sequence, last)
        token.complete = token.sequence
        return ZoneChanges(
            changes: changes,
            token: seal(token, account, caller, isShared: isShared),
            moreComing: moreComing, start: start)
    }

    /// Returns the position at which a caller starts.
    private func position(
        _ start: FeedStart, _ owner: UserID, _ caller: Caller, isShared: Bool, last: Int64
    ) throws(RecordError) -> SyncToken {
        let purged = try store.lostZones.purgedSequence()
        var token = SyncToken(generation: 0, sequence: 0, rights: 0, floor: purged, complete: 0)
        switch start {
        case .beginning: break
        case .now: token.sequence = last
        case .token(let text):
            token = try open(text, owner, caller, isShared: isShared)
            guard token.sequence <= last else { throw .tokenOfLostState }
            guard !token.hasMissed(purged: purged) else { throw .tokenTooOld }
        }
        return token
    }

    /// Denies callers that may not use all zones of a database.
    private func allowAll(_ caller: Caller, _ scope: DatabaseScope) throws(RecordError) {
        guard caller.participation == nil else { throw .rejected(caller, .read, .privateDatabase) }
        try allow(caller, scope)
    }

    private func allow(_ caller: Caller, _ scope: DatabaseScope) throws(RecordError) {
        guard Authorization.mayEnter(caller, scope) else { throw .rejected(caller, .read, .privateDatabase) }
    }

    private var publicZone: Zone { Zone(name: ZoneName.defaultZone.text, owner: nil, created: nil) }

    // MARK: Tokens

    /// Returns the token after each change of a page.
    ///
    /// - Parameters:
    ///   - account: The account whose database it is.
    ///   - isShared: Whether it is the account's shared database.
    func tokens(in page: ZoneChanges, of account: UserID, isShared: Bool, for caller: Caller) -> [String] {
        page.changes.enumerated().map { index, change in
            guard index < page.changes.count - 1 else { return page.token }
            var token = page.start
            (token.sequence, token.complete) = (change.sequence, change.sequence)
            return seal(token, account, caller, isShared: isShared)
        }
    }

    private static func context(_ owner: UserID, _ caller: Caller, isShared: Bool) -> [Int64] {
        [isShared ? 6 : 5, owner.rawValue, caller.identityID.rawValue]
    }

    private func seal(_ token: SyncToken, _ owner: UserID, _ caller: Caller, isShared: Bool) -> String {
        token.sealed(context: Self.context(owner, caller, isShared: isShared), by: reader)
    }

    private func open(
        _ text: String, _ owner: UserID, _ caller: Caller, isShared: Bool
    ) throws(RecordError) -> SyncToken {
        let context = Self.context(owner, caller, isShared: isShared)
        guard let token = try SyncToken.open(text, context: context, by: reader) else {
            throw .badRequest(
                "The token does not belong to this caller and database. Read the changes from their beginning",
                cause: .tokenInvalid)
        }
        return token
    }
}
