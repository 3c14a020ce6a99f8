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
        try allow(caller, scope)
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
        try allow(caller, scope)
        guard case .privateDatabase(let owner) = scope else {
            throw .badRequest(
                "The public database has one zone alone. Read its changes with GET /changes",
                details: [("parameter", .text("database"))])
        }
        // The snapshot may contain a commit whose records no feed shows yet.
        let last = reader.knownSequence
        var token = try position(start, owner, caller, last: last)
        let name = try reader.userNames.name(of: owner)
        var changes = try store.zones.changed(of: owner, after: token.sequence, through: last, limit: limit + 1).map {
            (
                sequence: $0.changed,
                ZoneChange(zone: Zone(name: $0.name, owner: name, created: $0.created), isLost: false)
            )
        }
        let lost = try store.lostZones.list(
            of: owner, isShared: false, after: token.sequence, through: last, limit: limit + 1)
        changes += lost.map {
            (sequence: $0.sequence, ZoneChange(zone: Zone(name: $0.name, owner: name, created: nil), isLost: true))
        }
        let standard = DatabaseAddress(scope: scope)
        if let zone = try reader.zoneRow(standard) {
            let newest = try store.records.newestSequence(zone: zone.id)
            if newest > token.sequence, newest <= last {
                let zone = Zone(name: standard.zone.text, owner: name, created: nil)
                changes.append((newest, ZoneChange(zone: zone, isLost: false)))
            }
        }
        changes.sort { $0.sequence < $1.sequence }
        let moreComing = changes.count > limit
        changes = Array(changes.prefix(limit))
        token.sequence = moreComing ? changes.last?.sequence ?? token.sequence : max(token.sequence, last)
        token.complete = token.sequence
        return ZoneChanges(
            changes: changes.map(\.1), token: Self.seal(token, owner, caller, with: reader.database.keys),
            moreComing: moreComing)
    }

    /// Returns the position at which a caller starts.
    private func position(
        _ start: FeedStart, _ owner: UserID, _ caller: Caller, last: Int64
    ) throws(RecordError) -> SyncToken {
        let epoch = try store.openings.current()
        let purged = try store.lostZones.purgedSequence()
        var token = SyncToken(generation: 0, sequence: 0, rights: 0, floor: purged, epoch: epoch, complete: 0)
        switch start {
        case .beginning: break
        case .now: token.sequence = last
        case .token(let text):
            token = try Self.open(text, owner, caller, with: reader.database.keys)
            let end = try store.openings.lastNumber(of: token.epoch)
            guard let end, token.newest <= end, token.sequence <= last else { throw .tokenOfLostState }
            guard !token.hasMissed(purged: purged) else { throw .tokenTooOld }
            token.epoch = epoch
        }
        return token
    }

    private func allow(_ caller: Caller, _ scope: DatabaseScope) throws(RecordError) {
        if case .privateDatabase(let owner) = scope, !Authorization.mayEnterPrivateDatabase(caller, of: owner) {
            throw .rejected(caller, .read, .privateDatabase)
        }
    }

    private var publicZone: Zone { Zone(name: ZoneName.defaultZone.text, owner: nil, created: nil) }

    // MARK: Tokens

    private static func context(_ owner: UserID, _ caller: Caller) -> [Int64] {
        [5, owner.rawValue, caller.identityID.rawValue]
    }

    private static func seal(
        _ token: SyncToken, _ owner: UserID, _ caller: Caller, with keys: DatabaseKeys
    ) -> String {
        SyncToken.seal(token, context: context(owner, caller), with: keys)
    }

    private static func open(
        _ text: String, _ owner: UserID, _ caller: Caller, with keys: DatabaseKeys
    ) throws(RecordError) -> SyncToken {
        guard let token = SyncToken.open(text, context: context(owner, caller), with: keys) else {
            throw .badRequest(
                "The token does not belong to this caller and database. Read the changes from their beginning",
                cause: .tokenInvalid)
        }
        return token
    }
}
