internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for the zones of a database.
enum ZoneRoutes {
    static let routes: [Route] = [
        Route(
            "GET /zones", "listZones", .zones, "Lists the zones of a database", rate: .read,
            query: ["limit", "cursor"], responses: [.json(200, "Zones", "A page of zones")]
        ) { call in try list(call) },
        Route(
            "GET /zones/{zone}", "readZone", .zones, "Shows a zone", rate: .read,
            responses: [.json(200, "Zone", "The zone"), .error(404, "There is no such zone")]
        ) { call in try read(call) },
        Route(
            "PUT /zones/{zone}", "createZone", .zones, "Creates a zone in a private database", rate: .write,
            responses: [.json(200, "Zone", "The zone was there already"), .json(201, "Zone", "The new zone")]
        ) { call in try await create(call) },
        Route(
            "DELETE /zones/{zone}", "deleteZone", .zones, "Deletes a zone with all its records", rate: .write,
            responses: [.empty(204, "Gone"), .error(404, "There is no such zone")]
        ) { call in try await delete(call) },
        Route(
            "GET /changes/zones", "fetchZoneChanges", .zones,
            "Reads which zones of a private or shared database have changed since a token, or streams it", rate: .read,
            options: .streams, query: ["since", "limit", "ticket"], headers: ["lastEventID"],
            responses: [
                .jsonOrEvents(
                    200, "ZoneChanges",
                    "The zones, oldest change first, and the token for the next call; or events as they happen"),
                .error(410, "The token is too old: start again without one"),
            ]
        ) { call in try changes(call) },
        Route(
            "POST /changes/zones/tickets", "createZoneTicket", .zones,
            "Creates a ticket with which a browser opens the stream of changed zones, once and within a minute",
            rate: .read, query: ["since"],
            responses: [.json(201, "FeedTicket", "The ticket, and the path of the stream")]
        ) { call in
            _ = try feed(call, since: call.query["since"])
            return call.api.tickets.issue(for: "/changes/zones", to: call)
        },
    ]

    /// `GET /zones`: lists the zones of a database, the default zone first.
    ///
    /// The zones of the shared database belong to others and are few, so they have no pages.
    static func list(_ call: RecordCall) throws -> HTTPResponse {
        if call.query.isShared {
            let zones = try call.reader.zones.shared(with: call.caller)
            return .json(["zones": .array(zones.map { .object($0.json) })])
        }
        let page = try call.reader.zones.list(
            in: try call.address().scope, for: call.caller, cursor: call.query["cursor"],
            limit: try call.query.limit(call.database.limits))
        var response = JSONObject([("zones", .array(page.zones.map { .object($0.json) }))])
        if let cursor = page.cursor { response["cursor"] = .string(cursor) }
        return .json(.object(response))
    }

    static func read(_ call: RecordCall) throws -> HTTPResponse {
        .json(.object(try call.reader.zones.find(try zone(call), for: call.caller).json))
    }

    /// `PUT /zones/{zone}`: creates a zone. The request has no body, because a zone has only its name.
    static func create(_ call: RecordCall) async throws -> HTTPResponse {
        let (zone, isNew) = try await call.database.zones.create(
            try self.zone(call), by: call.caller, rightsVersion: call.rightsVersion)
        return .json(.object(zone.json), status: isNew ? .created : .ok)
    }

    static func delete(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.database.zones.remove(try zone(call), by: call.caller, rightsVersion: call.rightsVersion)
        return HTTPResponse(.noContent)
    }

    /// `GET /changes/zones`: returns the zones that have changed since a token, or streams them.
    static func changes(_ call: RecordCall) throws -> HTTPResponse {
        if call.request.fields.acceptsEventStream { return try stream(call) }
        try requireJSONAccepted(call.request.fields)
        let (start, limit) = (FeedStart(call.query["since"]), try call.query.limit(call.database.limits))
        let changes =
            call.query.isShared
            ? try call.reader.zones.sharedChanges(for: call.caller, since: start, limit: limit)
            : try call.reader.zones.changes(
                in: try call.address().scope, for: call.caller, since: start, limit: limit)
        var response = HTTPResponse.json([
            "zones": .array(changes.changes.map { .object($0.json) }), "token": .string(changes.token),
            "moreComing": .bool(changes.moreComing),
        ])
        response.fields.append(.vary, literal: "Accept")
        return response
    }

    /// `GET /changes/zones` with `Accept: text/event-stream`: streams the zones as server-sent events.
    private static func stream(_ call: RecordCall) throws -> HTTPResponse {
        guard call.query["limit"] == nil else {
            throw RequestQuery.invalid("limit", "A stream has no pages. Leave out 'limit'")
        }
        // The client's own position is newer than that in the URL, which a browser repeats when it connects again.
        let (feed, id) = try feed(call, since: call.request.fields[.lastEventID] ?? call.query["since"])
        return .eventStream(BatchStream(feed, of: call, id: id))
    }

    private static func feed(_ call: RecordCall, since: String?) throws -> (ZoneFeed, DatabaseID?) {
        let id = try call.query.databaseID(default: call.api.configuration.defaultDatabase)
        let feed = try ZoneFeed(
            of: call.query.isShared ? .shared : .scope(try call.address().scope), for: call.caller.account,
            since: FeedStart(since), by: call.reader, watcher: call.context.watcher(call.database, id))
        return (feed, id)
    }

    /// Returns the address of the zone in the path.
    ///
    /// - Throws: BAD_REQUEST for an invalid name, and for another zone in the query.
    private static func zone(_ call: RecordCall) throws(RecordError) -> DatabaseAddress {
        guard let name = ZoneName(call.parameters[0]) else {
            throw .badRequest(
                "A zone's name has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters")
        }
        guard call.query["zone"] == nil else {
            throw RequestQuery.invalid("zone", "The zone is in the path. Leave out 'zone'")
        }
        return DatabaseAddress(scope: try call.address().scope, zone: name)
    }

    static let schemas: StaticString = #"""
        "Zone":{"type":"object","required":["zoneName"],"properties":{
        "zoneName":{"type":"string"},
        "ownerRecordName":{"type":"string","description":"The user who owns the zone; absent in the public database"},
        "created":{"type":"integer","description":"Milliseconds since 1970; absent for the default zone"}}},
        "Zones":{"type":"object","required":["zones"],"properties":{
        "zones":{"type":"array","items":{"$ref":"#/components/schemas/Zone"}},"cursor":{"type":"string"}}},
        "ZoneChanges":{"type":"object","required":["zones","token","moreComing"],"properties":{
        "zones":{"type":"array","items":{"allOf":[{"$ref":"#/components/schemas/Zone"},
        {"type":"object","properties":{"deleted":{"const":true}}}]}},
        "token":{"type":"string"},"moreComing":{"type":"boolean"}}}
        """#
}

extension ZoneChange {
    /// The change as JSON: the zone, with `deleted` if the database no longer has it.
    fileprivate var json: JSONObject {
        var json = zone.json
        if isLost { json["deleted"] = .bool(true) }
        return json
    }
}

extension ZoneFeed: BatchFeed {
    static var event: String { "zone" }

    func events(
        for caller: Caller, limit: Int, by reader: RecordReader
    ) async throws(RecordError) -> EventBatch {
        let (page, tokens) = try next(for: caller, limit: limit, by: reader)
        return EventBatch(
            events: zip(page.changes, tokens).map { ($0.json, $1) }, end: page.token, moreComing: page.moreComing)
    }

    func restart(by reader: RecordReader) throws(RecordError) -> String {
        restart()
        return FeedStart.beginningText
    }
}
