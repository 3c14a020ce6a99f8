internal import RecordModel
internal import RecordWire

/// The routes for the zones of a database.
struct InMemoryZoneRoutes {
    let call: InMemoryCall
    private var owner: Int64 { call.zone.owner }
    private var isPublic: Bool { call.scope == .publicDatabase }

    /// The zone in the path.
    ///
    /// - Throws: BAD_REQUEST for an invalid name, and for another zone in the query.
    private var name: ZoneName {
        get throws(RecordError) {
            guard let name = ZoneName(call.request.path[1]) else { throw .badRequest(ZoneName.rule) }
            guard call.request["zone"] == nil else {
                throw .badRequest("The zone is in the path. Leave out 'zone'", details: [("parameter", .text("zone"))])
            }
            return name
        }
    }

    /// Executes a request for one zone.
    func respond(in database: inout InMemoryDatabase) throws -> TransportResponse {
        let name = try name
        switch call.request.method {
        case "GET": return TransportResponse(json: try json(of: name, in: database))
        case "PUT": return try create(name, in: &database)
        case "DELETE": return try delete(name, in: &database)
        default: throw RecordError.badRequest("Zones have no such method", cause: .methodNotAllowed)
        }
    }

    private func json(
        of name: ZoneName, created: Int64? = nil, isLost: Bool = false, owner: Int64? = nil,
        _ database: InMemoryDatabase
    ) -> JSONValue {
        var json = JSONObject([("zoneName", .string(name.text))])
        if !isPublic {
            json["ownerRecordName"] = .string(database.accounts.name(of: UserID(rawValue: owner ?? self.owner)))
        }
        if let created { json["created"] = .integer(created) }
        if isLost { json["deleted"] = true }
        return .object(json)
    }

    private func json(of name: ZoneName, in database: InMemoryDatabase) throws(RecordError) -> JSONValue {
        _ = try database.zones.id(of: name, owner: owner)
        return json(of: name, created: database.zones.find(name, owner: owner)?.created, database)
    }

    /// Lists the zones, the default zone first.
    func list(in database: InMemoryDatabase) throws(RecordError) -> TransportResponse {
        let limit = try call.request.limit(database.limits)
        if let account = call.sharedDatabase {
            let zones = sharedZones(of: account, in: database).sorted { $0.sequence < $1.sequence }
            return TransportResponse(json: ["zones": .array(zones.map(\.json))])
        }
        let custom = database.zones.all(of: owner)
        var rest: [(name: ZoneName, created: Int64?)] = [(.defaultZone, nil)] + custom.map { ($0.name, $0.created) }
        if !isPublic, let cursor = call.request["cursor"] {
            guard let last = ZoneName(cursor) else { throw .invalidCursor }
            rest.removeAll { zone in
                zone.name == .defaultZone
                    || last != .defaultZone && !last.text.utf8.lexicographicallyPrecedes(zone.name.text.utf8)
            }
        }
        let page = rest.prefix(limit)
        var response = JSONObject([("zones", .array(page.map { json(of: $0.name, created: $0.created, database) }))])
        if rest.count > page.count, let last = page.last { response["cursor"] = .string(last.name.text) }
        return TransportResponse(json: .object(response))
    }

    private func create(_ name: ZoneName, in database: inout InMemoryDatabase) throws(RecordError) -> TransportResponse
    {
        guard !isPublic else {
            throw .badRequest(
                "The public database has no zones but _defaultZone. Create zones with database=private",
                details: [("parameter", .text("database"))])
        }
        guard !name.isReserved else {
            throw .badRequest("Names of zones that begin with _ are the server's. Choose another name")
        }
        let isNew = database.zones.find(name, owner: owner) == nil
        if isNew {
            guard database.zones.all(of: owner).count < Limits.customZones else {
                throw .badRequest("The database has as many zones as it may have. Delete one first", cause: .tooLarge)
            }
            let id = InMemoryZoneID(owner: owner, number: database.nextSequence())
            database.zones.add(InMemoryZone(id: id, name: name, created: database.now))
        }
        return TransportResponse(json: try json(of: name, in: database), status: isNew ? 201 : 200)
    }

    private func delete(_ name: ZoneName, in database: inout InMemoryDatabase) throws(RecordError) -> TransportResponse
    {
        guard !isPublic, name != .defaultZone else {
            throw .badRequest("The default zone stays as long as its database. Delete its records instead")
        }
        guard let zone = database.zones.find(name, owner: owner) else { throw .zoneNotFound }
        database.endShares(in: zone)
        database.zones.remove(zone, sequence: database.nextSequence())
        database.removeRecords(of: zone.id)
        return TransportResponse(status: 204)
    }

    /// Returns the zones of a private database that have changed since a token, the oldest change first.
    func changes(in database: inout InMemoryDatabase) throws(RecordError) -> TransportResponse {
        guard !isPublic else {
            throw .badRequest("The public database has one zone alone. Read its changes with GET /changes")
        }
        let limit = try call.request.limit(database.limits)
        let holder = "zones \(call.caller.writerID) \(call.sharedDatabase == nil ? "\(owner)" : "shared")"
        var last = try database.feedPosition(call.request["since"] ?? "", holder).last
        var changes = call.sharedDatabase.map { sharedChanges(of: $0, in: database) } ?? ownChanges(in: database)
        changes = changes.filter { $0.sequence > last }.sorted { $0.sequence < $1.sequence }
        let page = changes.prefix(limit)
        let moreComing = changes.count > page.count
        last = moreComing ? page.last?.sequence ?? last : database.sequence
        let token = database.positions.keep(.feed(after: last, complete: last), holder)
        return TransportResponse(json: [
            "zones": .array(page.map(\.json)), "token": .string(token), "moreComing": .bool(moreComing),
        ])
    }
}

// MARK: - Changes

extension InMemoryZoneRoutes {
    /// A zone as JSON with the sequence number of its newest change.
    private typealias Change = (sequence: Int64, json: JSONValue)

    private func ownChanges(in database: InMemoryDatabase) -> [Change] {
        let newest = database.newestSequences(of: owner)
        var changes: [Change] = database.zones.all(of: owner).map { zone in
            (max(zone.id.number, newest[zone.id] ?? 0), json(of: zone.name, created: zone.created, database))
        }
        changes += database.zones.lost.filter { $0.owner == owner }.map { lost in
            (lost.sequence, json(of: lost.name, isLost: true, database))
        }
        if let sequence = newest[InMemoryZoneID(owner: owner)] {
            changes.append((sequence, json(of: .defaultZone, database)))
        }
        return changes
    }

    /// Returns the zones that others share with an account. A zone changes with its records and with the rights.
    private func sharedZones(of account: UserID, in database: InMemoryDatabase) -> [Change] {
        database.sharing.zones(of: account).flatMap { id in
            database.zones.all(of: id.owner).filter { $0.id == id }
        }.map { zone in
            let newest = database.newestSequences(of: zone.id.owner)[zone.id] ?? 0
            let rights = database.sharing.rightsChanges[InMemorySharing.Membership(account: account, zone: zone.id)]
            return (
                max(zone.id.number, newest, rights ?? 0),
                json(of: zone.name, created: zone.created, owner: zone.id.owner, database)
            )
        }
    }

    private func sharedChanges(of account: UserID, in database: InMemoryDatabase) -> [Change] {
        sharedZones(of: account, in: database)
            + database.sharing.lost.filter { $0.account == account }.map { lost in
                (lost.sequence, json(of: lost.name, isLost: true, owner: lost.owner, database))
            }
    }
}

extension ZoneName {
    /// The rule for names, as a sentence for errors.
    static let rule = "A zone's name has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters"
}
